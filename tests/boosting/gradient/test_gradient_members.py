"""The trees of a model, one by one."""

import numpy as np
import pytest

from coterie import HistGradientBoostingClassifier, HistGradientBoostingRegressor, export_text
from tests.boosting.gradient.tables import SMALL, numbers, three_classes


def test_trees_add_up_to_the_model():
    X, y = three_classes()
    model = HistGradientBoostingClassifier(**SMALL).fit(X, y)
    total = np.tile(model.start_, (len(X), 1))
    for weight, trees in zip(model.pool_.weights, model.estimators_, strict=True):
        total += weight * np.column_stack([tree.predict(X) for tree in trees])
    np.testing.assert_allclose(total, model.decision_function(X), rtol=1e-12, atol=1e-12)
    assert repr(model.estimators_) == "<trees of 20 rounds>"
    assert len(model.estimators_[3:5]) == 2


def test_vector_trees():
    X, y = three_classes()
    model = HistGradientBoostingClassifier(multiclass="vector", **SMALL).fit(X, y)
    total = model.start_ + 0.1 * sum(tree.predict(X) for tree in model.estimators_)
    np.testing.assert_allclose(total, model.decision_function(X), rtol=1e-9, atol=1e-12)


def test_trees_know_the_names():
    pandas = pytest.importorskip("pandas")
    X, y = numbers()
    frame = pandas.DataFrame(X, columns=["alpha", "beta", "gamma", "delta", "eps"])
    tree = HistGradientBoostingRegressor(**SMALL).fit(frame, y).estimators_[0]
    assert tree.feature_names_in_.tolist() == frame.columns.tolist()
    assert "beta" in export_text(tree, feature_names=list(frame.columns))
    with pytest.raises(ValueError, match="feature names"):
        tree.predict(frame.rename(columns={"beta": "b"}))


def test_gains_are_those_of_the_splits():
    """The first tree of squared error gains what it lowers the sum of squares by."""
    X, y = numbers()
    model = HistGradientBoostingRegressor(**{**SMALL, "max_iter": 1, "max_leaf_nodes": 2}).fit(X, y)
    assert model.feature_importances_.max() == 1.0
    two = HistGradientBoostingRegressor(**{**SMALL, "max_iter": 2, "max_leaf_nodes": 2}).fit(X, y)
    rests = [y - two.start_[0], y - next(two.staged_predict(X))]
    gains = np.zeros(5)
    for rest, tree in zip(rests, two.estimators_, strict=True):
        left = tree.apply(X) == tree.apply(X).min()
        gain = sum(rest[side].sum() ** 2 / side.sum() for side in (left, ~left))
        gains[tree.tree_.feature[0]] += gain - rest.sum() ** 2 / len(y)
    np.testing.assert_allclose(two.feature_importances_, gains / gains.sum(), rtol=1e-5)
