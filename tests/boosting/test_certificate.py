"""What boosted fits prove about themselves."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_moons

import coterie
from coterie.boosting import certificate

TWO = make_moons(80, noise=0.3, random_state=0)
THREE = make_blobs(80, centers=3, cluster_std=3, random_state=0)
BOUNDS = [
    "AdaBoostClassifier",
    "AdaBoostM2Classifier",
    "AdaBoostMHClassifier",
    "AnyBoostClassifier",
    "BrownBoostClassifier",
    "FunctionalGradientBoostingClassifier",
    "GentleBoostClassifier",
    "GradientBoostingClassifier",
    "LogitBoostClassifier",
    "MadaBoostClassifier",
    "MultiBoostClassifier",
    "RealAdaBoostClassifier",
    "RobustBoostClassifier",
]
SAMME = {"AdaBoostClassifier", "MadaBoostClassifier", "RealAdaBoostClassifier"}
GAPS = [
    "AdaBoostVClassifier",
    "ERLPBoostClassifier",
    "LPBoostClassifier",
    "SoftBoostClassifier",
    "TotalBoostClassifier",
]


@pytest.mark.slow("ERLPBoost", "SoftBoost", "RobustBoost")
@pytest.mark.parametrize("name", BOUNDS)
@pytest.mark.parametrize("rows", [TWO, THREE], ids=["two", "three"])
def test_training_error_is_at_most_the_bound(name, rows):
    X, y = rows
    booster = getattr(coterie, name)(n_estimators=15)
    if "random_state" in booster.get_params():
        booster.set_params(random_state=0)
    model = booster.fit(X, y)
    proof = certificate(model)
    if rows is THREE and name in SAMME:
        assert (proof.kind, proof.values) == ("none", None)
        assert "three or more classes" in proof.words
        return
    assert proof.kind == "bound"
    errors = np.array([(said != y).mean() for said in model.staged_predict(X)])
    assert len(errors) == len(proof.values)
    assert (errors <= proof.values + 1e-12).all()
    # A bound that says something: below one half in the end, of two classes.
    assert rows is THREE or proof.values[-1] < 0.5


@pytest.mark.slow("ERLPBoost", "SoftBoost", "RobustBoost")
@pytest.mark.parametrize("name", GAPS)
def test_margin_boosters_have_a_gap(name):
    given = {} if name in ("AdaBoostVClassifier", "TotalBoostClassifier") else {"nu": 0.6}
    model = getattr(coterie, name)(n_estimators=15, **given).fit(*TWO)
    proof = certificate(model)
    assert proof.kind == "gap"
    np.testing.assert_array_equal(proof.values, model.trace_["gap"])


def test_the_others_say_why_there_is_none():
    X, y = TWO
    numbers = certificate(coterie.GradientBoostingRegressor(n_estimators=3).fit(X, X[:, 0]))
    drawn = certificate(
        coterie.GradientBoostingClassifier(n_estimators=3, subsample=0.5, random_state=0).fit(X, y)
    )
    hist = certificate(coterie.HistGradientBoostingClassifier(max_iter=3).fit(X, y))
    bag = certificate(coterie.BaggingClassifier(n_estimators=3, random_state=0).fit(X, y))
    for proof, words in (
        (numbers, "loss is measured directly"),
        (drawn, "rows sampled"),
        (hist, "does not measure"),
        (bag, "do not build on one another"),
    ):
        assert (proof.kind, proof.values) == ("none", None)
        assert words in proof.words
