import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_diabetes, load_wine
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from coterie import BaggingClassifier, RotationForestClassifier, RotationForestRegressor

X, y = load_wine(return_X_y=True)


def test_nearest_neighbours_do_not_notice():
    """A rotation keeps distances, so that all members are the same single 1-NN."""
    model = RotationForestClassifier(KNeighborsClassifier(1), 5, random_state=0)
    model.fit(X[::2], y[::2])
    scaler = StandardScaler().fit(X[::2])
    alone = KNeighborsClassifier(1).fit(scaler.transform(X[::2]), y[::2])
    np.testing.assert_array_equal(model.predict(X), alone.predict(scaler.transform(X)))
    assert set(model.predict_proba(X).ravel()) == {0.0, 1.0}


def test_trees_differ_by_their_rotations():
    model = RotationForestClassifier(n_estimators=6, random_state=0).fit(X[::2], y[::2])
    members = model.estimators_
    assert all(member.estimator.get_n_leaves() > 1 for member in members)
    mean = np.mean([m.estimator.predict_proba(m.rotation(X)) for m in members], axis=0)
    np.testing.assert_allclose(model.predict_proba(X), mean)
    assert len({member.predict(X).tobytes() for member in members}) > 1
    np.testing.assert_array_equal(members[0].predict(X[::2]), y[::2])


def test_it_beats_its_members():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(600, 4))
    labels = (Z @ [1.0, 1.0, 1.0, 1.0] > 0).astype(int)  # no axis is the right one
    model = RotationForestClassifier(n_estimators=30, random_state=0).fit(Z[:300], labels[:300])
    plain = BaggingClassifier(n_estimators=30, random_state=0).fit(Z[:300], labels[:300])
    assert model.score(Z[300:], labels[300:]) > plain.score(Z[300:], labels[300:]) + 0.02


def test_bootstrap_brings_judges():
    model = RotationForestClassifier(
        n_estimators=40, bootstrap=True, oob_score=True, random_state=0
    )
    assert model.fit(X, y).oob_score_ > 0.93
    with pytest.raises(ValueError, match="every member saw every row"):
        RotationForestClassifier(oob_score=True).fit(X, y)


def test_regression_and_sparse_rows():
    Z, target = load_diabetes(return_X_y=True)
    model = RotationForestRegressor(n_estimators=20, random_state=0).fit(Z[::2], target[::2])
    assert model.score(Z[1::2], target[1::2]) > 0.3
    thin = RotationForestRegressor(n_estimators=20, random_state=0)
    thin.fit(sparse.csr_array(Z[::2]), target[::2])
    np.testing.assert_allclose(thin.predict(sparse.csr_array(Z)), model.predict(Z))
