from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest
from sklearn.base import ClusterMixin, OutlierMixin, TransformerMixin
from sklearn.utils.estimator_checks import estimator_checks_generator

import coterie
from coterie.base import ClassifierTask, Committee, TargetlessTask
from coterie.base.task import decide, split_outputs
from coterie.data import Target

VOTES = np.array([[0.2, 0.8, 0.5, 0.5, 0.0], [0.9, 0.1, 0.1, 0.2, 0.7]])


def test_outputs_are_side_by_side():
    target = Target.labels(np.array([[0, 0], [1, 1], [1, 2]]))
    parts = split_outputs(target, VOTES)
    assert [part.shape for part in parts] == [(2, 2), (2, 3)]


def test_ties_go_to_the_first_class():
    target = Target.labels(np.array([["no", "a"], ["yes", "b"], ["yes", "c"]]))
    np.testing.assert_array_equal(decide(target, VOTES), [["yes", "a"], ["no", "c"]])
    single = Target.labels(["n", "y"])
    assert decide(single, np.full((1, 2), 0.5)).tolist() == ["n"]


@dataclass(eq=False, repr=False)
class Centre(TargetlessTask, OutlierMixin, Committee):
    """A tiny outlier detector: rows far from the medians of the columns."""

    contamination: float = 0.1
    categorical_features: Any = None
    n_jobs: int | None = None

    def _train(self, draft, admitted, n_samples):
        assert admitted.target.kind == "absent"
        assert admitted.target.n_rows == admitted.table.n_rows
        draft.centre_ = np.nanmedian(_rows(admitted), axis=0)
        near = _nearness(_rows(admitted), draft.centre_)
        draft.offset_ = np.quantile(near, self.contamination)

    def decision_function(self, X):
        this = self._settled()
        return _nearness(_cells(this._admit(X)), this.centre_) - this.offset_

    def score_samples(self, X):
        return self.decision_function(X) + self.offset_

    def predict(self, X):
        return np.where(self.decision_function(X) < 0, -1, 1)


@dataclass(eq=False, repr=False)
class Halves(TargetlessTask, ClusterMixin, Committee):
    """A tiny clusterer: rows on either side of the median of the first column."""

    categorical_features: Any = None
    n_jobs: int | None = None

    def _train(self, draft, admitted, n_samples):
        first = _cells(admitted.table)[:, 0]
        draft.labels_ = (first > np.nanmedian(first)).astype(int)


@dataclass(eq=False, repr=False)
class Flags(TargetlessTask, TransformerMixin, Committee):
    """A tiny embedding: whether cells are above the medians."""

    categorical_features: Any = None
    n_jobs: int | None = None

    def _train(self, draft, admitted, n_samples):
        draft.centre_ = np.nanmedian(_rows(admitted), axis=0)

    def transform(self, X):
        this = self._settled()
        return (_cells(this._admit(X)) > this.centre_).astype(np.float64)


@dataclass(eq=False, repr=False)
class SelfTaught(ClassifierTask, Committee):
    """A tiny self-training: a forest labels the unlabelled rows, and another learns from all."""

    random_state: Any = 0
    categorical_features: Any = None
    n_jobs: int | None = None

    unlabelled: ClassVar[bool] = True
    multi_output: ClassVar[bool] = False

    def _train(self, draft, admitted, n_samples):
        table, target = admitted.table, admitted.target
        X, known = _cells(table), np.flatnonzero(target.labelled)
        forest = coterie.RandomForestClassifier(3, draw="repeats", random_state=self.random_state)
        forest.fit(X[known], target.codes[known, 0], _rows_of(admitted.weight, known))
        said = np.where(target.labelled, target.codes[:, 0], forest.predict(X))
        draft.forest_ = forest.fit(X, said, admitted.weight)

    def _mean_vote(self, X):
        return self.forest_.predict_proba(_cells(self._admit(X)))


def _rows_of(weight, rows):
    return None if weight is None else weight[rows]


def _cells(table):
    return np.vstack([block for _, block in table.blocks()])


def _rows(admitted):
    """The rows as often as their weights say."""
    cells, weight = _cells(admitted.table), admitted.weight
    return cells if weight is None else np.repeat(cells, weight.astype(int), axis=0)


def _nearness(cells, centre):
    return -np.nan_to_num(np.abs(cells - centre)).sum(axis=1)


CHECKS = [
    pytest.param(model, check, id=f"{type(model).__name__}-{check.func.__name__}-{k}")
    for tiny in (Centre(), Halves(), Flags(), SelfTaught())
    for k, (model, check) in enumerate(estimator_checks_generator(tiny))
    # There -1 is one of the classes.
    if not (tiny.unlabelled and check.func.__name__ == "check_classifiers_classes")
]


@pytest.mark.parametrize(("model", "check"), CHECKS)
def test_kinds_to_come_pass_scikit_learns_checks(model, check):
    check(model)


def test_y_is_not_looked_at_without_a_task():
    cells = np.random.default_rng(0).normal(size=(40, 3))
    alone, beside = Centre().fit(cells), Centre().fit(cells, np.full(7, np.nan))
    assert alone.offset_ == beside.offset_
    assert not alone.__sklearn_tags__().target_tags.required
    assert SelfTaught().__sklearn_tags__().target_tags.required


@pytest.mark.parametrize(
    "mark", [lambda y: y, lambda y: np.where(y < 0, np.nan, y), lambda y: y.tolist()]
)
def test_unlabelled_rows_are_no_class(mark):
    cells = np.random.default_rng(0).normal(size=(60, 3))
    y = np.where(np.arange(60) % 3 == 0, -1, (cells[:, 0] > 0).astype(int))
    model = SelfTaught().fit(cells, mark(y))
    assert model.classes_.tolist() == [0, 1]
    assert model.score(cells, cells[:, 0] > 0) > 0.9


def test_others_refuse_unlabelled_rows_and_absent_targets():
    cells = np.random.default_rng(0).normal(size=(20, 2))
    missing = np.append(np.nan, np.resize([0.0, 1.0], 19))
    with pytest.raises(ValueError, match="Input y contains NaN: 1 of 20 rows has no value"):
        coterie.RandomForestClassifier(2).fit(cells, missing)
    message = "This {} estimator requires y to be passed, but the target y is None"
    for model in (coterie.RandomForestClassifier(2), coterie.BaggingRegressor(), SelfTaught()):
        with pytest.raises(ValueError, match=message.format(type(model).__name__)):
            model.fit(cells, None)
    two = coterie.RandomForestClassifier(2).fit(cells, np.resize([-1, 1], 20))
    assert two.classes_.tolist() == [-1, 1]
