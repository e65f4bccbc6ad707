"""How bags are drawn."""

from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris, make_classification
from sklearn.neighbors import KNeighborsClassifier

import coterie
from coterie import (
    BaggingClassifier,
    BaggingRegressor,
    BalancedBaggingClassifier,
    BalancedRandomForestClassifier,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
)
from coterie.bagging import BagSampler, BlockSampler, BootstrapSampler, SubsetSampler
from coterie.core import Columns, ParameterError, RowAxis
from coterie.core.samplers import Urn, resolve_max_samples

X, Y = make_classification(120, 6, n_informative=4, weights=[0.8], random_state=0)
SMALL = {"n_estimators": 5, "random_state": 0}


@dataclass(frozen=True)
class Early(BagSampler):
    """The first rows, and two of the columns; an example of a sampler of one's own."""

    n_rows: int = 60

    def counts(self, urn, rng):
        return (urn.rows < self.n_rows) * rng.integers(1, 4, size=urn.size)

    def choose(self, n_columns):
        return Columns(n_columns, 2)


@dataclass(frozen=True)
class Wrong(BagSampler):
    """Leaves all units out."""

    def counts(self, urn, rng):
        return np.zeros(urn.size, dtype=int)


def same(one, other, y=Y):
    fitted = [model.fit(X, y) for model in (one, other)]
    said = [getattr(model, "predict_proba", model.predict)(X) for model in fitted]
    np.testing.assert_array_equal(*said)


@pytest.mark.parametrize(
    ("params", "draw"),
    [
        ({}, "bootstrap"),
        ({"bootstrap": False, "max_samples": 0.5}, "half"),
        ({"wagging": "poisson"}, "poisson"),
        ({"max_samples": 30}, BootstrapSampler(30)),
        ({"bootstrap": False, "max_samples": 30}, SubsetSampler(30)),
    ],
    ids=str,
)
def test_the_other_parameters_are_samplers_too(params, draw):
    same(BaggingClassifier(**SMALL, **params), BaggingClassifier(**SMALL, draw=draw))


def test_a_sampler_serves_bagging_and_forests():
    for balanced in ("rough", "over"):
        same(
            BalancedBaggingClassifier(**SMALL, method=balanced),
            BaggingClassifier(**SMALL, draw=balanced),
        )
    same(RandomForestClassifier(**SMALL), RandomForestClassifier(**SMALL, draw="bootstrap"))
    same(BalancedRandomForestClassifier(**SMALL), RandomForestClassifier(**SMALL, draw="balanced"))
    numbers = X[:, 0]
    same(
        RandomForestRegressor(**SMALL, max_samples=0.5),
        RandomForestRegressor(**SMALL, draw=BootstrapSampler(0.5)),
        numbers,
    )


@pytest.mark.parametrize("cls", [BaggingClassifier, RandomForestClassifier])
def test_a_sampler_of_ones_own(cls):
    model = cls(**SMALL, draw=Early(), oob_score=True)
    with pytest.warns(UserWarning, match="60 of 120 rows are in every bag"):
        model.fit(X, Y)
    assert all(rows.max() < 60 for rows in model.estimators_samples_)
    assert len({tuple(rows) for rows in model.estimators_samples_}) > 1
    assert np.isnan(model.oob_decision_function_[:60]).all()
    assert not np.isnan(model.oob_decision_function_[60:]).any()
    assert all(len(model.bags_.columns(t)) == 2 for t in range(5))
    again = clone(model).set_params(oob_score=False).fit(X, Y)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_rows_and_their_repetitions_are_drawn_alike():
    weight = np.resize([1.0, 2.0, 1.0], len(X))
    repeated = np.repeat(np.arange(len(X)), weight.astype(int))
    model = RandomForestClassifier(**SMALL, draw="blocks")
    weighted = clone(model).fit(X, Y, weight).predict_proba(X)
    np.testing.assert_array_equal(
        clone(model).fit(X[repeated], Y[repeated]).predict_proba(X), weighted
    )


def test_blocks_are_of_consecutive_rows():
    order = np.random.default_rng(3).permutation(50)
    urn = Urn(RowAxis(order))
    by_unit = BlockSampler(10).counts(urn, np.random.default_rng(0))
    by_row = np.empty(50, dtype=int)
    by_row[order] = by_unit
    assert by_row.sum() == 50
    # Five blocks begin and end at most ten times.
    assert np.count_nonzero(np.diff(np.append(by_row, by_row[0]))) <= 10
    assert BlockSampler(999).counts(urn, np.random.default_rng(0)).tolist() == [1] * 50


def test_whole_groups_are_drawn():
    groups = np.arange(len(X)) // 10
    model = BaggingRegressor(**SMALL, draw=BlockSampler(3)).fit(X, X[:, 0], groups=groups)
    for rows in model.estimators_samples_:
        counts = np.bincount(rows, minlength=len(X)).reshape(-1, 10)
        assert (counts == counts[:, :1]).all()
    with pytest.raises(ValueError, match="cannot keep groups together"):
        BaggingClassifier(draw="balanced").fit(X, Y, groups=groups)


def test_a_warm_start_may_draw_in_another_way():
    model = BaggingClassifier(**SMALL, draw=Early(40), warm_start=True).fit(X, Y)
    first = model.estimators_samples_
    model.set_params(n_estimators=8, draw=Early(80)).fit(X, Y)
    for before, after in zip(first, model.estimators_samples_, strict=False):
        np.testing.assert_array_equal(before, after)
    assert max(rows.max() for rows in model.estimators_samples_[5:]) >= 40


def test_model_files_hold_coteries_own_samplers(tmp_path):
    model = ExtraTreesClassifier(**SMALL, draw=BlockSampler(4)).fit(X, Y)
    coterie.save(model, tmp_path / "model.coterie")
    again = coterie.load(tmp_path / "model.coterie")
    assert again.draw == BlockSampler(4)
    np.testing.assert_array_equal(again.estimators_samples_[2], model.estimators_samples_[2])


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (BaggingClassifier(draw="half", max_samples=0.5), "both define how bags are drawn"),
        (BaggingClassifier(draw="half", wagging="poisson"), "Set wagging=None"),
        (RandomForestClassifier(draw="half", max_samples=0.5), "both define how bags are drawn"),
        (BalancedRandomForestClassifier(draw="half"), "Set draw=None"),
        (BaggingClassifier(draw="quarter"), "'draw' parameter .* Got 'quarter'"),
        (BaggingClassifier(draw=Wrong()), "for each of the 120 units"),
        (BaggingClassifier(KNeighborsClassifier(), draw="poisson"), "draw='poisson' needs members"),
    ],
    ids=str,
)
def test_what_does_not_go_together_is_refused(model, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, Y)


def test_classes_are_needed_to_balance_them():
    with pytest.raises(ValueError, match="y contains one class per row"):
        BaggingRegressor(draw="balanced").fit(X, X[:, 0])


def test_rows_of_a_bag():
    assert [resolve_max_samples(v, 200) for v in (None, 7, 0.5, 2.0)] == [200, 7, 100, 400]
    with pytest.warns(UserWarning, match=r"low number \(1\)"):
        assert resolve_max_samples(0.001, 200) == 1
    with pytest.raises(ParameterError, match="max_samples"):
        resolve_max_samples(10**15, 200)


def test_rows_are_drawn_by_their_weights_as_often_as_there_are_rows():
    X, y = load_iris(return_X_y=True)
    weight = np.ones(150)
    weight[:10] = 30.0
    for model in (RandomForestClassifier(40, random_state=0), BaggingClassifier(None, 40)):
        bags = model.fit(X, y, weight).estimators_samples_
        assert {len(bag) for bag in bags} == {150}
        heavy = np.mean([np.mean(bag < 10) for bag in bags])
        assert heavy == pytest.approx(300 / 440, abs=0.03)
        # What is in a bag counts alike.
        tree = model.estimators_[0].tree_
        assert tree.weighted_n_node_samples[0] == 150
    small = BaggingClassifier(None, 5, max_samples=0.25, random_state=0).fit(X, y, weight)
    assert {len(bag) for bag in small.estimators_samples_} == {110}
    subsets = BaggingClassifier(None, 40, bootstrap=False, max_samples=20, random_state=0)
    bags = subsets.fit(X, y, weight).estimators_samples_
    assert all(len(np.unique(bag)) == 20 for bag in bags)
    assert np.mean([np.sum(bag < 10) for bag in bags]) > 8
    with pytest.raises(ValueError, match="max_samples=440 must be <= n_samples=150"):
        subsets.set_params(max_samples=1.0).fit(X, y, weight)


def test_the_scale_of_weights_does_not_matter_nor_do_equal_ones():
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).integers(1, 10, 150)
    models = [
        RandomForestClassifier(5, random_state=0).fit(X, y, scale * weight)
        for scale in (1, 0.5, 4096)
    ]
    for other in models[1:]:
        np.testing.assert_array_equal(models[0].predict_proba(X), other.predict_proba(X))
    plain, even = (
        RandomForestClassifier(5, random_state=0).fit(X, y, w) for w in (None, np.full(150, 0.3))
    )
    np.testing.assert_array_equal(plain.predict_proba(X), even.predict_proba(X))


@pytest.mark.slow
def test_weights_as_repetitions():
    X, y = load_iris(return_X_y=True)
    times = np.random.default_rng(0).integers(0, 4, 150)
    for draw in ("repeats", SubsetSampler(0.5, repeats=True)):
        model = RandomForestClassifier(150, draw=draw, oob_score=True, random_state=0)
        weighted = model.fit(X, y, times)
        score, votes = weighted.oob_score_, weighted.predict_proba(X)
        heard = times > 0
        right = weighted.oob_decision_function_[heard].argmax(axis=1) == y[heard]
        assert score == pytest.approx(np.average(right, weights=times[heard]))
        repeated = model.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
        np.testing.assert_allclose(votes, repeated.predict_proba(X))


@pytest.mark.slow
def test_out_of_bag_rows_count_alike():
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.1, 5, 150)
    forest = RandomForestClassifier(50, oob_score=True, max_depth=1, random_state=0)
    forest.fit(X, y, weight)
    right = forest.classes_[forest.oob_decision_function_.argmax(axis=1)] == y
    assert forest.oob_score_ == right.mean() != np.average(right, weights=weight)
    assert forest.oob_metric("accuracy", X, y, weight) == forest.oob_score_
