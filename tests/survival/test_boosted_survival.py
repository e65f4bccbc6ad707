"""Boosting of hazards and of times."""

import numpy as np
import pytest

import coterie
from coterie.survival import GradientBoostingSurvival, concordance_index, nelson_aalen
from coterie.survival.boosted_survival import of_unit_mean
from tests.survival.eight import sample
from tests.survival.truncated import late_sample

X, Y = sample()
SMALL = {"max_iter": 10, "random_state": 0}
both = pytest.mark.parametrize("loss", ["cox", "aft"])


@pytest.mark.parametrize("ties", ["efron", "breslow"])
def test_the_first_tree_is_a_newton_step(ties):
    # One leaf per row; the slopes of score 0 are known by hand.
    y = np.array([1.0, 2, 2, 3, 4, 4]), np.array([1, 1, 1, 0, 1, 0], dtype=bool)
    each = np.arange(6.0)[:, None]
    model = GradientBoostingSurvival(
        ties=ties,
        max_iter=1,
        learning_rate=1.0,
        max_depth=None,
        min_samples_leaf=1,
        min_child_weight=0.0,
        l2_regularization=1e-6,
    ).fit(each, (y[1], y[0]))
    gradient, hessian = model.loss_.slopes(np.where(y[1], y[0], -y[0]), np.zeros((6, 1)))
    steps = np.clip(-gradient[:, 0] / (hessian[:, 0] + 1e-6), -4.0, 4.0)  # the longest there are
    np.testing.assert_allclose(model.predict(each), steps, rtol=1e-5)


def test_without_trees_the_baseline_is_that_of_everyone():
    model = GradientBoostingSurvival(max_iter=1, min_samples_leaf=len(X)).fit(X, Y)
    times = np.unique(Y["time"])
    assert np.ptp(model.predict(X)) == 0
    hazard = model.predict_cumulative_hazard_function(X[:1], times)[0]
    np.testing.assert_allclose(hazard, nelson_aalen(Y)(times), rtol=1e-9)


@both
def test_it_learns(loss):
    new = sample(seed=1)
    model = GradientBoostingSurvival(loss).fit(X, Y)
    assert model.score(*new) > 0.68
    staged = list(model.staged_predict(X))
    assert len(staged) == 100
    np.testing.assert_allclose(staged[-1], model.predict(X), rtol=1e-12)


@both
def test_weights_are_repetitions(loss):
    times = np.random.default_rng(0).integers(0, 4, len(Y))
    rounded = np.round(X, 1)
    settings = {**SMALL, "loss": loss, "min_samples_leaf": 1}
    weighted = GradientBoostingSurvival(**settings).fit(rounded, Y, times)
    repeated = GradientBoostingSurvival(**settings)
    repeated.fit(np.repeat(rounded, times, axis=0), np.repeat(Y, times))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-9)
    curves = (m.predict_survival_function(X) for m in (weighted, repeated))
    np.testing.assert_allclose(*curves, rtol=1e-8)


def test_weights_that_count_nothing_are_relative():
    assert of_unit_mean(None) is None
    assert of_unit_mean(np.array([1.0, 3.0])).tolist() == [1.0, 3.0]
    np.testing.assert_allclose(of_unit_mean(np.array([1e300, 3e300])), [0.5, 1.5])
    weight = np.random.default_rng(0).uniform(size=len(Y))
    first, second = (
        GradientBoostingSurvival(**SMALL).fit(X, Y, weight * size) for size in (1.0, 1e-9)
    )
    np.testing.assert_allclose(first.predict(X), second.predict(X), rtol=1e-9)


@pytest.mark.slow
@both
@pytest.mark.parametrize("scoring", ["loss", "concordance", ["concordance", "loss"]])
def test_early_stopping(loss, scoring):
    model = GradientBoostingSurvival(
        loss, learning_rate=0.3, max_iter=300, early_stopping=True, scoring=scoring, random_state=0
    ).fit(X, Y)
    assert model.n_iter_ < 300
    assert np.isfinite(model.validation_score_).all()
    new_x, new_y = sample(seed=2)
    weight = np.ones(len(Y))
    model.fit(X, Y, weight * 2, X_val=new_x, y_val=new_y, sample_weight_val=None)
    if scoring == "concordance":
        assert abs(model.validation_score_[-1] - model.score(new_x, new_y)) < 1e-12


def test_intervals():
    rng = np.random.default_rng(0)
    time = np.exp(X[:, 0] + 0.3 * rng.normal(size=len(X)))
    lower, upper = np.floor(time), np.ceil(time)
    model = GradientBoostingSurvival("aft", scale=0.3, max_iter=200).fit(X, lower, upper=upper)
    middle = model.predict_time(X)
    assert np.corrcoef(np.log(middle), X[:, 0])[0, 1] > 0.9
    assert (model.predict_time(X, 0.9) > middle).all()
    survival = model.predict_survival_function(X[:1], [middle[0], model.predict_time(X, 0.9)[0]])
    np.testing.assert_allclose(survival[0], [0.5, 0.1], atol=1e-9)
    hazard = model.predict_cumulative_hazard_function(X[:1], [middle[0]])
    assert abs(hazard[0, 0] - np.log(2)) < 1e-9


def test_errors():
    with pytest.raises(ValueError, match="requires loss='aft'"):
        GradientBoostingSurvival().fit(X, Y["time"], upper=Y["time"])
    with pytest.raises(ValueError, match="below its lower"):
        GradientBoostingSurvival("aft").fit(X, Y["time"], upper=Y["time"] - 1)
    with pytest.raises(AttributeError, match="needs loss='aft'"):
        GradientBoostingSurvival(**SMALL).fit(X, Y).predict_time(X)
    with pytest.raises(ValueError, match="'scoring' parameter"):
        GradientBoostingSurvival(scoring="r2").fit(X, Y)


@both
def test_files_and_explanations(loss, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcd"))
    frame["word"] = np.where(X[:, 1] > 0, "up", "down")
    frame.loc[::5, "a"] = np.nan
    model = GradientBoostingSurvival(loss, **SMALL).fit(frame, Y)
    coterie.save(model, tmp_path / "model.coterie")
    again = coterie.load(tmp_path / "model.coterie")
    assert np.array_equal(
        again.predict_survival_function(frame), model.predict_survival_function(frame)
    )
    shown = coterie.shap_values(model, frame)
    total = shown.values.sum(axis=1) + shown.base_values
    raw = model.predict(frame) if loss == "cox" else -model.predict(frame)
    np.testing.assert_allclose(total, raw, atol=1e-9)


def test_entries_of_zero_and_one_stratum_change_no_bit():
    plain = GradientBoostingSurvival(**SMALL).fit(X, Y)
    zero = GradientBoostingSurvival(**SMALL).fit(X, Y, entry=np.zeros(len(Y)))
    assert np.array_equal(zero.predict_survival_function(X), plain.predict_survival_function(X))
    assert zero.strata_ is None
    one = GradientBoostingSurvival(**SMALL).fit(X, Y, strata=["a"] * len(Y))
    said = one.predict_survival_function(X, strata="a")
    assert np.array_equal(said, plain.predict_survival_function(X))


def test_late_rows_are_at_risk_from_their_entry():
    rows, y, entry = late_sample()
    none = GradientBoostingSurvival(max_iter=1, min_samples_leaf=len(y)).fit(rows, y, entry=entry)
    times = np.unique(y["time"])
    hazard = none.predict_cumulative_hazard_function(rows[:1], times)[0]
    np.testing.assert_allclose(hazard, nelson_aalen(y, entry=entry)(times), rtol=1e-9)
    model = GradientBoostingSurvival(**SMALL).fit(rows, y, entry=entry)
    assert model.score(rows, y, entry=entry) > 0.65
    back = np.arange(len(y))[::-1]
    turned = GradientBoostingSurvival(**SMALL).fit(rows[back], y[back], entry=entry[back])
    np.testing.assert_allclose(turned.predict(rows), model.predict(rows), rtol=1e-9)


def test_strata_have_baselines_of_their_own(tmp_path):
    rows, y, entry = late_sample()
    strata = np.where(rows[:, 3] > 0, "high", "low")
    none = GradientBoostingSurvival(max_iter=1, min_samples_leaf=len(y))
    none.fit(rows, y, strata=strata, entry=entry)
    times = np.unique(y["time"])
    for label in ("high", "low"):
        own = strata == label
        hazard = none.predict_cumulative_hazard_function(rows[:1], times, strata=label)[0]
        known = nelson_aalen(y[own], entry=entry[own])(times)
        np.testing.assert_allclose(hazard, known, rtol=1e-9)
    model = GradientBoostingSurvival(**SMALL).fit(rows, y, strata=strata, entry=entry)
    assert model.strata_.tolist() == ["high", "low"]
    assert model.score(rows, y, entry=entry, strata=strata) > 0.6
    said = model.predict_survival_function(rows, strata=strata)
    coterie.save(model, tmp_path / "model.coterie")
    loaded = coterie.load(tmp_path / "model.coterie")
    assert np.array_equal(loaded.predict_survival_function(rows, strata=strata), said)
    with pytest.raises(ValueError, match="Pass strata, a label for each row"):
        model.predict_survival_function(rows)
    with pytest.raises(ValueError, match="Stratum 'other' was not seen in fit"):
        model.predict_survival_function(rows, strata="other")
    with pytest.raises(ValueError, match="Omit strata"):
        GradientBoostingSurvival(**SMALL).fit(rows, y).predict_survival_function(rows, strata="a")
    with pytest.raises(ValueError, match="require loss='cox'"):
        GradientBoostingSurvival("aft").fit(rows, y, strata=strata)


@pytest.mark.slow
@pytest.mark.parametrize("scoring", ["loss", "concordance"])
def test_early_stopping_knows_entries_and_strata(scoring):
    rows, y, entry = late_sample(400)
    strata, weight = rows[:, 3] > 0, np.random.default_rng(0).uniform(0.5, 2, 400)
    model = GradientBoostingSurvival(
        max_iter=40, early_stopping=True, n_iter_no_change=3, random_state=0, scoring=scoring
    )
    model.fit(rows, y, weight, entry=entry, strata=strata)
    assert model.validation_score_[-1] != model.validation_score_[0]
    new, y_new, entry_new = late_sample(200, seed=5)
    more = {"X_val": new, "y_val": y_new, "entry_val": entry_new, "strata_val": new[:, 3] > 0}
    model.fit(rows, y, entry=entry, strata=strata, **more)
    with pytest.raises(ValueError, match="strata_val"):
        model.fit(rows, y, strata=strata, X_val=new, y_val=y_new)
    if scoring == "concordance":
        stage = list(model.staged_predict(new))[model.best_iteration_ - 1]
        index = concordance_index(y_new, stage, entry=entry_new, strata=new[:, 3] > 0)
        assert abs(max(model.validation_score_) - index) < 1e-12


def test_a_stratum_without_weight_knows_no_hazard():
    strata, weight = np.repeat(["a", "b", "c"], [140, 150, 10]), np.ones(300)
    weight[290:] = 0
    model = GradientBoostingSurvival(**SMALL).fit(X, Y, weight, strata=strata)
    assert (model.predict_survival_function(X[:3], strata="c") == 1).all()


def test_files_of_former_versions_have_no_strata(tmp_path):
    model = GradientBoostingSurvival(**SMALL).fit(X, Y)
    said = model.predict_survival_function(X)
    del model.strata_
    coterie.save(model, tmp_path / "model.coterie")
    loaded = coterie.load(tmp_path / "model.coterie")
    assert np.array_equal(loaded.predict_survival_function(X), said)


def test_rows_without_weight_may_hold_anything():
    weight, entry = np.ones(len(Y)), np.zeros(len(Y))
    weight[:5], entry[:5] = 0, 99
    model = GradientBoostingSurvival(**SMALL).fit(X, Y, weight, entry=entry)
    assert np.array_equal(
        model.predict(X), GradientBoostingSurvival(**SMALL).fit(X, Y, weight).predict(X)
    )
    with pytest.raises(ValueError, match="Row 0 comes under observation at 99"):
        GradientBoostingSurvival(**SMALL).fit(X, Y, entry=entry)
