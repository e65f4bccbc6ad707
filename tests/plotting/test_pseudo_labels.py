import numpy as np
import pytest

from coterie import CoForestClassifier
from coterie.plotting import PseudoLabelDisplay


@pytest.mark.slow
def test_bars_count_rows_by_round_and_class():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 200)
    X = rng.normal(size=(200, 3)) + 2 * np.eye(3)[y]
    known = np.where(np.arange(200) < 40, y, -1)
    model = CoForestClassifier(n_estimators=10, random_state=0, n_folds=None).fit(X, known)
    display = PseudoLabelDisplay.from_estimator(model, y)
    taught = model.labeled_iter_ > 0
    assert display.counts.sum() == taught.sum()
    assert display.n_never == (model.labeled_iter_ == -1).sum()
    weights = np.where(np.isnan(display.wrong), 0, display.wrong) @ display.counts.sum(axis=1)
    assert round(weights) == (model.transduction_ != y)[taught].sum()
    assert len(display.ax_.patches) == display.counts.size
    display.figure_.canvas.draw()
    assert PseudoLabelDisplay.from_estimator(model).wrong is None
