import numpy as np
import pytest
from sklearn.datasets import load_iris

from coterie import PrunedEnsembleClassifier, RandomForestClassifier
from coterie.plotting import PruningCurveDisplay
from coterie.selection import PruningCurve


@pytest.mark.slow
def test_curves_and_the_chosen_size_are_drawn():
    error = np.array([0.4, 0.2, 0.3])
    curve = PruningCurve(np.array([1, 2, 4]), error / 2, error, np.full(3, 0.05), np.zeros(3))
    display = PruningCurveDisplay(curve, 2, "kappa").plot()
    other, own, chosen, whole = display.ax_.lines
    np.testing.assert_allclose(other.get_xydata(), np.column_stack([[1, 2, 4], error]))
    np.testing.assert_allclose(own.get_ydata(), error / 2)
    assert chosen.get_xydata().tolist() == [[2, 0.2]]
    assert set(whole.get_ydata()) == {0.3}
    band = display.ax_.collections[0].get_paths()[0].vertices
    assert band[:, 1].max() == pytest.approx(0.45)
    assert other.get_label() == "kappa: rows not used for ordering"
    display.figure_.canvas.draw()


def test_two_orders_share_axes():
    X, y = load_iris(return_X_y=True)
    ax = None
    for order in ("kappa", "accuracy"):
        forest = RandomForestClassifier(n_estimators=12, random_state=0)
        model = PrunedEnsembleClassifier(forest, order=order, random_state=0).fit(X, y)
        display = PruningCurveDisplay.from_estimator(model, ax=ax)
        ax = display.ax_
        assert (display.name, display.size) == (order, model.size_)
    assert ax.lines[0].get_color() != ax.lines[4].get_color()


def test_predictions_of_any_members():
    rng = np.random.default_rng(0)
    y = rng.choice(["a", "b", "c"], size=200)
    right = rng.random((6, 200)) < np.array([0.9, 0.8, 0.7, 0.5, 0.3, 0.3])[:, None]
    said = np.where(right, y, "a")
    display = PruningCurveDisplay.from_predictions(said, y, order="accuracy")
    assert display.curve.sizes.tolist() == [1, 2, 3, 4, 5, 6]
    assert display.name == "accuracy"
    # Ordered by accuracy, the first is the best by itself.
    assert display.curve.order_error[0] == pytest.approx((said != y).mean(axis=1).min())
    assert display.curve.order_error[-1] == display.curve.choice_error[-1]


def test_predicted_numbers():
    rng = np.random.default_rng(1)
    y = rng.normal(size=100)
    said = y + rng.normal(size=(4, 100)) * np.array([0.1, 1, 1, 5])[:, None]
    display = PruningCurveDisplay.from_predictions(said, y)
    assert display.size == 1
    assert display.curve.choice_error[0] == pytest.approx(((said[0] - y) ** 2).mean())
    with pytest.raises(ValueError, match="must be one of"):
        PruningCurveDisplay.from_predictions(said, y, order="kappa")
    with pytest.raises(ValueError, match="shape"):
        PruningCurveDisplay.from_predictions(said, y[:5])
