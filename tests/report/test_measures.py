import numpy as np
import pytest

from coterie.automl.metrics import CLASS_METRICS, NUMBER_METRICS
from coterie.report.measures import WORDS, measured, metric_of, names_for, words_for


def test_every_metric_of_a_search_has_words():
    assert {*CLASS_METRICS, *NUMBER_METRICS} - set(WORDS) == set()


def test_a_metric_of_the_users_own_is_called_by_its_name():
    assert words_for("cost_per_case").label == "cost per case"
    assert measured("cost_per_case", np.zeros(2), np.zeros(2)) is None


@pytest.mark.parametrize("task", ["binary", "multiclass", "regression"])
def test_measures_that_are_shown_are_known(task):
    assert all(metric_of(name, task == "regression") for name in names_for(task))


def test_values_by_hand():
    chances = np.array([[0.8, 0.2], [0.4, 0.6], [0.9, 0.1]])
    assert measured("accuracy", np.array([0, 1, 1]), chances) == pytest.approx(2 / 3)
    assert measured("mae", np.array([1.0, 3.0]), np.array([2.0, 1.0])) == 1.5


def test_what_is_undefined_is_none():
    one_class = np.zeros(3, dtype=int)
    assert measured("roc_auc", one_class, np.full((3, 2), 0.5)) is None
