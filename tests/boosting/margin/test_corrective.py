import numpy as np
import pytest

from coterie import LPBoostClassifier, SoftBoostClassifier, TotalBoostClassifier
from coterie.boosting.margin.corrective import soft_minimum
from coterie.boosting.margin.program import EdgeProgram
from tests.boosting.margin.tables import small_tables

X, Y = small_tables()["iris"]


def test_soft_minimum_is_the_mean_of_the_worst():
    margins = np.array([0.3, -0.5, 0.1, 0.9, 0.2])
    even = np.full(5, 0.2)
    assert soft_minimum(margins, even, np.inf) == -0.5
    assert soft_minimum(margins, even, 2.5) == pytest.approx((-0.5 + 0.1) / 2)
    assert soft_minimum(margins, even, 2.0) == pytest.approx((-0.5 + 0.1 + 0.2 / 2) / 2.5)
    assert soft_minimum(margins, even, 1.0) == pytest.approx(margins.mean())


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
    with pytest.raises(ValueError, match="tol="):
        LPBoostClassifier(tol=tol).fit(X, Y)
