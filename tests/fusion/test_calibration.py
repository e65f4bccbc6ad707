import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from coterie import fusion
from coterie.data import DataError
from coterie.fusion.calibration import BetaMap, TemperatureMap, log_odds, newton_logistic


def test_equals_logistic_regression():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = (X @ [1.0, -2.0, 0.5] + rng.logistic(size=200) > 0).astype(float)
    weight = rng.uniform(0.5, 2, 200)
    found = newton_logistic(X, y, weight, np.zeros(3), penalty=0.1)
    theirs = LogisticRegression(C=10.0, fit_intercept=False, tol=1e-10, max_iter=1000)
    assert found == pytest.approx(theirs.fit(X, y, weight).coef_[0], abs=1e-5)


def test_huge_features_do_not_overflow():
    X = np.array([[1e6], [-1e6], [2e6]])
    found = newton_logistic(X, np.array([0.9, 0.1, 0.9]), np.ones(3), np.zeros(1))
    assert np.isfinite(found).all()
    assert found[0] > 0


SCORES, LABELS = [-2, -1, -0.5, 0.5, 1, 2], [0, 0, 1, 0, 1, 1]


def test_platt_of_six_points():
    curve = fusion.platt(SCORES, LABELS)
    assert (curve.slope, curve.shift) == pytest.approx((-0.630416, 0), abs=1e-6)
    wanted = [0.220831, 0.347416, 0.421844, 0.578156, 0.652584, 0.779169]
    assert curve(SCORES) == pytest.approx(wanted, abs=1e-6)


def test_platt_of_separable_points_is_finite():
    curve = fusion.platt([-1, -1, 1, 1], [0, 0, 1, 1])
    assert (curve.slope, curve.shift) == pytest.approx((-np.log(3), 0), abs=1e-8)


def test_platt_of_constant_scores_is_the_base_rate():
    curve = fusion.platt(np.full(8, 3.0), [1, 1, 1, 0, 0, 0, 0, 0])
    # Smoothed: (3 * 4/5 + 5 * 1/7) / 8.
    assert curve([3.0])[0] == pytest.approx((3 * 4 / 5 + 5 / 7) / 8)


@pytest.mark.parametrize("learn", [fusion.platt, fusion.isotonic, fusion.beta])
def test_weights_are_repetitions(learn):
    rng = np.random.default_rng(0)
    p, times = rng.uniform(0.05, 0.95, 40), rng.integers(1, 4, 40)
    y = rng.uniform(size=40) < p
    weighted, repeated = learn(p, y, times), learn(np.repeat(p, times), np.repeat(y, times))
    grid = np.linspace(0, 1, 50)
    assert weighted(grid) == pytest.approx(repeated(grid), abs=1e-7)


def test_pooled_adjacent_violators():
    for numbers, wanted in (
        ([1, 3, 2, 4, 3, 5], [1, 2.5, 2.5, 3.5, 3.5, 5]),
        ([0, 1, 0, 0, 1, 0, 1], [0, 1 / 3, 1 / 3, 1 / 3, 0.5, 0.5, 1]),
    ):
        f = np.arange(len(numbers))
        assert fusion.isotonic(f, numbers)(f) == pytest.approx(wanted)
        assert fusion.isotonic(f, numbers, interpolate=False)(f) == pytest.approx(wanted)


def test_isotonic_steps_lines_and_ends():
    line = fusion.isotonic([0, 1, 2], [0, 0, 1])
    assert line([-5, 1.5, 9]) == pytest.approx([0, 0.5, 1])
    steps = fusion.isotonic([0, 1, 2], [0, 0, 1], interpolate=False)
    assert steps([-5, 1.99, 2, 9]).tolist() == [0, 0, 1, 1]


def test_isotonic_equals_scikit_learn_with_ties():
    rng = np.random.default_rng(1)
    f, weight = rng.integers(0, 30, 300) / 30, rng.uniform(0.1, 2, 300)
    y = (rng.uniform(size=300) < f).astype(float)
    theirs = IsotonicRegression(out_of_bounds="clip").fit(f, y, weight)
    grid = np.linspace(-0.1, 1.1, 77)
    assert fusion.isotonic(f, y, weight)(grid) == pytest.approx(theirs.predict(grid))


def test_temperatures_by_hand():
    z = np.array([2.0, 1.0, 0.0])
    for tau, wanted in (
        (1, (0.665241, 0.244728, 0.090031)),
        (2, (0.506480, 0.307196, 0.186324)),
        (5, (0.401760, 0.328933, 0.269307)),
    ):
        assert TemperatureMap(tau)(z) == pytest.approx(wanted, abs=1e-6)


@pytest.mark.slow
def test_temperature_finds_the_one_that_made_the_labels():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(20_000, 3)) * 2
    y = np.array([rng.choice(3, p=p) for p in TemperatureMap(2.5)(z)])
    curve = fusion.temperature(z, y)
    assert curve.tau == pytest.approx(2.5, rel=0.05)
    assert (curve(z).argmax(axis=1) == z.argmax(axis=1)).all()


def test_beta_of_ones_changes_nothing():
    p = np.linspace(0.01, 0.99, 30)
    assert BetaMap(1, 1, 0)(p) == pytest.approx(p)


def test_beta_finds_the_curve_that_made_the_labels():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.01, 0.99, 50_000)
    made = BetaMap(0.5, 2.0, 0.3)
    found = fusion.beta(p, rng.uniform(size=len(p)) < made(p))
    assert (found.a, found.b, found.c) == pytest.approx((0.5, 2.0, 0.3), abs=0.1)


def test_beta_never_falls():
    rng = np.random.default_rng(0)
    p = rng.uniform(0.01, 0.99, 500)
    found = fusion.beta(p, rng.uniform(size=500) > p)  # the wrong way round
    assert (found.a, found.b) == (0, 0)
    assert np.ptp(found(p)) == 0


def test_log_odds_are_finite():
    assert np.isfinite(log_odds([0.0, 1.0])).all()
    assert log_odds([0.75])[0] == pytest.approx(np.log(3))


def test_bad_input_is_refused():
    with pytest.raises(DataError, match="second class"):
        fusion.platt([1, 2], [1, 2])
    with pytest.raises(DataError, match="second class"):
        fusion.platt([1, 2], [1, 0, 1])
    with pytest.raises(DataError, match="between 0 and 1"):
        fusion.beta([0.5, 2], [1, 0])
    with pytest.raises(DataError, match="class index"):
        fusion.temperature([[0.5, 2]], ["a"])
    with pytest.raises(DataError, match="labels"):
        fusion.isotonic([1, 2], [1])
