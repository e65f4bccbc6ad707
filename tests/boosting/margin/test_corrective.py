import numpy as np
import pytest
from sklearn.datasets import load_digits, make_classification
from sklearn.exceptions import ConvergenceWarning

from coterie import (
    DecisionTreeClassifier,
    ERLPBoostClassifier,
    LPBoostClassifier,
    SoftBoostClassifier,
    TotalBoostClassifier,
)
from coterie.boosting.margin.corrective import break_even, soft_minimum, softness
from coterie.boosting.margin.program import EdgeProgram
from tests.boosting.margin.tables import NO_MARGIN, small_tables


@pytest.mark.parametrize("seed", range(5))
def test_the_soft_margin_is_zero_at_the_share_that_breaks_even(seed):
    rng = np.random.default_rng(seed)
    hits, weight = rng.uniform(-0.8, 1.0, 50), rng.dirichlet(np.ones(50))
    share = break_even(hits, weight)
    assert 0 < share < 1
    assert soft_minimum(hits, weight, 1 / share) == pytest.approx(0, abs=1e-12)


def test_shares_of_members_that_are_always_or_never_right():
    even = np.full(4, 0.25)
    assert break_even(np.full(4, 0.5), even) == 0
    assert break_even(np.full(4, -0.5), even) == 1
    assert break_even(np.zeros(4), even) == 1  # says nothing of any row
    assert softness(np.ones(4), even) == (0.1,)
    assert softness(-np.ones(4), even) == (0.75, 1.0, 0.95, 0.5, 0.1)


def test_twice_the_error_of_hard_votes():
    hits = np.repeat([1.0, -1.0], [70, 30])
    assert break_even(hits, np.full(100, 0.01)) == pytest.approx(0.6)
    assert softness(hits, np.full(100, 0.01)) == (0.45, 0.66, 0.57, 0.3, 0.1)


X, Y = small_tables()["iris"]


def test_soft_minimum_is_the_mean_of_the_worst():
    margins = np.array([0.3, -0.5, 0.1, 0.9, 0.2])
    even = np.full(5, 0.2)
    assert soft_minimum(margins, even, np.inf) == -0.5
    assert soft_minimum(margins, even, 2.5) == pytest.approx((-0.5 + 0.1) / 2)
    assert soft_minimum(margins, even, 2.0) == pytest.approx((-0.5 + 0.1 + 0.2 / 2) / 2.5)
    assert soft_minimum(margins, even, 1.0) == pytest.approx(margins.mean())


@pytest.mark.filterwarnings(NO_MARGIN)
def test_a_failing_solver_leaves_the_members_before(monkeypatch):
    solve, calls = EdgeProgram._solve, []

    def fail_later(self):
        calls.append(1)
        return None if len(calls) > 3 else solve(self)

    monkeypatch.setattr(EdgeProgram, "_solve", fail_later)
    model = LPBoostClassifier(nu=None, max_restarts=2).fit(X, Y)
    assert (model.stop_reason_, model.n_rounds_) == ("solver_failed", 3)
    assert model.estimator_weights_.sum() == pytest.approx(1)


def test_default_member_has_the_largest_edge():
    for voting, criterion in (("hard", "misclassification"), ("soft", "gini")):
        model = TotalBoostClassifier(n_estimators=2, voting=voting).fit(X, Y)
        assert model.estimators_[0].criterion == criterion


@pytest.mark.parametrize("cls", [LPBoostClassifier, SoftBoostClassifier, TotalBoostClassifier])
def test_early_stopping_goes_by_errors_not_by_the_precision_of_margins(cls):
    model = cls(early_stopping=True, n_iter_no_change=4, tol=0.02, random_state=0).fit(X, Y)
    errors = model.trace_["validation_error"]
    assert len(errors) == model.n_rounds_
    if model.stop_reason_ == "early_stopping":
        assert errors.argmin() == len(errors) - 1


@pytest.mark.parametrize("tol", [0.0, 2.0, -1.0])
def test_precision_lies_between_margins(tol):
    with pytest.raises(ValueError, match="tol"):
        LPBoostClassifier(tol=tol).fit(X, Y)


def overlapping():
    """Classes no vote of stumps tells apart: most rows are noise."""
    return make_classification(
        300, 8, n_informative=2, flip_y=0.4, weights=[0.7], class_sep=0.5, random_state=0
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cls", "n_estimators"),
    [
        (ERLPBoostClassifier, 25),
        (LPBoostClassifier, 25),
        (SoftBoostClassifier, 60),
        (TotalBoostClassifier, 60),
    ],
)
def test_overlapping_classes_get_a_vote_better_than_one_member(cls, n_estimators):
    X, y = overlapping()
    model = cls(n_estimators=n_estimators).fit(X, y)
    single = DecisionTreeClassifier(max_depth=1).fit(X, y).score(X, y)
    assert model.score(X, y) > single + 0.02
    assert model.score(X, y) == pytest.approx(1 - model.trace_["train_error"][-1])
    assert model.estimator_weights_.sum() == pytest.approx(1)
    if cls is TotalBoostClassifier:
        assert (model.stop_reason_, model.margin_ <= 0, model.nu_) == ("infeasible", True, None)
    else:
        assert model.margin_ > 0


def noisy(seed, flipped):
    """One column that tells the classes apart, nine of chance, and some labels flipped."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 10))
    y = (X[:, 0] > 0).astype(int)
    return X, y, np.where(rng.random(150) < flipped, 1 - y, y)


@pytest.mark.slow
@pytest.mark.parametrize("booster", [LPBoostClassifier, SoftBoostClassifier])
def test_softness_is_chosen_by_rows_held_out(booster):
    X, y, seen = noisy(0, 0.25)
    model = booster(n_estimators=50).fit(X, seen)
    first = model.trace_["error"][0]
    assert model.nu_ in [pytest.approx(part * 2 * first) for part in (0.5, 0.75, 0.95, 1.1)]
    # Three quarters of what the first member needs follows the noise.
    hard = booster(n_estimators=50, nu=1.5 * first).fit(X, seen)
    assert model.score(X, y) > hard.score(X, y) + 0.05
    assert booster(n_estimators=3, nu=0.25).fit(X, y).nu_ == 0.25
    assert booster(n_estimators=3, nu=None).fit(X, y).nu_ is None


@pytest.mark.slow
def test_softness_does_not_depend_on_the_number_of_rounds():
    X, _, seen = noisy(1, 0.2)
    parts = LPBoostClassifier(n_estimators=3, warm_start=True, random_state=0).fit(X, seen)
    whole = LPBoostClassifier(n_estimators=8, random_state=0).fit(X, seen)
    assert parts.nu_ == whole.nu_
    parts.set_params(n_estimators=8).fit(X, seen)
    assert parts.nu_ == whole.nu_
    np.testing.assert_array_equal(parts.decision_function(X), whole.decision_function(X))


def test_nothing_is_chosen_where_no_member_is_of_use():
    X = np.zeros((20, 2))
    model = LPBoostClassifier().fit(X, np.arange(20) % 2)
    assert (model.n_rounds_, model.nu_) == (0, None)


@pytest.mark.slow
def test_a_margin_that_cannot_be_had_is_told():
    X, y = overlapping()
    with pytest.warns(ConvergenceWarning, match=r"positive margin at nu=0\.05.*nu='auto'"):
        hard = LPBoostClassifier(n_estimators=30, nu=0.05).fit(X, y)
    # The vote that cancels out gives way to the first member.
    assert hard.estimator_weights_.tolist() == [1.0] + [0.0] * (hard.n_rounds_ - 1)
    assert hard.score(X, y) >= max(np.mean(y), 1 - np.mean(y))


def test_trees_have_a_leaf_for_every_class():
    X, y = load_digits(return_X_y=True)
    model = TotalBoostClassifier(n_estimators=3).fit(X[:400], y[:400])
    assert model.estimator_.max_depth == model.estimators_[0].max_depth == 5
    assert TotalBoostClassifier(n_estimators=2).fit(X[y < 2], y[y < 2]).estimator_.max_depth == 1
