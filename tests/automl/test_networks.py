"""Networks for tables."""

import numpy as np
import pytest
from sklearn.base import clone

import coterie
from coterie.automl.networks import Best, NetworkClassifier, NetworkRegressor, Pieces
from coterie.export.checks import check
from coterie.export.errors import ModelFileError


def wavy(n_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(n_rows, 2))
    return X, np.sin(3 * X[:, 0]) + 0.1 * rng.normal(size=n_rows)


def test_a_column_is_given_piece_by_piece():
    column = np.arange(9.0)[:, None]
    pieces = Pieces.of(column, 4)
    np.testing.assert_array_equal(pieces.cuts[0], [0, 2, 4, 6, 8])
    inputs = pieces(np.array([[3.0], [4.0], [100.0]]))
    np.testing.assert_allclose(
        inputs[:, 1:], [[0.5, 0, -0.5, -0.5], [0.5, 0.5, -0.5, -0.5], [0.5] * 4]
    )
    assert inputs[1, 0] == 0  # the median
    assert inputs[2, 0] <= 3  # drawn in


def test_columns_of_few_values_have_no_pieces():
    flags = np.tile([[0.0, 5.0], [1.0, 5.0]], (10, 1))
    inputs = Pieces.of(flags, 8)(flags)
    assert inputs.shape == (20, 2)
    assert np.isfinite(inputs).all()


def test_columns_of_any_scale_are_numbers():
    column = np.array([-1e200, 0.0, 1e-320, 2e-320, 1e200])[:, None]
    for part in (column, column[1:4], column[1:]):
        inputs = Pieces.of(part, 4)(column)
        assert np.isfinite(inputs).all()
        assert inputs[-1, 0] > 0 > inputs[0, 0]


def test_many_columns_have_few_pieces():
    pieces = Pieces.of(np.random.default_rng(0).normal(size=(50, 300)), 12)
    assert max(map(len, pieces.cuts)) <= 3 + 1


def test_weights_of_the_best_epoch_are_kept():
    """Each network for itself: the first was best before, the second is so now."""
    arrays = [np.zeros((2, 1, 1), dtype=np.float32)]
    best = Best(arrays)
    best.look(np.array([1.0, 1.0]))
    arrays[0] += 1
    best.look(np.array([2.0, 0.5]))
    assert best.arrays[0].ravel().tolist() == [0.0, 1.0]


def test_what_is_not_smooth_is_learnt():
    X, y = wavy()
    new, truth = wavy(seed=1)
    model = NetworkRegressor(max_iter=60).fit(X, y)
    assert model.score(new, truth) > 0.7
    assert y.min() <= model.predict(100 * new).min()


def test_weights_count():
    """Rows without weight might as well not be there."""
    X, y = wavy(200)
    labels = (y > 0).astype(int)
    weight = np.repeat([1.0, 0.0], 100)
    wrong = np.where(weight > 0, labels, 1 - labels)
    model = NetworkClassifier(max_iter=60).fit(X, wrong, sample_weight=weight)
    assert model.score(X, labels) > 0.75


def test_the_seed_decides():
    X, y = wavy(100)
    model = NetworkRegressor(max_iter=3)
    first, again = (clone(model).fit(X, y).predict(X) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    other = clone(model).set_params(random_state=1).fit(X, y).predict(X)
    assert not np.array_equal(first, other)


def test_what_comes_after_the_numbers_is_taken_as_it_is():
    X, y = wavy(100)
    flags = np.column_stack([X, X[:, 0] > 0])
    model = NetworkRegressor(max_iter=2, n_numbers=2).fit(flags, y)
    assert len(model.pieces_.cuts) == 2
    assert model.predict(flags).shape == (100,)
    words = NetworkRegressor(max_iter=2, n_numbers=0).fit(flags[:, 2:], y)
    assert words.predict(flags[:, 2:]).shape == (100,)


@pytest.mark.parametrize("labels", [False, True])
def test_files_hold_networks(tmp_path, labels):
    X, y = wavy(60)
    y = y > 0 if labels else y
    kind = coterie.TableClassifier if labels else coterie.TableRegressor
    model = kind(members=["network"], random_state=0).fit(X, y)
    coterie.save(model, tmp_path / "model")
    same = coterie.load(tmp_path / "model")
    np.testing.assert_array_equal(model.predict(X), same.predict(X))


def test_files_of_layers_that_do_not_fit_are_refused():
    X, y = wavy(60)
    model = NetworkRegressor(max_iter=1).fit(X, y)
    check("NetworkRegressor", model)
    check("NetworkRegressor", NetworkRegressor())
    model.weights_ = (*model.weights_[:-1], model.weights_[-1][:, 1:])
    with pytest.raises(ModelFileError, match="layers"):
        check("NetworkRegressor", model)
