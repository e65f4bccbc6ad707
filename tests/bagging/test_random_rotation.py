import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from coterie.bagging.random_rotation import Sample, Scale, Turner, dense, principal_axes
from coterie.core import View
from coterie.data import Table, Target

X, y = load_wine(return_X_y=True)
VIEW = View(Table.read(X).bin(), Target.labels(y))


def draw(seed=0, view=VIEW, size=3):
    return Turner(size, 0.75, True).draw(view, np.random.default_rng(seed))


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
