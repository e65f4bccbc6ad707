"""Judging rounds: scorers, the best round, callbacks."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import accuracy_score, log_loss, roc_auc_score

from coterie import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from coterie.base.scoring import Answers, read_scoring
from coterie.boosting.gradient.board import Board
from coterie.boosting.gradient.watch import Callbacks, Panels
from coterie.core.trace import Trace
from coterie.data import Table, Target
from coterie.losses import AbsoluteError
from coterie.native import obeying
from tests.boosting.gradient.tables import SMALL, numbers, three_classes, two_classes

QUICK = {**SMALL, "max_iter": 60, "learning_rate": 0.5, "early_stopping": True}


@pytest.mark.slow
@pytest.mark.parametrize("table", [two_classes, three_classes])
def test_the_best_round_is_kept(table):
    X, y = table(600)
    X_val, y_val = table(300, seed=9)
    model = HistGradientBoostingClassifier(n_iter_no_change=5, keep_best=True, **QUICK)
    model.fit(X, y, X_val=X_val, y_val=y_val)
    assert model.stop_reason_ == "early_stopping"
    losses = model.trace_["validation_loss"]
    assert len(losses) == model.n_iter_ == model.best_iteration_ < 55
    assert np.argmin(losses) == len(losses) - 1
    # No round of the patience that followed was better.
    longer = HistGradientBoostingClassifier(**{**QUICK, "max_iter": model.n_iter_ + 5})
    longer.set_params(early_stopping=False).fit(X, y)
    later = [log_loss(y_val, p) for p in longer.staged_predict_proba(X_val)]
    np.testing.assert_allclose(later[: model.n_iter_], losses, rtol=1e-9)
    assert min(later[model.n_iter_ :]) >= losses[-1]
    np.testing.assert_allclose(model.validation_score_[1:], -losses)
    assert len(model.train_score_) == model.n_iter_ + 1
    # As in scikit-learn, those rounds are kept unless the user does not want them.
    whole = clone(model).set_params(keep_best=False).fit(X, y, X_val=X_val, y_val=y_val)
    assert whole.best_iteration_ == model.n_iter_ < whole.n_iter_ <= model.n_iter_ + 5
    np.testing.assert_allclose(whole.trace_["validation_loss"], later[: whole.n_iter_], rtol=1e-9)


@pytest.mark.slow
def test_several_scorers_and_the_first_decides():
    X, y = two_classes(600)
    X_val, y_val = two_classes(300, seed=9)
    model = HistGradientBoostingClassifier(
        scoring=["roc_auc", "loss", "accuracy"], keep_best=True, **QUICK
    )
    model.fit(X, y, X_val=X_val, y_val=y_val)
    score = model.decision_function(X_val)
    last = model.trace_.rounds[-1]
    assert last["validation_roc_auc"] == pytest.approx(roc_auc_score(y_val, score))
    assert last["validation_accuracy"] == accuracy_score(y_val, model.predict(X_val))
    assert last["validation_loss"] == pytest.approx(log_loss(y_val, model.predict_proba(X_val)))
    assert model.n_iter_ == int(np.argmax(model.trace_["validation_roc_auc"])) + 1
    np.testing.assert_array_equal(model.validation_score_[1:], model.trace_["validation_roc_auc"])


def test_a_scorer_may_ask_for_anything():
    X, y = two_classes(300)
    names = np.array(["no", "yes"])[y]
    seen = []

    def odd(estimator, rows, labels):
        seen.append(set(labels))
        # Not the rows whose scores are kept up to date: the trees are walked.
        again = np.array(rows)
        assert np.array_equal(estimator.predict(rows), estimator.predict(again))
        return estimator.score(rows, labels)

    settings = {**QUICK, "max_iter": 4}
    model = HistGradientBoostingClassifier(scoring=odd, **settings).fit(X, names)
    assert seen[0] == {"no", "yes"}
    plain = HistGradientBoostingClassifier(scoring=None, **settings).fit(X, names)
    np.testing.assert_array_equal(plain.validation_score_, model.validation_score_)


def test_a_score_that_is_no_number_is_refused():
    X, y = numbers(100)
    with pytest.raises(ValueError, match="'<lambda>' is not defined on the training rows"):
        HistGradientBoostingRegressor(scoring=lambda *_: np.nan, **QUICK).fit(X, y)


@pytest.mark.slow
def test_smaller_scores_may_be_better():
    X, y = two_classes(400)
    settings = {**QUICK, "random_state": 0, "n_iter_no_change": 4, "tol": 0.0}
    loss = HistGradientBoostingClassifier(scoring="loss", **settings).fit(X, y)
    same = HistGradientBoostingClassifier(scoring=["log_loss", "error"], **settings).fit(X, y)
    negative = HistGradientBoostingClassifier(scoring="neg_log_loss", **settings).fit(X, y)
    assert loss.n_iter_ == same.n_iter_ == negative.n_iter_ < 60
    losses = loss.trace_["validation_loss"]
    np.testing.assert_allclose(same.trace_["validation_log_loss"], losses)
    np.testing.assert_allclose(negative.trace_["validation_neg_log_loss"], -losses)
    np.testing.assert_allclose(same.validation_score_, loss.validation_score_)


def test_errors_are_those_of_predictions():
    X, y = three_classes(300)
    settings = {**QUICK, "max_iter": 5, "scoring": "error"}
    weight = np.random.default_rng(0).uniform(0.1, 5, 300)
    model = HistGradientBoostingClassifier(**settings)
    model.fit(X, y, X_val=X, y_val=y, sample_weight_val=weight)
    wrong = model.predict(X) != y
    assert model.trace_["validation_error"][-1] == pytest.approx(np.average(wrong, weights=weight))
    X, y = numbers(300)
    model = HistGradientBoostingRegressor(**settings).fit(X, y, X_val=X, y_val=y)
    errors = [np.abs(y - stage).mean() for stage in model.staged_predict(X)]
    np.testing.assert_allclose(model.trace_["validation_error"], errors)


@pytest.mark.slow
def test_weights_reach_the_scores():
    X, y = two_classes(400)
    weight = np.random.default_rng(0).uniform(0.1, 5, 400)
    model = HistGradientBoostingClassifier(scoring=["accuracy", "loss"], **QUICK)
    model.fit(X, y, X_val=X, y_val=y, sample_weight_val=weight)
    last = model.trace_.rounds[-1]
    expected = accuracy_score(y, model.predict(X), sample_weight=weight)
    assert last["validation_accuracy"] == pytest.approx(expected)
    expected = log_loss(y, model.predict_proba(X), sample_weight=weight)
    assert last["validation_loss"] == pytest.approx(expected)


def test_training_rows_may_be_watched():
    X, y = numbers()
    model = HistGradientBoostingRegressor(validation_fraction=None, tol=0.01, **QUICK).fit(X, y)
    assert model.validation_score_.size == 0
    assert "validation_loss" not in model.trace_.names
    assert len(model.train_score_) == model.n_iter_ + 1


def test_stop_rule_is_scikit_learns():
    """None of the last k scores exceeds the one before them by more than tol."""
    X, y = numbers(600)
    losses = []
    settings = {**QUICK, "max_iter": 200, "n_iter_no_change": 4, "tol": 0.003}
    model = HistGradientBoostingRegressor(
        callbacks=[lambda _, trace: losses.append(trace.rounds[-1]["validation_loss"])], **settings
    ).fit(X, y)
    scores = [model.validation_score_[0], *np.negative(losses)]

    def exhausted(end):
        return end > 4 and max(scores[end - 4 : end]) <= scores[end - 5] + 0.003

    ends = [end for end in range(1, len(scores) + 1) if exhausted(end)]
    assert ends == [len(scores)]
    assert model.n_iter_ == len(losses)


def test_auto_depends_on_the_rows():
    X, y = numbers(10_001)
    settings = {**SMALL, "max_iter": 2}
    assert HistGradientBoostingRegressor(**settings).fit(X, y).do_early_stopping_
    model = HistGradientBoostingRegressor(**settings).fit(X[:-1], y[:-1])
    assert not model.do_early_stopping_
    assert model.train_score_.size == model.validation_score_.size == 0
    assert (
        HistGradientBoostingRegressor(**settings)
        .fit(X[:100], y[:100], X_val=X[:9], y_val=y[:9])
        .do_early_stopping_
    )


def test_panels_are_weighted_and_may_be_samples():
    table = Table.read(np.arange(4.0)[:, None])
    y = np.array([0.0, 1.0, 2.0, 9.0])
    board = Board.at(table, y, np.array([1.0, 1.0, 1.0, 0.0]), np.array([1.0]))
    scorings, target = read_scoring(["loss", "median_absolute_error"], "values"), Target.numbers(y)
    panels = Panels(scorings, Answers(lambda raw: raw[:, 0]), AbsoluteError())
    facts = panels.of("train", board, target).facts(None)
    assert facts == {"train_loss": pytest.approx(2 / 3), "train_median_absolute_error": 1.0}
    some = panels.of("validation", board, target, np.array([0, 2]))
    assert some.facts(None) == {"validation_loss": 1.0, "validation_median_absolute_error": 1.0}
    assert some.measures.given.ravel().tolist() == [0, 2]
    assert some.measures.y.tolist() == [0, 2]
    long = np.zeros(20_000)
    table = Table.read(long[:, None])
    sample = panels.sample(Board.at(table, long, None, np.zeros(1)), Target.numbers(long))
    assert len(np.unique(sample.rows)) == 10_000
    assert panels.sample(board, target).rows is None


def test_callbacks_see_the_trace_and_may_end():
    X, y = numbers(100)
    seen = []

    def stop(number, trace):
        seen.append((number, len(trace)))
        return number == 4

    model = HistGradientBoostingRegressor(callbacks=[lambda *_: None, stop], **SMALL).fit(X, y)
    assert seen == [(t, t) for t in range(1, 5)]
    assert model.n_iter_ == 4
    assert model.stop_reason_ == "callback"
    assert Callbacks([lambda *_: 1])(Trace()) == ""


@pytest.mark.parametrize("bad", [[], [3], "nonsense"])
def test_bad_scoring_is_refused(bad):
    with pytest.raises(
        ValueError, match=r"The 'scoring' parameter .* must be 'error', 'loss', the"
    ):
        HistGradientBoostingClassifier(scoring=bad).fit(*two_classes(50))


def test_rounds_before_the_one_that_a_clock_ends_are_kept():
    X, y = numbers(200)
    flag, calls = np.zeros(1, dtype=np.uint8), []

    def clock(number, trace):
        calls.append(number)
        flag[0] = number >= 3
        return len(calls) > 3

    def no_clock(number, trace):
        flag[0] = number >= 3

    model = HistGradientBoostingRegressor(callbacks=[clock], **{**SMALL, "max_iter": 9})
    with obeying(flag):
        assert model.fit(X, y).n_iter_ == 3
    assert (calls, model.stop_reason_) == ([1, 2, 3, 3], "callback")
    flag[0] = 0
    with obeying(flag), pytest.raises(KeyboardInterrupt):
        model.set_params(callbacks=[no_clock]).fit(X, y)
