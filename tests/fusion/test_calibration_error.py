import numpy as np
import pytest
from sklearn.calibration import calibration_curve

from coterie import fusion
from coterie.data import DataError


def test_errors_by_hand():
    p, y = [0.1, 0.3, 0.8, 1.0], [0, 1, 1, 1]  # gaps 0.3 and 0.1 in two bins
    error = lambda **options: fusion.calibration_error(p, y, n_bins=2, **options)  # noqa: E731
    assert error() == pytest.approx(0.2)
    assert error(kind="root") == pytest.approx(np.sqrt((0.09 + 0.01) / 2))
    assert error(kind="maximum") == pytest.approx(0.3)
    assert error(sample_weight=[1, 1, 0, 0]) == pytest.approx(0.3)


@pytest.mark.parametrize("strategy", ["uniform", "quantile"])
def test_curve_equals_scikit_learn(strategy):
    rng = np.random.default_rng(0)
    p = rng.beta(2, 1, 500)
    y = rng.uniform(size=500) < p**2
    curve = fusion.reliability_curve(p, y, n_bins=10, strategy=strategy)
    frequency, mean = calibration_curve(y, p, n_bins=10, strategy=strategy)
    assert curve.frequency == pytest.approx(frequency)
    assert curve.mean == pytest.approx(mean)
    assert curve.mass.sum() == pytest.approx(1)


def test_many_classes_count_the_largest():
    p = np.array([[0.6, 0.3, 0.1], [0.2, 0.6, 0.2]])
    # Both bins are one: mean 0.6, right half of the time.
    assert fusion.calibration_error(p, [0, 2]) == pytest.approx(0.1)
    by_class = [fusion.calibration_error(p[:, k], np.array([0, 2]) == k) for k in range(3)]
    found = fusion.calibration_error(p, np.array([0, 2]), kind="classwise")
    assert found == pytest.approx(np.mean(by_class))


def test_true_probabilities_have_hardly_an_error():
    rng = np.random.default_rng(0)
    p = rng.uniform(size=100_000)
    y = rng.uniform(size=len(p)) < p
    assert fusion.calibration_error(p, y) < 0.01
    assert fusion.calibration_error(p**3, y) > 0.1
    assert fusion.calibration_error(p**3, y, strategy="quantile") > 0.1


def test_bad_input_is_refused():
    with pytest.raises(DataError, match="between 0 and 1"):
        fusion.reliability_curve([2.0], [1])
    with pytest.raises(DataError, match="indices of the 2"):
        fusion.reliability_curve([[0.5, 0.5]], [2])
    with pytest.raises(DataError, match="outcomes of the event"):
        fusion.reliability_curve([0.5], [2])
    with pytest.raises(ValueError, match="n_bins"):
        fusion.reliability_curve([0.5], [1], n_bins=0)
    with pytest.raises(ValueError, match="strategy"):
        fusion.reliability_curve([0.5], [1], strategy="equal")
    with pytest.raises(ValueError, match="kind"):
        fusion.calibration_error([0.5], [1], kind="mean")
