"""Confidence of a consensus, row by row."""

import numpy as np
import pytest

from coterie import ClusterEnsemble
from coterie.plotting import ConsensusDisplay

X = np.random.default_rng(0).normal(size=(90, 3)) + 4 * (np.arange(90)[:, None] % 3)
MODEL = ClusterEnsemble(n_clusters=3, n_members=8, random_state=0).fit(X)


@pytest.mark.slow
def test_doubtful_rows_are_light_and_large():
    display = ConsensusDisplay.from_estimator(MODEL, X, columns=(0, 2))
    dots = display.ax_.collections
    assert sum(len(one.get_offsets()) for one in dots) == 90
    for label, one in enumerate(dots):
        own = MODEL.labels_ == label
        np.testing.assert_array_equal(one.get_offsets(), X[own][:, [0, 2]])
        sure = MODEL.confidence_[own]
        order = np.argsort(sure)
        assert (np.diff(one.get_sizes()[order]) <= 0).all()
        assert (np.diff(one.get_alpha()[order]) >= 0).all()
    told = [text.get_text() for text in display.ax_.get_legend().get_texts()]
    assert told[0] == f"cluster 0: {MODEL.confidence_[MODEL.labels_ == 0].mean():.2f}"
    display.figure_.canvas.draw()


def test_other_rows_are_refused():
    with pytest.raises(ValueError, match="fitted to 90"):
        ConsensusDisplay.from_estimator(MODEL, X[:5])
