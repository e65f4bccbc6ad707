"""Models for the explorer, and rows held out."""

import numpy as np
import pytest
from sklearn.datasets import make_moons

from coterie import AdaBoostClassifier, BaggingClassifier
from coterie.studio.fitting import fit_with_weights, hold_out_rows
from coterie.studio.scene import Rows

X, Y = make_moons(80, noise=0.2, random_state=0)


def test_a_quarter_is_held_out_in_the_shares_of_the_classes():
    rows = hold_out_rows(Rows(X, Y), stratified=True)
    assert (len(rows.y), len(rows.y_val)) == (60, 20)
    assert rows.y_val.mean() == 0.5
    together = np.concatenate([rows.X, rows.X_val])
    np.testing.assert_array_equal(np.sort(together, axis=0), np.sort(X, axis=0))


def test_few_rows_are_all_learnt_from():
    few = Rows(X[:59], Y[:59])
    assert hold_out_rows(few, stratified=True) is few


def test_a_class_of_one_row_cannot_be_split_in_shares():
    rare = np.zeros(80, dtype=int)
    rare[0] = 1
    assert len(hold_out_rows(Rows(X, rare), stratified=True).y) == 60


@pytest.mark.parametrize(
    "model", [AdaBoostClassifier(n_estimators=3), BaggingClassifier(n_estimators=3)]
)
def test_a_copy_is_fitted_the_same_way_each_time(model):
    one, two = (fit_with_weights(model, X, Y) for _ in range(2))
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    assert not hasattr(model, "classes_")


def test_boosters_keep_the_weights_of_rows():
    assert fit_with_weights(AdaBoostClassifier(n_estimators=3), X, Y).trace == "weights"
