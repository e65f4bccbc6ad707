import numpy as np
import pytest
from sklearn.datasets import load_iris

import coterie
from coterie.base import Admitted
from coterie.data import DataError, Table, Target
from coterie.selection.adapted import adapt_pool, fit_model
from coterie.selection.pruning import judges
from coterie.selection.pruning.judges import judge, judge_by_folds
from coterie.selection.pruning.weighted_members import unseen_rows

X, Y = load_iris(return_X_y=True)
CLASSES = np.arange(3)


def admitted(X=X, y=Y, weight=None):
    return Admitted(Table.read(X), Target.labels(y), weight, None)


def fitted(rows):
    forest = coterie.RandomForestClassifier(n_estimators=4, random_state=0)
    return fit_model(forest, rows, 0)


def test_members_speak_about_rows_outside_their_bags():
    bag = coterie.BaggingClassifier(n_estimators=4, random_state=0).fit(X, Y)
    unseen = unseen_rows(bag, 150)
    found = judge(adapt_pool(bag, CLASSES), admitted(), 0, unseen=unseen)
    assert found.votes.shape[2] == 3
    assert found.weight.sum() == 150
    # Some flowers are there twice: a member may speak about neither copy if it has seen one.
    plain, back = np.unique(np.column_stack([X, Y]), axis=0, return_inverse=True)
    free = np.stack([[mask[back.ravel() == k].all() for k in range(len(plain))] for mask in unseen])
    assert len(found.truth) == len(plain) < 150
    np.testing.assert_array_equal((~np.isnan(found.votes[:, :, 0])).sum(axis=1), free.sum(axis=1))


def test_order_and_repetitions_of_rows_do_not_matter():
    panel = adapt_pool(fitted(admitted()), CLASSES)
    whole = judge(panel, admitted(), 3)
    shuffled = np.random.default_rng(0).permutation(150)
    again = judge(panel, admitted(X[shuffled], Y[shuffled]), 3)
    weighted = judge(panel, admitted(np.vstack([X, X]), np.append(Y, Y)), 3)
    for other in (again, weighted):
        np.testing.assert_array_equal(whole.votes, other.votes)
        np.testing.assert_array_equal(whole.truth, other.truth)
    np.testing.assert_array_equal(2 * whole.weight, weighted.weight)
    assert not np.array_equal(judge(panel, admitted(), 4).votes, whole.votes)


def test_folds_are_not_seen():
    shown = []

    def fit(rows):
        shown.append({tuple(row) for row in rows.table.values})
        return adapt_pool(fitted(rows), CLASSES)

    found = judge_by_folds(fit, admitted(), 0, 3, 1)
    assert len(shown) == 3
    assert np.isfinite(found.votes).all()
    distinct = {tuple(row) for row in Table.read(X).values}
    assert set.union(*shown) == distinct
    assert set.intersection(*shown) == set()  # every row is left out by one pool
    with pytest.raises(DataError, match="two distinct rows"):
        judge_by_folds(fit, admitted(X[:1], Y[:1]), 0, 3, 1)


def test_pools_of_unequal_size_have_no_folds():
    sizes = iter((3, 4))

    def fit(rows):
        forest = coterie.RandomForestClassifier(n_estimators=next(sizes), random_state=0)
        return adapt_pool(fit_model(forest, rows, 0), CLASSES)

    with pytest.raises(ValueError, match="number of members"):
        judge_by_folds(fit, admitted(), 0, 2, 1)


def test_large_tables_are_judged_in_part(monkeypatch):
    monkeypatch.setattr(judges, "_CELLS", 4 * 3 * 30)
    found = judge(adapt_pool(fitted(admitted()), CLASSES), admitted(), 0)
    assert len(found.truth) == 30
    assert set(found.truth) == {0, 1, 2}
