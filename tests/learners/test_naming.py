import json

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from coterie.learners import naming


def failing(error, *args):
    with naming(LogisticRegression(), *args):
        raise error


@pytest.mark.parametrize(
    ("name", "who"),
    [("lr", r"'lr' \(LogisticRegression\)"), (3, r"3 \(LogisticRegression\)"), (None, "Logistic")],
)
def test_errors_name_the_member_and_keep_type_and_cause(name, who):
    with pytest.raises(KeyError, match=rf"The member {who}.* failed: 'odd'") as caught:
        failing(KeyError("odd"), name)
    assert caught.value.__cause__.args == ("odd",)


def test_errors_that_are_made_of_more_than_a_text():
    with pytest.raises(RuntimeError, match="'lr'.*Expecting value") as caught:
        failing(json.JSONDecodeError("Expecting value", "doc", 0), "lr")
    assert isinstance(caught.value.__cause__, json.JSONDecodeError)


@pytest.mark.parametrize(("outer", "inner"), [("lr", None), (None, "lr")])
def test_a_member_is_named_once_and_by_who_knows_its_name(outer, inner):
    told = r"^The member 'lr' \(LogisticRegression\) failed: odd$"
    with pytest.raises(ValueError, match=told), naming(LogisticRegression(), outer):
        failing(ValueError("odd"), inner)


def test_members_of_members_are_told_in_order():
    told = r"^The member 'a' \(Linear.*\) failed: The member 0 \(Logistic.*\) failed: odd$"
    with pytest.raises(ValueError, match=told), naming(LinearRegression(), "a"):
        failing(ValueError("odd"), 0)


@pytest.mark.parametrize("framed", [False, True])
def test_columns_that_are_to_blame(framed):
    X = np.array([[1.0, "x", 3.0], [2.0, "y", np.nan]], dtype=object)
    shown = pd.DataFrame(X, columns=["age", "town", "pay"]) if framed else X
    for error, column in (
        ("could not convert string to float: 'x'", "of text: " + ("'town'" if framed else "1")),
        ("Input X contains NaN.", "missing values: " + ("'pay'" if framed else "2")),
    ):
        with pytest.raises(ValueError, match=rf"\(columns .*{column}\)$"):
            failing(ValueError(error), 0, shown)


def test_no_column_is_to_blame_for_other_errors():
    with pytest.raises(ValueError, match="failed: Input X contains NaN$"):
        failing(ValueError("Input X contains NaN"), 0, np.ones((2, 2)))
