"""Which learner fits the members of a booster."""

from __future__ import annotations

from typing import Any, Literal

from coterie.core import ParameterError
from coterie.core.train import Trainer
from coterie.data import Table, Target
from coterie.learners import ForeignLearner, TreeLearner
from coterie.trees import DecisionTreeClassifier, DecisionTreeRegressor
from coterie.trees.growth import resolve_growth
from coterie.trees.single import SingleTree, is_native

_USUAL_BINS = 255  # of boosters, whose trees are small


def class_depth(n_classes: int, spare: int | None) -> int:
    """Depth of trees that tell classes apart: a leaf for each class, and levels to spare.

    Stumps cannot: of 26 letters, 50 boosted stumps recognise one in four.

    Parameters
    ----------
    n_classes : int
        Number of classes.
    spare : int or None
        Further levels with three or more classes; None for stumps whatever the classes.

    Examples
    --------
    >>> class_depth(2, 1), class_depth(26, 1), class_depth(26, None)
    (1, 6, 1)
    """
    return 1 if spare is None or n_classes <= 2 else (n_classes - 1).bit_length() + spare


def member_learner(
    owner: str,
    member: Any,
    gives: Literal["label", "proba", "score"],
    table: Table,
    target: Target,
    n_threads: int = 1,
) -> Trainer:
    """Native trees grow on the binned table; anything else is cloned and fitted.

    Parameters
    ----------
    owner : str
        Whose members they are; named in messages.
    member : estimator
        What to fit.
    gives : {"label", "proba", "score"}
        What members are asked for.
    table, target : Table, Target
        The training rows, binned for native trees. Members that give numbers may be fitted to
        other numbers than those of the target.
    n_threads : int
        Threads within a native tree.
    """
    if not is_native(member):
        if gives == "proba" and not hasattr(member, "predict_proba"):
            raise ValueError(
                f"{owner} needs members with predict_proba, but {type(member).__name__} has none. "
                "Wrap it, for example in sklearn.calibration.CalibratedClassifierCV."
            )
        return ForeignLearner(member, "predict_proba" if gives == "proba" else "predict")
    regression = gives == "score" or target.kind == "values"
    if (member.task == "regression") != regression:
        tree = DecisionTreeRegressor if regression else DecisionTreeClassifier
        raise ValueError(
            f"{owner} cannot boost a {type(member).__name__}: its members must predict "
            f"{'numbers' if regression else 'classes'}. Use a {tree.__name__}."
        )
    shape = Target("values", target.encoded) if regression else target
    growth = resolve_growth(member, table, shape, random_thresholds=member.splitter == "random")
    return TreeLearner(
        growth, member.min_weight_fraction_leaf, float(member.ccp_alpha), n_threads=n_threads
    )


def member_bins(owner: str, max_bins: int, member: SingleTree) -> int:
    """Groups a column is cut into for native trees: the booster's number, or the member's own.

    Parameters
    ----------
    owner : str
        Whose members they are; named in messages.
    max_bins : int
        That of the booster.
    member : native tree
        Its `max_bins` counts if it is not the default.

    Examples
    --------
    >>> member_bins("AdaBoostClassifier", 255, DecisionTreeClassifier(max_bins=16))
    16
    """
    if member.max_bins in (type(member).max_bins, max_bins):
        return max_bins
    if max_bins != _USUAL_BINS:
        raise ParameterError(
            f"max_bins={max_bins!r} of {owner} contradicts max_bins={member.max_bins!r} of its "
            f"{type(member).__name__}, but members share one binned table. Set only one of them."
        )
    return member.max_bins
