"""Scoring known predictions, and the rows that are held out to be scored."""

import numpy as np
import pytest
from sklearn.base import is_classifier, is_regressor
from sklearn.datasets import load_iris
from sklearn.metrics import (
    accuracy_score,
    fbeta_score,
    get_scorer,
    log_loss,
    make_scorer,
    roc_auc_score,
)

from coterie.base import Admitted
from coterie.base.scoring import (
    Answers,
    Measures,
    Scoring,
    StandIn,
    Validation,
    a_scoring,
    admit_validation,
    ask,
    hold_out,
    hold_out_seed,
    of_predictions,
    read_scoring,
    stops_early,
    under_classes,
)
from coterie.data import Table, Target

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]

# Four rows of two classes, whose only score is the log odds of the second.
RAW = np.array([[-1.0], [2.0], [0.5], [-3.0]])
LABELS = np.array(["no", "yes", "no", "no"])
ROWS = np.arange(4.0)[:, None]


def odds(raw):
    chance = 1 / (1 + np.exp(-raw[:, 0]))
    return np.column_stack([1 - chance, chance])


BINARY = Answers(
    lambda raw: np.where(raw[:, 0] > 0, "yes", "no"),
    odds,
    lambda raw: raw[:, 0],
    np.array(["no", "yes"]),
)
NUMBERS = Answers(lambda raw: raw[:, 0])


def admitted(X, y, weight=None):
    return Admitted(Table.read(X), Target.labels(y), weight, None)


def test_names_and_their_directions():
    read = read_scoring(("error", "loss", "roc_auc", "log_loss", "neg_log_loss"), "labels")
    assert [(one.name, one.larger, one.scorer is None) for one in read] == [
        ("error", False, True),
        ("loss", False, True),
        ("roc_auc", True, False),
        ("log_loss", False, False),
        ("neg_log_loss", True, False),
    ]
    assert [read_scoring(None, kind)[0].name for kind in ("labels", "values")] == ["accuracy", "r2"]
    assert read_scoring(make_scorer(fbeta_score, beta=2), "labels")[0].name == "score_1"
    with pytest.raises(ValueError, match="twice"):
        read_scoring(["error", "error"], "labels")


def test_best_is_the_first_of_the_best():
    values = np.array([2.0, 1.0, 3.0, 1.0, 3.0])
    assert Scoring("loss").best(values) == 1
    assert Scoring("score", larger=True).best(values) == 2


@pytest.mark.parametrize(
    "bad", ["nonsense", [], 3, ["error", 2], ["error", "nonsense"], "", "loss"]
)
def test_what_is_no_scoring(bad):
    assert not a_scoring("error").admits(bad)
    for good in ("error", "roc_auc", "log_loss", None, log_loss, ["error", None, log_loss]):
        assert a_scoring("error").admits(good)


@pytest.mark.parametrize("name", ["roc_auc", "neg_log_loss", "accuracy", "f1_macro"])
def test_any_scorer_can_be_asked_about_a_stand_in(name):
    estimator = StandIn(BINARY, ROWS, RAW)
    assert is_classifier(estimator)
    said = {
        "roc_auc": roc_auc_score(LABELS == "yes", RAW[:, 0]),
        "neg_log_loss": -log_loss(LABELS, odds(RAW)),
        "accuracy": 0.75,
        "f1_macro": (0.8 + 2 / 3) / 2,
    }
    assert ask(get_scorer(name), estimator, LABELS, None) == pytest.approx(said[name])


def test_stand_ins_have_the_methods_they_can_answer():
    numbers = StandIn(NUMBERS, ROWS, RAW)
    assert is_regressor(numbers)
    for name in ("predict_proba", "decision_function", "classes_"):
        assert not hasattr(numbers, name)
        assert hasattr(StandIn(BINARY, ROWS, RAW), name)
    assert numbers.score(ROWS, RAW[:, 0]) == 1
    assert StandIn(BINARY, ROWS, RAW).score(ROWS, LABELS) == 0.75


def test_other_rows_are_asked_elsewhere_or_refused():
    with pytest.raises(ValueError, match="rows it was given"):
        StandIn(NUMBERS, ROWS, RAW).predict(ROWS.copy())
    estimator = StandIn(NUMBERS, ROWS, RAW, lambda X: X * 10)
    np.testing.assert_array_equal(estimator.predict(ROWS.copy()), [0, 10, 20, 30])
    np.testing.assert_array_equal(estimator.predict(ROWS), RAW[:, 0])


def test_weights_are_for_scorers_that_take_them():
    estimator, weight = StandIn(BINARY, ROWS, RAW), np.array([1.0, 1.0, 4.0, 2.0])
    assert ask(get_scorer("accuracy"), estimator, LABELS, weight) == 0.5
    assert ask(lambda estimator, X, y: estimator.score(X, y), estimator, LABELS, weight) == 0.75
    assert ask(lambda *_, **more: len(more), estimator, LABELS, weight) == 1
    assert ask(lambda *_, **more: len(more), estimator, LABELS, None) == 0


def test_metrics_of_predictions_are_scorers():
    estimator, weight = StandIn(BINARY, ROWS, RAW), np.array([1.0, 1.0, 4.0, 2.0])
    assert ask(of_predictions(accuracy_score), estimator, LABELS, weight) == 0.5
    plain = of_predictions(lambda y, said: float(np.mean(y == said)))
    assert ask(plain, estimator, LABELS, weight) == 0.75


def test_measures_of_a_round():
    weight = np.array([1.0, 1.0, 4.0, 2.0])
    rows = Admitted(Table.read(ROWS), Target.labels(LABELS), weight, None)
    scorings = read_scoring(["error", "loss", "log_loss", "accuracy"], "labels")
    measures = Measures(scorings, BINARY, rows, {"loss": lambda raw: float(raw.sum())})
    assert measures(RAW) == {
        "validation_error": 0.5,
        "validation_loss": -1.5,
        "validation_log_loss": pytest.approx(log_loss(LABELS, odds(RAW), sample_weight=weight)),
        "validation_accuracy": 0.5,
    }
    turned = Measures(scorings[:2], BINARY, rows, measures.own, "train", lambda raw: -raw)
    assert turned(RAW) == {"train_error": 0.5, "train_loss": 1.5}


def test_errors_of_numbers_and_of_several_labels():
    assert NUMBERS.error(np.array([0.0, 2.0, 1.5, -3.0]), None, RAW) == 0.5
    several = Answers(lambda raw: raw, classes=[np.arange(2), np.arange(2)])
    said, known = np.array([[0, 1], [1, 1]]), np.array([[0, 0], [0, 0]])
    assert several.error(known, None, said) == 0.75
    assert several.error(known, np.array([3.0, 1.0]), said) == 0.625


def test_undefined_scores_are_refused():
    rows = Admitted(Table.read(ROWS), Target.labels(LABELS), None, None)
    measures = Measures([Scoring("mine", lambda *_: np.nan, larger=True)], BINARY, rows)
    with pytest.raises(ValueError, match="'mine' is not defined on the held-out rows"):
        measures(RAW)


def test_rows_are_in_one_part_and_ascend():
    target = Target.labels(np.repeat([0, 1], [80, 20]))
    learn, held = hold_out(target, 0.25, hold_out_seed(7))
    assert np.bincount(target.codes[held, 0]).tolist() == [20, 5]
    assert np.all(np.diff(learn) > 0)
    assert np.all(np.diff(held) > 0)
    assert sorted([*learn, *held]) == list(range(100))
    assert len(hold_out(Target.numbers(np.arange(9.0)), 4, 0)[1]) == 4
    assert hold_out_seed(7) != hold_out_seed(8)


def test_a_class_of_a_single_row_is_in_one_part():
    lone = Target.labels(np.array([0] * 99 + [1]))
    assert len(hold_out(lone, 0.2, 0)[1]) == 20


def test_labels_get_the_codes_of_the_rows_to_learn_from():
    known = Target.labels(["a", "b", "c"])
    target = under_classes(known, Target.labels(["c", "b", "c"]))
    assert target.codes.tolist() == [[2], [1], [2]]
    assert target.classes is known.classes
    with pytest.raises(
        ValueError, match="y_val contains 'd', which is not one of the classes in y"
    ):
        under_classes(known, Target.labels(["a", "d"]))


def test_given_rows_are_read_as_those_of_the_fit():
    learn = admitted(X, NAMES)
    given = Validation(X[[0, 60, 120]], NAMES[[0, 60, 120]], np.array([1.0, 0.0, 2.0]))
    watch = admit_validation("me", learn.table.schema, learn.target, given)
    assert watch.target.codes.ravel().tolist() == [0, 2]
    assert watch.target.classes is learn.target.classes
    assert watch.weight.tolist() == [1.0, 2.0]
    np.testing.assert_array_equal(watch.table.values, X[[0, 120]])


def test_rows_and_labels_are_given_together():
    assert Validation.of(None, None, None) is None
    assert Validation.of(X, Y, None).sample_weight is None
    with pytest.raises(ValueError, match="X_val is provided, but y_val was not provided"):
        Validation.of(X, None, None)
    with pytest.raises(ValueError, match="y_val is provided, but X_val was not provided"):
        Validation.of(None, Y, None)


@pytest.mark.parametrize(
    ("early_stopping", "given", "n_rows", "expected"),
    [
        ("auto", None, 10_000, False),
        ("auto", None, 10_001, True),
        ("auto", Validation(X, Y), 100, True),
        (True, None, 10, True),
        (False, Validation(X, Y), 20_000, False),
    ],
)
def test_auto_depends_on_the_rows(early_stopping, given, n_rows, expected):
    assert stops_early(early_stopping, given, n_rows) is expected
