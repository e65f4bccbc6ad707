import numpy as np
import pytest

from coterie import LODADetector
from coterie.outliers import n_histogram_bins
from coterie.outliers.loda import Histogram, _Counter, bin_criterion

ROWS = np.array([0.0, 1.0, 2.0, 3.0, 10.0])


def test_bins_as_in_the_specification():
    # ln of 5 is 1.61: up to three bins, and no fourth is asked about.
    np.testing.assert_allclose(bin_criterion(ROWS), [0, -0.436280, -0.274011], atol=1e-6)
    assert n_histogram_bins(ROWS) == 1
    both = np.r_[np.linspace(0, 1, 50), np.linspace(9, 10, 50)]
    assert n_histogram_bins(both) == 10
    assert bin_criterion(both)[9] == pytest.approx(138.997, abs=1e-3)


@pytest.mark.parametrize(("bins", "counts"), [(2, [4, 1]), (5, [2, 2, 0, 0, 1])])
def test_densities_are_those_of_the_counts_and_half_a_row(bins, counts):
    histogram = Histogram.of(ROWS, bins, None)
    width = 10.0 / bins
    expected = (np.array(counts) + 0.5) / ((5 + bins / 2) * width)
    np.testing.assert_allclose(np.exp(histogram.log_density[:-1]), expected)
    places = np.minimum((ROWS / width).astype(int), bins - 1)
    np.testing.assert_allclose(np.exp(histogram(ROWS)), expected[places])
    outside = 0.5 / ((5 + bins / 2) * width)
    np.testing.assert_allclose(np.exp(histogram(np.array([-1.0, 11.0]))), outside)


def test_most_rows_in_one_bin_are_not_the_strange_ones():
    X = np.r_[np.zeros(90), np.ones(10)][:, None]
    scores = LODADetector(n_projections=1, bins=2, random_state=0).fit(X).score_samples(X)
    assert scores[0] > scores[-1]


def test_a_projection_without_variation_says_nothing():
    X = np.ones((30, 2))
    np.testing.assert_array_equal(LODADetector(random_state=0).fit(X).score_samples(X), 0.0)


@pytest.mark.slow
def test_missing_cells_leave_out_projections():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 9))
    X[::5, 2] = np.nan
    model = LODADetector(random_state=0).fit(X)
    assert ((model.projections_ != 0).sum(axis=1) == 3).all()  # the root of 9 columns
    row = X[1:2].copy()
    row[0, 4] = np.nan
    rest = model.projections_[:, 4] == 0
    densities = model._log_densities(X[1:2])
    assert model.score_samples(row)[0] == pytest.approx(densities[rest, 0].mean())
    nothing = np.full((1, 9), np.nan)
    assert model.score_samples(nothing)[0] == 0.0


@pytest.mark.slow
def test_the_guilty_column_is_named():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 16))
    model = LODADetector(n_projections=300, random_state=0).fit(X)
    row = np.zeros((1, 16))
    row[0, 5] = 9.0
    assert model.feature_scores(row)[0].argmax() == 5


def test_projections_need_numbers():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": ["x", "y"] * 20, "b": np.arange(40.0)})
    with pytest.raises(ValueError, match="column 'a' is categorical"):
        LODADetector().fit(frame)


def test_counting_sorted_values_is_numpys_histogram():
    rng = np.random.default_rng(0)
    values, weight = np.round(rng.normal(size=200), 1), rng.integers(1, 5, 200).astype(float)
    for bins in (1, 2, 7, 60):
        for given in (None, weight):
            expected = np.histogram(values, bins, weights=given)[0]
            np.testing.assert_array_equal(_Counter(values, given).counts(bins), expected)


def test_bins_are_looked_for_among_a_thousand():
    values = np.arange(50.0)
    assert len(bin_criterion(values, np.full(50, 1e12))) == 1000
    assert len(bin_criterion(values)) == int(50 / np.log(50))


def test_numbers_that_projections_make_infinite_are_refused():
    X = np.random.default_rng(0).normal(size=(40, 2))
    with pytest.raises(ValueError, match="Column 1 contains numbers beyond 1e"):
        LODADetector().fit(X * [1.0, 1e305])
