import pytest
from sklearn import config_context
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from coterie import VotingClassifier
from coterie.base.routing import asks_weight, check_routing, members_router


def test_a_pipeline_asks_for_weights_if_a_step_does():
    assert not asks_weight(make_pipeline(StandardScaler(), Ridge()))  # by its signature
    with config_context(enable_metadata_routing=True):
        quiet = StandardScaler().set_fit_request(sample_weight=False)
        assert not asks_weight(make_pipeline(quiet, Ridge().set_fit_request(sample_weight=False)))
        assert asks_weight(make_pipeline(quiet, Ridge().set_fit_request(sample_weight=True)))


def test_metadata_need_routing():
    check_routing("Owner", {})
    with pytest.raises(ValueError, match=r"Owner\.fit got \['a'\].*enable_metadata_routing"):
        check_routing("Owner", {"a": 1})


def test_the_owner_is_heard_once_it_requests_something():
    with config_context(enable_metadata_routing=True):
        member = GaussianNB().set_fit_request(sample_weight=True)
        owner = VotingClassifier([("m", member)])
        assert members_router(owner, {"m": member}).consumes(
            "fit", ["sample_weight", "groups"]
        ) == {"sample_weight"}
        owner.set_fit_request(groups=True, sample_weight=False)
        router = members_router(owner, {"m": member})
        assert router.consumes("fit", ["sample_weight", "groups"]) == {"sample_weight", "groups"}
