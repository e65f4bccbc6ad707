"""Categories as numbers: ordered target statistics, for columns of very many categories."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from coterie.core import (
    Allowed,
    RandomLike,
    a_random_state,
    at_least,
    between,
    check_params,
    draw_entropy,
    one_of,
)
from coterie.data import DataError, Schema, Table, Target, open_source, read_weight
from coterie.data.cells import Cells
from coterie.data.errors import KindError
from coterie.data.ordered import TargetStatistics, ordered_statistics
from coterie.data.sources import Source, SparseSource
from coterie.tags import tagged

Array = NDArray[np.float64]
Kind = Literal["auto", "continuous", "binary", "multiclass"]


@tagged
@dataclass(eq=False, repr=False)
class OrderedTargetEncoder(TransformerMixin, BaseEstimator):
    r"""Replaces each category by the mean target of the preceding rows of that category.

    The mean target of each category is a useful feature, but in a category of few rows it reveals
    each row's own target. Here the training rows are put in a random order, and each gets the
    statistic of the preceding rows of its category:

    .. math:: \frac{\sum_{j \prec i,\, c_j = c_i} w_j y_j + a\,p}
                   {\sum_{j \prec i,\, c_j = c_i} w_j + a}

    with :math:`p` the mean of all. New rows get the statistic of all training rows. So
    ``fit_transform(X, y)`` is *not* ``fit(X, y).transform(X)``: train on the former.

    Missing values are a separate category; a category that was not seen in `fit` is treated as
    missing, and gets :math:`p` if there were no missing values in `fit`.

    Parameters
    ----------
    smooth : float, default=1.0
        :math:`a`, the number of rows that the overall mean counts for.
    n_permutations : int, default=1
        Number of random orders to average over. Averages are less noisy, but with many orders they
        approach the mean over all *other* rows, which is the lower the higher a row's own target
        is: leakage.
    target_type : {"auto", "continuous", "binary", "multiclass"}, default="auto"
        What `y` is. For more than two classes, each column becomes one per class.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness for the order.

    Attributes
    ----------
    statistics_ : list of TargetStatistics
        Those of each column.
    classes_ : ndarray
        Labels of the classes; absent for numbers.

    References
    ----------
    .. [1] Prokhorenkova et al., "CatBoost: unbiased boosting with categorical features",
       NeurIPS (2018).

    Examples
    --------
    >>> X = [["a"], ["a"], ["a"], ["b"]]
    >>> encoder = OrderedTargetEncoder(random_state=0)
    >>> encoder.fit_transform(X, [1, 0, 1, 0]).ravel().round(2)
    array([0.75, 0.83, 0.5 , 0.5 ])
    >>> encoder.transform([["a"], ["b"], ["new"]]).ravel().round(3)
    array([0.625, 0.25 , 0.5  ])
    """

    smooth: float = 1.0
    _: KW_ONLY
    n_permutations: int = 1
    target_type: Kind = "auto"
    random_state: RandomLike = None

    allowed: ClassVar[Mapping[str, Allowed]] = {
        "smooth": between(0.0, np.inf, closed="neither"),
        "n_permutations": at_least(1),
        "target_type": one_of("auto", "continuous", "binary", "multiclass"),
        "random_state": a_random_state,
    }

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the statistic of every category.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            Categories: text, numbers or a categorical type.
        y : array-like of shape (n_samples,)
            Class labels or numbers.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.

        Returns
        -------
        self
        """
        self._learn(X, y, sample_weight)
        return self

    def fit_transform(self, X: Any, y: Any, sample_weight: Any = None) -> Array:
        """Learn the statistics, and return for every training row that of the preceding rows.

        Parameters
        ----------
        X, y, sample_weight : array-like
            As in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_columns_out)
        """
        codes, values, weight = self._learn(X, y, sample_weight)
        rng = np.random.default_rng(draw_entropy(self.random_state))
        total = np.zeros((len(values), values.shape[1] * len(codes)))
        for _ in range(self.n_permutations):
            order = rng.permutation(len(values))
            total += np.hstack(
                [ordered_statistics(c, values, weight, order, smooth=self.smooth) for c in codes]
            )
        return total / self.n_permutations

    def transform(self, X: Any) -> Array:
        """The statistic of every category over all training rows.

        Parameters
        ----------
        X : array-like or data frame of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_columns_out)
        """
        check_is_fitted(self)
        codes = self.columns_.codes(open_source(X, owner=type(self).__name__))
        return np.hstack([s.of(c) for s, c in zip(self.statistics_, codes, strict=True)])

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the new columns: the original names, followed by the class if there are several.

        Parameters
        ----------
        input_features : array-like of str, optional
            Names of the columns, if they have none of their own.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        names = self.columns_.names or input_features
        names = [f"x{j}" for j in range(self.n_features_in_)] if names is None else list(names)
        if self.statistics_[0].means.shape[1] > 1:
            names = [f"{name}_{label}" for name in names for label in self.classes_]
        return np.array(names, dtype=object)

    def _learn(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[list[NDArray[np.int32]], Array, Array | None]:
        check_params(type(self).__name__, self.get_params(deep=False), self.allowed)
        if y is None:
            raise DataError("OrderedTargetEncoder requires y to be passed, but it is None.")
        source = open_source(X, owner=type(self).__name__)
        weight, kept = read_weight(sample_weight, source.n_rows)
        if kept is not None:
            # A row without weight has a place in the order all the same.
            weight = np.zeros(source.n_rows)
            weight[kept] = read_weight(np.asarray(sample_weight)[kept], len(kept))[0]
        target = self._target(y, source.n_rows)
        columns, codes = Categories.learn(source)
        values = target_values(target, every_class=True)
        self.statistics_ = [
            TargetStatistics.learn(c, values, weight, n_levels=len(labels), smooth=self.smooth)
            for c, labels in zip(codes, columns.labels, strict=True)
        ]
        self.columns_, self.n_features_in_ = columns, len(codes)
        if columns.names is not None:
            self.feature_names_in_ = np.array(columns.names, dtype=object)
        if target.kind == "labels":
            self.classes_ = target.classes[0]
        return codes, values, weight

    def _target(self, y: Any, n_rows: int) -> Target:
        kind = self.target_type
        if kind == "auto":
            found = type_of_target(y)
            kind = "continuous" if found.startswith("continuous") else "multiclass"
        read = Target.numbers if kind == "continuous" else Target.labels
        target = read(y, n_rows=n_rows)
        if target.n_outputs > 1:
            raise DataError("y should be a 1d array; encode against one target at a time.")
        return target

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.categorical = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        return tags


@tagged
@dataclass(frozen=True)
class Categories:
    """The labels of every column, however many they are."""

    labels: list[NDArray[Any]]
    names: tuple[str, ...] | None

    @classmethod
    def learn(cls, source: Source) -> tuple[Categories, list[NDArray[np.int32]]]:
        """The categories, and their codes in the rows they were learnt from."""
        learnt = [cells.learn() for cells in _columns(source)]
        return cls([labels for labels, _ in learnt], source.names), [codes for _, codes in learnt]

    def codes(self, source: Source) -> list[NDArray[np.int32]]:
        """The codes of new rows, -1 for what is missing or unknown."""
        if source.shape[1] != len(self.labels):
            raise DataError(
                f"X has {source.shape[1]} features, but OrderedTargetEncoder is expecting "
                f"{len(self.labels)} features as input."
            )
        if self.names is not None and source.names is not None and self.names != source.names:
            raise DataError("The feature names should match those that were passed during fit.")
        cells = _columns(source)
        return [column.match(known) for column, known in zip(cells, self.labels, strict=True)]


def _columns(source: Source) -> Iterator[Cells]:
    if isinstance(source, SparseSource):
        raise KindError("Sparse X cannot contain categories. Pass a dense array or a data frame.")
    return source.cells()


def target_values(target: Target, *, every_class: bool) -> Array:
    """The target as numbers: itself, or whether a row is of each class, the first one left out.

    With `every_class`, three or more classes have a column each.
    """
    if target.kind == "values":
        return target.values
    if target.n_outputs > 1:  # several labels, each of which a row has or has not
        return target.codes.astype(np.float64)
    n_classes = len(target.classes[0])
    first = 0 if every_class and n_classes > 2 else 1
    return (target.codes == np.arange(min(first, n_classes - 1), n_classes)).astype(np.float64)


@tagged
@dataclass(frozen=True)
class OrderedColumns:
    """Columns of a table that trees see as target statistics.

    Attributes
    ----------
    statistics : dict of int to TargetStatistics
        By column.
    """

    statistics: Mapping[int, TargetStatistics]

    @classmethod
    def learn(
        cls,
        table: Table,
        target: Target,
        weight: Array | None,
        many: Sequence[int],
        rng: Generator,
    ) -> tuple[OrderedColumns, Table]:
        """Statistics of the columns `many`, and the training table with them."""
        values = target_values(target, every_class=False)
        statistics, columns = {}, {}
        order = rng.permutation(table.n_rows)
        for j in many:
            codes = _codes(table, j)
            n_levels = len(table.schema.labels[j])
            statistics[j] = TargetStatistics.learn(
                codes, values, weight, n_levels=n_levels, smooth=1.0
            )
            columns[j] = ordered_statistics(codes, values, weight, order, smooth=1.0)
        return cls(statistics), _with_columns(table, columns)

    def apply(self, table: Table) -> Table:
        """New rows with the statistics of all training rows."""
        return _with_columns(table, {j: s.of(_codes(table, j)) for j, s in self.statistics.items()})

    def origin(self, n_columns: int) -> NDArray[np.intp]:
        """For every column of a table made here, the one it comes from.

        Statistics of more than two classes are several columns: the first takes the place of
        the categories, the others follow at the end.
        """
        more = [np.full(s.means.shape[1] - 1, j) for j, s in self.statistics.items()]
        return np.concatenate([np.arange(n_columns), *more]).astype(np.intp)


def many_labels(table: Table, most: int) -> list[int]:
    """The columns with more than `most` categories."""
    return [j for j, labels in table.schema.labels.items() if len(labels) > most]


def order_stream(entropy: int) -> Generator:
    """The stream that orders rows, of the seed of a fit."""
    return np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(2**31 + 1,)))


def _codes(table: Table, j: int) -> NDArray[np.int32]:
    assert table.values is not None, "sparse tables have no categories"
    column = table.values[:, j]
    return np.where(np.isnan(column), -1.0, column).astype(np.int32)


def _with_columns(table: Table, columns: Mapping[int, Array]) -> Table:
    if not columns:
        return table
    assert table.values is not None
    more = [column[:, 1:] for column in columns.values()]
    values = np.concatenate([table.values.astype(np.float64), *more], axis=1)
    for j, column in columns.items():
        values[:, j] = column[:, 0]
    old = table.schema
    labels = {j: known for j, known in old.labels.items() if j not in columns}
    schema = Schema(values.shape[1], None, labels)
    return replace(table, schema=schema, values=np.asfortranarray(values))
