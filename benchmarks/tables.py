"""The tables measured on: two made in code, and real ones when they are at hand.

A table is written once as four ``.npy`` files, so that a measuring process loads
plain arrays and nothing else (no pandas in its memory figures). Every contender is
given the same C-ordered float32 array, which is what scikit-learn's trees use
without a copy.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Task = Literal["classification", "regression"]
PROJECT = Path(__file__).resolve().parent.parent
COLUMNS = 28  # of the synthetic tables


class Split(NamedTuple):
    """Training rows and held-out rows of one table."""

    X_train: NDArray[np.float32]
    y_train: NDArray[Any]
    X_test: NDArray[np.float32]
    y_test: NDArray[Any]

    def save(self, folder: Path) -> None:
        """Write the four arrays to ``folder``."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, array in self._asdict().items():
            np.save(folder / f"{name}.npy", np.ascontiguousarray(array))

    @classmethod
    def load(cls, folder: Path) -> Split:
        """Read what `save` wrote."""
        return cls(*(np.load(folder / f"{name}.npy") for name in cls._fields))


def held_out(rows: int) -> int:
    """Rows held out beside ``rows`` training rows of a synthetic table.

    >>> held_out(10_000), held_out(1_000_000)
    (20000, 100000)
    """
    return int(np.clip(rows // 5, 20_000, 100_000))


def _collisions(n: int, rng: np.random.Generator) -> NDArray[np.float32]:
    """28 continuous columns in the manner of HIGGS: 21 measured, 7 derived from them."""
    X = np.empty((n, 28), dtype=np.float32)
    X[:, :7] = rng.exponential(1.0, (n, 7))  # momenta
    X[:, 7:14] = rng.normal(0.0, 1.0, (n, 7))  # pseudorapidities
    X[:, 14:21] = rng.uniform(-np.pi, np.pi, (n, 7))  # angles
    for j in range(7):  # mass-like combinations of two particles
        k = (j + 1) % 7
        X[:, 21 + j] = np.sqrt(
            X[:, j]
            * X[:, k]
            * (np.cosh(X[:, 7 + j] - X[:, 7 + k]) - np.cos(X[:, 14 + j] - X[:, 14 + k]))
        )
    return X


def _signal(X: NDArray[np.float32]) -> NDArray[np.float64]:
    """A function of few columns, with interactions, that no single split explains."""
    mass = np.log1p(X[:, 21:28].astype(np.float64))
    return (
        2.0 * np.sin(2.0 * mass[:, 0]) * (X[:, 7] > 0)
        + 1.5 * mass[:, 1]
        - 1.5 * mass[:, 2] * np.cos(X[:, 15])
        + 0.8 * X[:, 8] * X[:, 9]
        + np.where(X[:, 3] > 1.0, mass[:, 4], -0.5)
        - 0.9
    )


def _higgs(n: int, rng: np.random.Generator) -> tuple[NDArray[np.float32], NDArray[Any]]:
    """Two classes, noisy: even the true function is wrong on about a quarter of the rows."""
    X = _collisions(n, rng)
    chance = 1.0 / (1.0 + np.exp(-1.2 * _signal(X)))
    return X, (rng.random(n) < chance).astype(np.int64)


def _energy(n: int, rng: np.random.Generator) -> tuple[NDArray[np.float32], NDArray[Any]]:
    """The same columns with a noisy number to predict."""
    X = _collisions(n, rng)
    return X, _signal(X) + rng.normal(0.0, 1.0, n)


def _normal(n: int, rng: np.random.Generator) -> tuple[NDArray[np.float32], NDArray[Any]]:
    """28 normal columns and two classes that overlap little, so that deep trees tell accuracy."""
    X = rng.standard_normal((n, 28), dtype=np.float32)
    score = X[:, 0] + X[:, 1] * X[:, 2] + np.sin(2.0 * X[:, 3]) + 0.5 * X[:, 4] ** 2 - 0.5
    return X, (score + rng.normal(0.0, 0.5, n) > 0.0).astype(np.int64)


SYNTHETIC: dict[str, tuple[Task, Callable[..., tuple[NDArray[np.float32], NDArray[Any]]]]] = {
    "higgs": ("classification", _higgs),
    "energy": ("regression", _energy),
    "normal": ("classification", _normal),
}


@dataclass(frozen=True)
class Real:
    """A table of the data folder; the target is its last column."""

    file: str
    task: Task
    rows: int  # that are left for training
    classes: int = 1
    # Rows that come last are held out, in the given order: a classic split, or time.
    ordered: bool = False
    share: float = 0.25


REAL: dict[str, Real] = {
    "covertype": Real("covertype.parquet", "classification", 435_759, 7),
    "letter": Real("letter.csv.gz", "classification", 16_000, 26, ordered=True, share=0.2),
    "magic": Real("magic.csv.gz", "classification", 14_265, 2),
    "adult": Real("adult.csv.gz", "classification", 36_632, 2),
    "flights": Real("nycflights_late15.parquet", "classification", 246_391, 2, ordered=True),
    "housing": Real("california_housing.csv.gz", "regression", 15_480),
    "mnist": Real("mnist.parquet", "classification", 60_000, 10, ordered=True, share=1 / 7),
    "spambase": Real("spambase.csv.gz", "classification", 3_451, 2),
    "abalone": Real("abalone.csv.gz", "regression", 3_133),
    "concrete": Real("concrete.csv.gz", "regression", 772),
    "german": Real("german_credit.csv.gz", "classification", 750, 2),
    "tictactoe": Real("tic_tac_toe.csv.gz", "classification", 718, 2),
    "vehicle": Real("vehicle.csv.gz", "classification", 634, 4),
    "soybean": Real("soybean.csv.gz", "classification", 512, 19),
    "ionosphere": Real("ionosphere.csv.gz", "classification", 263, 2),
    "sonar": Real("sonar.csv.gz", "classification", 156, 2),
}


def synthetic(table: str) -> tuple[str, int] | None:
    """Name and columns of a synthetic table, None for a real one.

    A number after the name asks for that many columns, filled up with noise.

    >>> synthetic("higgs"), synthetic("higgs-100"), synthetic("letter")
    (('higgs', 28), ('higgs', 100), None)
    """
    name, _, columns = table.partition("-")
    return (name, int(columns or COLUMNS)) if name in SYNTHETIC else None


def data_folder() -> Path:
    """Where the real tables are: ``COTERIE_DATA``, or ``../shared/data`` of the project."""
    return Path(os.environ.get("COTERIE_DATA", PROJECT.parent / "shared" / "data"))


def task_of(table: str) -> Task:
    """Classification or regression.

    >>> task_of("higgs"), task_of("housing")
    ('classification', 'regression')
    """
    made = synthetic(table)
    return SYNTHETIC[made[0]][0] if made else REAL[table].task


def available(table: str) -> bool:
    """Synthetic tables always are; real ones when their file is there."""
    return synthetic(table) is not None or (data_folder() / REAL[table].file).is_file()


def make(table: str, rows: int | None, seed: int = 0) -> Split:
    """Build a table with at most ``rows`` training rows (None: all of a real table)."""
    rng = np.random.default_rng(seed)
    made = synthetic(table)
    if made:
        if rows is None:
            raise ValueError(f"the synthetic table {table!r} needs a number of rows")
        extra = held_out(rows)
        X, y = SYNTHETIC[made[0]][1](rows + extra, rng)
        if made[1] > COLUMNS:
            noise = rng.standard_normal((len(y), made[1] - COLUMNS), dtype=np.float32)
            X = np.hstack([X, noise])
        return Split(X[:rows], y[:rows], X[rows:], y[rows:])
    return _split(*_read(table), REAL[table], rows, rng)


def read_frame(table: str) -> tuple[Any, NDArray[Any]]:
    """Columns as a data frame with text as categories; target as numbers, or codes 0, 1, ..."""
    return read_file(REAL[table])


def read_file(real: Real) -> tuple[Any, NDArray[Any]]:
    """The same of any table of the data folder."""
    import pandas as pd

    path = data_folder() / real.file
    if path.suffix == ".parquet":
        frame = pd.read_parquet(path)
    else:
        frame = pd.read_csv(path, keep_default_na=False, na_values=[""])
    target = frame.pop("target").to_numpy()
    text = [c for c in frame.columns if not pd.api.types.is_numeric_dtype(frame[c])]
    frame[text] = frame[text].astype("category")
    if real.task == "regression":
        return frame, target.astype(np.float64)
    return frame, np.unique(target, return_inverse=True)[1].astype(np.int64)


def _read(table: str) -> tuple[NDArray[np.float32], NDArray[Any]]:
    """Columns as float32: text as ordinal codes, missing as NaN."""
    frame, target = read_frame(table)
    columns = []
    for name in frame.columns:
        column = frame[name]
        if column.dtype == "category":
            codes = column.cat.codes
            column = codes.where(codes >= 0)  # pandas codes a missing value as -1
        columns.append(column.to_numpy(np.float32))
    return np.column_stack(columns), target


def _split(
    X: NDArray[np.float32],
    y: NDArray[Any],
    real: Real,
    rows: int | None,
    rng: np.random.Generator,
) -> Split:
    n = len(y)
    order = np.arange(n) if real.ordered else rng.permutation(n)
    cut = n - round(n * real.share)
    train, test = order[:cut], order[cut:]
    if rows is not None and rows < cut:
        train = np.sort(rng.choice(train, rows, replace=False))
    return Split(X[train], y[train], X[test], y[test])


if __name__ == "__main__":
    # Run as its own process: memory used here must not be inherited by those measured.
    name, size, folder = sys.argv[1:]
    make(name, None if size == "all" else int(size)).save(Path(folder))
