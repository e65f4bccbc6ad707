import numpy as np
import pytest

from coterie import IsolationForest
from coterie.plotting import IsolationDisplay

X = np.random.default_rng(0).normal(size=(100, 3))


@pytest.mark.slow
def test_the_map_holds_scores_of_places():
    model = IsolationForest(n_estimators=20, random_state=0).fit(X)
    display = IsolationDisplay.from_estimator(model, X, columns=(2, 0), n_grid=12)
    assert display.scores.shape == (12, 12)
    place = np.median(X, axis=0)
    place[2], place[0] = display.xs[3], display.ys[7]
    assert display.scores[7, 3] == model.score_samples([place])[0]
    assert display.outliers.sum() == (model.predict(X) == -1).sum()
    assert display.ax_.get_xlabel() == "column 2"
    display.figure_.canvas.draw()
