import numpy as np
import pytest

from coterie.outliers import (
    average_of_maxima,
    breadth_first,
    calibrate,
    combine,
    groups_of,
    maximum_of_averages,
    standardize,
    thresholded_sum,
)

S = np.array(
    [[0.1, 0.9, 0.3, 0.4], [0.8, 0.2, 0.7, 0.6], [0.5, 0.5, 0.5, 0.9], [0.2, 0.1, 0.3, 0.2]]
).T
FIVE = np.array([1.0, 2.0, 3.0, 4.0, 10.0])


def test_groups_as_in_the_specification():
    pairs = groups_of(4, 2)
    np.testing.assert_allclose(average_of_maxima(S, pairs), [0.65, 0.75, 0.70, 0.25])
    np.testing.assert_allclose(maximum_of_averages(S, pairs), [0.5, 0.65, 0.70, 0.25])


def test_groups_have_the_mean_and_the_maximum_for_limits():
    one, each = groups_of(4, 1), groups_of(4, 9)
    np.testing.assert_allclose(average_of_maxima(S, one), S.max(axis=0))
    np.testing.assert_allclose(maximum_of_averages(S, one), S.mean(axis=0))
    np.testing.assert_allclose(average_of_maxima(S, each), S.mean(axis=0))
    np.testing.assert_allclose(maximum_of_averages(S, each), S.max(axis=0))
    groups = groups_of(4, 2, np.random.default_rng(0))
    assert sorted(np.concatenate(groups).tolist()) == [0, 1, 2, 3]
    assert (average_of_maxima(S, groups) >= S.mean(axis=0) - 1e-12).all()
    assert (maximum_of_averages(S, groups) <= S.max(axis=0) + 1e-12).all()


def test_scales():
    np.testing.assert_allclose(
        standardize(FIVE, "robust"), [-1.348982, -0.674491, 0, 0.674491, 4.721435], atol=1e-6
    )
    z = standardize(S, "z")
    np.testing.assert_allclose(z.mean(axis=1), 0.0, atol=1e-12)
    np.testing.assert_allclose(z.std(axis=1), 1.0)
    np.testing.assert_allclose(standardize(FIVE, "rank"), [0.2, 0.4, 0.6, 0.8, 1.0])
    np.testing.assert_allclose(standardize([2.5], "rank", FIVE), [0.4])
    np.testing.assert_allclose(standardize([1.0, 2, 2, 9], "rank"), [0.25, 0.625, 0.625, 1.0])
    np.testing.assert_array_equal(standardize(np.ones(3)), 0.0)
    np.testing.assert_array_equal(standardize(FIVE, "none"), FIVE)
    np.testing.assert_array_equal(standardize(S, "unify"), calibrate(S))
    assert standardize(S, "rank").shape == S.shape
    with pytest.raises(ValueError, match="'robust'"):
        standardize(FIVE, "other")


def test_gaussian_calibration_as_in_the_specification():
    np.testing.assert_allclose(calibrate(FIVE), [0, 0, 0, 0, 0.942220], atol=5e-7)
    np.testing.assert_array_equal(calibrate(np.ones(4)), 0.0)


@pytest.mark.parametrize("method", ["gaussian", "gamma", "mixture"])
def test_calibration_rises_with_the_score(method):
    rng = np.random.default_rng(0)
    scores = np.sort(np.append(rng.exponential(size=500), rng.normal(12.0, 1.0, 25)))
    chances = calibrate(scores, method)
    assert (np.diff(chances) >= -1e-12).all()
    assert chances.min() >= 0.0
    assert chances.max() <= 1.0
    assert chances[-1] > 0.95 > 0.2 > chances[:250].max()
    assert calibrate(np.stack([scores, scores]), method).shape == (2, 525)
    np.testing.assert_array_equal(calibrate(np.ones(4), method), 0.0)


def test_a_mixture_without_outliers_says_so():
    with pytest.warns(UserWarning, match="found no outliers"):
        found = calibrate(np.r_[0.0, np.ones(99)], "mixture")
    np.testing.assert_array_equal(found, calibrate(np.r_[0.0, np.ones(99)]))


def test_combinations():
    np.testing.assert_allclose(combine(S), S.mean(axis=0))
    np.testing.assert_allclose(combine(S, "max"), S.max(axis=0))
    np.testing.assert_allclose(combine(S, "median"), np.median(S, axis=0))
    np.testing.assert_allclose(combine(S - 0.5, "threshold"), thresholded_sum(S - 0.5))
    np.testing.assert_allclose(combine(S, "aom", groups_of(4, 2)), [0.65, 0.75, 0.70, 0.25])
    assert combine(S, "moa").shape == (4,)
    with pytest.raises(ValueError, match="'aom'"):
        combine(S, "product")
    with pytest.raises(ValueError, match="'mixture'"):
        calibrate(S, "other")


def test_breadth_first_reads_the_strangest_of_all_members_first():
    np.testing.assert_array_equal(breadth_first([[3, 2, 1], [2, 3, 1]]), [3, 2, 1])
    np.testing.assert_array_equal(breadth_first([[3, 2, 1], [1, 2, 3]]), [3, 1, 2])
