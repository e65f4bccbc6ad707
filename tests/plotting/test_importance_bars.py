import numpy as np
import pytest
from sklearn.datasets import load_iris

from coterie import RandomForestClassifier, permutation_importances, shap_values
from coterie.plotting import ImportancesDisplay, ShapDisplay


@pytest.fixture(scope="module")
def iris():
    pytest.importorskip("pandas")
    X, y = load_iris(return_X_y=True, as_frame=True)
    return RandomForestClassifier(20, random_state=0).fit(X[::2], y[::2]), X[1::2], y[1::2]


@pytest.mark.slow
def test_bars_are_the_importances_in_order(iris):
    model, X, y = iris
    display = ImportancesDisplay.from_estimator(model, X, y, most=3)
    found = permutation_importances(model, X, y, random_state=0)
    np.testing.assert_allclose(display.means, found.mean)
    widths = [bar.get_width() for bar in display.ax_.patches]
    np.testing.assert_allclose(widths, np.sort(found.mean)[::-1][:3])
    first = display.ax_.get_yticklabels()[0].get_text()
    assert first == X.columns[found.mean.argmax()]
    assert display.ax_.get_title() == "Importance of the columns, the first 3"
    display.figure_.canvas.draw()


def test_importances_from_anywhere():
    display = ImportancesDisplay.from_values(["a", "b"], [0.2, 0.8], measure="gini")
    assert [t.get_text() for t in display.ax_.get_yticklabels()] == ["b", "a"]
    with pytest.raises(ValueError, match="1 names, but 2"):
        ImportancesDisplay.from_values(["a"], [0.2, 0.8])


@pytest.mark.slow
def test_dots_are_shapley_values(iris):
    model, X, _ = iris
    display = ShapDisplay.from_estimator(model, X, output=0)
    values = shap_values(model, X).values[:, :, 0]
    np.testing.assert_allclose(display.values, values)
    first = np.abs(values).mean(axis=0).argmax()
    drawn = display.ax_.collections[0].get_offsets()
    np.testing.assert_allclose(np.sort(drawn[:, 0]), np.sort(values[:, first]))
    assert np.abs(drawn[:, 1]).max() <= 0.38 + 1e-9
    display.figure_.canvas.draw()
