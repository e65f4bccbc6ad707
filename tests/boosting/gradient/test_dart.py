"""DART: the weights of the published scheme, and plain boosting when nothing is dropped."""

import numpy as np
import pytest

from coterie import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from coterie.boosting.gradient.dart import Dart
from tests.boosting.gradient.tables import SMALL, numbers, three_classes


@pytest.mark.parametrize(
    ("normalise", "expected"),
    [
        ("tree", [0.608088, 0.608088, 0.395257, 0.303030]),
        ("forest", [0.455166, 0.455166, 0.591716, 0.769231]),
    ],
)
def test_weights_when_all_trees_are_dropped(normalise, expected):
    X, y = numbers()
    model = HistGradientBoostingRegressor(
        boosting="dart",
        drop_rate=1.0,
        skip_drop=0.0,
        normalise=normalise,
        **{**SMALL, "max_iter": 4, "learning_rate": 0.3},
    ).fit(X, y)
    np.testing.assert_allclose(model.pool_.weights / 0.3, expected, atol=1e-6)


@pytest.mark.parametrize("never", [{"drop_rate": 0.0}, {"skip_drop": 1.0}])
def test_nothing_dropped_is_plain_boosting(never):
    X, y = three_classes()
    plain = HistGradientBoostingClassifier(**SMALL).fit(X, y)
    dart = HistGradientBoostingClassifier(boosting="dart", **never, **SMALL).fit(X, y)
    assert np.array_equal(plain.decision_function(X), dart.decision_function(X))


def test_scores_follow_the_weights():
    """The scores a later tree was grown on are those of the final weights."""
    X, y = numbers()
    model = HistGradientBoostingRegressor(
        boosting="dart", drop_rate=0.4, skip_drop=0.0, early_stopping=True, **SMALL
    )
    model.fit(X, y, X_val=X, y_val=y)
    loss = 0.5 * np.mean((y - model.predict(X)) ** 2)
    best = int(np.argmin(model.trace_["validation_loss"]))
    assert best == model.n_iter_ - 1
    assert model.trace_["validation_loss"][best] == pytest.approx(loss, rel=1e-9)
    assert model.trace_["train_loss"][best] == pytest.approx(loss, rel=1e-9)


def test_warm_start_goes_on_exactly():
    X, y = numbers()
    settings = {**SMALL, "boosting": "dart", "drop_rate": 0.3, "skip_drop": 0.2}
    whole = HistGradientBoostingRegressor(**settings).fit(X, y)
    parts = HistGradientBoostingRegressor(**{**settings, "max_iter": 8}, warm_start=True).fit(X, y)
    parts.set_params(max_iter=SMALL["max_iter"]).fit(X, y)
    assert np.array_equal(parts.pool_.weights, whole.pool_.weights)
    assert np.array_equal(parts.predict(X), whole.predict(X))


def test_warm_start_with_another_rate_keeps_the_old_weights():
    X, y = numbers()
    settings = {**SMALL, "boosting": "dart", "drop_rate": 0.3, "max_iter": 6}
    model = HistGradientBoostingRegressor(**settings, warm_start=True).fit(X, y)
    before = model.pool_.weights
    model.set_params(max_iter=7, learning_rate=0.5, skip_drop=1.0).fit(X, y)
    np.testing.assert_array_equal(model.pool_.weights[:6], before)
    # The seventh tree was grown at the scores of the six: its leaves are their mean residuals.
    rest = y - model.start_[0] - model.pool_[:6].raw(model._admit(X))[:, 0]
    tree = model.estimators_[6]
    for leaf in np.unique(tree.apply(X)):
        rows = tree.apply(X) == leaf
        np.testing.assert_allclose(tree.predict(X)[rows], rest[rows].mean(), rtol=1e-6, atol=1e-9)


def test_each_tree_is_dropped_as_often_as_said():
    rng = np.random.default_rng(0)
    dart = Dart(drop_rate=0.2, skip_drop=0.25)
    counts = sum(np.bincount(dart.drop(5, rng), minlength=5) for _ in range(4000))
    np.testing.assert_allclose(counts / 4000, 0.15, atol=0.03)
