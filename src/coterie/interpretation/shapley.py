"""Shapley values of trees and of sums of trees."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from coterie.base import Committee, thread_count
from coterie.base.elsewhere import host_of
from coterie.core import Pool
from coterie.data import Table
from coterie.interpretation.interactions import interaction_values

Array = NDArray[np.float64]

# What the values add up to may differ from what the model says by rounding, and no more.
_ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class Explanation:
    """Explained predictions: ``base_values + values.sum(axis=1)`` is the model's prediction.

    Attributes
    ----------
    values : ndarray of shape (n_samples, n_features) or (n_samples, n_features, n_outputs)
        The contribution of each column to the prediction of each row.
    base_values : ndarray of shape (n_samples,) or (n_samples, n_outputs)
        The expected prediction if nothing is known about a row: the same for all rows.
    data : ndarray of shape (n_samples, n_features)
        The cells as numbers; categories are codes.
    display_data : ndarray of shape (n_samples, n_features)
        The cells with the names of their categories.
    feature_names : list of str
        Names of the columns.
    output_names : list of str or None
        Names of the outputs, if there are several.
    interactions : ndarray of shape (n_samples, n_features, n_features) or (..., n_outputs) or None
        If requested, half of the interaction of each pair of columns in either order, and on the
        diagonal the remainder of a column's value: ``interactions.sum(axis=2)`` are the `values`.
    """

    values: Array
    base_values: Array
    data: NDArray[Any]
    display_data: NDArray[Any]
    feature_names: list[str]
    output_names: list[str] | None = None
    interactions: Array | None = None

    def importances(self) -> Array:
        """Mean absolute value of each column, shape (n_features,) or (n_features, n_outputs).

        Unlike the decrease of impurity it is in the units of the prediction and does not favour
        columns of many values that merely fit noise of the training rows, if the rows explained
        are new ones.
        """
        return np.asarray(np.abs(self.values).mean(axis=0))

    def to_shap(self) -> Any:
        """Convert to a ``shap.Explanation``, for the plots of that package.

        Needs the package `shap`: ``pip install 'coterie[explain]'``.
        """
        try:
            import shap
        except ImportError as error:
            raise ImportError(
                "to_shap needs the package shap, which is not installed: "
                "pip install 'coterie[explain]'"
            ) from error
        return shap.Explanation(
            values=self.values,
            base_values=self.base_values,
            data=self.data,
            display_data=self.display_data,
            feature_names=self.feature_names,
            output_names=self.output_names,
        )


def shap_values(
    model: Any,
    X: Any,
    *,
    background: Any = None,
    n_rounds: int | None = None,
    interactions: bool = False,
) -> Explanation:
    r"""Exact Shapley values of a tree, or of an ensemble that adds up trees.

    The value of column j is its mean contribution over all orders in which the d columns of a
    row can become known,

    .. math:: \phi_j = \sum_{S \not\ni j} \frac{|S|!\,(d-|S|-1)!}{d!}
              \bigl(v(S \cup \{j\}) - v(S)\bigr),

    where :math:`v(S)` is what the trees expect when the columns S are known. By default, a split on
    an unknown column sends the row both ways, in the proportion of the training weight that went
    there (path-dependent TreeSHAP [2]_; a booster's trees have seen the weights of their round).
    With a `background`, unknown columns are taken from its rows, one after the other, and
    :math:`v(S)` is the mean (interventional TreeSHAP): what the model would predict if columns were
    replaced. Either way the values of a row add up to the prediction minus :math:`v(\emptyset)`,
    and a column that no tree uses has value 0.

    Sums over subsets are integrals, :math:`\int_0^1 t^s(1-t)^{d-1-s}\,dt`, and integrals of
    polynomials are finite sums [3]_: the cost of a row is the number of nodes times half the
    largest number of different columns on a path, and deep trees cost no accuracy.

    Parameters
    ----------
    model : estimator
        A fitted tree, forest or booster of this package with native trees as members, or a
        weighted mean of such models (soft votes, averages, twice-learning). Boosters are
        explained on the scale of `decision_function`, or of a regressor's score before its link
        (the logarithm of a Poisson mean, say), other classifiers on that of `predict_proba`, and
        regressors on that of `predict`.
    X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        The rows to explain, with the columns seen in `fit`. For a Dask collection, the values are a
        Dask array, and the data the collection itself.
    background : array-like, data frame or sparse matrix of shape (n_background, n_features)
        Rows from which unknown columns are taken; a few dozen to a few hundred training rows are
        enough.
    n_rounds : int, optional
        Explain a gradient-boosted model after this many rounds.
    interactions : bool, default=False
        Also give the interactions of columns, exactly: for the Shapley interaction index of i and
        j, :math:`v(S \cup \{i, j\}) - v(S \cup \{i\}) - v(S \cup \{j\}) + v(S)` takes the place of
        the difference above, and each order of the two gets half of it [2]_. Not with a
        `background`.

    Returns
    -------
    Explanation
        With ``values``, ``base_values``, ``data`` and ``feature_names``; ``to_shap()`` makes the
        plots of the package `shap` available.

    References
    ----------
    .. [1] Shapley, "A value for n-person games", Contributions to the Theory of Games 2 (1953).
    .. [2] Lundberg, Erion & Lee, "Consistent individualized feature attribution for tree
       ensembles", arXiv:1802.03888 (2018).
    .. [3] Yu, Bifet, Read & Xu, "Linear tree Shap", NeurIPS (2022).

    Examples
    --------
    >>> from coterie import DecisionTreeRegressor
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]  # fever, cough
    >>> both = DecisionTreeRegressor().fit(X, [0, 0, 0, 80])
    >>> explanation = shap_values(both, [[1, 1]])
    >>> explanation.base_values, explanation.values
    (array([20.]), array([[30., 30.]]))
    """
    if interactions and background is not None:
        raise ValueError("interactions=True cannot be combined with background; use only one.")
    host = host_of(X)
    explain = _explain if host is None else partial(_by_partition, host)
    return explain(model, X, background, n_rounds, interactions)


def _explain(
    model: Any, X: Any, background: Any, n_rounds: int | None, interactions: bool
) -> Explanation:
    """The explanation of rows that are here."""
    pool = _pool(model)
    if n_rounds is None:
        model = model._settled()
    elif hasattr(model, "_after"):
        model = model._after(n_rounds)
        pool = model.pool_
    else:
        raise TypeError(f"n_rounds is for gradient boosting, not for {type(model).__name__}.")
    table = model._admit(X)
    whole = _contributions(
        model, pool, table, None if background is None else model._admit(background)
    )
    _check_sum(model, X, whole.sum(axis=1))
    if getattr(model, "ordered_", None) is not None:  # trees saw statistics of some columns
        table = Committee._admit(model, X)
        whole = _by_origin(whole, model.origin_, table.n_columns)
    pairs = interaction_values(model, pool, table) if interactions else None
    names, outputs = table.names, _output_names(model, whole.shape[2])
    if whole.shape[2] == 1:
        whole = whole[:, :, 0]
        pairs = None if pairs is None else pairs[..., 0]
    return Explanation(
        values=whole[:, :-1],
        base_values=whole[:, -1],
        data=np.concatenate([cells for _, cells in table.blocks()]),
        display_data=_with_labels(table),
        feature_names=[f"x{j}" for j in range(table.n_columns)] if names is None else list(names),
        output_names=outputs,
        interactions=pairs,
    )


def _by_partition(
    host: Any, model: Any, X: Any, background: Any, n_rounds: int | None, interactions: bool
) -> Explanation:
    """The explanation of rows that are elsewhere: its arrays are, too, and lazy."""
    if interactions:
        raise host.NotDistributedError.of("interactions=True")
    settings = {"background": background, "n_rounds": n_rounds}
    whole = host.mapped(partial(_values_and_base, settings), model, X)
    names, n_outputs = model.schema_.names, whole.shape[2] if whole.ndim == 3 else 1
    return Explanation(
        values=whole[:, :-1],
        base_values=whole[:, -1],
        data=X,
        display_data=X,
        feature_names=[f"x{j}" for j in range(X.shape[1])] if names is None else list(names),
        output_names=_output_names(model, n_outputs),
    )


def _values_and_base(settings: dict[str, Any], model: Any, rows: Any) -> Array:
    """Values of some rows, with the base in place of a last column."""
    found = shap_values(model, rows, **settings)
    return np.concatenate([found.values, found.base_values[:, None]], axis=1)


def _pool(model: Any) -> Pool:
    check_is_fitted(model)
    pool = getattr(model, "pool_", None)
    if not isinstance(pool, Pool):
        raise TypeError(
            f"shap_values explains coterie's trees and ensembles of them, but "
            f"{type(model).__name__} has no pool of trees. For a pipeline or a search, pass the "
            "fitted model inside and the transformed rows; for models of other packages, "
            "use the shap package."
        )
    return pool


def _contributions(model: Any, pool: Pool, table: Table, background: Table | None) -> Array:
    """Values and, as the last column, base values, shape (n_samples, n_features + 1, n_outputs)."""
    if _are_models(pool):
        return _averaged(model, pool, table, background)
    start = getattr(model, "start_", None)
    if start is not None and not len(pool):
        whole = np.zeros((table.n_rows, table.n_columns + 1, len(start)))
    else:
        threads = thread_count(model.n_jobs)
        whole = pool.shap(table, background=background, n_threads=threads)
    if start is None:  # votes are averaged
        whole /= pool.weights.sum()
        return whole
    whole[:, -1] += model._offset(table) if hasattr(model, "_offset") else start
    if not hasattr(model, "rule_"):
        return whole
    # Scores are shown as a linear function of the sums, so parts of a score are too.
    return np.asarray(model.rule_.settle(whole.reshape(-1, len(start))).reshape(whole.shape))


def _are_models(pool: Pool) -> bool:
    """Whether members are fitted models of this package on all columns, such as those of a vote."""
    if not isinstance(pool.members, tuple) or any(hasattr(m, "shap") for m in pool.members):
        return False  # members that are trees, or know how to explain themselves
    models: list[Any] = [getattr(member, "estimator", None) for member in pool.members]
    columns = [getattr(member, "columns", None) for member in pool.members]
    native = [isinstance(getattr(model, "pool_", None), Pool) for model in models]
    return bool(native) and all(native) and all(shown is None for shown in columns)


def _averaged(model: Any, pool: Pool, table: Table, background: Table | None) -> Array:
    """The weighted mean of the members' explanations, or their sum if the model adds them up."""
    weights = np.asarray(getattr(model, "weights_", pool.weights), dtype=np.float64)
    if not getattr(model, "sum_", False):
        weights = weights / weights.sum()
    others = None if background is None else background.given()
    parts = []
    members: Any = pool.members
    for member in members:
        found = shap_values(member.estimator, table.given(), background=others)
        part = np.concatenate([found.values, found.base_values[:, None]], axis=1)
        parts.append(part.reshape(*part.shape[:2], -1))
    if len({part.shape for part in parts}) > 1:
        raise ValueError(
            "Members are explained on different scales or have different classes, so their values "
            "cannot be averaged. Explain them one by one."
        )
    return np.asarray(np.tensordot(weights, np.stack(parts), axes=1))


def _by_origin(whole: Array, origin: NDArray[np.intp], n_columns: int) -> Array:
    """The values of columns that were made of others, added up for those."""
    merged = np.zeros((len(whole), n_columns + 1, whole.shape[2]))
    for column, source in enumerate(origin):
        merged[:, source] += whole[:, column]
    merged[:, -1] = whole[:, -1]
    return merged


def _check_sum(model: Any, X: Any, total: Array) -> None:
    """Refuse to explain what is not a sum over trees, however the model comes by it."""
    methods = ("decision_function", "predict_proba", "predict")
    method = next((name for name in methods if hasattr(model, name)), None)
    if method is None:
        raise TypeError(
            f"{type(model).__name__} makes no predictions that shap_values can explain."
        )
    if hasattr(model, "loss_"):  # scores, which `predict` may show through a link
        method = "_raw"
    said = getattr(model, method)(X)
    if isinstance(said, list):
        said = np.concatenate(said, axis=1)
    said = np.asarray(said)
    if said.dtype.kind not in "fiub":  # labels of a vote without probabilities
        said = np.full((len(total), 0), np.nan)
    said = said.astype(np.float64).reshape(len(total), -1)
    if said.shape != total.shape or np.abs(said - total).max() > _ROUNDING * (
        1.0 + np.abs(said).max()
    ):
        raise ValueError(
            f"{type(model).__name__}.{method} is not a sum over the trees, so the values of "
            "single trees do not add up to it. Explain a member of estimators_, or use a "
            "model-agnostic explainer, such as shap.PermutationExplainer."
        )


def _output_names(model: Any, n_outputs: int) -> list[str] | None:
    if n_outputs == 1:
        return None
    classes = getattr(model, "classes_", None)
    if isinstance(classes, list) and len(classes) == n_outputs:  # several labels
        return [str(k) for k in range(n_outputs)]
    if isinstance(classes, list):  # several outputs, each with its classes
        return [f"{k}: {label}" for k, labels in enumerate(classes) for label in labels]
    return [str(name) for name in (range(n_outputs) if classes is None else classes)]


def _with_labels(table: Table) -> NDArray[Any]:
    """The cells of a table with the names of their categories."""
    cells = np.concatenate([cells for _, cells in table.blocks()])
    if not any(labels is not None for labels in table.categories):
        return cells
    shown = cells.astype(object)
    for j, labels in enumerate(table.categories):
        if labels is None:
            continue
        known = ~np.isnan(cells[:, j])
        shown[known, j] = np.asarray(labels, dtype=object)[cells[known, j].astype(np.intp)]
        shown[~known, j] = None
    return shown
