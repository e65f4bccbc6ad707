"""Data with the columns and the target of an earlier fit, or what differs."""

from types import SimpleNamespace

import numpy as np
import pytest

from coterie.base.same_data import check_same_data
from coterie.data import DataError, Schema, Target

TWO = Target.labels(["a", "b"])


def noted(schema, target=TWO):
    return SimpleNamespace(schema_=schema, target_=target.empty())


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (Schema(3), Schema(2), "X has 2 columns, but had 3"),
        (Schema(2, ("a", "b")), Schema(2, ("a", "c")), "Column 1 of X is 'c', but was 'b'"),
        (Schema(1, ("a",)), Schema(1), "X has no column names, but had some"),
        (Schema(1), Schema(1, ("a",)), "X has column names, but had none"),
        (
            Schema(1),
            Schema(1, None, {0: np.array(["u"])}),
            "contains categories, but contained numbers",
        ),
        (Schema(1, moments={0: "dates"}), Schema(1), "contains numbers, but contained dates"),
        (
            Schema(1, ("a",), {0: np.array(["u", "v"])}),
            Schema(1, ("a",), {0: np.array(["u", "w"])}),
            r"'a'.* has different categories \(new: 'w'; gone: 'v'\)",
        ),
    ],
)
def test_columns(old, new, words):
    check_same_data(noted(old), noted(old), "")
    with pytest.raises(DataError, match=words):
        check_same_data(noted(old), noted(new), "")


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (TWO, Target.labels(["a", "b", "c"]), r"y has different classes \(new: 'c'\)"),
        (TWO, Target.labels([0, 1]), r"new: 0, 1; gone: 'a', 'b'"),
        (Target.labels(list("abcdefgh")), TWO, "gone: 'c', 'd', 'e', 'f', 'g' and 1 more"),
        (Target.numbers([1.0]), Target.numbers([[1.0, 2.0]]), "y has 2 outputs, but had 1"),
        (
            Target.labels([[0, 1], [1, 0]]),
            Target.labels([[0, 2], [1, 0]]),
            r"Output 1 of y has different classes \(new: 2; gone: 1\)",
        ),
    ],
)
def test_targets(old, new, words):
    with pytest.raises(DataError, match=words + ".* Do this."):
        check_same_data(noted(Schema(1), old), noted(Schema(1), new), "Do this.")
