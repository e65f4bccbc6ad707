import numpy as np
import pytest
from scipy import sparse
from sklearn.neighbors import LocalOutlierFactor
from sklearn.svm import OneClassSVM

from coterie.data import Table
from coterie.outliers.detector import (
    dense_rows,
    fit_detector,
    scores_of,
    weighted_percentile,
)


@pytest.mark.parametrize("share", [0.0, 0.1, 0.37, 0.5, 1.0])
def test_percentiles_of_whole_weights_are_those_of_repeated_values(share):
    rng = np.random.default_rng(0)
    values, times = rng.normal(size=30), rng.integers(1, 5, 30)
    expected = np.percentile(np.repeat(values, times), 100 * share)
    assert weighted_percentile(values, share, times.astype(float)) == pytest.approx(expected)
    assert weighted_percentile(values, share) == np.percentile(values, 100 * share)


def test_percentiles_of_other_weights_are_values_of_enough_weight():
    values, weight = np.array([3.0, 1.0, 2.0]), np.array([0.5, 0.25, 0.25])
    assert weighted_percentile(values, 0.2, weight) == 1.0
    assert weighted_percentile(values, 0.5, weight) == 2.0
    assert weighted_percentile(values, 0.51, weight) == 3.0


def test_detectors_that_take_no_weights_see_rows_as_often():
    X = np.random.default_rng(0).normal(size=(40, 2))
    times = np.random.default_rng(1).integers(1, 4, 40).astype(float)
    factor = LocalOutlierFactor(novelty=True)
    rng = np.random.default_rng(0)
    weighted = fit_detector(factor, X, times, rng)
    repeated = factor.fit(np.repeat(X, times.astype(int), axis=0))
    np.testing.assert_allclose(scores_of(weighted, X), repeated.score_samples(X))
    assert fit_detector(factor, X, times / 7.0, rng).n_features_in_ == 2
    assert fit_detector(OneClassSVM(), X, times, rng).n_features_in_ == 2
    assert fit_detector(factor, X, None, rng) is not factor


def test_sparse_tables_are_unfolded():
    X = np.eye(3)
    np.testing.assert_array_equal(dense_rows(Table.read(sparse.csr_array(X))), X)
