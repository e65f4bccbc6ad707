"""The majority of three: its error, its filters, and when the first is left alone."""

import numpy as np
import pytest

from coterie.boosting.hierarchy import (
    SAMPLING,
    Answer,
    Hierarchy,
    Part,
    decide_of_three,
    shared_out,
)
from coterie.core import Foreign
from coterie.data import Table, Target


def sure(codes, n_classes=2):
    codes = np.asarray(codes)
    return Answer(codes, np.eye(n_classes)[codes])


def masks(first, second, third, both, seed):
    """Rows for every pattern of mistakes: weights, and the mistakes of the three.

    `first` is the error under D, `second` that under D2, `third` that where the two differ, and
    `both` the probability that the first two are wrong.
    """
    rng = np.random.default_rng(seed)
    only_second = (1 - first) * (2 * second - both / first)
    weights = {
        (1, 1): both,
        (1, 0): first - both,
        (0, 1): only_second,
        (0, 0): 1 - first - only_second,
    }
    # How the mistakes of the third lie among the rows the two differ on does not matter.
    differ = weights[1, 0] + weights[0, 1]
    low = max(0.0, third * differ - weights[0, 1])
    high = min(weights[1, 0], third * differ)
    on_first = rng.uniform(low, high)
    thirds = {
        (1, 0): on_first / weights[1, 0],
        (0, 1): (third * differ - on_first) / weights[0, 1],
        (1, 1): rng.uniform(),
        (0, 0): rng.uniform(),
    }
    patterns = [(*pattern, last) for pattern in weights for last in (0, 1)]
    weight = [weights[p[:2]] * (thirds[p[:2]] if p[2] else 1 - thirds[p[:2]]) for p in patterns]
    return np.array(weight), np.array(patterns, dtype=bool).T


def measured(weight, wrong):
    """Errors of the three on what each learns from, and of their majority."""
    first, second, third = wrong
    differ = first != second
    voted = decide_of_three(*(sure(one.astype(int)) for one in wrong)).codes == 1
    return (
        weight[first].sum(),
        shared_out(weight, first)[second].sum(),
        weight[differ & third].sum() / weight[differ].sum(),
        weight[voted].sum(),
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("beta", "both"), [(0.1, 0.01), (0.25, 0.1), (0.4, 0.2), (0.4, 0.3)])
def test_equal_errors_give_the_famous_polynomial(beta, both, seed):
    weight, wrong = masks(beta, beta, beta, both, seed)
    assert weight.min() >= 0
    *each, voted = measured(weight, wrong)
    np.testing.assert_allclose(each, beta)
    assert voted == pytest.approx(3 * beta**2 - 2 * beta**3)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("first", "second", "third", "both"), [(0.3, 0.2, 0.4, 0.1), (0.2, 0.45, 0.1, 0.15)]
)
def test_general_formula(first, second, third, both, seed):
    weight, wrong = masks(first, second, third, both, seed)
    assert weight.min() >= 0
    *each, voted = measured(weight, wrong)
    np.testing.assert_allclose(each, [first, second, third])
    expected = both * (1 - third / first) + third * (2 * second * (1 - first) + first)
    assert voted == pytest.approx(expected)


def test_levels_drive_the_error_to_zero():
    beta, found = 0.4, []
    for _ in range(7):
        weight, wrong = masks(beta, beta, beta, beta**2, seed=0)
        beta = measured(weight, wrong)[-1]
        found.append(beta)
    expected = [0.352, 0.284484, 0.196746, 0.100895, 0.028485, 0.002388, 0.000017]
    np.testing.assert_allclose(found, expected, atol=5e-7)


def test_two_of_three_is_the_sign_of_the_sum():
    votes = np.array(np.meshgrid([0, 1], [0, 1], [0, 1])).reshape(3, -1)
    voted = decide_of_three(*map(sure, votes)).codes
    np.testing.assert_array_equal(2 * voted - 1, np.sign((2 * votes - 1).sum(axis=0)))
    first, second, third = votes
    np.testing.assert_array_equal(voted, np.where(first == second, first, third))


def test_probability_is_the_mean_of_those_who_were_heard():
    rows = np.array([[0.9, 0.1, 0.0], [0.7, 0.3, 0.0], [0.0, 0.2, 0.8], [0.1, 0.6, 0.3]])

    def answer(*picked):
        proba = rows[list(picked)]
        return Answer(proba.argmax(axis=1), proba)

    # Agreed; third sides with the first; with the second; all three differ.
    decided = decide_of_three(answer(0, 0, 2, 0), answer(1, 2, 1, 2), answer(0, 1, 0, 3))
    assert decided.codes.tolist() == [0, 0, 0, 1]
    np.testing.assert_allclose(decided.proba[:3], [[0.8, 0.2, 0]] * 3)
    np.testing.assert_allclose(decided.proba[3], rows[3])


def test_shares_of_the_votes():
    votes = np.eye(3)[np.array([[0, 0, 0], [0, 2, 1], [0, 2, 2]])]
    part = Part(parts=(Part(0), Part(1), Part(2)))
    shares = part.shares(votes)
    # Where all three differ the third decides, and has the only vote.
    np.testing.assert_allclose(shares, [[1, 0, 0], [1 / 3, 0, 2 / 3], [0, 0, 1 / 3]])
    np.testing.assert_array_equal(shares.argmax(axis=1), part.answer(votes).codes)
    np.testing.assert_allclose(Part(1).shares(votes), votes[1])


def test_half_of_the_weight_lies_on_the_mistakes():
    rng = np.random.default_rng(0)
    weight, wrong = rng.uniform(size=50), rng.uniform(size=50) < 0.2
    balanced = shared_out(weight, wrong)
    assert balanced[wrong].sum() == pytest.approx(0.5)
    assert balanced[~wrong].sum() == pytest.approx(0.5)
    np.testing.assert_allclose(balanced[wrong] / weight[wrong], 0.5 / weight[wrong].sum())


def test_partition_shares_rows_out():
    rng = np.random.default_rng(0)
    weight = rng.uniform(size=90)
    weight[:6] = 0
    parts = np.array(SAMPLING["partition"]().split(weight, rng))
    assert ((parts > 0).sum(axis=0) == (weight > 0)).all()
    assert (parts > 0).sum(axis=1).tolist() == [28, 28, 28]
    np.testing.assert_array_equal(parts.sum(axis=0), weight)


def test_partition_takes_all_mistakes_and_as_many_others():
    weight, wrong = np.ones(60), np.arange(60) < 10
    weight[50:] = 0
    balanced = SAMPLING["partition"]().balance(weight, wrong, np.random.default_rng(0))
    np.testing.assert_array_equal(balanced[:10], 1)
    assert balanced[10:50].sum() == 10
    assert not balanced[50:].any()


def test_replacement_flips_a_fair_coin():
    weight, wrong = np.full(10_000, 1e-4), np.arange(10_000) < 500
    balanced = SAMPLING["replacement"]().balance(weight, wrong, np.random.default_rng(0))
    assert balanced.sum() == 10_000
    assert abs(balanced[wrong].sum() - 5000) < 200  # four standard deviations
    drawn = SAMPLING["replacement"]().draw(np.where(wrong, weight, 0), np.random.default_rng(0))
    assert drawn.sum() == drawn[wrong].sum() == 500


class Says(Foreign):
    """A member that says of rows what was written down for it."""

    def __init__(self, codes):
        self.output = np.eye(2)[codes]

    def predict(self, table):
        return self.output


class Dictated:
    """A learner of members that were given; notes the weights it was asked to fit."""

    def __init__(self, *codes):
        self.codes, self.weights = list(codes), []

    def train(self, table, target, weight, rng, cast):
        self.weights.append(weight / weight.sum())
        member = Says(self.codes[len(self.weights) - 1])
        return member, cast(member.output)


def learn(truth, *codes, level=1, min_samples=1, sampling="reweight"):
    table = Table.read(np.zeros((len(truth), 1)))
    learner = Dictated(*(np.array(one) for one in codes))
    rng = np.random.default_rng(0)
    hierarchy = Hierarchy(
        learner, table, Target.labels(truth), SAMPLING[sampling](), min_samples, rng
    )
    part, answer = hierarchy.learn(level, np.full(len(truth), 1 / len(truth)))
    return part, answer, learner.weights, hierarchy.members


TRUTH = [0, 0, 0, 0, 1, 1, 1, 1]
FIRST = [0, 0, 0, 1, 0, 1, 1, 1]  # wrong on rows 3 and 4
SECOND = [1, 0, 0, 0, 1, 1, 1, 0]  # wrong on rows 0 and 7
THIRD = [0, 0, 0, 0, 1, 1, 1, 1]


def test_three_steps():
    part, answer, weights, members = learn(TRUTH, FIRST, SECOND, THIRD)
    np.testing.assert_allclose(weights[0], 1 / 8)
    np.testing.assert_allclose(weights[1], np.where(np.isin(range(8), [3, 4]), 1 / 4, 1 / 12))
    np.testing.assert_allclose(weights[2], np.where(np.isin(range(8), [0, 3, 4, 7]), 1 / 4, 0))
    assert [one.member for one in part.parts] == [0, 1, 2]
    assert (len(members), part.reason) == (3, "")
    assert answer.codes.tolist() == TRUTH


@pytest.mark.parametrize(
    ("codes", "reason"),
    [
        ([TRUTH], "perfect"),
        ([[1, 1, 0, 0, 0, 0, 1, 1]], "too_weak"),
        ([FIRST, FIRST], "agreement"),
        ([FIRST, [0, 0, 0, 0, 0, 1, 1, 1]], "agreement"),  # they differ on one class only
    ],
)
def test_first_alone(codes, reason):
    part, answer, _, members = learn(TRUTH, *codes)
    assert (part.member, part.parts, part.reason) == (0, (), reason)
    assert len(members) == 1
    assert answer.codes.tolist() == codes[0]


def test_first_alone_when_there_are_few_rows():
    part, _, weights, members = learn(TRUTH, FIRST, SECOND, THIRD, min_samples=5)
    assert (part.reason, len(weights), len(members)) == ("few_rows", 2, 1)
    part, _, weights, _ = learn(TRUTH, FIRST, min_samples=9)
    assert (part.reason, len(weights)) == ("few_rows", 1)


def test_each_of_the_three_is_a_hierarchy():
    part, _, weights, members = learn(TRUTH, FIRST, SECOND, FIRST, TRUTH, SECOND, level=2)
    # The first is a triple that is still wrong on rows 3 and 4; the others are perfect or not.
    assert [one.member for one in part.parts[0].parts] == [0, 1, 2]
    assert part.parts[1].reason == "perfect"
    assert len(members) == len(weights) == 5


def test_partition_gives_the_third_what_the_second_had_no_use_for():
    truth = np.arange(300) % 2
    first, second = truth.copy(), truth.copy()
    first[:60], second[-60:] = 1 - first[:60], 1 - second[-60:]
    part, _, (seen, balanced, left), _ = learn(truth, first, second, truth, sampling="partition")
    assert len(part.parts) == 3
    assert (seen > 0).sum() == 100
    assert not np.any((seen > 0) & (balanced > 0))
    wrong, differ = first != truth, first != second
    assert (balanced[wrong] > 0).sum() == (balanced[~wrong] > 0).sum() > 0
    # Every row they differ on that none of the two has learnt from, of both other thirds.
    np.testing.assert_array_equal(left > 0, differ & (seen == 0) & (balanced == 0))


@pytest.mark.parametrize("share", [0.2, 0.7])
def test_another_share_of_mistakes(share):
    rng = np.random.default_rng(0)
    weight, wrong = rng.uniform(size=5000), rng.uniform(size=5000) < 0.2
    weight /= weight.sum()
    for name in SAMPLING:
        balanced = SAMPLING[name](share).balance(weight, wrong, rng)
        assert balanced[wrong].sum() / balanced.sum() == pytest.approx(share, abs=0.03)
