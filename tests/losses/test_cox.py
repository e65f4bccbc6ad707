"""Cox's partial likelihood."""

import numpy as np
import pytest

from coterie.losses import CoxLoss

TIMES = np.array([1.0, 2.0, -2.0 * -1, -3.0, 4.0, -4.0])
SCORES = np.array([0.5, -0.2, 0.3, 0.1, 0.0, -0.4])[:, None]
# Computed by hand, and by scikit-survival and lifelines.
KNOWN = {
    "breslow": (
        4.995376,
        [-0.749921, -0.544618, -0.249202, 0.614701, 0.154892, 0.774148],
        [0.187539, 0.385114, 0.559791, 0.486665, 0.691639, 0.565994],
    ),
    "efron": (
        4.747796,
        [-0.749921, -0.604157, -0.347366, 0.677497, 0.211712, 0.812235],
        [0.187539, 0.341749, 0.505594, 0.517444, 0.722245, 0.592303],
    ),
}


@pytest.mark.parametrize("ties", KNOWN)
def test_six_rows(ties):
    loss, (value, gradient, hessian) = CoxLoss(ties), KNOWN[ties]
    assert abs(loss.value(TIMES, SCORES).sum() - value) < 1e-6
    found = loss.slopes(TIMES, SCORES)
    np.testing.assert_allclose(found[0][:, 0], gradient, atol=1e-6)
    np.testing.assert_allclose(found[1][:, 0], hessian, atol=1e-6)


def test_the_first_gradient_of_breslow():
    gradient = CoxLoss("breslow").slopes(TIMES, np.zeros((6, 1)))[0][:, 0]
    expected = [-0.833333, -0.433333, -0.433333, 0.566667, 0.066667, 1.066667]
    np.testing.assert_allclose(gradient, expected, atol=1e-6)


def test_the_baseline_is_that_of_breslow():
    times, hazard = CoxLoss().baseline(TIMES, SCORES)
    assert times.tolist() == [1.0, 2.0, 4.0]
    np.testing.assert_allclose(hazard, [0.151681, 0.556205, 1.154892], atol=1e-6)
    shifted = CoxLoss().baseline(TIMES, SCORES + 3)[1]
    np.testing.assert_allclose(shifted, hazard * np.exp(-3), rtol=1e-12)


def sample(seed=0, n=30, weights=False):
    rng = np.random.default_rng(seed)
    signed = rng.integers(1, 9, n) * rng.choice([1.0, -1.0], n, p=[0.7, 0.3])
    y = np.column_stack([signed, rng.uniform(0.2, 3, n)]) if weights else signed
    return y, rng.normal(size=(n, 1))


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("ties", ["efron", "breslow"])
def test_finite_differences(ties, weights):
    y, raw = sample(1, weights=weights)
    mass = y[:, 1] if weights else np.ones(len(y))
    loss, step = CoxLoss(ties), 1e-5

    def total(scores):
        return mass @ loss.value(y, scores)

    gradient = loss.slopes(y, raw)[0][:, 0] * mass
    assert abs(gradient.sum()) < 1e-9
    for i in range(0, 30, 4):
        up, down = raw.copy(), raw.copy()
        up[i] += step
        down[i] -= step
        assert abs((total(up) - total(down)) / (2 * step) - gradient[i]) < 1e-6


@pytest.mark.parametrize("ties", ["efron", "breslow"])
def test_the_hessian_is_the_diagonal(ties):
    y, raw = sample(2)
    loss, step = CoxLoss(ties), 1e-4
    hessian = loss.slopes(y, raw)[1][:, 0]
    for i in range(0, 30, 5):
        up, down = raw.copy(), raw.copy()
        up[i] += step
        down[i] -= step
        slopes = [loss.slopes(y, one)[0][i, 0] for one in (up, down)]
        assert abs((slopes[0] - slopes[1]) / (2 * step) - hessian[i]) < 1e-6


@pytest.mark.parametrize("ties", ["efron", "breslow"])
def test_weights_are_repetitions(ties):
    y, raw = sample(3)
    times = np.random.default_rng(0).integers(1, 5, len(y))
    loss = CoxLoss(ties)
    once = loss.slopes(np.column_stack([y, times]), raw)
    again = loss.slopes(np.repeat(y, times), np.repeat(raw, times, axis=0))
    first = np.concatenate([[0], np.cumsum(times)[:-1]])
    for weighted, repeated in zip(once, again, strict=True):
        np.testing.assert_allclose(weighted, repeated[first], rtol=1e-9, atol=1e-12)
    total = times @ loss.value(np.column_stack([y, times]), raw)
    assert abs(total - loss.value(np.repeat(y, times), np.repeat(raw, times)[:, None]).sum()) < 1e-9


def test_without_ties_both_are_one():
    rng = np.random.default_rng(0)
    y, raw = rng.permutation(30) + 1.0, rng.normal(size=(30, 1))
    for one, other in zip(
        CoxLoss("efron").slopes(y, raw), CoxLoss("breslow").slopes(y, raw), strict=True
    ):
        assert np.array_equal(one, other)


def test_scores_far_apart_stay_finite():
    y = np.array([1.0, 1.0, 2.0, -3.0])
    for scale in (50.0, 500.0):
        raw = scale * np.array([1.0, -1.0, 1.0, -1.0])[:, None]
        for part in (*CoxLoss().slopes(y, raw), CoxLoss().value(y, raw)):
            assert np.isfinite(part).all()


def rows_of_strata(seed=0, n=40, weights=False):
    """Signed times, weights, entries before them and strata; and scores far apart by stratum."""
    rng = np.random.default_rng(seed)
    signed = rng.integers(1, 9, n) * rng.choice([1.0, -1.0], n, p=[0.7, 0.3])
    entry = np.floor(np.abs(signed) * rng.uniform(0, 1, n)) * rng.integers(0, 2, n)
    stratum = rng.integers(0, 3, n).astype(float)
    mass = rng.uniform(0.2, 3, n) if weights else np.ones(n)
    return np.column_stack([signed, mass, entry, stratum]), rng.normal(size=(n, 1))


def by_hand(y, raw, ties):
    """The loss, event by event over risk sets that are looked up."""
    signed, _, entry, stratum = y.T
    time, total = np.abs(signed), 0.0
    for s, own in {(t, k) for t, k in zip(signed, stratum, strict=True) if t > 0}:
        dead = (signed == s) & (stratum == own)
        here = (stratum == own) & (entry < s) & (s <= time)
        m, risk = dead.sum(), np.exp(raw[:, 0])
        for k in range(m):
            share = k / m if ties == "efron" else 0.0
            total += np.log(risk[here].sum() - share * risk[dead].sum())
        total -= raw[dead, 0].sum()
    return total


@pytest.mark.parametrize("ties", ["efron", "breslow"])
def test_late_rows_and_strata_by_hand(ties):
    y, raw = rows_of_strata()
    loss = CoxLoss(ties)
    assert abs(loss.value(y, raw).sum() - by_hand(y, raw, ties)) < 1e-9
    apart = raw + 40.0 * y[:, 3:]  # what tells strata apart is nothing to the loss
    np.testing.assert_allclose(loss.value(y, apart), loss.value(y, raw), rtol=1e-9, atol=1e-9)
    for far, near in zip(loss.slopes(y, apart), loss.slopes(y, raw), strict=True):
        np.testing.assert_allclose(far, near, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("weights", [False, True])
@pytest.mark.parametrize("ties", ["efron", "breslow"])
def test_finite_differences_of_late_rows(ties, weights):
    y, raw = rows_of_strata(1, weights=weights)
    loss, step, mass = CoxLoss(ties), 1e-5, y[:, 1]
    gradient, hessian = (part[:, 0] * mass for part in loss.slopes(y, raw))
    assert abs(gradient.sum()) < 1e-9
    for i in range(0, 40, 3):
        up, down = raw.copy(), raw.copy()
        up[i] += step
        down[i] -= step
        totals = [mass @ loss.value(y, one) for one in (up, down)]
        assert abs((totals[0] - totals[1]) / (2 * step) - gradient[i]) < 1e-6
        if not weights:
            slopes = [loss.slopes(y, one)[0][i, 0] for one in (up, down)]
            assert abs((slopes[0] - slopes[1]) / (2 * step) - hessian[i]) < 1e-6


@pytest.mark.parametrize("ties", ["efron", "breslow"])
def test_strata_are_losses_of_their_own(ties):
    y, raw = rows_of_strata(2)
    y[:, 2] = 0.0
    loss = CoxLoss(ties)
    values, slopes = loss.value(y, raw), loss.slopes(y, raw)
    curves = loss.baselines(y, raw, 4)
    for code in range(3):
        own = y[:, 3] == code
        np.testing.assert_allclose(values[own], loss.value(y[own, 0], raw[own]), atol=1e-12)
        for each, alone in zip(slopes, loss.slopes(y[own, 0], raw[own]), strict=True):
            np.testing.assert_allclose(each[own], alone, atol=1e-12)
        for mine, alone in zip(curves[code], loss.baseline(y[own, 0], raw[own]), strict=True):
            np.testing.assert_allclose(mine, alone)
    assert len(curves[3][0]) == 0


@pytest.mark.parametrize("ties", ["efron", "breslow"])
def test_entries_of_zero_change_no_bit(ties):
    signed, raw = sample(4)
    y = np.column_stack([signed, np.ones(30), np.zeros((30, 2))])
    loss = CoxLoss(ties)
    assert np.array_equal(loss.value(y, raw), loss.value(signed, raw))
    for mine, plain in zip(loss.slopes(y, raw), loss.slopes(signed, raw), strict=True):
        assert np.array_equal(mine, plain)
    for mine, plain in zip(loss.baseline(y, raw), loss.baseline(signed, raw), strict=True):
        assert np.array_equal(mine, plain)
