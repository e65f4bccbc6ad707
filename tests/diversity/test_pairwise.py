"""Pairwise measures: values of the textbooks, peers, what is undefined, symmetry."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import cohen_kappa_score, matthews_corrcoef

from coterie import diversity
from coterie.data.errors import DataError
from tests.diversity.pools import FIGURE, PATTERNS, forest_pool, random_pool

MEASURES = [diversity.disagreement, diversity.correlation, diversity.kappa]
BINARY = [*MEASURES, diversity.q_statistic, diversity.double_fault]
FIRST, SECOND, Y = [1, 1, 0, 0, 1, 1], [1, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0]


def test_textbook_example_on_labels_and_on_correctness():
    labels = [m([FIRST, SECOND])[0, 1] for m in BINARY[:4]]
    np.testing.assert_allclose(labels, [1 / 3, 0.25, 0.25, 0.5])
    oracle = [m([FIRST, SECOND], Y)[0, 1] for m in BINARY]
    np.testing.assert_allclose(oracle, [1 / 3, 0.2**0.5, 1 / 3, 1, 0.5])


@pytest.mark.parametrize(
    ("pool", "expected"),
    [
        ("helps", [2 / 3, -0.5, -0.5, -1, 0]),
        ("nothing", [0, 1, 1, 1, 1 / 3]),
        ("hurts", [2 / 3, -0.5, -0.5, -1, 1 / 3]),
    ],
)
def test_the_figure(pool, expected):
    found = [diversity.mean_over_pairs(measure(FIGURE[pool])).mean for measure in BINARY]
    np.testing.assert_allclose(found, expected, atol=1e-15)


@pytest.mark.parametrize(("pool", "q"), [("success", -0.5), ("failure", 1 / 3), ("identical", 1)])
def test_patterns(pool, q):
    assert diversity.mean_over_pairs(diversity.q_statistic(PATTERNS[pool])).mean == pytest.approx(q)


@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("weighted", [False, True])
def test_peers(n_classes, weighted):
    labels, _ = random_pool(0, n_classes=n_classes)
    weight = np.random.default_rng(1).random(labels.shape[1]) if weighted else None
    kappas = diversity.kappa(labels, sample_weight=weight)
    correlations = diversity.correlation(labels, sample_weight=weight)
    for i, j in [(0, 1), (2, 5), (6, 3)]:
        pair = labels[i], labels[j]
        assert kappas[i, j] == pytest.approx(cohen_kappa_score(*pair, sample_weight=weight))
        assert correlations[i, j] == pytest.approx(matthews_corrcoef(*pair, sample_weight=weight))


def test_correlation_of_two_classes_is_the_usual_one():
    labels, _ = random_pool(1, n_classes=2)
    np.testing.assert_allclose(diversity.correlation(labels), np.corrcoef(labels), atol=1e-12)


def test_real_trees():
    labels, y = forest_pool()
    dis, df = diversity.disagreement(labels), diversity.double_fault(labels, y)
    np.testing.assert_allclose(dis, (labels[:, None] != labels).mean(axis=2), atol=1e-15)
    wrong = labels != y
    np.testing.assert_allclose(df, (wrong[:, None] & wrong).mean(axis=2), atol=1e-15)
    # Of two classes members that differ differ in being right.
    np.testing.assert_allclose(dis, diversity.disagreement(labels, y), atol=1e-15)


def test_double_fault_of_the_same_mistake():
    labels, y = random_pool(4)
    wrong = labels != y
    same = wrong[:, None] & wrong & (labels[:, None] == labels)
    found = diversity.double_fault(labels, y, mistakes="same")
    np.testing.assert_allclose(found, same.mean(axis=2), atol=1e-15)
    assert (found <= diversity.double_fault(labels, y) + 1e-15).all()
    weight = np.arange(60)
    found = diversity.double_fault(labels, y, mistakes="same", sample_weight=weight)
    np.testing.assert_allclose(found, same @ weight / weight.sum(), atol=1e-15)


def test_error_ratio():
    ratio = diversity.error_ratio([[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 0], [1, 1, 1, 1]])
    np.testing.assert_array_equal(ratio[0], [0, 2, 1, np.inf])
    assert np.isnan(ratio[3, 3])


def test_undefined_is_nan():
    hits = [[1, 1, 1, 1], [1, 1, 0, 0], [1, 1, 1, 1]]
    assert np.isnan(diversity.correlation(hits)[0]).all()
    assert diversity.correlation(hits)[1, 1] == 1
    assert np.isnan(diversity.q_statistic(hits)[0]).all()
    kappas = diversity.kappa(hits)
    np.testing.assert_array_equal(np.isnan(kappas), [[1, 0, 1], [0, 0, 0], [1, 0, 1]])
    assert kappas[0, 1] == 0
    assert diversity.kappa(hits, zero_division=1.0)[0, 2] == 1
    # A member may be constant on the samples that count.
    weighted = diversity.correlation([[1, 1, 0], [1, 0, 0]], sample_weight=[0.1, 0.2, 0])
    assert np.isnan(weighted[0, 1])
    assert weighted[1, 1] == pytest.approx(1)


def test_mean_over_pairs_counts_what_it_leaves_out():
    mean = diversity.mean_over_pairs([[1, 0.5, np.nan], [0.5, 1, 0.25], [np.nan, 0.25, 1]])
    assert mean == (0.375, 3, 1)
    with pytest.warns(UserWarning, match="no pairs"):
        assert np.isnan(diversity.mean_over_pairs([[1.0]]).mean)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nothing = diversity.mean_over_pairs([[np.nan, np.nan], [np.nan, np.nan]])
    assert np.isnan(nothing.mean)
    assert nothing[1:] == (1, 1)
    with pytest.raises(DataError, match="square"):
        diversity.mean_over_pairs([1.0, 2.0])


def test_q_needs_two_classes():
    labels, y = random_pool(5)
    with pytest.raises(DataError, match="Compare correctness instead"):
        diversity.q_statistic(labels)
    assert diversity.q_statistic(labels, y).shape == (7, 7)


def test_refusals():
    with pytest.raises(ValueError, match="mistakes"):
        diversity.double_fault([[0, 1]], mistakes="all")
    with pytest.raises(DataError, match="pass y"):
        diversity.double_fault([[0, 1]], mistakes="same")
    with pytest.raises(DataError, match="also pass y"):
        diversity.double_fault([["a", "b"]])


HITS = arrays(np.bool_, st.tuples(st.integers(2, 6), st.integers(1, 25)))
LABELS = arrays(
    np.int8, st.tuples(st.integers(2, 6), st.integers(1, 25)), elements=st.integers(0, 3)
)


@pytest.mark.parametrize("measure", BINARY)
@given(hits=HITS)
def test_symmetry_and_range(measure, hits):
    matrix = measure(hits)
    np.testing.assert_array_equal(matrix, matrix.T)
    low = 0 if measure in (diversity.disagreement, diversity.double_fault) else -1
    defined = matrix[~np.isnan(matrix)]
    assert (defined >= low - 1e-12).all()
    assert (defined <= 1 + 1e-12).all()


@pytest.mark.parametrize("measure", MEASURES)
@given(labels=LABELS, seed=st.integers(0, 9))
def test_order_and_names_do_not_matter(measure, labels, seed):
    rng = np.random.default_rng(seed)
    members, samples = rng.permutation(len(labels)), rng.permutation(labels.shape[1])
    matrix = measure(labels)
    moved = measure(labels[members][:, samples])
    np.testing.assert_allclose(moved, matrix[np.ix_(members, members)], atol=1e-12)
    renamed = measure(np.array(["d", "a", "c", "b"])[labels])
    np.testing.assert_allclose(renamed, matrix, atol=1e-12)


@given(hits=HITS)
def test_q_is_no_smaller_than_the_correlation(hits):
    q, rho = diversity.q_statistic(hits), diversity.correlation(hits)
    both = ~np.isnan(q) & ~np.isnan(rho)
    assert (np.abs(q[both]) >= np.abs(rho[both]) - 1e-12).all()
    assert (q[both] * rho[both] >= 0).all()
