"""What every booster can do, shown on AdaBoost."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_breast_cancer, load_iris, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier as ReferenceTree

from coterie import DecisionTreeClassifier, DecisionTreeRegressor
from coterie.boosting import AdaBoostClassifier

X, Y = load_breast_cancer(return_X_y=True)


@pytest.mark.parametrize("early", [False, True])
def test_stages_are_shorter_fits(early):
    model = AdaBoostClassifier(n_estimators=12, random_state=0, early_stopping=early).fit(X, Y)
    scores = list(model.staged_decision_function(X))
    assert len(scores) == model.n_rounds_
    np.testing.assert_allclose(scores[-1], model.decision_function(X), rtol=1e-12)
    short = AdaBoostClassifier(n_estimators=5, random_state=0, early_stopping=early).fit(X, Y)
    np.testing.assert_allclose(scores[4], short.decision_function(X), rtol=1e-12)
    np.testing.assert_array_equal(list(model.staged_predict(X))[4], short.predict(X))
    np.testing.assert_allclose(list(model.staged_predict_proba(X))[4], short.predict_proba(X))
    assert list(model.staged_score(X, Y))[4] == short.score(X, Y)


@pytest.mark.parametrize("weighting", ["reweight", "resample"])
@pytest.mark.parametrize("member", [None, KNeighborsClassifier(), GaussianNB()])
def test_warm_start_equals_one_long_fit(member, weighting):
    if weighting == "reweight" and isinstance(member, KNeighborsClassifier):
        pytest.skip("neighbours take no weights")
    settings = {"weighting": weighting, "random_state": 3}
    whole = AdaBoostClassifier(member, n_estimators=8, **settings).fit(X, Y)
    grown = AdaBoostClassifier(member, n_estimators=3, warm_start=True, **settings).fit(X, Y)
    grown.set_params(n_estimators=8).fit(X, Y)
    assert grown.n_rounds_ == whole.n_rounds_
    np.testing.assert_allclose(grown.decision_function(X), whole.decision_function(X), rtol=1e-9)
    np.testing.assert_allclose(grown.trace_["error"], whole.trace_["error"], rtol=1e-9)
    with pytest.raises(ValueError, match="n_estimators=2"):
        grown.set_params(n_estimators=2).fit(X, Y)


def test_early_stopping_keeps_the_best_round():
    rng = np.random.default_rng(0)
    noisy = np.where(rng.random(len(Y)) < 0.2, 1 - Y, Y)
    model = AdaBoostClassifier(
        DecisionTreeClassifier(max_depth=3),
        n_estimators=300,
        early_stopping=True,
        n_iter_no_change=5,
        validation_fraction=0.3,
        random_state=0,
    ).fit(X, noisy)
    assert model.stop_reason_ == "early_stopping"
    errors = model.trace_["validation_error"]
    assert errors[-1] == errors.min()
    assert len(model.estimators_) == len(errors) == model.n_rounds_ < 300


@pytest.mark.slow
def test_time_runs_out_and_progress_is_told(capsys):
    model = AdaBoostClassifier(n_estimators=10_000, max_time=1e-9, verbose=1).fit(X, Y)
    assert model.stop_reason_ == "time_exhausted"
    assert model.n_rounds_ == 1
    assert "round 1/10000" in capsys.readouterr().err


def test_resampling_draws_and_restarts():
    first, again = (
        AdaBoostClassifier(n_estimators=5, weighting="resample", random_state=1).fit(X, Y)
        for _ in range(2)
    )
    np.testing.assert_array_equal(first.decision_function(X), again.decision_function(X))
    other = AdaBoostClassifier(n_estimators=5, weighting="resample", random_state=2).fit(X, Y)
    assert not np.array_equal(first.decision_function(X), other.decision_function(X))
    hard, labels = make_classification(60, 5, n_informative=2, flip_y=0.9, random_state=0)
    settings = {"weighting": "resample", "random_state": 0, "n_estimators": 30}
    stopped = AdaBoostClassifier(**settings).fit(hard, labels)
    restarted = AdaBoostClassifier(max_restarts=25, **settings).fit(hard, labels)
    assert restarted.n_rounds_ >= stopped.n_rounds_
    assert restarted.trace_["restarts"].max() > 0


def test_a_part_of_the_rows_each_round():
    model = AdaBoostClassifier(n_estimators=5, subsample=0.3, random_state=0).fit(X, Y)
    assert model.score(X, Y) > 0.9
    rows = model.pool_.forest.n_samples[model.pool_.forest.node_offsets[:-1]]
    np.testing.assert_array_equal(rows, round(0.3 * len(Y)))


@pytest.mark.parametrize(
    "member",
    [
        LogisticRegression(max_iter=5000),
        KNeighborsClassifier(),
        GaussianNB(),
        ReferenceTree(max_depth=2),
    ],
)
def test_any_estimator_can_be_a_member(member):
    iris, species = load_iris(return_X_y=True)
    names = np.array(["setosa", "versicolor", "virginica"])[species]
    model = AdaBoostClassifier(member, n_estimators=5, random_state=0).fit(iris, names)
    assert model.score(iris, names) > 0.9
    first = model.estimators_[0]
    assert type(first) is type(member)
    assert first is not member
    assert set(first.predict(iris)) <= set(names)


def test_native_and_foreign_stumps_agree():
    iris, species = load_iris(return_X_y=True)
    native = AdaBoostClassifier(n_estimators=6).fit(iris, species)
    foreign = AdaBoostClassifier(ReferenceTree(max_depth=1), n_estimators=6, random_state=0)
    foreign.fit(iris, species)
    np.testing.assert_allclose(native.estimator_errors_, foreign.estimator_errors_, rtol=1e-9)
    np.testing.assert_allclose(
        native.decision_function(iris), foreign.decision_function(iris), rtol=1e-9
    )


@pytest.mark.slow
def test_frames_with_categories_and_gaps():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "x": np.where(rng.random(300) < 0.2, np.nan, rng.normal(size=300)),
            "kind": rng.choice(["a", "b", "c"], 300),
        }
    )
    y = np.where((frame["kind"] == "b") | (frame["x"] > 1), "yes", "no")
    model = AdaBoostClassifier(n_estimators=10).fit(frame, y)
    assert model.score(frame, y) > 0.95
    assert list(model.feature_names_in_) == ["x", "kind"]
    pipe = make_pipeline(make_column_transformer((OneHotEncoder(), ["kind"])), LogisticRegression())
    assert (
        AdaBoostClassifier(pipe, n_estimators=2, random_state=0).fit(frame, y).score(frame, y) > 0.8
    )


def test_importances_are_those_of_the_members():
    model = AdaBoostClassifier(n_estimators=20).fit(X, Y)
    assert model.feature_importances_.sum() == pytest.approx(1)
    each = np.array([member.feature_importances_ for member in model.estimators_])
    expected = np.average(each, axis=0, weights=model.estimator_weights_)
    np.testing.assert_allclose(model.feature_importances_, expected)


def test_what_cannot_be_boosted_is_refused():
    with pytest.raises(ValueError, match="DecisionTreeClassifier"):
        AdaBoostClassifier(DecisionTreeRegressor()).fit(X, Y)
    with pytest.raises(ValueError, match="sample_weight"):
        AdaBoostClassifier(KNeighborsClassifier(), weighting="reweight").fit(X, Y)
