"""What scikit-learn's GradientBoosting* notes, prints and asks."""

import numpy as np
import pytest

from coterie import GradientBoostingClassifier, GradientBoostingRegressor
from coterie.boosting.gradient.classic import NoneLower, loss_factor
from coterie.core.trace import Trace
from coterie.losses import AbsoluteError, LogLoss, SquaredError
from tests.boosting.gradient.tables import numbers, two_classes


def test_losses_are_shown_in_scikit_learns_scale():
    assert [loss_factor(loss()) for loss in (SquaredError, LogLoss, AbsoluteError)] == [2, 2, 1]
    X, y = numbers(200)
    model = GradientBoostingRegressor(n_estimators=4).fit(X, y)
    expected = [np.mean((said - y) ** 2) for said in model.staged_predict(X)]
    np.testing.assert_allclose(model.train_score_, expected)


@pytest.mark.parametrize(("verbose", "lines"), [(1, 10 + 2), (2, 30)])
def test_progress_is_printed_as_a_table(verbose, lines, capsys):
    X, y = numbers(100)
    GradientBoostingRegressor(n_estimators=30, verbose=verbose, subsample=0.5).fit(X, y)
    header, *rows = capsys.readouterr().out.splitlines()
    assert header.split() == ["Iter", "Train", "Loss", "OOB", "Improve", "Remaining", "Time"]
    assert len(rows) == lines
    assert rows[-1].split()[0] == "30"


def test_monitor_sees_the_model_and_may_end():
    X, y = two_classes(200)
    seen = []

    def monitor(i, model, facts):
        seen.append(model.predict_proba(X)[:, 1])
        assert (
            (i, facts["i"], model.n_estimators_) == (i, i, i + 1) == (len(seen) - 1, i, len(seen))
        )
        assert facts["sample_mask"].sum() == 100
        assert len(model.train_score_) == i + 1
        return i == 4

    model = GradientBoostingClassifier(subsample=0.5, random_state=0).fit(X, y, monitor=monitor)
    assert (model.n_estimators_, model.stop_reason_) == (5, "monitor")
    np.testing.assert_array_equal(model.predict_proba(X)[:, 1], seen[-1])


class Watched:
    """A loss decides."""

    fact, sign = "validation_loss", -1.0


@pytest.mark.parametrize(
    ("losses", "ends"),
    [([5, 4, 3, 2], ""), ([5, 4, 4.5], ""), ([5, 4, 5], "early_stopping"), ([4, 5], "")],
)
def test_a_round_must_be_better_than_one_of_those_before(losses, ends):
    watch = NoneLower(Watched(), 2, 0.1)
    assert watch(Trace([{"validation_loss": float(loss)} for loss in losses])) == ends
