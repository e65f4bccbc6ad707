r"""The defaults of `BoostedTrees*`: what is chosen for a table of which size and kind, and why.

Every rule is a function of a few facts about the table. They were chosen by repeated splits of some
forty tables and confirmed on thirty others, see ``benchmarks/results/boosted_trees.md``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from coterie.base import Admitted
from coterie.tags import tagged

Effort = Literal["single", "fast", "default", "best"]
Kind = Literal["numbers", "two classes", "many classes"]

_MOST_REPEATS = 1_000_000
_FEW_TREES = 4  # of a round
_TINY = 50  # rows
_WIDE = 2_000  # columns
_FEW_LABELS, _ROWS_OF_LABEL = 16, 50


@tagged
@dataclass(frozen=True)
class Choice:
    """A setting that was chosen, and why."""

    value: Any
    reason: str


@dataclass(frozen=True)
class TableFacts:
    """What the rules look at.

    Parameters
    ----------
    n_rows : float
        Rows; weights that are integers count as so many.
    n_columns : int
        Columns.
    n_classes : int
        Classes; 0 for numbers.
    effort : {"single", "fast", "default", "best"}
        How much time may be spent.
    watched : bool, default=False
        Whether rows that models do not see decide how many rounds are best.
    together : bool, default=False
        Whether one tree grows for all classes.

    Examples
    --------
    >>> TableFacts(1000, 10, 3, "default").kind
    'many classes'
    """

    n_rows: float
    n_columns: int
    n_classes: int
    effort: Effort
    watched: bool = False
    together: bool = False

    @classmethod
    def of(cls, admitted: Admitted, effort: Effort) -> TableFacts:
        """The facts of a table."""
        table, target, weight = admitted.table, admitted.target, admitted.weight
        n_rows = float(weight.sum() if weight is not None and repeats(weight) else table.n_rows)
        n_classes = max(target.n_classes, default=0)
        # So few rows are not worth parting, nor drawing from.
        effort = "single" if n_rows < _TINY else effort
        return cls(n_rows, table.n_columns, n_classes, effort)

    @property
    def kind(self) -> Kind:
        """What is predicted."""
        if not self.n_classes:
            return "numbers"
        return "two classes" if self.n_classes <= 2 else "many classes"

    @property
    def trees_per_round(self) -> int:
        """Trees that a round grows."""
        return self.n_classes if self.n_classes > 2 and not self.together else 1


def repeats(weight: NDArray[np.float64]) -> bool:
    """Whether weights can be numbers of repetitions."""
    return bool(weight.max() <= _MOST_REPEATS and np.array_equal(weight, np.rint(weight)))


def folds(facts: TableFacts) -> Choice:
    """Parts in turn held out; a model is fitted to all others, and all models are averaged."""
    if facts.effort == "single":
        return Choice(None, "one model is fitted to all rows")
    if facts.effort == "fast":
        return Choice(3 if facts.n_rows < 50_000 else 2, "few models are soon fitted")
    steps = ((500, 8), (5_000, 6), (50_000, 4))
    number = next((folds for below, folds in steps if facts.n_rows < below), 2)
    if facts.effort == "best":
        number = round(1.6 * number)
    return Choice(number, "the fewer rows there are, the more of them each model should see")


def rounds(facts: TableFacts) -> Choice:
    """The most rounds of a model."""
    most = {"single": 200, "fast": 300, "default": 1_000, "best": 3_000}[facts.effort]
    if facts.trees_per_round <= _FEW_TREES:
        return Choice(most, "set by effort")
    capped = max(150, round(_FEW_TREES * most / facts.trees_per_round))
    return Choice(capped, f"fewer, because every round grows {facts.trees_per_round} trees")


def learning_rate(facts: TableFacts) -> Choice:
    """The step of a model whose rounds are chosen by held-out rows, or that takes all of them."""
    if not facts.watched:
        return Choice(_path(facts) / rounds(facts).value, "as far as this number of rows supports")
    step = {"single": 0.15, "fast": 0.15, "default": 0.08, "best": 0.03}[facts.effort]
    if facts.trees_per_round > _FEW_TREES:
        return Choice(1.5 * step, "larger, because there are fewer rounds")
    return Choice(step, "the number of rounds is chosen on held-out rows")


def patience(facts: TableFacts) -> Choice:
    """Number of rounds without improvement before stopping."""
    return Choice(round(2.5 / learning_rate(facts).value) if facts.watched else 10, "2.5 / step")


def _path(facts: TableFacts) -> float:
    """Rounds times step without held-out rows: more rows bear a longer path."""
    slope, level = {
        "numbers": (0.16, 1.6),
        "two classes": (0.41, -0.9),
        "many classes": (0.05, 2.1),
    }[facts.kind]
    path = math.exp(slope * math.log(max(2.0, facts.n_rows)) + level)
    return min(path, 0.3 * rounds(facts).value)


def shapes(facts: TableFacts) -> Choice:
    """How trees of the models grow, in turn."""
    if facts.effort in ("single", "fast"):
        return Choice(("leaf",), "the faster of the shapes")
    if facts.together:
        return Choice(("leaf",), "one tree for all classes")
    return Choice(("leaf", "symmetric"), "diverse models combine better")


def leaves(facts: TableFacts) -> Choice:
    """Leaves of a tree that grows leaf by leaf."""
    number = int(np.clip(2 * facts.n_rows**0.3, 8, 128))
    return Choice(number, "2 n^0.3, from 8 to 128")


def depth(facts: TableFacts) -> Choice:
    """Levels of a symmetric tree."""
    steps = ((500, 4), (2_000, 5), (50_000, 6))
    found = next((levels for below, levels in steps if facts.n_rows < below), 7)
    return Choice(found, "deeper with more rows")


def rows_in_leaf(facts: TableFacts) -> Choice:
    """Minimum number of rows in a leaf."""
    root = math.sqrt(facts.n_rows)
    if facts.n_rows < _TINY:
        return Choice(1, "so few rows that weights matter more than counts")
    if facts.kind == "numbers":
        return Choice(int(np.clip(root / 10, 2, 10)), "sqrt(n) / 10, from 2 to 10")
    return Choice(int(np.clip(root / 5, 2, 40)), "sqrt(n) / 5, from 2 to 40")


def ridge(facts: TableFacts) -> Choice:
    """What is added to the Hessians of a leaf of a tree that grows leaf by leaf."""
    if facts.kind == "numbers" and facts.n_rows < 5_000:
        return Choice(3.0, "few rows: leaves may be small")
    return Choice(1.0, "little: leaves are large enough")


def is_wide(n_rows: float, n_columns: int) -> bool:
    """Whether there are so many more columns than rows that many of them fit by chance.

    Examples
    --------
    >>> is_wide(200, 20_000), is_wide(60_000, 784)
    (True, False)
    """
    return n_columns >= _WIDE and n_columns > 5 * n_rows


def columns(facts: TableFacts) -> Choice:
    """Share of the columns drawn for a round."""
    if facts.effort == "single":
        return Choice(1.0, "no sampling")
    if is_wide(facts.n_rows, facts.n_columns):
        return Choice(0.25, "trees of all columns would fit the same noise")
    share = float(np.clip((10 / facts.n_columns) ** 0.25, 0.5, 1.0))
    return Choice(share, "(10 / d)^(1/4), at least a half")


def rows(facts: TableFacts) -> Choice:
    """Share of the rows drawn for a round."""
    if facts.effort == "single" or facts.n_rows < 100:
        return Choice(1.0, "no sampling")
    return Choice(0.8, "for diverse trees")


def ordered_columns(facts: TableFacts, labels: Mapping[int, Any]) -> list[int]:
    """Columns of words that become ordered statistics of the target.

    Sets of many words fit noise; a statistic of few rows of each is noise itself.

    Examples
    --------
    >>> ordered_columns(TableFacts(2000, 3, 2, "default"), {0: range(4), 1: range(30)})
    [1]
    """
    if facts.effort == "single":
        return []
    most = facts.n_rows / _ROWS_OF_LABEL
    return [j for j, known in labels.items() if _FEW_LABELS < len(known) <= most]


#: By parameter: the rule for models of either shape.
COMMON: Mapping[str, Callable[[TableFacts], Choice]] = {
    "n_folds": folds,
    "growth": shapes,
    "max_iter": rounds,
    "n_iter_no_change": patience,
    "learning_rate": learning_rate,
    "subsample": rows,
    "colsample_bytree": columns,
}


def _always(value: Any, reason: str) -> Callable[[TableFacts], Choice]:
    return lambda facts: Choice(value, reason)


#: By shape and parameter.
SHAPED: Mapping[str, Mapping[str, Callable[[TableFacts], Choice]]] = {
    "leaf": {
        "max_leaf_nodes": leaves,
        "max_depth": _always(None, "limited by the number of leaves"),
        "min_samples_leaf": rows_in_leaf,
        "l2_regularization": ridge,
    },
    "symmetric": {
        "max_leaf_nodes": _always(None, "limited by the depth"),
        "max_depth": depth,
        "min_samples_leaf": _always(1, "nodes do not choose their own splits"),
        "l2_regularization": _always(3.0, "leaves may be small"),
    },
}
SHAPED = {**SHAPED, "level": SHAPED["leaf"]}


def choose(
    facts: TableFacts, given: Mapping[str, Any]
) -> tuple[list[dict[str, Any]], dict[str, Choice]]:
    """The settings of the models, one after another, and the choices that were made.

    Parameters
    ----------
    facts : TableFacts
        Of the table.
    given : mapping
        Parameters of the user; those that are "auto" are chosen.

    Returns
    -------
    settings : list of dict
        One for each shape; models take them in turn.
    chosen : dict of str to Choice
        By parameter, or by parameter and shape where they differ.
    """
    number = folds(facts).value if is_auto(given["n_folds"]) else given["n_folds"]
    facts = replace(
        facts,
        watched=facts.watched or number is not None,
        together=given.get("multiclass") == "vector",
    )
    chosen = {name: rule(facts) for name, rule in COMMON.items() if is_auto(given[name])}
    common = {name: chosen[name].value if name in chosen else given[name] for name in COMMON}
    kinds = common.pop("growth")
    kinds = (kinds,) if isinstance(kinds, str) else kinds
    settings = []
    for kind in kinds:
        own = {}
        for name, rule in SHAPED[kind].items():
            if is_auto(given[name]):
                choice = rule(facts)
                chosen[name if len(kinds) == 1 else f"{name} ({kind})"] = choice
                own[name] = choice.value
        settings.append({**common, "growth": kind, **own})
    return settings, chosen


def is_auto(value: Any) -> bool:
    """Whether a parameter is left to the rules."""
    return isinstance(value, str) and value == "auto"
