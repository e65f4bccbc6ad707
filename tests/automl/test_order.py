"""Rows in the order of time."""

import numpy as np
import pytest
from scipy import sparse

from coterie.automl.order import column_of_time
from coterie.data import Table

RNG = np.random.default_rng(0)
NOISE = RNG.normal(size=300)
MONTH = np.repeat(np.arange(12.0), 25)


def found(column, name):
    return column_of_time(Table.read(np.column_stack([NOISE, column])), ["x", name])


@pytest.mark.parametrize("name", ["month", "OrderDate", "sale_year", "date.days", "TIMESTAMP"])
def test_a_column_that_is_named_after_time_and_grows(name):
    assert found(MONTH, name) == name


@pytest.mark.parametrize("name", ["size", "candidate", "weekday", "updated"])
def test_other_names_say_nothing(name):
    assert found(MONTH, name) == ""


def test_it_must_be_in_order_and_take_several_values():
    turned = MONTH.copy()
    turned[[10, 290]] = turned[[290, 10]]
    assert found(turned, "month") == ""
    assert found(RNG.permutation(300), "date") == ""
    assert found(np.repeat([0.0, 1.0], 150), "year") == ""
    assert found(np.repeat([0.0, 1.0, 2.0], 100), "year") == "year"


def test_many_values_that_never_decrease_are_in_order():
    assert found(np.repeat(np.arange(100.0), 3), "date") == "date"
    assert found(np.arange(300.0), "date") == "date"


def test_values_of_one_run_each_are_in_order_too():
    as_text = np.repeat([1.0, 10, 11, 12, 2, 3, 4, 5, 6, 7, 8, 9], 25)
    assert found(as_text, "month") == "month"
    assert found(np.append(as_text[25:], as_text[:25]), "month") == "month"
    assert found(np.repeat(RNG.permutation(100), 3), "month") == ""  # too many to be sure


def test_gaps_are_passed_over():
    holed = MONTH.copy()
    holed[::7] = np.nan
    assert found(holed, "month") == "month"


def test_few_rows_and_sparse_tables_say_nothing():
    assert column_of_time(Table.read(MONTH[:90, None]), ["month"]) == ""
    assert column_of_time(Table.read(sparse.csr_array(MONTH[:, None])), ["month"]) == ""
