"""Members of other packages, in every ensemble that takes them."""

from typing import ClassVar

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, is_classifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import ExtraTreeClassifier, ExtraTreeRegressor

import coterie
from coterie.combining.combiner import Combiner
from tests.contract.exported import ESTIMATORS, has_parameter, make, outputs, problem, same_bits

pytestmark = pytest.mark.contract
# These take boosters, or ensembles of native trees, and no other estimators.
CHOOSY = {
    coterie.BalanceCascadeClassifier,
    coterie.EasyEnsembleClassifier,
    coterie.RuleFitClassifier,
    coterie.RuleFitRegressor,
}
TAKERS = [
    cls
    for cls in ESTIMATORS
    if (has_parameter(cls, "estimator") or has_parameter(cls, "estimators")) and cls not in CHOOSY
]
# They fit a list of models where others have pairs in `estimators`.
POOLED = (
    coterie.DynamicSelectionClassifier,
    coterie.DynamicSelectionRegressor,
    coterie.PrunedEnsembleClassifier,
    coterie.PrunedEnsembleRegressor,
)
# Classifiers whose members predict numbers.
OF_NUMBERS = (
    coterie.FunctionalGradientBoostingClassifier,
    coterie.LogitBoostClassifier,
    coterie.OutputSmearingClassifier,
)
# They hand metadata on.
HANDS_ON = (
    coterie.BaggingClassifier,
    coterie.BaggingRegressor,
    coterie.BalancedBaggingClassifier,
    Combiner,
)
WEIGHT = np.random.default_rng(0).random(120)


class Fails:
    def __init__(self, depth=1):
        self.depth = depth

    def fit(self, X, y, sample_weight=None):
        raise LookupError("column 3 is odd")

    def predict(self, X):
        return np.zeros(len(X))

    def predict_proba(self, X):
        return np.zeros((len(X), 2))


class FailingClassifier(Fails, ClassifierMixin, BaseEstimator):
    pass


class FailingRegressor(Fails, RegressorMixin, BaseEstimator):
    pass


class Witness(BaseEstimator):
    """A member that notes whether it was handed the places of its rows."""

    seen: ClassVar[list[bool]] = []

    def __init__(self, depth=1):
        self.depth = depth

    def fit(self, X, y, sample_weight=None, place=None):
        self.seen.append(place is not None and np.array_equal(np.asarray(X)[:, 0], place))
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


class WitnessRegressor(RegressorMixin, Witness):
    pass


class WitnessClassifier(ClassifierMixin, Witness):
    def predict_proba(self, X):
        return np.full((len(X), len(self.classes_)), 1 / len(self.classes_))


def taking(cls, of_labels, of_numbers, drawn):
    """A small ensemble of that member, a parameter of which is drawn if the ensemble draws."""
    member = of_labels if is_classifier(cls()) and cls not in OF_NUMBERS else of_numbers
    made = make(cls)
    if has_parameter(cls, "n_estimators"):
        made.set_params(n_estimators=3)
    if has_parameter(cls, "distributions"):
        made.set_params(distributions={drawn: [1, 2]})
    if has_parameter(cls, "estimators"):
        names = ["one", "two", "three"][: getattr(cls, "min_members", 2)]
        return made.set_params(estimators=[(name, member) for name in names])
    return made.set_params(estimator=[("one", member)] if isinstance(made, POOLED) else member)


@pytest.mark.parametrize("cls", TAKERS)
def test_an_error_names_the_member_and_keeps_its_type_and_cause(cls):
    X, y = problem(cls)
    model = taking(cls, FailingClassifier(), FailingRegressor(), "depth")
    named = has_parameter(cls, "estimators") or cls in POOLED
    name = "'one'" if named else "(0|'estimator')"
    told = rf"^The member {name} \((Failing|MultiOutput).*\) failed: column 3 is odd$"
    with pytest.raises(LookupError, match=told) as caught:
        model.fit(X, y)
    assert type(caught.value.__cause__) is LookupError


def pipelines(cls):
    """Random members, of steps whose seeds are nested and whose `fit` takes no weights."""
    members = [
        make_pipeline(StandardScaler(), tree(max_depth=3))
        for tree in (ExtraTreeClassifier, ExtraTreeRegressor)
    ]
    of_numbers = not is_classifier(cls()) or cls in OF_NUMBERS
    step = "extratreeregressor" if of_numbers else "extratreeclassifier"
    return taking(cls, *members, f"{step}__max_depth")


@pytest.mark.parametrize("cls", TAKERS)
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_random_members_without_weights_have_the_same_bits_in_every_fit(cls, weight):
    X, y = problem(cls)
    if weight is not None and not getattr(cls, "draws_by_weight", True):  # as in scikit-learn
        with pytest.raises(TypeError, match="Pipeline does not support sample weights"):
            pipelines(cls).fit(X, y, weight)
        return
    first, second = (outputs(pipelines(cls).fit(X, y, weight), X) for _ in range(2))
    assert same_bits(first, second)
    assert all(np.isfinite(said).all() for said in first if said.dtype.kind == "f")


@pytest.mark.parametrize("cls", TAKERS)
def test_metadata_reach_all_members_or_are_refused(cls):
    """They are never left out without a word."""
    X, y = problem(cls, 40)
    X[:, 0] = np.arange(40)
    Witness.seen.clear()
    with config_context(enable_metadata_routing=True):
        kinds = WitnessClassifier, WitnessRegressor
        model = taking(cls, *(kind().set_fit_request(place=True) for kind in kinds), "depth")
        if isinstance(model, HANDS_ON):
            pipeline = make_pipeline(StandardScaler(with_mean=False, with_std=False), model)
            pipeline.fit(X, y, place=X[:, 0])
            assert Witness.seen
            assert all(Witness.seen)
        else:
            with pytest.raises(TypeError, match="place"):
                model.fit(X, y, place=X[:, 0])
        if isinstance(model, Combiner):
            with pytest.raises(TypeError, match="place"):
                make(cls).fit(X, y, place=X[:, 0])
