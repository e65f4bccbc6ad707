from dataclasses import dataclass

import numpy as np
import pytest

from coterie.core.axis import RowAxis
from coterie.core.gather import fit_member, gather
from coterie.core.shake import Bootstrap, Columns, Patch, Reserve, View
from coterie.data import Table, Target


@dataclass
class Mean:
    """Predicts the weighted mean of the target, plus a draw of its own."""

    noise: float = 0.0

    def fit(self, table, target, weight, rng):
        return Constant(np.average(target.values[:, 0], weights=weight) + self.noise * rng.normal())


@dataclass
class Constant:
    value: float

    def predict(self, table):
        return np.full((table.n_rows, 1), self.value)


class Backwards:
    """Fits the last member first."""

    def map(self, task, items):
        return [task(item) for item in items[::-1]][::-1]


VIEW = View(Table.read(np.zeros((3, 1))), Target.numbers([1.0, 2.0, 6.0]))
SEEDS = np.arange(20)
DRAW = Bootstrap(RowAxis.lay(np.arange(3), None), 3)


def values(members):
    return [member.value for member in members]


def test_members_depend_on_their_seed_only():
    every = values(gather(Mean(1.0), VIEW, seeds=SEEDS, shake=DRAW))
    assert len(set(every)) == 20
    assert values(gather(Mean(1.0), VIEW, seeds=SEEDS[5:9], shake=DRAW)) == every[5:9]
    assert values(gather(Mean(1.0), VIEW, seeds=SEEDS, shake=DRAW, executor=Backwards())) == every
    assert fit_member(Mean(1.0), VIEW, DRAW, 3).value == every[3]


def test_shake_and_learner_draw_apart():
    quiet, loud = (
        np.array(values(gather(Mean(noise), VIEW, seeds=SEEDS, shake=DRAW))) for noise in (0, 1)
    )
    alone = np.array(values(gather(Mean(1.0), VIEW, seeds=SEEDS)))
    np.testing.assert_allclose(loud - quiet, alone - 3.0)


@pytest.mark.slow
def test_mean_of_bagged_means_is_the_mean():
    members = gather(Mean(), VIEW, seeds=np.arange(3000), shake=DRAW)
    assert abs(np.mean(values(members)) - 3) < 0.1
    assert abs(np.var(values(members)) - 14 / 9) < 0.15


def test_watches_see_members_in_order_and_can_stop():
    seen = []

    def watch(number, member):
        seen.append((number, member.value))
        return number == 4

    members = gather(Mean(1.0), VIEW, seeds=SEEDS, watches=[watch, lambda *_: False])
    assert [number for number, _ in seen] == [1, 2, 3, 4]
    assert [value for _, value in seen] == values(members)


def test_every_watch_sees_the_last_member():
    seen = []

    def watch(number, member):
        seen.append(number)
        return False

    gather(Mean(1.0), VIEW, seeds=SEEDS, watches=[lambda number, _: number == 2, watch])
    assert seen == [1, 2]


class Counting:
    """Notes how many members it was given at a time."""

    def __init__(self):
        self.batches = []

    def map(self, task, items):
        self.batches.append(len(items))
        return [task(item) for item in items]


def test_watched_members_are_fitted_in_batches():
    workers = Counting()
    members = gather(
        Mean(1.0), VIEW, seeds=SEEDS, executor=workers, watches=[lambda n, _: n == 9], batch=6
    )
    assert workers.batches == [6, 6]
    assert values(members) == values(gather(Mean(1.0), VIEW, seeds=SEEDS))[:9]
    unwatched = Counting()
    gather(Mean(), VIEW, seeds=SEEDS, executor=unwatched)
    assert unwatched.batches == [20]


@dataclass
class Told:
    """Notes what it is told."""

    columns: object = None
    spare: object = None

    def among(self, columns):
        return Told(columns, self.spare)

    def watching(self, spare):
        return Told(self.columns, spare)

    def fit(self, table, target, weight, rng):
        return self


def test_learners_are_told_of_columns_and_spare_rows():
    plain = fit_member(Told(), VIEW, DRAW, 3)
    assert plain.columns is None
    assert plain.spare is None
    told = fit_member(Told(), VIEW, Patch(Reserve(DRAW, 1.0), Columns(5, 2)), 3)
    assert len(told.columns) == 2
    assert told.spare.dtype == bool
