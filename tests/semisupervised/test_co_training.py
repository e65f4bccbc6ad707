"""Co-training on a case worked out by hand, and where its assumption holds."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from coterie import CoTrainingByCommitteeClassifier, CoTrainingClassifier
from coterie.data import Table, Target
from coterie.semisupervised import surest_rows
from coterie.semisupervised.co_training import CoTraining
from coterie.semisupervised.lessons import Scene, teach


class NearestMean(ClassifierMixin, BaseEstimator):
    """P(0) = d_1 / (d_0 + d_1), by the distances to the means of the classes."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.means_ = np.array([X[y == c].mean(axis=0) for c in self.classes_])
        return self

    def predict_proba(self, X):
        d = np.linalg.norm(X[:, None] - self.means_, axis=2)
        return d[:, ::-1] / d.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


X = np.array([[0, 0], [10, 10], [1, 6], [9, 4], [5, 1], [4, 9], [6, 5]], dtype=float)
Y = [0, 1, -1, -1, -1, -1, -1]


def test_by_hand():
    settings = {"views": ([0], [1]), "per_class": 1, "n_folds": None}
    model = CoTrainingClassifier(estimator=NearestMean(), max_iter=1, **settings).fit(X, Y)
    assert model.labeled_iter_.tolist() == [0, 0, 1, 1, 1, 1, -1]
    first, second = model.estimators_
    assert first.predict_proba(X[6:, :1])[0, 0] == pytest.approx(0.294118, abs=1e-6)
    assert second.predict_proba(X[6:, 1:])[0, 0] == pytest.approx(0.5)
    assert model.transduction_.tolist() == [0, 1, 0, 1, 0, 1, 1]
    # A half of the second view leaves the product as the first has it; a mean would be .397.
    assert model.predict_proba(X[6:])[0, 0] == pytest.approx(0.294118, abs=1e-6)


def test_rows_are_taken_by_class():
    votes = np.array([[0.9, 0.1], [0.8, 0.2], [0.4, 0.6], [0.3, 0.7]])
    assert surest_rows(votes, np.array([1, 2])).tolist() == [True, False, True, True]
    assert surest_rows(votes, np.array([1, 2]), 0.65).tolist() == [True, False, False, True]


def test_a_row_claimed_for_two_classes_is_nobodys():
    rows = np.array([[0.0, 0.0], [10.0, 10.0], [1.0, 9.0], [2.0, 2.0]])
    settings = {"views": ([0], [1]), "per_class": 1, "n_folds": None, "max_iter": 1}
    model = CoTrainingClassifier(estimator=NearestMean(), **settings).fit(rows, [0, 1, -1, -1])
    assert model.labeled_iter_.tolist() == [0, 0, -1, 1]


def gaussian_views(seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 600)
    rows = rng.normal(size=(600, 4)) + 1.3 * (2 * y[:, None] - 1)
    known = np.full(600, -1)
    for label in (0, 1):
        known[np.flatnonzero(y == label)[:3]] = label
    return rows, y, known


@pytest.mark.slow
def test_independent_views_help():
    gains = []
    for seed in range(3):
        rows, y, known = gaussian_views(seed)
        model = CoTrainingClassifier(
            estimator=NearestMean(), views=([0, 1], [2, 3]), n_folds=None, random_state=0
        )
        alone = model.fit(rows[known >= 0], known[known >= 0]).score(rows, y)
        gains.append(model.fit(rows, known).score(rows, y) - alone)
    assert np.mean(gains) > 0.005


def test_one_view_twice_is_a_committee():
    rows, _, known = gaussian_views()
    settings = {"n_folds": None, "per_class": 2, "max_iter": 5, "random_state": 0}
    committee = CoTrainingByCommitteeClassifier(estimator=NearestMean(), **settings)
    committee.fit(rows, known)
    assert committee.trace_["taken"].tolist() == [4] * 5
    assert (committee.labeled_iter_ > 0).sum() == 20
    scene = Scene(Table.read(rows).bin(), Target.labels(known, unlabelled=True), None, 0)
    learner = scene.learner(None, NearestMean())
    once, twice = (
        teach(scene, CoTraining([learner] * n, np.full(2, 4 // n), 75, 0.0), 5) for n in (1, 2)
    )
    np.testing.assert_array_equal(once.rounds, twice.rounds)


def test_quotas_follow_the_classes():
    rows = np.arange(12.0)[:, None] + [[0.0, 0.1]]
    labels = [0] * 2 + [1] * 6 + [-1] * 4
    model = CoTrainingByCommitteeClassifier(estimator=NearestMean(), n_folds=None, max_iter=1)
    model.fit(rows, labels)
    assert model.trace_["taken"].max() <= 4  # one of the first class, three of the second
    scene = Scene(Table.read(rows).bin(), Target.labels(labels, unlabelled=True), None, 0)
    assert model._quota(scene).tolist() == [1, 3]
    weighted = Scene(scene.table, scene.target, np.r_[np.full(2, 3.0), np.ones(10)], 0)
    assert model._quota(weighted).tolist() == [2, 2]
    rare = Scene(Table.read(np.zeros((41, 1))).bin(), Target.labels([0] * 40 + [1]), None, 0)
    assert model._quota(rare).tolist() == [4, 1]


@pytest.mark.slow
@pytest.mark.parametrize("views", ["random", "maxmin", None])
def test_views_share_no_column(views):
    rows, _, known = gaussian_views()
    model = CoTrainingClassifier(views=views, max_iter=1, random_state=0, n_folds=None).fit(
        rows, known
    )
    assert sorted(np.concatenate(model.views_).tolist()) == [0, 1, 2, 3]


@pytest.mark.slow
def test_views_by_name_and_what_is_refused():
    rows, _, known = gaussian_views()
    frame = pd.DataFrame(rows, columns=list("abcd"))
    settings = {"max_iter": 1, "n_folds": None}
    model = CoTrainingClassifier(views=(["a", "c"], ["b", "d"]), **settings).fit(frame, known)
    assert [view.tolist() for view in model.views_] == [[0, 2], [1, 3]]
    wrong = {
        "Columns .1. are in both views": ([0, 1], [1, 2]),
        "two lists of columns": ([0],),
        "no columns": ([0], np.array([], dtype=int)),
        "Column 4 in views is not in the table, which has 4": ([0], [4]),
        "Column -5 in views is not in the table": ([0], [-5]),
    }
    for words, views in wrong.items():
        with pytest.raises(ValueError, match=words):
            CoTrainingClassifier(views=views, **settings).fit(rows, known)
    with pytest.raises(ValueError, match="n_features=1"):
        CoTrainingClassifier(**settings).fit(rows[:, :1], known)
    with pytest.raises(ValueError, match="'z' in views is not in the table"):
        CoTrainingClassifier(views=(["a"], ["z"]), **settings).fit(frame, known)


def test_the_pool_is_filled_again_until_nothing_is_left():
    rows, _, known = gaussian_views()
    rows, known = rows[:40], known[:40].copy()
    settings = {"estimator": NearestMean(), "per_class": 2, "n_folds": None, "random_state": 0}
    model = CoTrainingByCommitteeClassifier(pool_size=10, **settings).fit(rows, known)
    n_free = int((known < 0).sum())
    assert model.termination_condition_ == "all_labeled"
    assert (model.labeled_iter_ >= 0).all()
    pool, taken = model.trace_["pool"], model.trace_["taken"]
    left = n_free - np.append(0, np.cumsum(taken)[:-1])
    np.testing.assert_array_equal(pool, np.minimum(10, left))
    strict = CoTrainingByCommitteeClassifier(threshold=1.0, **settings).fit(rows, known)
    assert strict.termination_condition_ == "no_candidate"
    assert (strict.labeled_iter_ <= 0).all()


def test_both_views_get_a_strong_column():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 120)
    rows = rng.normal(size=(120, 6))
    rows[:, [0, 1]] += 4.0 * y[:, None]
    known = np.where(np.arange(120) < 60, y, -1)
    model = CoTrainingClassifier(
        estimator=NearestMean(), views="maxmin", max_iter=1, n_folds=None, random_state=0
    ).fit(rows, known)
    assert [len(set(view.tolist()) & {0, 1}) for view in model.views_] == [1, 1]
    assert [len(view) for view in model.views_] == [3, 3]
