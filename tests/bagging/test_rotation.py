import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_diabetes, load_wine
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from coterie import BaggingClassifier, RotationForestClassifier, RotationForestRegressor
from coterie.bagging.rotation import RotationSampler, Sample, Scale, dense, principal_axes
from coterie.core import View
from coterie.data import Table, Target

X, y = load_wine(return_X_y=True)
VIEW = View(Table.read(X).bin(), Target.labels(y))


def draw(seed=0, view=VIEW, size=3):
    return RotationSampler(size, 0.75, True).draw(view, np.random.default_rng(seed))


@pytest.mark.parametrize("size", [1, 3, 5, 13, 99])
def test_rotations_are_orthogonal(size):
    rotation = draw(size=size)
    np.testing.assert_allclose(rotation.matrix.T @ rotation.matrix, np.eye(13), atol=1e-12)
    scaled = StandardScaler().fit_transform(X)
    np.testing.assert_allclose(rotation(X), scaled @ rotation.matrix, atol=1e-9)


def test_rotations_differ_and_repeat():
    first, again, other = draw(0), draw(0), draw(1)
    np.testing.assert_array_equal(first.matrix, again.matrix)
    assert np.abs(first.matrix - other.matrix).max() > 0.1


def test_groups_share_no_columns():
    groups = draw().groups
    assert groups.shape == (5, 3)
    assert sorted(groups[groups >= 0].tolist()) == list(range(13))
    matrix = draw().matrix != 0
    assert matrix.sum(axis=0).max() <= 3


def test_order_of_rows_does_not_matter():
    order = np.random.default_rng(5).permutation(len(X))
    shuffled = View(Table.read(X[order]).bin(), Target.labels(y[order]))
    np.testing.assert_array_equal(draw().matrix, draw(view=shuffled).matrix)


def test_rows_without_weight_are_not_looked_at():
    inside = np.arange(len(X)) % 3 > 0
    masked = View(VIEW.table, VIEW.target, inside.astype(float))
    few = View(Table.read(X[inside]).bin(), Target.labels(y[inside]))
    np.testing.assert_allclose(
        np.abs(draw(view=masked).scale.mean), np.abs(draw(view=few).scale.mean)
    )


def test_axes_are_complete_where_nothing_varies():
    flat = np.zeros((1, 3, 3))
    np.testing.assert_array_equal(np.abs(principal_axes(flat)[0]).sum(axis=0), np.ones(3))
    line = np.ones((1, 3, 3))
    axes = principal_axes(line)[0]
    np.testing.assert_allclose(axes.T @ axes, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(axes[:, 0], np.full(3, 3**-0.5))


def test_scale_minds_missing_and_huge_values():
    values = np.array([[1e308, 1.0, np.nan], [-1e308, 2.0, np.nan], [1e308, np.nan, np.nan]])
    scale = Scale.learn(values, np.ones(3))
    scaled = scale(values)
    assert np.isfinite(scaled).all()
    np.testing.assert_allclose(scaled[:, 1], [-1, 1, 0])
    np.testing.assert_allclose(
        scaled[:, 0], StandardScaler().fit_transform([[1.0], [-1], [1]])[:, 0]
    )


def test_sample_looks_at_some_classes():
    sample = Sample(np.repeat([0, 1, 2], 40).astype(np.int32), np.ones(120), 0.75)
    seen = set()
    for seed in range(30):
        counts = sample.counts(np.random.default_rng(seed)).reshape(3, 40)
        classes = tuple(np.flatnonzero(counts.sum(axis=1)))
        assert counts.sum() == 30 * len(classes)
        seen.add(classes)
    assert len(seen) == 7  # every non-empty subset
    whole = Sample(None, np.full(10, 2.0), 0.5)
    assert whole.counts(np.random.default_rng(0)).sum() == 10


def test_categories_stay_as_they_are():
    values = np.column_stack([X[:, :3], y])
    table = Table.read(values, categorical=[3]).bin()
    rotation = draw(view=View(table, Target.labels(y)))
    np.testing.assert_array_equal(rotation(dense(table))[:, 3], dense(table)[:, 3])
    assert rotation.matrix.shape == (3, 3)


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


@pytest.mark.slow
def test_it_beats_its_members():
    rng = np.random.default_rng(0)
    Z = rng.normal(size=(600, 4))
    labels = (Z @ [1.0, 1.0, 1.0, 1.0] > 0).astype(int)  # no axis is the right one
    model = RotationForestClassifier(n_estimators=30, random_state=0).fit(Z[:300], labels[:300])
    plain = BaggingClassifier(n_estimators=30, random_state=0).fit(Z[:300], labels[:300])
    assert model.score(Z[300:], labels[300:]) > plain.score(Z[300:], labels[300:]) + 0.02


@pytest.mark.slow
def test_bootstrap_brings_judges():
    model = RotationForestClassifier(
        n_estimators=40, bootstrap=True, oob_score=True, random_state=0
    )
    assert model.fit(X, y).oob_score_ > 0.93
    with pytest.raises(ValueError, match="every member saw every row"):
        RotationForestClassifier(oob_score=True).fit(X, y)


@pytest.mark.slow
def test_regression_and_sparse_rows():
    Z, target = load_diabetes(return_X_y=True)
    model = RotationForestRegressor(n_estimators=20, random_state=0).fit(Z[::2], target[::2])
    assert model.score(Z[1::2], target[1::2]) > 0.3
    thin = RotationForestRegressor(n_estimators=20, random_state=0)
    thin.fit(sparse.csr_array(Z[::2]), target[::2])
    np.testing.assert_allclose(thin.predict(sparse.csr_array(Z)), model.predict(Z))
