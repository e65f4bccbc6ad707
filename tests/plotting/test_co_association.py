import numpy as np
import pytest

from coterie import ClusterEnsemble
from coterie.clustering import co_association
from coterie.plotting import CoAssociationDisplay


@pytest.mark.slow
def test_rows_are_sorted_by_cluster_and_confidence():
    X = np.random.default_rng(0).normal(size=(90, 2)) + 4 * (np.arange(90)[:, None] % 3)
    model = ClusterEnsemble(n_clusters=3, n_members=8, random_state=0).fit(X)
    display = CoAssociationDisplay.from_estimator(model)
    assert (np.diff(display.labels) >= 0).all()
    for label in range(3):
        assert (np.diff(display.confidence[display.labels == label]) <= 0).all()
    whole = co_association(model.member_labels_.astype(int))
    assert display.shares.sum() == whole.sum()
    display.figure_.canvas.draw()
    assert CoAssociationDisplay.from_estimator(model, max_rows=20).shares.shape == (20, 20)
