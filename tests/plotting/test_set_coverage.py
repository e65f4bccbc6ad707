import pytest
from sklearn.datasets import load_iris

from coterie import ConformalClassifier, RandomForestClassifier
from coterie.plotting import CoverageDisplay

X, Y = load_iris(return_X_y=True)


@pytest.mark.slow
def test_coverage_of_all_rows_comes_first():
    forest = RandomForestClassifier(n_estimators=20, random_state=0)
    model = ConformalClassifier(forest, random_state=0).fit(X[::2], Y[::2])
    display = CoverageDisplay.from_estimator(model, X[1::2], Y[1::2], alpha=0.2, most=6)
    labels = [text.get_text() for text in display.ax_.get_yticklabels()]
    assert labels[:4] == ["all rows", "class 0", "class 1", "class 2"]
    assert len(labels) == 6
    dot = display.ax_.lines[1]
    assert dot.get_xdata()[0] == display.report.coverage
    display.figure_.canvas.draw()
