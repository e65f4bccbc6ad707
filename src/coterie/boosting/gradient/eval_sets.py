"""Rows that are scored after every round, besides those to learn from."""

from __future__ import annotations

from typing import Any

from coterie.base.scoring import Validation

#: What a single set is called, and any that `fit` holds out by itself.
ONLY = "validation"


def read_eval_sets(eval_set: Any, names: Any, weights: Any) -> dict[str, Validation]:
    """The sets that a user gave, by name and in their order.

    Parameters
    ----------
    eval_set : pair (X, y), list of such pairs, or None
        The rows.
    names : list of str or None
        Their names; by default "validation" if there is one, otherwise "validation_0" and so on.
    weights : list of arrays or None
        Weights of the rows of each set, None for ones. Of a single set they may be given as such.

    Examples
    --------
    >>> sets = read_eval_sets([([[1.0]], [2.0]), ([[3.0]], [4.0])], None, None)
    >>> list(sets), sets["validation_1"].y
    (['validation_0', 'validation_1'], [4.0])
    """
    if eval_set is None:
        if names is not None or weights is not None:
            raise ValueError("eval_names and eval_sample_weight need eval_set, which is None.")
        return {}
    alone = isinstance(eval_set, tuple) and len(eval_set) == 2 and not _is_pair(eval_set[0])
    pairs = [eval_set] if alone else list(eval_set)
    if not pairs or not all(_is_pair(pair) for pair in pairs):
        raise ValueError("eval_set must be a list of pairs (X, y), such as [(X_new, y_new)].")
    if weights is None:
        weights = [None] * len(pairs)
    elif len(pairs) == 1 and len(weights) != 1:
        weights = [weights]
    names = _names(names, len(pairs))
    for what, given in (("eval_names", names), ("eval_sample_weight", weights)):
        if len(given) != len(pairs):
            raise ValueError(f"{what} has {len(given)} entries for {len(pairs)} evaluation sets.")
    return {
        name: Validation(X, y, weight)
        for name, (X, y), weight in zip(names, pairs, weights, strict=True)
    }


def _is_pair(given: Any) -> bool:
    return isinstance(given, tuple | list) and len(given) == 2


def _names(names: Any, number: int) -> list[str]:
    if names is None:
        return [ONLY] if number == 1 else [f"{ONLY}_{i}" for i in range(number)]
    names = [names] if isinstance(names, str) else [str(name) for name in names]
    taken = [name for name in names if name == "train" or names.count(name) > 1]
    if taken:
        raise ValueError(
            f"eval_names contains {taken[0]!r}, which is already in use. Choose another name."
        )
    return names
