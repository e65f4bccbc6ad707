import numpy as np
import pytest

from coterie import diversity, theory
from coterie.diagnosis.variety import equality, variety
from tests.diagnosis.pools import case_of, copies, independent, numbers_case


def test_numbers_are_those_of_the_measures():
    hits = independent(7, 300)
    case = case_of(hits)
    labels, y = case.answers.ballot.labels, case.truth
    found = variety(case).numbers
    parts = theory.good_bad_diversity(hits)
    assert found["good"] == pytest.approx(parts.good)
    assert found["bad"] == pytest.approx(parts.bad)
    assert found["vote_gain"] == pytest.approx(parts.mean_error - parts.error)
    assert found["q_statistic"] == pytest.approx(diversity.mean_q_statistic(labels, y))
    assert found["kappa"] == pytest.approx(diversity.mean_kappa(labels))
    assert found["disagreement"] == pytest.approx(diversity.mean_disagreement(labels))
    assert found["effective_members"] == pytest.approx(theory.effective_members(~hits))
    expected = theory.pool_vote_error(1 - hits.mean(axis=1))
    assert found["independent_error"] == pytest.approx(expected)


def test_copies_count_as_one():
    found = variety(case_of(copies()))
    assert (found.verdict, found.fine) == ("too similar", False)
    assert found.numbers["effective_members"] == pytest.approx(1.0)
    assert found.numbers["vote_gain"] == 0
    assert "effective number 1)" in found.advice


def test_independent_members_are_diverse():
    found = variety(case_of(independent()))
    assert (found.verdict, found.fine, found.advice) == ("yes", True, "")
    assert found.numbers["effective_members"] > 8
    assert found.numbers["dependence"] < 0.1


@pytest.mark.slow
def test_members_that_hardly_differ_hardly_gain():
    rng = np.random.default_rng(0)
    # Members fail together on most rows, and each alone on a few others.
    hits = np.tile(rng.random(20_000) > 0.3, (9, 1))
    hits[:, :600] &= rng.random((9, 600)) > 0.05
    found = variety(case_of(hits))
    assert found.numbers["vote_gain"] > 0
    assert (found.verdict, found.fine) == ("too similar", False)


def test_votes_can_hurt():
    # Each row has one member of three that is right, which is never enough.
    hits = np.arange(3)[:, None] == np.arange(300) % 3
    found = variety(case_of(hits))
    assert (found.verdict, found.fine) == ("voting hurts", False)
    assert found.numbers["bad"] == pytest.approx(1 / 3)


def test_members_that_never_fail_need_not_differ():
    assert variety(case_of(np.ones((3, 50)))).verdict == "no need"


def test_weights_of_rows_count():
    hits = independent(5, 200)
    weight = np.random.default_rng(0).integers(1, 4, 200)
    rows = np.repeat(np.arange(200), weight)
    # Labels follow the rows too.
    case, other = case_of(hits, weight=weight), case_of(hits)
    repeated = type(other).of(
        type(other.answers)(
            **{
                **vars(other.answers),
                "vote": other.answers.vote[rows],
                "ballot": type(other.answers.ballot)(
                    other.answers.ballot.said[:, rows],
                    other.answers.vote[rows],
                    other.answers.classes,
                    None,
                    "",
                    True,
                ),
                "stages": None,
            }
        ),
        other.truth[rows],
    )
    assert variety(case).numbers == pytest.approx(variety(repeated).numbers)


def test_averages_of_numbers():
    rng = np.random.default_rng(0)
    y = rng.normal(size=500)
    outputs = y + rng.normal(size=(5, 500))
    found = variety(numbers_case(outputs, y))
    parts = theory.ambiguity(outputs, y)
    assert found.numbers["cancellation"] == pytest.approx(parts.cancellation)
    pairs = np.corrcoef(outputs - y)[np.triu_indices(5, 1)]
    assert found.numbers["error_correlation"] == pytest.approx(pairs.mean())
    assert found.fine
    same = variety(numbers_case(np.tile(outputs[0], (5, 1)), y))
    assert (same.verdict, same.numbers["effective_members"]) == ("too similar", pytest.approx(1.0))
    assert same.numbers["error_correlation"] == pytest.approx(1.0)


def test_weak_members_that_do_harm():
    rng = np.random.default_rng(0)
    hits = rng.random((7, 600)) > 0.05
    hits[3:] = rng.random((4, 600)) > 0.8
    found = equality(case_of(hits))
    assert (found.verdict, found.numbers["weak_members"]) == ("no", [3, 4, 5, 6])
    assert "PrunedEnsembleClassifier" in found.advice


def test_a_weak_member_that_is_outvoted():
    hits = np.random.default_rng(0).random((9, 600)) > 0.05
    hits[0] = False
    found = equality(case_of(hits))
    assert (found.fine, found.numbers["weak_members"], found.advice) == (True, [0], "")


def test_equal_members():
    found = equality(case_of(independent()))
    assert (found.fine, found.numbers["effective_weights"]) == (True, 9.0)


def test_weights_that_one_member_has():
    from sklearn.ensemble import VotingRegressor
    from sklearn.linear_model import LinearRegression, Ridge

    from coterie.diagnosis.case import Case
    from coterie.diagnosis.ensemble_predictions import answers_of

    X = np.random.default_rng(0).normal(size=(60, 2))
    y = X[:, 0] + 1.0
    pairs = [("a", LinearRegression())] + [(f"r{k}", Ridge(k)) for k in range(1, 9)]
    model = VotingRegressor(pairs, weights=[1000] + [1] * 8).fit(X, y)
    found = equality(Case.of(answers_of(model, X), y))
    assert found.numbers["effective_weights"] == pytest.approx(
        theory.effective_weights([1000] + [1] * 8)
    )
    assert (found.verdict, found.fine) == ("no", False)
