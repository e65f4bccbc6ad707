"""Rows that repeat: ordinary ones and copies."""

import numpy as np
import pytest

from coterie.automl.twins import find_twins
from coterie.data import Table
from coterie.datasets.tic_tac_toe import end_games

RNG = np.random.default_rng(0)
N = 300


def twins(X, y):
    X = np.asarray(X, dtype=float)
    return find_twins(Table.read(X), np.asarray(y), [len(np.unique(x)) for x in X.T])


def boards():
    cells = np.array(list(end_games())).T
    codes = np.stack([np.unique(c, return_inverse=True)[1] for c in cells], axis=1)
    drawn = codes[RNG.integers(0, len(codes), 1_500)]
    return drawn[:, :-1], drawn[:, -1]


def ordinary():
    for n_values in (2, 12, 120):
        x = RNG.integers(0, n_values, (N, 1))
        yield f"{n_values} values", x, x[:, 0] % 2
        yield f"{n_values} numbers", x, np.sin(x[:, 0])
        if n_values == 120:
            grid = np.stack([x[:, 0] % 11, x[:, 0] // 11], axis=1)
            yield "a grid", grid, x[:, 0] % 2
    likely = RNG.random(N)[:, None]  # people who tend to agree agree with much
    answers = (RNG.random((N, 6)) < likely).astype(int) + (RNG.random((N, 6)) < likely)
    yield "a survey", answers, RNG.integers(0, 2, N)
    yield "a survey of sure targets", answers, answers[:, 0] > 1
    yield "games", *boards()
    cells = RNG.normal(size=(60, 4))[RNG.integers(0, 60, N)]
    yield "measured again and again", cells, cells[:, 0] > 0
    yield "measured with noise", np.repeat(RNG.normal(size=(100, 4)), 3, axis=0), RNG.random(N)


CASES = list(ordinary())


@pytest.mark.parametrize(("X", "y"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_rows_of_few_values_are_no_copies(X, y):
    found = twins(X, y)
    assert found.repeated > 0
    assert not found.copies
    # No two rows have to stay together.
    assert len(np.unique(np.stack([found.keys, found.tags.astype(np.uint64)]), axis=1).T) == len(X)


def mixed(n):
    return np.column_stack([RNG.normal(size=n), RNG.integers(0, 3, (n, 8))])


@pytest.mark.parametrize(
    "rows",
    [
        np.append(np.arange(N), np.arange(10)),
        np.tile(np.arange(N), 2),
        np.repeat(np.arange(N), 4),
        RNG.integers(0, N, N),
    ],
    ids=["some", "twice", "four times", "drawn with replacement"],
)
@pytest.mark.parametrize("X", [RNG.normal(size=(N, 5)), mixed(N)], ids=["numbers", "mixed"])
@pytest.mark.parametrize(
    "y", [RNG.integers(0, 2, N), RNG.normal(size=N)], ids=["labels", "numbers"]
)
def test_copies_stay_together(X, y, rows):
    found = twins(X[rows], y[rows])
    assert found.copies
    assert found.whole == found.repeated == len(rows) - len(np.unique(rows))
    assert found.pairs > 10 * found.chance
    assert not found.tags.any()


def test_what_differs_in_the_target_is_no_copy():
    X, y = np.tile(RNG.normal(size=(N, 5)), (2, 1)), RNG.normal(size=2 * N)
    found = twins(X, y)
    assert (found.copies, found.repeated, found.whole, found.clashing) == (False, N, 0, N)


def test_nothing_repeats():
    found = twins(RNG.normal(size=(N, 2)), np.zeros(N))
    assert (found.repeated, found.copies) == (0, False)


def test_the_order_of_rows_does_not_matter():
    X, y = RNG.integers(0, 3, (N, 2)), RNG.integers(0, 2, N)
    turn = RNG.permutation(N)
    one, other = twins(X, y), twins(X[turn], y[turn])
    held = [np.sort(t.keys + t.tags.astype(np.uint64)) for t in (one, other)]
    np.testing.assert_array_equal(*held)
