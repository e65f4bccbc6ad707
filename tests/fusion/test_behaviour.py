"""Behaviour knowledge and naive Bayes: tables by hand, optimality, unknown cells."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie import fusion
from coterie.data.errors import DataError
from tests.diversity.pools import forest_pool, random_pool


def quietly(labels, y, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return fusion.behaviour_knowledge(labels, y, **options)


# Cell (a, a): a twice, b once. (a, b): c. (b, b): a and b once each. (a, c): never.
LABELS = [list("aaaaabb"), list("aaabbbb")]
TRUTH = list("aabccab")


def test_by_hand():
    fitted = quietly(LABELS, TRUTH)
    assert fitted.cells.tolist() == [[0, 0], [0, 1], [1, 1]]
    assert fitted.counts.tolist() == [[2, 1, 0], [0, 0, 2], [1, 1, 0]]
    new = [list("aabacc"), list("abbcac")]
    # The tie of (b, b) goes to b, which has votes; (a, c), (c, a) and (c, c) are voted on.
    assert fitted.predict(new).tolist() == ["a", "c", "b", "a", "a", "c"]
    # (a, c) is one label from (a, a) and (a, b): two a, one b, two c; c and a have one vote each.
    # (c, a) is nearest to (a, a). (c, c) is as far from all of them: three a, two b, two c.
    assert fitted.predict(new, unknown="nearest").tolist() == ["a", "c", "b", "a", "a", "a"]
    rejected = fitted.predict(new, unknown="reject")
    assert rejected.tolist() == ["a", "c", None, None, None, None]
    rejected = fitted.predict(new, unknown="reject", threshold=0.8)
    assert rejected.tolist() == [None, "c", None, None, None, None]


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(2, 4))
def test_no_combination_of_the_labels_is_better(seed, n_members, n_classes):
    labels, y = random_pool(seed, n_members, 40, n_classes)
    fitted = quietly(labels, y)
    error = (fitted.predict(labels) != y).mean()
    assert error <= (labels != y).mean(axis=1).min()
    assert error <= (fusion.plurality(labels) != y).mean()
    naive = fusion.naive_bayes_votes(labels, y)
    assert error <= (naive.classes[naive.support(labels).argmax(axis=1)] != y).mean()


def test_real_trees():
    labels, y = forest_pool()
    fitted = fusion.behaviour_knowledge(labels[:3], y)
    assert (fitted.predict(labels[:3]) == y).mean() >= (labels[:3] == y).mean(axis=1).max()
    assert fitted.counts.sum() == len(y)


def test_few_samples_warn():
    with pytest.warns(UserWarning, match="7 samples fall into 3 cells"):
        fusion.behaviour_knowledge(LABELS, TRUTH)


def test_weights_are_repetition():
    labels, y = random_pool(0, 3)
    weight = np.random.default_rng(0).integers(1, 4, 60)
    weighted = quietly(labels, y, sample_weight=weight)
    repeated = quietly(np.repeat(labels, weight, axis=1), np.repeat(y, weight))
    np.testing.assert_array_equal(weighted.counts, repeated.counts)
    first = fusion.naive_bayes_votes(labels, y, sample_weight=weight)
    second = fusion.naive_bayes_votes(np.repeat(labels, weight, axis=1), np.repeat(y, weight))
    np.testing.assert_allclose(first.log_chances, second.log_chances)


def test_naive_bayes_by_hand():
    labels, y = [[0, 0, 1, 1, 1], [0, 1, 0, 1, 1]], [0, 0, 1, 1, 1]
    fitted = fusion.naive_bayes_votes(labels, y)
    first = np.array([[2.5, 0.5], [0.5, 3.5]]) / [[3], [4]]
    second = np.array([[1.5, 1.5], [1.5, 2.5]]) / [[3], [4]]
    np.testing.assert_allclose(np.exp(fitted.log_chances), [first, second])
    np.testing.assert_allclose(np.exp(fitted.log_prior), [0.4, 0.6])
    score = np.array([0.4, 0.6]) * first[:, 1] * second[:, 0]
    np.testing.assert_allclose(fitted.support([[1], [0]]), [score / score.sum()])


def test_members_may_abstain():
    labels, y = random_pool(0, 4)
    fitted = fusion.naive_bayes_votes(labels, y)
    silent = np.zeros(labels.shape, dtype=bool)
    silent[1] = True
    others = [0, 2, 3]
    without = fusion.naive_bayes_votes(labels[others], y).support(labels[others])
    np.testing.assert_allclose(fitted.support(labels, silent), without)
    silent[:] = True
    prior = np.bincount(y) / len(y)
    np.testing.assert_allclose(fitted.support(labels, silent), np.tile(prior, (60, 1)))
    with pytest.raises(DataError, match="abstained"):
        fitted.support(labels, silent[0])


def test_naive_bayes_with_symmetric_members_is_the_weighted_vote():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 500)
    labels = np.where(rng.random((5, 1000)) < 0.7, y, 1 - y)
    # As many mistakes in each class make the confusion matrices symmetric.
    labels = np.concatenate([labels, 1 - labels[:, ::-1]], axis=1)
    y = np.concatenate([y, 1 - y[::-1]])
    fitted = fusion.naive_bayes_votes(labels, y)
    weights = fusion.log_odds_weights(np.exp(fitted.log_chances[:, 0, 0]))
    vote = fusion.tally(labels, weights).votes
    score = np.log(fitted.support(labels))
    np.testing.assert_allclose(score[:, 1] - score[:, 0], vote[:, 1] - vote[:, 0], atol=1e-9)


def test_a_class_that_no_member_names():
    fitted = fusion.naive_bayes_votes([["a", "b"]], ["a", "b"], classes=["a", "b", "c"])
    support = fitted.support([["c"]])
    assert support[0, 2] == 0
    assert np.isfinite(support).all()


def test_refusals():
    fitted = quietly(LABELS, TRUTH)
    with pytest.raises(DataError, match="There were 2 members at fit, but there are 1 now"):
        fitted.predict([["a"]])
    with pytest.raises(DataError, match="not one of"):
        fitted.predict([["d"], ["a"]])
    with pytest.raises(ValueError, match="unknown"):
        fitted.predict([["a"], ["a"]], unknown="first")
    with pytest.raises(DataError, match=r"\(members, samples\)"):
        quietly([["a", "b"]], ["a"])
    with pytest.raises(DataError, match="some are text"):
        quietly([["a", "b"]], [0, 1])
    with pytest.raises(DataError, match="There were 1 members at fit, but there are 2 now"):
        fusion.naive_bayes_votes([[0, 1]], [0, 1]).support([[0], [1]])
