"""The parameters of the two faces: scikit-learn's, and the same further ones."""

import inspect

import pytest
from sklearn import ensemble
from sklearn.pipeline import make_pipeline

import coterie
from coterie.boosting.gradient.parameters import (
    CLASSIC,
    HIST,
    ClassicParameters,
    FurtherParameters,
    HistParameters,
    settings_of,
)

NAMES = [
    f"{face}GradientBoosting{task}" for face in ("", "Hist") for task in ("Classifier", "Regressor")
]


def kinds(cls):
    return {name: p.kind for name, p in inspect.signature(cls).parameters.items()}


@pytest.mark.parametrize("name", NAMES)
def test_scikit_learns_signature_and_more(name):
    ours, theirs = getattr(coterie, name), getattr(ensemble, name)
    assert kinds(theirs).items() <= kinds(ours).items()
    given, known = ours().get_params(), theirs().get_params()
    known.pop("criterion", None)  # scikit-learn deprecates it; it never had an effect here
    assert {name: given[name] for name in known} == known
    # What comes besides is given by name.
    more = [kind for name, kind in kinds(ours).items() if name not in known]
    assert set(more) == {inspect.Parameter.KEYWORD_ONLY}
    further = set(kinds(FurtherParameters))
    assert further <= set(given)


@pytest.mark.parametrize("name", NAMES)
def test_every_class_has_its_own_name(name):
    cls = getattr(coterie, name)
    assert cls.__name__ == name
    assert list(make_pipeline(cls()).named_steps) == [name.lower()]
    assert repr(cls(random_state=0)) == f"{name}(random_state=0)"


def test_every_parameter_is_checked():
    assert set(kinds(HistParameters)) | set(kinds(FurtherParameters)) == set(HIST) | {"loss"}
    assert set(kinds(ClassicParameters)) | set(kinds(FurtherParameters)) == set(CLASSIC) | {"loss"}


def test_settings_speak_one_language():
    classic = coterie.GradientBoostingRegressor(min_samples_leaf=0.05, max_features=0.5)
    read = settings_of(classic, classic._translated(200, 5))
    assert (read.max_iter, read.min_samples_leaf, read.max_features) == (100, 10, 2)
    assert (read.early_stopping, read.splits, read.max_bins) == (False, "gradient", 255)
    whole = coterie.GradientBoostingRegressor(max_bins=None, n_iter_no_change=3)
    read = settings_of(whole, whole._translated(200, 5))
    assert (read.max_bins, read.early_stopping) == (65_535, True)
    hist = settings_of(coterie.HistGradientBoostingRegressor(max_iter=7), {})
    assert (hist.max_iter, hist.splits, hist.ccp_alpha, hist.min_samples_split) == (
        7,
        "newton",
        0,
        2,
    )
    assert hist.owner == "HistGradientBoostingRegressor"
