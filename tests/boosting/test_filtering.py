"""Boosting by filtering on real tables."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier as Reference

from coterie import DecisionTreeClassifier
from coterie.boosting.filtering import (
    SAMPLING,
    Answer,
    BoostByFilteringClassifier,
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


STUMP = DecisionTreeClassifier(max_depth=1)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("depth", [1, 2])
def test_error_of_three_follows_the_formula(depth, weighted):
    X, y = load_breast_cancer(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y)) if weighted else np.ones(len(y))
    tree = DecisionTreeClassifier(max_depth=depth)
    model = BoostByFilteringClassifier(tree, random_state=0).fit(X, y, weight)
    assert (model.stop_reason_, len(model.estimators_)) == ("levels", 3)
    weight /= weight.sum()
    codes = [member.predict(X) for member in model.estimators_]
    first, second, third = (one != y for one in codes)
    e1 = weight[first].sum()
    balanced = np.where(first, weight / (2 * e1), weight / (2 * (1 - e1)))
    assert balanced[first].sum() == pytest.approx(0.5)
    e2 = balanced[second].sum()
    differ = first != second
    e3 = weight[differ & third].sum() / weight[differ].sum()
    both = weight[first & second].sum()
    found = weight[model.predict(X) != y].sum()
    assert found == pytest.approx(both * (1 - e3 / e1) + e3 * (2 * e2 * (1 - e1) + e1))
    np.testing.assert_array_equal(
        model.predict(X), np.where(codes[0] == codes[1], codes[0], codes[2])
    )
    np.testing.assert_allclose(model.decision_function(X), 2 * np.mean(codes, axis=0) - 1)


def test_members_are_fitted_to_what_the_filters_let_pass():
    X, y = load_breast_cancer(return_X_y=True)
    model = BoostByFilteringClassifier(STUMP, max_bins=60_000, random_state=0).fit(X, y)
    first, second, third = (member.predict(X) for member in model.estimators_)
    wrong = first != y
    balanced = np.where(wrong, 0.5 / wrong.sum(), 0.5 / (~wrong).sum())
    np.testing.assert_array_equal(Reference(max_depth=1).fit(X, y, balanced).predict(X), second)
    differ = first != second
    alone = Reference(max_depth=1).fit(X[differ], y[differ])
    np.testing.assert_array_equal(alone.predict(X[differ]), third[differ])


def test_no_levels_is_the_lone_member():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=2)
    for sampling in ("reweight", "partition", "replacement"):
        model = BoostByFilteringClassifier(tree, levels=0, sampling=sampling).fit(X, y)
        assert len(model.estimators_) == 1
        np.testing.assert_allclose(model.predict_proba(X), tree.fit(X, y).predict_proba(X))


def test_one_level_lowers_the_training_error_of_weak_members():
    X, y = load_breast_cancer(return_X_y=True)
    lone, three = (BoostByFilteringClassifier(STUMP, levels=k).fit(X, y) for k in (0, 1))
    assert three.score(X, y) > lone.score(X, y)


@pytest.mark.parametrize("sampling", ["reweight", "partition", "replacement"])
@pytest.mark.parametrize("levels", [1, 2, 3])
@pytest.mark.parametrize("load", [load_breast_cancer, load_digits])
def test_answers_agree_with_one_another(load, levels, sampling):
    X, y = load(return_X_y=True)
    model = BoostByFilteringClassifier(
        DecisionTreeClassifier(max_depth=6, max_features=3),
        levels=levels,
        sampling=sampling,
        random_state=0,
    ).fit(X[::2], y[::2])
    assert 1 <= len(model.estimators_) <= 3**levels
    X = X[1::2]
    predicted, proba, score = model.predict(X), model.predict_proba(X), model.decision_function(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[proba.argmax(axis=1)], predicted)
    decided = score > 0 if score.ndim == 1 else score.argmax(axis=1)
    np.testing.assert_array_equal(model.classes_[decided.astype(int)], predicted)
    assert np.abs(score).max() <= 1
    again = model.fit(load(return_X_y=True)[0][::2], y[::2])
    np.testing.assert_array_equal(again.predict(X), predicted)


def members(part):
    """Positions of all members of a part."""
    return [part.member] if not part.parts else [m for one in part.parts for m in members(one)]


@pytest.mark.parametrize("sampling", ["reweight", "partition", "replacement"])
def test_every_member_has_its_place(sampling):
    X, y = load_breast_cancer(return_X_y=True)
    model = BoostByFilteringClassifier(STUMP, levels=3, sampling=sampling, random_state=1)
    model.set_params(min_samples=1).fit(X, y)
    assert members(model.hierarchy_) == list(range(len(model.estimators_)))


@pytest.mark.parametrize(
    "member",
    [
        KNeighborsClassifier(),  # no sample weights
        make_pipeline(StandardScaler(), LogisticRegression()),
        LinearSVC(max_iter=20_000, tol=0.1),  # no probabilities
        Reference(max_depth=2),
    ],
    ids=lambda member: type(member).__name__,
)
def test_any_member(member):
    X, y = load_iris(return_X_y=True)
    model = BoostByFilteringClassifier(member, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9
    assert isinstance(model.estimators_[0], type(member))


def test_first_alone_of_a_table():
    X, y = load_digits(return_X_y=True)
    model = BoostByFilteringClassifier(STUMP).fit(X, y)
    assert (model.stop_reason_, len(model.estimators_)) == ("too_weak", 1)
    model = BoostByFilteringClassifier(DecisionTreeClassifier(), levels=3).fit(X, y)
    assert (model.stop_reason_, len(model.estimators_)) == ("perfect", 1)
    model = BoostByFilteringClassifier(STUMP, sampling="partition").fit(X[:20], y[:20])
    assert (model.stop_reason_, len(model.estimators_)) == ("few_rows", 1)


def test_missing_values_and_categories():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({"colour": rng.choice(["red", "green", "blue"], 200)})
    frame["size"] = np.where(rng.uniform(size=200) < 0.2, np.nan, rng.normal(size=200))
    y = (frame["colour"] == "red") ^ (frame["size"] > 1) ^ (rng.uniform(size=200) < 0.05)
    frame["colour"] = frame["colour"].astype("category")
    lone, three = (BoostByFilteringClassifier(STUMP, levels=k).fit(frame, y) for k in (0, 1))
    assert three.stop_reason_ == "levels"
    assert three.score(frame, y) > lone.score(frame, y)


@pytest.mark.parametrize("bad", [{"levels": 4}, {"sampling": "draw"}, {"min_samples": 0}])
def test_bad_parameters(bad):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=next(iter(bad))):
        BoostByFilteringClassifier(**bad).fit(X, y)


def test_balance_is_what_the_second_learns_from():
    X, y = load_breast_cancer(return_X_y=True)
    stump = DecisionTreeClassifier(max_depth=1)
    first = stump.fit(X, y)
    wrong = first.predict(X) != y
    for balance in (0.3, 0.5):
        model = BoostByFilteringClassifier(stump, balance=balance).fit(X, y)
        weight = np.where(wrong, balance / wrong.mean(), (1 - balance) / (~wrong).mean())
        second = DecisionTreeClassifier(max_depth=1).fit(X, y, weight)
        np.testing.assert_array_equal(model.estimators_[1].predict(X), second.predict(X))
    for bad in (0.0, 1.0, 1, "half"):
        with pytest.raises(ValueError, match="balance"):
            BoostByFilteringClassifier(balance=bad).fit(X, y)
