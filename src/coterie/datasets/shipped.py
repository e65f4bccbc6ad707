"""Reading the tables that come with the package."""

import csv
import gzip
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from coterie.datasets import tic_tac_toe

Rows = list[list[str]]

TABLES = {
    "german_credit": "german_credit.csv.gz",
    "magic": "magic.csv.gz",
    "tic_tac_toe": None,
    "watermelon": "watermelon.csv",
}


@dataclass(frozen=True)
class Dataset:
    """A data set: a table and its target.

    Parameters
    ----------
    name : str
        Name under which the table was loaded.
    X : ndarray of shape (n_samples, n_features) or data frame
        As a matrix, float64 with the categories of a categorical column as the
        codes 0, 1, … and NaN where a value is missing. As a frame, categorical
        columns hold their labels.
    y : ndarray of shape (n_samples,)
        Class labels as strings.
    feature_names : tuple of str
        Names of the columns.
    categories : dict of str to tuple of str
        Labels of each categorical column; a code is a position in it.

    Examples
    --------
    >>> from coterie.datasets import load_table
    >>> credit = load_table("german_credit")
    >>> credit.X.shape
    (1000, 20)
    >>> credit.categories["housing"]
    ('for free', 'own', 'rent')
    """

    name: str
    X: Any
    y: NDArray[np.str_]
    feature_names: tuple[str, ...]
    categories: dict[str, tuple[str, ...]]

    @property
    def categorical(self) -> NDArray[np.bool_]:
        """Mask of the categorical columns, of shape (n_features,)."""
        return np.array([name in self.categories for name in self.feature_names])


def table_names() -> tuple[str, ...]:
    """Names of the data sets that :func:`load_table` can load.

    Examples
    --------
    >>> from coterie.datasets import table_names
    >>> table_names()
    ('german_credit', 'magic', 'tic_tac_toe', 'watermelon')
    """
    return tuple(TABLES)


@overload
def load_table(
    name: str, *, as_frame: bool | str = ..., return_X_y: Literal[False] = ...
) -> Dataset: ...
@overload
def load_table(
    name: str, *, as_frame: bool | str = ..., return_X_y: Literal[True]
) -> tuple[Any, NDArray[np.str_]]: ...
def load_table(
    name: str, *, as_frame: bool | str = False, return_X_y: bool = False
) -> Dataset | tuple[Any, NDArray[np.str_]]:
    """Load a data set that comes with the package.

    ``magic`` (19,020 rows, 10 numeric columns) separates gamma rays from hadrons in simulated
    pictures of a Cherenkov telescope. ``german_credit`` (1,000 rows, 7 numeric and 13 categorical
    columns) separates good from bad credit risks. ``tic_tac_toe`` (958 rows, 9 categorical columns)
    is about whether x has won. ``watermelon`` (17 rows, 2 numeric columns) is the textbook's table
    3.0α of ripe and unripe melons.

    Parameters
    ----------
    name : {"german_credit", "magic", "tic_tac_toe", "watermelon"}
        Which table.
    as_frame : bool or str, default=False
        Return `X` as a data frame: True for pandas, or the name of any library that narwhals
        supports, such as "polars" or "pyarrow". It must be installed.
    return_X_y : bool, default=False
        Return only the pair `(X, y)`.

    Returns
    -------
    Dataset or tuple of (X, y)
        The table and its target.

    Examples
    --------
    >>> from coterie.datasets import load_table
    >>> X, y = load_table("watermelon", return_X_y=True)
    >>> X.sum(axis=0)
    array([9.055, 3.618])
    >>> int((y == "ripe").sum())
    8
    """
    if name not in TABLES:
        raise ValueError(f"There is no data set named {name!r}. Choose from {', '.join(TABLES)}.")
    header, *rows = _read(name)
    *fields, target = zip(*rows, strict=True)
    columns = {key: _column(column) for key, column in zip(header[:-1], fields, strict=True)}
    X = _frame(columns, as_frame) if as_frame else _matrix(columns)
    y = np.array(target)
    if return_X_y:
        return X, y
    categories = {key: labels for key, (_, labels) in columns.items() if labels is not None}
    return Dataset(name, X, y, tuple(columns), categories)


def _read(name: str) -> Rows:
    """Header and rows as text."""
    file = TABLES[name]
    if file is None:
        return [[*tic_tac_toe.NAMES, "target"], *map(list, tic_tac_toe.end_games())]
    content = files("coterie.datasets").joinpath("tables", file).read_bytes()
    if file.endswith(".gz"):
        content = gzip.decompress(content)
    return list(csv.reader(content.decode("utf-8").splitlines()))


Column = tuple[NDArray[np.float64], tuple[str, ...] | None]


def _column(fields: Sequence[str]) -> Column:
    """Values of a numeric column and None, or codes and labels of a categorical one."""
    try:
        return np.array([field or "nan" for field in fields], dtype=np.float64), None
    except ValueError:
        labels = tuple(sorted(set(fields) - {""}))
    codes = {label: float(code) for code, label in enumerate(labels)}
    return np.array([codes.get(field, np.nan) for field in fields]), labels


def _matrix(columns: dict[str, Column]) -> NDArray[np.float64]:
    return np.column_stack([values for values, _ in columns.values()])


def _frame(columns: dict[str, Column], library: bool | str) -> Any:
    """A native data frame with integers as integers and labels as categories."""
    import narwhals as nw

    def series(values: NDArray[np.float64], labels: tuple[str, ...] | None) -> Any:
        if labels is None:
            whole = bool(np.all(values == np.round(values)))
            return values.astype(np.int64) if whole else values
        return [None if np.isnan(code) else labels[int(code)] for code in values]

    data = {key: series(*column) for key, column in columns.items()}
    backend: Any = "pandas" if library is True else library
    frame = nw.from_dict(data, backend=backend)
    named = [key for key, (_, labels) in columns.items() if labels is not None]
    return (
        frame.with_columns(nw.col(*named).cast(nw.Categorical)).to_native()
        if named
        else frame.to_native()
    )
