"""Interpretable students: rule lists and linear models."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lstsq

from coterie.data import Schema, Table, Target
from coterie.forests import RandomForestRegressor
from coterie.interpretation.rules import Rules, different, forest_rules
from coterie.interpretation.teaching import TransferSet
from coterie.interpretation.terms import Linear, RuleModel
from coterie.interpretation.virtual import dense_cells
from coterie.tags import tagged

Array = NDArray[np.float64]

_SURE = 1e-3  # probabilities are kept this far from 0 and 1 where their log-odds are fitted
_MOST_CANDIDATES = 1000


@tagged
@dataclass(frozen=True, eq=False)
class RuleList:
    """Rules one after the other; the first that holds decides.

    Parameters
    ----------
    rules : Rules
        The rules in order.
    values : ndarray of shape (n_rules + 1, n_outputs)
        What each says, and last what is said if none holds: probabilities, or numbers.
    """

    rules: Rules
    values: Array

    def predict(self, table: Table) -> Array:
        """What the first rule that holds says, shape (n_rows, n_outputs)."""
        held = self.rules(Table.under(self.rules.schema, table.given()))
        first = np.hstack([held, np.ones((len(held), 1), dtype=bool)]).argmax(axis=1)
        return np.asarray(self.values[first])

    def text(self, classes: NDArray[np.generic] | None = None) -> str:
        """The list to be read, with classes and their probabilities, or numbers."""
        lines: list[str] = []
        for value, rule in zip(self.values, [*self.rules.text(), ""], strict=True):
            if classes is None:
                said = f"{value[0]:.5g}"
            else:
                best = int(value.argmax())
                said = f"{classes[best]} ({value[best]:.2f})"
            start = ("else if " if lines else "if ") + f"{rule}: " if rule else "else: "
            lines.append(start + said)
        return "\n".join(lines)


def teach_list(transfer: TransferSet, max_rules: int, max_conditions: int, seed: int) -> RuleList:
    r"""A decision list, grown by the rule that explains most of what the rules before left.

    Candidates are the nodes of a forest that is fitted to what the teacher says. The next rule is
    the one that lowers :math:`\sum_i w_i \|s_i - \bar s\|^2` most if rows for which it holds get
    a mean of their own; these rows are then done with.
    """
    table, said, weight, _ = transfer
    share = np.ones(len(said)) if weight is None else weight / weight.max()
    candidates = _candidates(transfer, max_conditions, seed)
    held = candidates(table)
    kept = different(held, candidates.lengths, opposites=False)[:_MOST_CANDIDATES]
    candidates, held = candidates[kept], held[:, kept]
    chosen: list[int] = []
    values: list[Array] = []
    left = share.copy()
    for _ in range(max_rules):
        gain, means, error = _gains(held, left, said)
        if not len(gain) or not gain.max() > 1e-9 * share.sum():
            break
        # A rule and its opposite gain the same; rows of the purer one are better done with.
        best = int(np.where(gain >= 0.98 * gain.max(), error, np.inf).argmin())
        chosen.append(best)
        values.append(means[best])
        left = np.where(held[:, best], 0.0, left)
    rest = left @ said / left.sum() if left.sum() > 0 else share @ said / share.sum()
    return RuleList(candidates[np.array(chosen, dtype=np.intp)], np.array([*values, rest]))


def _candidates(transfer: TransferSet, max_conditions: int, seed: int) -> Rules:
    table, said, weight, _ = transfer
    scale = said.std(axis=0).max() or 1.0
    forest = RandomForestRegressor(
        100,
        draw="repeats",
        max_depth=max_conditions,
        max_features="third",
        min_weight_fraction_leaf=0.02,
        categorical_features=sorted(table.schema.labels) or None,
        random_state=seed % 2**31,
    )
    wanted = said / scale
    forest.fit(table.given(), wanted[:, 0] if wanted.shape[1] == 1 else wanted, weight)
    return forest_rules(forest.pool_.forest, table.schema)


def _gains(held: NDArray[np.bool_], left: Array, said: Array) -> tuple[Array, Array, Array]:
    """Decrease of squared error by each rule on the rows that are left, its means, its error."""
    total, mass = left @ said, left.sum()
    inside = held.T @ (left[:, None] * said)
    within = held.T @ left
    others = mass - within
    # A rule must tell apart rows that are left, and at least a hundredth of them.
    usable = (within >= 0.01 * mass) & (others > 1e-12 * mass) & (within > 0)
    safe = np.where(usable, within, 1.0)[:, None]
    rest = np.where(usable, others, 1.0)[:, None]
    means = inside / safe
    gain = (inside**2 / safe + (total - inside) ** 2 / rest).sum(axis=1)
    gain -= (total**2).sum() / max(mass, 1e-300)
    error = (held.T @ (left[:, None] * said**2) / safe - means**2).sum(axis=1)
    return np.where(usable, gain, -np.inf), means, error


def one_level_rules(schema: Schema) -> Rules:
    """A rule for each category of each column: ``colour in {red}``."""
    columns = [j for j in sorted(schema.labels) if len(schema.labels[j])]
    sizes = [len(schema.labels[j]) for j in columns]
    n_rules = sum(sizes)
    masks = np.zeros((n_rules, max(sizes, default=1)), dtype=bool)
    places = np.concatenate([np.arange(size) for size in sizes] or [np.zeros(0, dtype=np.intp)])
    masks[np.arange(n_rules), places.astype(np.intp)] = True
    return Rules(
        schema,
        np.arange(n_rules + 1),
        np.repeat(np.array(columns, dtype=np.intp), sizes),
        np.full(n_rules, -np.inf),
        np.full(n_rules, np.inf),
        np.arange(n_rules),
        masks,
    )


def teach_linear(transfer: TransferSet, *, labels: bool) -> tuple[RuleModel, Array]:
    """Least squares on what the teacher says, log-odds of probabilities; and shares of categories.

    A category is a term of its own, a missing number counts as the mean of its column.
    """
    table, said, weight, _ = transfer
    share = np.ones(len(said)) if weight is None else weight / weight.max()
    share = share / share.sum()
    scores = said
    if labels:
        asked = said[:, 1:] if said.shape[1] == 2 else said
        clipped = np.clip(asked, _SURE, 1.0 - _SURE)
        scores = np.log(clipped) - np.log1p(-clipped)
    rules = one_level_rules(table.schema)
    rules = rules[: min(len(rules), _MOST_CANDIDATES)]
    cells = dense_cells(table)
    numbers = np.setdiff1d(np.arange(table.n_columns), list(table.schema.labels))
    linear = Linear.learn(cells, numbers, share, 0.0)
    held = rules(table)
    support = share @ held
    design = np.hstack([held - support, linear(cells)])
    mean = share @ scores
    size = float(np.abs(scores - mean).max()) or 1.0
    root = np.sqrt(share)[:, None]
    coefs = np.zeros((design.shape[1], scores.shape[1]))
    if design.shape[1]:
        coefs = lstsq(design * root, (scores - mean) / size * root, cond=1e-10)[0] * size
    intercepts = mean - support @ coefs[: len(rules)]
    n_classes = said.shape[1] if labels else 0
    return RuleModel(rules, linear, intercepts, np.ascontiguousarray(coefs.T), n_classes), support


def cooled(said: Array, temperature: float) -> Array:
    r"""Probabilities at a temperature: :math:`p_k^{1/\tau} / \sum_j p_j^{1/\tau}`.

    Examples
    --------
    >>> cooled(np.array([[0.2, 0.8]]), 2.0).round(3)
    array([[0.333, 0.667]])
    """
    powers = said ** (1.0 / temperature)
    return np.asarray(powers / powers.sum(axis=1, keepdims=True))


def soft_target(transfer: TransferSet) -> Target:
    """What the teacher says as numbers to be predicted, one column per class."""
    return replace(
        transfer.target,
        kind="values",
        encoded=np.ascontiguousarray(transfer.said),
        classes=(),
        flat=transfer.said.shape[1] == 1,
    )
