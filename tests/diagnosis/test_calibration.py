import numpy as np
import pytest
from sklearn.metrics import log_loss

from coterie import fusion
from coterie.diagnosis.calibration import calibration, temperature_losses
from coterie.diagnosis.case import Case
from coterie.diagnosis.ensemble_predictions import answers_of
from tests.diagnosis.pools import SaysChances, case_of, copies


def _chances(n_rows=3000, n_classes=3, seed=0):
    """Perfect probabilities, and classes drawn by them."""
    rng = np.random.default_rng(seed)
    chances = rng.dirichlet(np.ones(n_classes), n_rows)
    codes = (rng.random(n_rows)[:, None] > chances.cumsum(axis=1)).sum(axis=1)
    return chances, codes


def _sharpened(chances, tau):
    sharp = chances ** (1 / tau)
    return sharp / sharp.sum(axis=1, keepdims=True)


def _found(chances, codes):
    model = SaysChances(chances.shape[1])
    return calibration(Case.of(answers_of(model, chances), codes))


@pytest.mark.slow
def test_perfect_probabilities():
    chances, codes = _chances()
    found = _found(chances, codes)
    assert (found.verdict, found.fine, found.advice) == ("yes", True, "")
    assert found.numbers["temperature"] == pytest.approx(1.0, abs=0.1)
    expected = fusion.calibration_error(chances, codes)
    assert found.numbers["calibration_error"] == pytest.approx(expected)
    assert found.numbers["log_loss"] == pytest.approx(log_loss(codes, chances))


@pytest.mark.slow
def test_noise_is_that_of_perfect_probabilities():
    errors, noise = [], []
    for seed in range(20):
        found = _found(*_chances(200, 2, seed)).numbers
        errors.append(found["calibration_error"])
        noise.append(found["noise"])
    assert np.mean(errors) == pytest.approx(np.mean(noise), rel=0.15)


@pytest.mark.slow
@pytest.mark.parametrize(("tau", "verdict"), [(0.3, "over-confident"), (3.0, "under-confident")])
def test_wrong_temperatures(tau, verdict):
    chances, codes = _chances()
    found = _found(_sharpened(chances, tau), codes)
    assert (found.verdict, found.fine) == (verdict, False)
    assert found.numbers["temperature"] == pytest.approx(1 / tau, rel=0.1)
    assert found.numbers["log_loss_tempered"] < found.numbers["log_loss"]
    assert 'method="temperature"' in found.advice


def test_temperatures_of_other_rows():
    chances, codes = _chances(200)
    before, after, tau = temperature_losses(chances, codes, np.ones(200))
    fitted = fusion.temperature(np.log(chances), codes)
    assert tau == pytest.approx(fitted.tau)
    # Rows that the temperature was learnt from would look better.
    assert after.mean() > log_loss(codes, fitted(np.log(chances)))
    assert before.mean() == pytest.approx(log_loss(codes, chances))


def test_a_temperature_tells_more_than_bins():
    chances, codes = _chances(200, 6, 1)
    found = _found(_sharpened(chances, 1.8), codes)
    assert found.numbers["calibration_error"] < found.numbers["noise_99"]
    assert (found.verdict, found.fine) == ("under-confident", False)


@pytest.mark.parametrize(
    ("shares", "verdict"), [((0.4, 0.9), "over-confident"), ((0.55, 0.95), "under-confident")]
)
def test_where_no_temperature_helps_confidence_is_compared_with_accuracy(shares, verdict):
    """Confident of 0.6 and of 0.8, and right in other shares of the rows."""
    said = np.tile([0.6, 0.8], 1000)
    codes = (np.arange(1000)[:, None] * 7919 % 1000 >= 1000 * np.array(shares)).ravel().astype(int)
    found = _found(np.column_stack([said, 1 - said]), codes)
    assert found.verdict == verdict


@pytest.mark.slow
def test_zeros_that_came_true():
    chances, codes = _chances(2000, 2)
    chances[:3], codes[:3] = [1.0, 0.0], 1
    found = _found(chances, codes)
    assert found.numbers["impossible"] == 3
    assert "3 rows had a true class with probability 0" in found.advice


def test_unknown_without_probabilities():
    assert calibration(case_of(copies())).fine is None
