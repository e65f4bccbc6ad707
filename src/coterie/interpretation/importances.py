"""Permutation importances, on given or out-of-bag rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.inspection import permutation_importance
from sklearn.utils.validation import check_is_fitted

from coterie.base import decide
from coterie.base.oob_estimates import OutOfBag
from coterie.core import Pool, RandomLike, draw_entropy, growing_stream, member_seeds
from coterie.data import Table, Target
from coterie.interpretation.rules import column_name
from coterie.interpretation.virtual import dense_cells, virtual_table
from coterie.native import Forest

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Importances:
    """Importance of every column.

    Attributes
    ----------
    mean : ndarray of shape (n_features,)
        Mean decrease of the score; below zero if the model does better without the column, which
        happens by chance if it does not matter.
    std : ndarray of shape (n_features,)
        Standard deviation over repeats, or over members.
    z : ndarray of shape (n_features,)
        Mean over its standard error; 0 where both are 0.
    values : ndarray of shape (n_features, n_repeats or n_members)
        The individual decreases; NaN for members that have seen every row.
    feature_names : list of str
        Names of the columns.
    """

    mean: Array
    std: Array
    z: Array
    values: Array
    feature_names: list[str]

    @classmethod
    def of(cls, values: Array, names: list[str]) -> Importances:
        """Mean and deviation of single decreases."""
        count = np.sum(~np.isnan(values), axis=1)
        mean = np.nansum(values, axis=1) / np.maximum(count, 1)
        squares = np.nansum((values - mean[:, None]) ** 2, axis=1) / np.maximum(count - 1, 1)
        std = np.sqrt(squares)
        error = std / np.sqrt(np.maximum(count, 1))
        z = np.divide(mean, error, out=np.zeros_like(mean), where=error > 0)
        return cls(mean, std, z, values, names)

    def ranking(self) -> list[tuple[str, float]]:
        """Names and means, the most important first."""
        order = np.argsort(-self.mean, kind="stable")
        return [(self.feature_names[j], float(self.mean[j])) for j in order]


def permutation_importances(
    model: Any,
    X: Any,
    y: Any,
    *,
    scoring: Any = None,
    n_repeats: int = 5,
    sample_weight: Any = None,
    random_state: RandomLike = None,
    n_jobs: int | None = None,
) -> Importances:
    """How much the score on given rows falls if a column is shuffled.

    The computation is that of ``sklearn.inspection.permutation_importance``, for any fitted model.
    If several columns carry the same information, none of them may appear important, because the
    others replace it.

    Parameters
    ----------
    model : fitted estimator
        Any with `predict`.
    X : array-like or data frame of shape (n_samples, n_features)
        Rows, preferably held-out ones.
    y : array-like of shape (n_samples,)
        Their labels or numbers.
    scoring : str, callable or None, default=None
        Score; that of the model by default: accuracy, or R2.
    n_repeats : int, default=5
        How often each column is shuffled.
    sample_weight : array-like of shape (n_samples,), optional
        Sample weights for the score.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the shuffling.
    n_jobs : int, default=None
        Number of columns processed in parallel.

    Returns
    -------
    Importances

    References
    ----------
    .. [1] Breiman, "Random forests", Machine Learning 45 (2001).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie import RandomForestClassifier, permutation_importances
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> forest = RandomForestClassifier(random_state=0).fit(X[::2], y[::2])
    >>> found = permutation_importances(forest, X[1::2], y[1::2], random_state=0)
    >>> sorted(name for name, _ in found.ranking()[:2])
    ['petal length (cm)', 'petal width (cm)']
    """
    found = permutation_importance(
        model,
        X,
        y,
        scoring=scoring,
        n_repeats=n_repeats,
        sample_weight=sample_weight,
        random_state=draw_entropy(random_state) % 2**32,
        n_jobs=n_jobs,
    )
    names: Any = getattr(model, "feature_names_in_", None)
    if names is None:
        names = getattr(X, "columns", range(len(found.importances)))
        names = [f"x{name}" if isinstance(name, int) else name for name in names]
    return Importances.of(np.asarray(found.importances), [str(name) for name in names])


def oob_importances(
    model: Any, X: Any, y: Any, sample_weight: Any = None, *, random_state: RandomLike = None
) -> Importances:
    r"""How much the members' out-of-bag error rises if a column is shuffled.

    For member t with rows :math:`O_t` outside its bag, and :math:`x^{(j)}` a row whose column j
    is that of another row of :math:`O_t`,

    .. math:: I_j = \frac1T \sum_t \frac{1}{|O_t|} \sum_{i \in O_t}
        \bigl(L(y_i, h_t(x_i^{(j)})) - L(y_i, h_t(x_i))\bigr),

    where L is 1 for a wrong label, or the squared error. No rows need to be held out. Members that
    do not use a column are skipped, so a column that no member uses has importance 0.

    Parameters
    ----------
    model : fitted ensemble
        A forest or bag of this package whose members have not seen some rows.
    X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        The training rows, in the order of `fit`.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Their labels or numbers; errors in several outputs are averaged.
    sample_weight : array-like of shape (n_samples,), optional
        Weights that were given to `fit`.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the shuffling.

    Returns
    -------
    Importances
        ``values`` has a column for every member, ``z`` is Breiman's raw score over its error.

    References
    ----------
    .. [1] Breiman, "Random forests", Machine Learning 45 (2001).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie import BaggingClassifier, oob_importances
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> bag = BaggingClassifier(n_estimators=50, random_state=0).fit(X, y)
    >>> found = oob_importances(bag, X, y, random_state=0)
    >>> sorted(name for name, _ in found.ranking()[:2])
    ['petal length (cm)', 'petal width (cm)']
    """
    check_is_fitted(model)
    if not isinstance(model, OutOfBag):
        raise TypeError(
            f"{type(model).__name__} has no out-of-bag rows. Pass a forest or bagging model from "
            "coterie, or use permutation_importances on held-out rows."
        )
    this = model._settled()
    table, target, weight, _ = this._training(X, y, sample_weight)
    if isinstance(this.pool_.members, Forest):
        table = replace(table, source=None)  # rows need not be cut out of what was given
    seeds = member_seeds(draw_entropy(random_state), 0, len(this.pool_)).tolist()
    values = np.full((table.n_columns, len(seeds)), np.nan)
    for number, seed in enumerate(seeds):
        rows = np.flatnonzero(this.bags_.unseen(number))
        if not len(rows):
            continue
        one = this.pool_[number : number + 1]
        share = np.ones(len(rows)) if weight is None else weight[rows] / weight.max()
        judged = _Unseen(one, table.take(rows), target.take(rows), share)
        values[:, number] = judged.decreases(_asked(one, this.bags_.columns(number)), seed)
    names = [column_name(table.schema, j) for j in range(table.n_columns)]
    return Importances.of(values, names)


def _asked(one: Pool, shown: NDArray[np.intp] | None) -> NDArray[np.intp] | None:
    """Columns a member asks for, if it can be told."""
    if not isinstance(one.members, Forest):
        return None if shown is None else np.unique(shown)
    inner = one.members.nodes["left"] >= 0
    return np.unique(one.members.features[inner])


@dataclass(frozen=True)
class _Unseen:
    """A member, and rows it has not seen."""

    member: Pool
    table: Table
    target: Target
    share: Array

    def loss(self, table: Table) -> float:
        """Weighted mean error of the member on the rows as they are in `table`."""
        votes = self.member.raw(table)
        if self.target.kind == "labels":
            wrong = decide(self.target, votes) != self.target.decode(self.target.encoded)
            each = wrong.reshape(len(votes), -1).mean(axis=1)
        else:
            votes = votes / self.member.weights[0]
            each = ((votes - self.target.values) ** 2).mean(axis=1)
        return float(np.average(each, weights=self.share))

    def decreases(self, columns: NDArray[np.intp] | None, seed: int) -> Array:
        """Increase of the error by shuffling each column."""
        found = np.zeros(self.table.n_columns)
        before = self.loss(self.table)
        chosen = range(self.table.n_columns) if columns is None else columns.tolist()
        for column in chosen:
            order = growing_stream(seed + column).permutation(self.table.n_rows)
            found[column] = self.loss(shuffled(self.table, column, order)) - before
        return found


def shuffled(table: Table, column: int, order: NDArray[np.intp]) -> Table:
    """The table with one column in another order."""
    cells = dense_cells(table)
    cells[:, column] = cells[order, column]
    if table.source is None:
        return replace(table, values=cells, sparse=None, bins=None, codes=None)
    return virtual_table(table, cells)
