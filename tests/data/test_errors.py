"""Errors name the place."""

import pytest

from coterie.data.errors import DataError, KindError, column_label


def test_wrong_kinds_are_both_value_and_type_errors():
    for kind in (ValueError, TypeError, DataError):
        with pytest.raises(kind):
            raise KindError("no")
    assert not issubclass(DataError, TypeError)


def test_column_label_prefers_the_name():
    assert column_label(2, None) == "column 2"
    assert column_label(1, ("a", "odd 'name'")) == "column \"odd 'name'\""
