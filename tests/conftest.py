"""Real tables for tests."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.browsers import browser  # a fixture: only one may run in a process
from tests.commands import call, credit, prices, write  # fixtures

# Background jobs of a shell ignore Ctrl-C, and so would all processes that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

__all__ = ["browser", "call", "credit", "prices", "write"]

DATA = Path(os.environ.get("COTERIE_DATA", Path(__file__).parents[2] / "shared" / "data"))


@cache
def _read(name: str) -> Any:
    pandas = pytest.importorskip("pandas")
    path = DATA / f"{name}.csv.gz"
    if path.exists():
        return pandas.read_csv(path, keep_default_na=False, na_values=[""])
    path = DATA / f"{name}.parquet"
    if not path.exists():
        pytest.skip(f"no table {name}; set COTERIE_DATA to the folder that has it")
    pytest.importorskip("pyarrow")
    # Large, and only ever used in part.
    return pandas.read_parquet(path).sample(5000, random_state=0)


@pytest.fixture
def real_frame() -> Callable[..., tuple[Any, Any]]:
    """Columns and target of a shared table as a data frame, with categorical columns."""

    def load(name: str, n_rows: int | None = None) -> tuple[Any, Any]:
        frame = _read(name)
        if n_rows is not None and n_rows < len(frame):
            frame = frame.sample(n_rows, random_state=0)
        X, y = frame.drop(columns="target"), frame["target"]
        text = X.select_dtypes(exclude="number").columns
        return X.astype(dict.fromkeys(text, "category")), y

    return load


@pytest.fixture
def real_table(real_frame: Callable[..., tuple[Any, Any]]) -> Callable[..., tuple[Any, Any]]:
    """Columns and target of a shared table as arrays, categories as codes, missing as -1."""

    def load(name: str, n_rows: int | None = None) -> tuple[Any, Any]:
        X, y = real_frame(name, n_rows)
        for column in X.select_dtypes("category").columns:
            X[column] = X[column].cat.codes
        values = X.fillna(-1).to_numpy(dtype=np.float32)
        target = y.to_numpy()
        if target.dtype.kind != "f":
            target = np.unique(target, return_inverse=True)[1]
        return values, target

    return load
