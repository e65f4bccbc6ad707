"""Greedy selection: the worked library, any loss, bags of members."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import brier_score_loss, log_loss, mean_absolute_error

from coterie import fusion
from coterie.data.errors import DataError
from coterie.fusion import greedy

LIBRARY = np.array([[0.9, 0.6, 0.4, 0.2], [0.6, 0.9, 0.1, 0.4], [0.3, 0.8, 0.2, 0.1]])
Y = np.array([1, 1, 0, 0])


def rmse(y, average):
    return float(np.sqrt(((average - y) ** 2).mean()))


@pytest.mark.parametrize("loss", ["rmse", rmse], ids=["name", "callable"])
def test_worked_library(loss):
    chosen = fusion.greedy_selection(LIBRARY, Y, loss, max_rounds=6)
    assert chosen.order.tolist() == [1, 0, 1, 0, 1, 0]
    expected = [0.291548, 0.263391, 0.265100, 0.263391, 0.263439, 0.263391]
    np.testing.assert_allclose(chosen.losses, expected, atol=1e-6)
    assert chosen.n_best == 2
    assert chosen.weights.tolist() == [0.5, 0.5, 0]


@given(st.integers(0, 10**6), st.integers(1, 6), st.booleans())
def test_against_a_plain_loop(seed, n_members, replace):
    rng = np.random.default_rng(seed)
    y = rng.normal(size=12)
    outputs = y + rng.normal(size=(n_members, 12))
    chosen = fusion.greedy_selection(outputs, y, max_rounds=7, replace=replace)
    taken = []
    while len(taken) < (7 if replace else min(7, n_members)):
        candidates = [t for t in range(n_members) if replace or t not in taken]
        scores = [rmse(y, outputs[[*taken, t]].mean(axis=0)) for t in candidates]
        taken.append(candidates[int(np.argmin(scores))])
    assert chosen.order.tolist() == taken
    average = fusion.average(outputs, chosen.weights)
    assert rmse(y, average) == pytest.approx(chosen.losses.min())
    assert rmse(y, average) <= min(rmse(y, one) for one in outputs) + 1e-12


@pytest.mark.slow
def test_losses_of_probabilities():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 50)
    outputs = 0.4 * np.eye(3)[y] + 0.6 * rng.dirichlet(np.ones(3), (4, 50))
    peers = {
        "log_loss": lambda y, p: log_loss(y, p, labels=[0, 1, 2]),
        "brier": lambda y, p: ((p - np.eye(3)[y]) ** 2).sum(axis=1).mean(),
        "error": lambda y, p: (p.argmax(axis=1) != y).mean(),
    }
    for name, peer in peers.items():
        ours = fusion.greedy_selection(outputs, y, name, max_rounds=8)
        theirs = fusion.greedy_selection(outputs, y, peer, max_rounds=8)
        assert ours.order.tolist() == theirs.order.tolist()
        np.testing.assert_allclose(ours.losses, theirs.losses, rtol=1e-9)
    two = outputs[:, :, :2] / outputs[:, :, :2].sum(axis=2, keepdims=True)
    names = np.array(["no", "yes"])[np.minimum(y, 1)]
    chosen = fusion.greedy_selection(two, names, "brier", classes=["no", "yes"], max_rounds=1)
    chance = two[chosen.order[0], :, 1]
    assert chosen.losses[0] == pytest.approx(2 * brier_score_loss(names == "yes", chance))


def test_absolute_error():
    chosen = fusion.greedy_selection(LIBRARY, Y, "mae", max_rounds=1)
    assert chosen.losses[0] == pytest.approx(mean_absolute_error(Y, LIBRARY[chosen.order[0]]))


def test_sorted_start():
    y = np.zeros(4)
    outputs = np.array([[0.1] * 4, [-0.15] * 4, [0.2] * 4, [-5.0] * 4])
    # The best and the second best cancel in part; the third then does not help.
    chosen = fusion.greedy_selection(outputs, y, n_start=3, max_rounds=2)
    assert chosen.order.tolist() == [0, 1]
    np.testing.assert_allclose(chosen.losses, [0.1, 0.025])
    # The second best makes it worse: the start ends with one.
    worse = fusion.greedy_selection(outputs[[0, 2]], y, n_start=2, max_rounds=1)
    assert worse.order.tolist() == [0]


def test_ties_go_to_the_first():
    outputs = np.repeat(LIBRARY[1:2], 3, axis=0)
    chosen = fusion.greedy_selection(outputs, Y, max_rounds=4)
    assert chosen.order.tolist() == [0, 0, 0, 0]
    assert chosen.n_best == 1


def test_blocks_change_nothing(monkeypatch):
    rng = np.random.default_rng(0)
    outputs, y = rng.normal(size=(9, 20)), rng.normal(size=20)
    whole = fusion.greedy_selection(outputs, y, max_rounds=10)
    monkeypatch.setattr(greedy, "_BLOCK_CELLS", 40)
    parts = fusion.greedy_selection(outputs, y, max_rounds=10)
    np.testing.assert_array_equal(whole.order, parts.order)


@pytest.mark.slow
def test_bags():
    rng = np.random.default_rng(0)
    y = rng.normal(size=60)
    outputs = y + rng.normal(size=(8, 60)) * np.arange(1, 9)[:, None]
    weights = fusion.bagged_selection(outputs, y, n_bags=30, random_state=1)
    assert weights.sum() == pytest.approx(1)
    assert weights[0] == weights.max()
    assert (weights > 0).sum() > (fusion.greedy_selection(outputs, y).weights > 0).sum()
    again = fusion.bagged_selection(outputs, y, n_bags=30, random_state=1)
    np.testing.assert_array_equal(weights, again)
    # A longer run begins with the same bags.
    half = fusion.bagged_selection(outputs, y, n_bags=1, random_state=1)
    assert np.count_nonzero(half) <= 4
    whole = fusion.bagged_selection(outputs, y, n_bags=1, fraction=1.0, max_rounds=5)
    single = fusion.greedy_selection(outputs, y, max_rounds=5)
    np.testing.assert_array_equal(whole, single.weights)


def test_refusals():
    with pytest.raises(DataError, match="undefined on these samples"):
        fusion.greedy_selection(LIBRARY, Y, lambda y, p: np.nan)
    with pytest.raises(ValueError, match="loss must be one of"):
        fusion.greedy_selection(LIBRARY, Y, "auc")
    with pytest.raises(DataError, match="for probabilities"):
        fusion.greedy_selection(LIBRARY, Y, "log_loss")
    with pytest.raises(DataError, match="for numbers"):
        fusion.greedy_selection([[[0.5, 0.5]]], [1])
    with pytest.raises(DataError, match="y must have shape"):
        fusion.greedy_selection(LIBRARY, [1])
    with pytest.raises(DataError, match="not one of the classes"):
        fusion.greedy_selection([[[0.5, 0.5]]], [2], "error")
    with pytest.raises(ValueError, match="at least one"):
        fusion.greedy_selection(LIBRARY, Y, max_rounds=0)
    with pytest.raises(ValueError, match="n_bags must be"):
        fusion.bagged_selection(LIBRARY, Y, fraction=0)
