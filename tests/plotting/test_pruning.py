import numpy as np
import pytest
from sklearn.datasets import load_iris

from coterie import PrunedEnsembleClassifier, RandomForestClassifier
from coterie.plotting import PruningCurveDisplay
from coterie.selection import PruningCurve


def test_curves_and_the_chosen_size_are_drawn():
    error = np.array([0.4, 0.2, 0.3])
    curve = PruningCurve(np.array([1, 2, 4]), error / 2, error, np.full(3, 0.05))
    display = PruningCurveDisplay(curve, 2, "kappa").plot()
    other, own, chosen, whole = display.ax_.lines
    np.testing.assert_allclose(other.get_xydata(), np.column_stack([[1, 2, 4], error]))
    np.testing.assert_allclose(own.get_ydata(), error / 2)
    assert chosen.get_xydata().tolist() == [[2, 0.2]]
    assert set(whole.get_ydata()) == {0.3}
    band = display.ax_.collections[0].get_paths()[0].vertices
    assert band[:, 1].max() == pytest.approx(0.45)
    assert other.get_label() == "kappa: other rows"
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
