"""Types of columns."""

import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

from coterie.data.column_types import column_types

COLUMNS = {
    "whole": [1, 2],
    "number": [0.5, np.nan],
    "more": [1.0, 2.0],
    "word": ["a", "b"],
    "flag": [True, False],
    "when": pd.to_datetime(["2024-01-01", "2024-01-02"]),
}
PANDAS = pd.DataFrame(COLUMNS).assign(
    text=pd.Series(["a", None], dtype=object),
    mixed=pd.Series(["a", 1], dtype=object),
    kind=pd.Categorical(["x", "y"]),
    other=pd.Categorical(["z", "y"], ordered=True),
    nullable=pd.array([1, None], dtype="Int64"),
    zoned=pd.to_datetime(["2024-01-01", "2024-01-02"], utc=True),
)


@pytest.mark.parametrize("native", [PANDAS, pl.DataFrame(COLUMNS)], ids=["pandas", "polars"])
def test_they_are_those_of_the_schema(native):
    frame = nw.from_native(native, eager_only=True)
    assert list(column_types(frame).items()) == list(frame.schema.items())
