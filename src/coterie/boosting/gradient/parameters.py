"""The parameters of gradient boosting: scikit-learn's two lists, and what both have besides."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from types import SimpleNamespace
from typing import Any, Literal

import numpy as np

from coterie.base.scoring import a_scoring, hold_out_seed
from coterie.boosting.gradient.settings import FURTHER, TRUTH, an_init
from coterie.core import (
    Allowed,
    RandomLike,
    a_function,
    a_list,
    at_least,
    between,
    fraction,
    instance_of,
    one_of,
)
from coterie.trees.growth import SHAPE


def drawn_seed(entropy: int) -> int:
    """The seed that ``HistGradientBoosting*`` of scikit-learn holds rows out by."""
    if entropy >= 2**32:
        return hold_out_seed(entropy)
    return int(np.random.RandomState(entropy).randint(2**32 - 1, dtype="u8"))


def same_seed(entropy: int) -> int:
    """The seed that ``GradientBoosting*`` of scikit-learn holds rows out by."""
    return entropy if entropy < 2**32 else hold_out_seed(entropy)


#: Settings of the engine that are not parameters of every face.
_ENGINE: dict[str, Any] = {
    "splits": "newton",
    "held_out_by": drawn_seed,
    "strict": False,
    "ends_by": lambda judge, loss, rounds, tol: judge.patience(rounds, tol),
    "min_samples_split": 2,
    "min_weight_fraction_leaf": 0.0,
    "min_impurity_decrease": 0.0,
    "ccp_alpha": 0.0,
    "judges_training": True,
}
CONSTRAINTS: dict[str, Allowed] = {
    "l2_regularization": at_least(0.0),
    "categorical_features": SHAPE["categorical_features"],
    "monotonic_cst": a_list | instance_of(dict) | one_of(None),
    "interaction_cst": one_of("pairwise", "no_interactions", None) | instance_of(list, tuple),
    "scoring": a_scoring("error", "loss"),
}
HIST: dict[str, Allowed] = {
    **FURTHER,
    **CONSTRAINTS,
    "learning_rate": between(0.0, float("inf"), closed="neither") | a_list | a_function,
    "max_iter": at_least(1),
    "max_leaf_nodes": SHAPE["max_leaf_nodes"],
    "max_depth": SHAPE["max_depth"],
    "min_samples_leaf": at_least(1),
    "max_features": SHAPE["max_features"],
    "max_bins": SHAPE["max_bins"],
    "warm_start": TRUTH,
    "early_stopping": one_of("auto", True, False),
    "validation_fraction": fraction("neither") | at_least(1) | one_of(None),
    "n_iter_no_change": at_least(1),
    "tol": at_least(0.0),
    "verbose": at_least(0) | TRUTH,
    "random_state": SHAPE["random_state"],
    "subsample": fraction(),
    "init": an_init,
}
_OF_TREES = (
    *("min_samples_split", "min_samples_leaf", "min_weight_fraction_leaf", "min_impurity_decrease"),
    *("max_depth", "max_leaf_nodes", "max_features", "ccp_alpha", "random_state"),
)
CLASSIC: dict[str, Allowed] = {
    **FURTHER,
    **CONSTRAINTS,
    **{name: SHAPE[name] for name in _OF_TREES},
    "learning_rate": at_least(0.0) | a_list | a_function,
    "n_estimators": at_least(1),
    "subsample": fraction(),
    "criterion": one_of("deprecated", "friedman_mse", "squared_error"),
    "init": an_init,
    "verbose": at_least(0) | TRUTH,
    "warm_start": TRUTH,
    "validation_fraction": fraction("neither") | at_least(1) | one_of(None),
    "n_iter_no_change": at_least(1) | one_of(None),
    "tol": at_least(0.0),
    "max_bins": SHAPE["max_bins"] | one_of(None),
}


def settings_of(estimator: Any, translated: Mapping[str, Any]) -> SimpleNamespace:
    """The parameters of an estimator in the engine's words, which are those of `HistParameters`.

    Parameters
    ----------
    estimator : estimator
        Whose parameters they are.
    translated : dict
        What its face has other words for.
    """
    given = estimator.get_params(deep=False)
    return SimpleNamespace(owner=type(estimator).__name__, **{**_ENGINE, **given, **translated})


@dataclass(eq=False, repr=False)
class FurtherParameters:
    r"""What scikit-learn's gradient boosting does not have.

    Parameters
    ----------
    min_child_weight : float, default=1e-3
        Minimum sum of Hessians in a leaf.
    l1_regularization : float, default=0.0
        :math:`\alpha`, the L1 penalty, which shrinks sums of gradients towards zero.
    min_split_gain : float, default=0.0
        :math:`\gamma`, the minimum gain of a split, in units of :math:`G^2/H`.
    max_delta_step : float, default=0.0
        Largest value of a leaf before the learning rate; 0 is no limit.
    growth : {"leaf", "level", "symmetric"}, default="leaf"
        Split the best leaf first, or level by level, or all nodes of a level alike (as CatBoost
        does); symmetric trees are six levels deep if `max_depth` is None, and also respect
        `max_leaf_nodes`, so set that to None.
    linear_leaves : bool, default=False
        Whether leaves predict with a linear function of the numeric columns on their path, fitted
        by ridge regression, instead of a constant. This suits smooth targets, and extrapolates
        beyond the training rows. Such models support neither Shapley values nor export.
    linear_l2 : float, default=1.0
        Linear leaves: penalty on squared slopes, per standard deviation of the column in the leaf.
    boosting : {"plain", "goss", "dart"}, default="plain"
        "goss" learns from all rows with large gradients and some of the others; "dart" drops
        earlier trees at random.
    top_rate, other_rate : float, default=0.2 and 0.1
        GOSS: share of the rows kept for their large gradients, and share sampled from the rest.
    drop_rate, skip_drop : float, default=0.1 and 0.5
        DART: probability that a tree is dropped, and that a round drops none.
    normalise : {"tree", "forest"}, default="tree"
        DART: the new tree is weighted like one of the dropped trees, or like all of them together.
    colsample_bytree, colsample_bylevel : float, default=1.0
        Share of the columns sampled for each round, and of these for each level.
    high_cardinality : {"split", "ordered"}, default="split"
        How to treat columns with more than `max_bins` categories: split them like others, or
        replace them by ordered target statistics, see `OrderedTargetEncoder`.
    missing : float or None, default=None
        A number that stands for a missing value in numeric columns, such as -999, in addition to
        NaN.
    importance_type : {"gain", "split"}, default="gain"
        What ``feature_importances_`` adds up: gains, or the number of splits.
    keep_best : bool, default=False
        With early stopping, keep only the rounds up to the best one. By default the rounds after it
        are also kept, as in scikit-learn.
    callbacks : list of callables or None, default=None
        Called as ``(round, trace)`` after each round; the fit ends when one returns True.
    n_jobs : int, default=None
        Number of threads; results do not depend on it.
    """

    _: KW_ONLY
    min_child_weight: float = 1e-3
    l1_regularization: float = 0.0
    min_split_gain: float = 0.0
    max_delta_step: float = 0.0
    growth: Literal["leaf", "level", "symmetric"] = "leaf"
    linear_leaves: bool = False
    linear_l2: float = 1.0
    boosting: Literal["plain", "goss", "dart"] = "plain"
    top_rate: float = 0.2
    other_rate: float = 0.1
    drop_rate: float = 0.1
    skip_drop: float = 0.5
    normalise: Literal["tree", "forest"] = "tree"
    colsample_bytree: float = 1.0
    colsample_bylevel: float = 1.0
    high_cardinality: Literal["split", "ordered"] = "split"
    missing: float | None = None
    importance_type: Literal["gain", "split"] = "gain"
    keep_best: bool = False
    callbacks: Any = None
    n_jobs: int | None = None


@dataclass(eq=False, repr=False)
class HistParameters:
    r"""The parameters of scikit-learn's ``HistGradientBoosting*``, whose words the engine uses.

    Parameters
    ----------
    learning_rate : float, list of floats or callable, default=0.1
        Factor that multiplies the values of every tree: one number for all rounds, one number per
        round, or a function of the round, counted from 0.
    max_iter : int, default=100
        Maximum number of rounds.
    max_leaf_nodes : int or None, default=31
        Maximum number of leaves of a tree; the leaf with the largest gain is split next.
    max_depth : int or None, default=None
        Maximum depth of a tree.
    min_samples_leaf : int, default=20
        Minimum number of rows in a leaf.
    l2_regularization : float, default=0.0
        :math:`\lambda`, added to the sum of Hessians of every leaf.
    max_features : float, int or str, default=1.0
        Columns drawn per node; a float is a share, rounded up.
    max_bins : int, default=255
        Maximum number of bins per numeric column; more than 255 take twice the memory.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Numeric columns to treat as categorical, in addition to text and categorical columns.
    monotonic_cst : array-like or dict of str to int, default=None
        -1, 0 or 1 for each column, or by name: the direction in which it may move the prediction.
    interaction_cst : {"pairwise", "no_interactions"} or list of groups, default=None
        Which columns may occur together on a path; columns in no group form one more group.
    warm_start : bool, default=False
        Keep the trees of the last fit and add more.
    early_stopping : "auto" or bool, default="auto"
        Stop when the score on held-out rows no longer improves. "auto" does so with more than
        10,000 rows, or when `X_val` is given.
    scoring : str, callable, None or list, default="loss"
        The score monitored by early stopping: "loss"; "error", the share of mistakes or the mean
        absolute error; the name of a scikit-learn scorer, such as "roc_auc", where larger is
        better, or such as "log_loss", where smaller is, as the scorer's name begins with ``neg_``;
        a function ``(estimator, X, y)`` as returned by `sklearn.metrics.make_scorer`, where larger
        is better; or None, the accuracy or R². If it is a list, the first one decides, and
        ``trace_`` records all of them by round, as "validation_loss" and so on.
    validation_fraction : float, int or None, default=0.1
        Share or number of rows to hold out; None monitors the training rows.
    n_iter_no_change : int, default=10
        Number of rounds without improvement before stopping.
    tol : float, default=1e-7
        Smallest improvement that counts.
    verbose : int, default=0
        Report progress.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness for held-out rows and for sampled rows, columns and trees.
    subsample : float, default=1.0
        Share of the rows drawn for each round, without replacement.
    init : "zero", number, array-like, estimator or None, default=None
        Score before any tree: the best constant (None), zero, one number per score, or the
        predictions of a model that is fitted first.
    """

    loss: Any = "squared_error"
    _: KW_ONLY
    learning_rate: Any = 0.1
    max_iter: int = 100
    max_leaf_nodes: int | None = 31
    max_depth: int | None = None
    min_samples_leaf: int = 20
    l2_regularization: float = 0.0
    max_features: float | str | None = 1.0
    max_bins: int = 255
    categorical_features: Any = "from_dtype"
    monotonic_cst: Any = None
    interaction_cst: Any = None
    warm_start: bool = False
    early_stopping: bool | Literal["auto"] = "auto"
    scoring: Any = "loss"
    validation_fraction: float | None = 0.1
    n_iter_no_change: int = 10
    tol: float = 1e-7
    verbose: int = 0
    random_state: RandomLike = None
    subsample: float = 1.0
    init: Any = None


@dataclass(eq=False, repr=False)
class ClassicParameters:
    r"""The parameters of scikit-learn's ``GradientBoosting*``, and those of the other face.

    Parameters
    ----------
    learning_rate : float, list of floats or callable, default=0.1
        Factor that multiplies the values of every tree: one number for all rounds, one number per
        round, or a function of the round, counted from 0.
    n_estimators : int, default=100
        Maximum number of rounds.
    subsample : float, default=1.0
        Share of the rows drawn for each round, without replacement. Below 1, the rows left out
        give ``oob_scores_`` and ``oob_improvement_``.
    criterion : {"friedman_mse", "squared_error"}
        Deprecated and without effect: both choose the same splits.
    min_samples_split : int or float, default=2
        Minimum number of rows in a node to be split; a float is a share of all rows, rounded up.
    min_samples_leaf : int or float, default=1
        Minimum number of rows in a leaf; a float is a share of all rows, rounded up.
    min_weight_fraction_leaf : float, default=0.0
        Minimum share of the total weight in a leaf.
    max_depth : int or None, default=3
        Maximum depth of a tree.
    min_impurity_decrease : float, default=0.0
        Minimum decrease of the variance of the gradients by a split, averaged over all rows.
    init : "zero", number, array-like, estimator or None, default=None
        Score before any tree: the best constant (None), zero, one number per score, or the
        predictions of a model that is fitted first.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness for held-out rows and for sampled rows, columns and trees.
    max_features : int, float, {"sqrt", "log2"} or None, default=None
        Columns drawn per node; a float is a share, rounded down. None takes all.
    verbose : int, default=0
        Print the loss occasionally (1) or after every round (2).
    max_leaf_nodes : int or None, default=None
        Maximum number of leaves of a tree; the leaf with the largest gain is split next.
    warm_start : bool, default=False
        Keep the trees of the last fit and add more.
    validation_fraction : float, default=0.1
        Share of the held-out rows for early stopping.
    n_iter_no_change : int or None, default=None
        Stop when the loss on held-out rows has not improved for this many rounds. None disables
        early stopping.
    tol : float, default=1e-4
        Smallest improvement that counts.
    ccp_alpha : float, default=0.0
        Penalty per leaf in minimal cost-complexity pruning of every tree.
    l2_regularization : float, default=0.0
        :math:`\lambda`, added to the sum of Hessians of every leaf.
    max_bins : int or None, default=255
        Maximum number of bins per numeric column. With fewer distinct values, splits are exact;
        None makes them exact up to 65,535 values, which takes twice the memory and more time.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Numeric columns to treat as categorical, in addition to text and categorical columns.
    monotonic_cst : array-like or dict of str to int, default=None
        -1, 0 or 1 for each column, or by name: the direction in which it may move the prediction.
    interaction_cst : {"pairwise", "no_interactions"} or list of groups, default=None
        Which columns may occur together on a path; columns in no group form one more group.
    scoring : str, callable, None or list, default="loss"
        The score monitored by early stopping: "loss"; "error", the share of mistakes or the mean
        absolute error; the name of a scikit-learn scorer, such as "roc_auc", where larger is
        better, or such as "log_loss", where smaller is, as the scorer's name begins with ``neg_``;
        a function ``(estimator, X, y)`` as returned by `sklearn.metrics.make_scorer`, where larger
        is better; or None, the accuracy or R². If it is a list, the first one decides, and
        ``trace_`` records all of them by round, as "validation_loss" and so on.
    """

    _: KW_ONLY
    loss: Any = "squared_error"
    learning_rate: Any = 0.1
    n_estimators: int = 100
    subsample: float = 1.0
    criterion: Literal["deprecated", "friedman_mse", "squared_error"] = "deprecated"
    min_samples_split: float = 2
    min_samples_leaf: float = 1
    min_weight_fraction_leaf: float = 0.0
    max_depth: int | None = 3
    min_impurity_decrease: float = 0.0
    init: Any = None
    random_state: RandomLike = None
    max_features: float | str | None = None
    verbose: int = 0
    max_leaf_nodes: int | None = None
    warm_start: bool = False
    validation_fraction: float | None = 0.1
    n_iter_no_change: int | None = None
    tol: float = 1e-4
    ccp_alpha: float = 0.0
    l2_regularization: float = 0.0
    max_bins: int | None = 255
    categorical_features: Any = "from_dtype"
    monotonic_cst: Any = None
    interaction_cst: Any = None
    scoring: Any = "loss"
