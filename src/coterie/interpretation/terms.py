"""Linear models over rules and columns: what they are made of, and how they read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from coterie.data import Table
from coterie.fusion.sums import row_product
from coterie.interpretation.rules import Rules, column_name
from coterie.tags import tagged

Array = NDArray[np.float64]


@tagged
class Term(NamedTuple):
    r"""One term of a sum of rules and linear functions.

    Attributes
    ----------
    text : str
        The rule, or the name of the column of a linear term.
    kind : {"rule", "linear"}
        What it is.
    coefficient : float or tuple of float
        Amount added where the rule holds, or per unit of the column; one for each class if there
        are more than two.
    support : float
        Share of the training weight for which the rule holds; 1 for a linear term.
    importance : float
        How much the term moves predictions: :math:`|a| \sqrt{s (1 - s)}` of a rule, :math:`|b|`
        times the standard deviation of a linear term, in all classes together.
    """

    text: str
    kind: str
    coefficient: Any
    support: float
    importance: float


@tagged
@dataclass(frozen=True, eq=False)
class Linear:
    """Columns of numbers, winsorised: what is beyond `low` and `high` counts as these.

    Missing values count as the mean.
    """

    columns: NDArray[np.intp]
    low: Array
    high: Array
    mean: Array
    scale: Array

    @classmethod
    def learn(cls, cells: Array, columns: NDArray[np.intp], share: Array, delta: float) -> Linear:
        """Limits at the `delta` quantiles; columns that do not vary are left out."""
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            ends = np.array([_quantiles(cells[:, j], share, delta) for j in columns]).reshape(-1, 2)
            low, high = ends.T
            middle = np.where(np.isnan(low), 0.0, low)
            clipped = np.clip(cells[:, columns], low, high)
            known = ~np.isnan(clipped)
            filled = np.where(known, clipped - middle, 0.0)
            mass = share @ known
            mean = (share @ filled) / np.where(mass > 0, mass, 1.0)
            spread = np.sqrt(share @ np.where(known, filled - mean, 0.0) ** 2)
            usable = np.isfinite(spread) & (spread > 0) & np.isfinite(1.0 / spread)
        return cls(
            columns[usable],
            low[usable],
            high[usable],
            (middle + mean)[usable],
            spread[usable],
        )

    def __call__(self, cells: Array) -> Array:
        """Columns of mean 0 and standard deviation 1."""
        clipped = np.clip(cells[:, self.columns], self.low, self.high)
        return np.where(np.isnan(clipped), 0.0, (clipped - self.mean) / self.scale)

    def __getitem__(self, chosen: Any) -> Linear:
        """Some of the terms."""
        fields = (self.columns, self.low, self.high, self.mean, self.scale)
        return Linear(*(field[chosen] for field in fields))

    def __len__(self) -> int:
        """Number of terms."""
        return len(self.columns)


def _quantiles(values: Array, share: Array, delta: float) -> tuple[float, float]:
    """Values below which, and above which, a share `delta` of the weight lies."""
    known = ~np.isnan(values)
    if not known.any():
        return np.nan, np.nan
    order = np.argsort(values[known], kind="stable")
    values, mass = values[known][order], np.cumsum(share[known][order])
    at = np.searchsorted(mass, np.array([delta, 1.0 - delta]) * mass[-1] * (1.0 - 1e-12))
    low, high = values[np.minimum(at, len(values) - 1)]
    return float(low), float(high)


@tagged
@dataclass(frozen=True, eq=False)
class RuleModel:
    """A fitted linear model over rules and columns, as a member of a pool.

    Parameters
    ----------
    rules : Rules
        The rules.
    linear : Linear
        The columns.
    intercepts : ndarray of shape (n_scores,)
        What is said where no rule holds and columns are at their means.
    coefs : ndarray of shape (n_scores, n_rules + n_linear)
        Coefficients.
    n_classes : int
        Scores are log-odds of as many classes, one score for two of them; 0 for numbers.
    """

    rules: Rules
    linear: Linear
    intercepts: Array
    coefs: Array
    n_classes: int

    def predict(self, table: Table) -> Array:
        """Probabilities, or numbers."""
        raw = self.raw(table)
        if not self.n_classes:
            return raw
        chances = expit(raw)
        if self.n_classes == 1:
            return np.ones_like(chances)
        if self.n_classes == 2:
            return np.hstack([1.0 - chances, chances])
        total = chances.sum(axis=1, keepdims=True)
        even = np.full_like(chances, 1.0 / chances.shape[1])
        return np.divide(chances, total, out=even, where=total > 0)

    def raw(self, table: Table) -> Array:
        """Scores, shape (n_rows, n_scores)."""
        known = Table.under(self.rules.schema, table.given())
        parts = [self._score(known.take(rows), cells) for rows, cells in known.blocks()]
        return parts[0] if len(parts) == 1 else np.concatenate(parts)

    def _score(self, table: Table, cells: Array) -> Array:
        held = row_product(self.rules(table), self.coefs[:, : len(self.rules)].T)
        columns = row_product(self.linear(cells), self.coefs[:, len(self.rules) :].T)
        return np.asarray(self.intercepts + held + columns)

    @property
    def constants(self) -> Array:
        """What is added whatever the rules say and the columns hold, one for each score."""
        means = self.linear.mean / self.linear.scale
        return np.asarray(self.intercepts - self.coefs[:, len(self.rules) :] @ means)

    def terms(self, support: Array) -> list[Term]:
        """All terms, the most important first; `support` is that of the rules."""
        n_rules = len(self.rules)
        spread = np.concatenate([np.sqrt(support * (1.0 - support)), np.ones(len(self.linear))])
        importance = np.abs(self.coefs).sum(axis=0) * spread
        # Linear terms are shown in units of their column.
        unit = np.concatenate([np.ones(n_rules), self.linear.scale])
        names = [column_name(self.rules.schema, int(j)) for j in self.linear.columns]
        texts = self.rules.text() + names
        found = []
        for place in np.argsort(-importance, kind="stable").tolist():
            coefs = (self.coefs[:, place] / unit[place]).tolist()
            found.append(
                Term(
                    texts[place],
                    "rule" if place < n_rules else "linear",
                    coefs[0] if len(coefs) == 1 else tuple(coefs),
                    float(support[place]) if place < n_rules else 1.0,
                    float(importance[place]),
                )
            )
        return found

    def column_importances(self, support: Array) -> Array:
        """Importance of the terms, shared by the columns of a rule; sums to one."""
        size = np.abs(self.coefs).sum(axis=0)
        total = np.zeros(self.rules.schema.n_columns)
        rules = self.rules
        each = (
            size[: len(rules)] * np.sqrt(support * (1.0 - support)) / np.maximum(rules.lengths, 1)
        )
        np.add.at(total, rules.column, np.repeat(each, rules.lengths))
        np.add.at(total, self.linear.columns, size[len(rules) :])
        return total / total.sum() if total.sum() > 0 else total
