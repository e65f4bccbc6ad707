import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier

import coterie
from coterie.diagnosis.case import Case, Estimate
from coterie.diagnosis.ensemble_predictions import answers_of
from coterie.diagnosis.overfitting import Training, overfitting, training_of
from tests.diagnosis.pools import case_of, independent


@pytest.fixture
def rows():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 4))
    y = (X[:, 0] + rng.normal(size=900) > 0).astype(int)
    return X[:450], y[:450], X[450:], y[450:]


def _found(model, X, y, X_test, y_test, *, given=True):
    case = Case.of(answers_of(model, X_test), y_test)
    training = training_of(model, case, X, y) if given else training_of(model, case)
    return overfitting(case, training), training


def test_a_tree_that_learns_by_heart(rows):
    model = DecisionTreeClassifier(random_state=0).fit(*rows[:2])
    found, training = _found(model, *rows)
    assert (found.verdict, found.fine, training.seen.value) == ("yes", False, 0.0)
    wrong = 1 - model.score(*rows[2:])
    assert found.numbers["gap"] == pytest.approx(wrong)
    assert found.numbers["gap_deviation"] == pytest.approx(np.sqrt(wrong * (1 - wrong) / 450))
    assert "Regularise" in found.advice


def test_a_stump_does_not(rows):
    model = DecisionTreeClassifier(max_depth=1).fit(*rows[:2])
    assert _found(model, *rows)[0].fine


@pytest.mark.slow
@pytest.mark.parametrize("kind", [RandomForestClassifier, coterie.RandomForestClassifier])
def test_forests_are_judged_by_what_members_have_not_seen(rows, kind):
    model = kind(60, oob_score=True, random_state=0).fit(*rows[:2])
    found, training = _found(model, *rows)
    assert training.seen.value < 0.01
    assert training.unseen.value == pytest.approx(1 - model.oob_score_)
    assert (found.verdict, found.fine) == ("no", True)
    kept = _found(model, *rows, given=False)[1]
    assert kept.unseen.value == pytest.approx(training.unseen.value)
    assert kept.unseen.deviation == pytest.approx(training.unseen.deviation)


@pytest.mark.slow
def test_rows_of_another_kind(rows):
    X, y, X_test, y_test = rows
    model = RandomForestClassifier(30, oob_score=True, random_state=0).fit(X, y)
    found = _found(model, X, y, -X_test, y_test)[0]
    assert (found.verdict, found.fine) == ("different data", False)


@pytest.mark.slow
def test_scores_of_numbers(rows):
    X, _, X_test, _ = rows
    y, y_test = X[:, 0] + X[:, 1], X_test[:, 0] + X_test[:, 1]
    model = RandomForestRegressor(60, oob_score=True, random_state=0).fit(X, y)
    case = Case.of(answers_of(model, X_test), y_test)
    kept = training_of(model, case).unseen
    assert kept.value == pytest.approx((1 - model.oob_score_) * y_test.var())
    by_rows = training_of(model, case, X, y).unseen
    assert by_rows.value == pytest.approx((1 - model.oob_score_) * y.var())


@pytest.mark.slow
def test_tables_remember(rows):
    model = coterie.TableClassifier(members="fast").fit(*rows[:2])
    found, training = _found(model, *rows, given=False)
    said = model.out_of_fold_.argmax(axis=1)
    assert training.unseen.value == pytest.approx(np.mean(said != model.truth_))
    assert "out-of-fold" in found.words


def test_unknown_without_training_rows():
    found = overfitting(case_of(independent(3, 50)), Training())
    assert (found.fine, "pass X_train and y_train" in found.words) == (None, True)


def test_a_little():
    case = case_of(independent(1, 500, 0.2))
    here = case.mean(case.loss(case.answers.vote)).value
    found = overfitting(case, Training(Estimate(0.6 * here, 0.001)))
    assert (found.verdict, found.fine) == ("a little", False)


def test_bad_training_rows(rows):
    X, y, X_test, y_test = rows
    model = RandomForestClassifier(5, random_state=0).fit(X, y)
    case = Case.of(answers_of(model, X_test), y_test)
    with pytest.raises(ValueError, match="both X_train and y_train"):
        training_of(model, case, X)
    with pytest.raises(ValueError, match="training rows in their"):
        training_of(model, case, X[:50], y[:50])
