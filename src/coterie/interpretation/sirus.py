"""SIRUS: a short and stable list of rules out of a forest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from coterie.base import Admitted, ClassifierTask, Committee, RegressorTask
from coterie.core import (
    Allowed,
    Pool,
    RandomLike,
    at_least,
    between,
    draw_entropy,
    growing_stream,
)
from coterie.data import Table
from coterie.forests import RandomForestClassifier, RandomForestRegressor
from coterie.fusion.sums import row_product
from coterie.interpretation.rules import Rules, forest_rules
from coterie.interpretation.terms import Term
from coterie.tags import tagged
from coterie.trees.growth import SHAPE

Array = NDArray[np.float64]

_SIRUS: dict[str, Allowed] = {
    "n_trees": at_least(1),
    "n_cuts": between(2, 255),
    "max_depth": at_least(1),
    "p0": between(0.0, 1.0),
    "max_rules": at_least(1),
    **{name: SHAPE[name] for name in ("random_state", "n_jobs", "max_bins")},
    "categorical_features": SHAPE["categorical_features"],
}


@tagged
@dataclass(frozen=True, eq=False)
class RuleMean:
    """Rules that say one thing where they hold and another where they do not, as a member.

    Parameters
    ----------
    rules : Rules
        The rules.
    inside, outside : ndarray of shape (n_rules, n_outputs)
        What each says of rows for which it holds, and of the others.
    weights : ndarray of shape (n_rules,)
        What each counts.
    constant : ndarray of shape (n_outputs,)
        What is added.
    """

    rules: Rules
    inside: Array
    outside: Array
    weights: Array
    constant: Array

    def predict(self, table: Table) -> Array:
        """Weighted sum of what the rules say, shape (n_rows, n_outputs)."""
        held = self.rules(Table.under(self.rules.schema, table.given()))
        change = self.weights[:, None] * (self.inside - self.outside)
        return np.asarray(self.constant + self.weights @ self.outside + row_product(held, change))


@dataclass(eq=False, repr=False)
class Sirus(Committee):
    """The rules that most trees of a forest agree on.

    Parameters
    ----------
    n_trees : int, default=500
        Trees of the forest that rules are counted in.
    n_cuts : int, default=10
        Number of quantile bins per column; trees split only between them, so that they find the
        same rules repeatedly.
    max_depth : int, default=2
        Maximum number of conditions in a rule.
    p0 : float, default=0.02
        Rules in more than this share of the trees are kept.
    max_rules : int, default=25
        Maximum number of rules; the most frequent are kept.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the forest.
    n_jobs : int, default=None
        Number of trees grown in parallel.
    max_bins : int, default=255
        An upper limit of `n_cuts`, which all estimators have.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Numeric columns to be treated as categorical.
    """

    n_trees: int = 500
    _: KW_ONLY
    n_cuts: int = 10
    max_depth: int = 2
    p0: float = 0.02
    max_rules: int = 25
    random_state: RandomLike = None
    n_jobs: int | None = None
    max_bins: int = 255
    categorical_features: Any = "from_dtype"

    # Known after a fit.
    frequencies_: Array = field(init=False)
    terms_: list[Term] = field(init=False)
    feature_importances_: Array = field(init=False)
    n_rules_: int = field(init=False)

    multi_output: ClassVar[bool] = False
    allowed: ClassVar[Mapping[str, Allowed]] = _SIRUS

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        table, target, weight, _ = admitted
        share = np.ones(table.n_rows) if weight is None else weight / weight.max()
        share = share / share.sum()
        rules, frequency = self._frequent(admitted)
        held = rules(table)
        chosen = independent(held, share, self.max_rules)
        rules, held = rules[chosen], held[:, chosen]
        y = np.eye(target.n_classes[0])[target.codes[:, 0]] if target.classes else target.values
        support = share @ held
        inside = (held * share[:, None]).T @ y / support[:, None]
        outside = (~held * share[:, None]).T @ y / (1.0 - support)[:, None]
        model = self._weighed(rules, held, inside, outside, (y, share))
        draft.pool_ = Pool.of([model])
        draft.frequencies_ = frequency[chosen]
        draft.n_rules_ = len(rules)
        draft.terms_ = _terms(model, support)
        draft.feature_importances_ = _column_shares(rules, frequency[chosen])

    def _frequent(self, admitted: Admitted) -> tuple[Rules, Array]:
        """Different rules of a forest in more than `p0` of the trees, the most frequent first."""
        kind = RandomForestClassifier if self.task == "classification" else RandomForestRegressor
        rng = growing_stream(draw_entropy(self.random_state))
        forest = kind(
            self.n_trees,
            draw="repeats",
            max_depth=self.max_depth,
            max_features="third",
            max_bins=min(self.n_cuts, self.max_bins),
            categorical_features=self.categorical_features,
            n_jobs=self.n_jobs,
            random_state=int(rng.integers(2**31)),
        )
        target, weight = admitted.target, admitted.weight
        forest.fit(admitted.table.given(), target.decode(target.encoded), weight)
        rules = forest_rules(forest.pool_.forest, admitted.table.schema)
        # A rule can be in a tree once only: its nodes ask for different rows.
        keys = np.array(rules.keys(), dtype=object)
        _, first, count = np.unique(keys, return_index=True, return_counts=True)
        frequency = count / self.n_trees
        kept = np.flatnonzero(frequency > self.p0)
        order = kept[np.lexsort((first[kept], -frequency[kept]))]
        return rules[first[order]], frequency[order]

    def _weighed(
        self,
        rules: Rules,
        held: NDArray[np.bool_],
        inside: Array,
        outside: Array,
        rows: tuple[Array, Array],
    ) -> RuleMean:
        """The model, once it is known what the rules say; `rows` are targets and weights."""
        raise NotImplementedError

    def to_text(self, max_terms: int | None = None) -> str:
        """The rules as text, the most frequent first.

        Parameters
        ----------
        max_terms : int, optional
            How many to show; all by default.

        Returns
        -------
        str
        """
        this = self._settled()
        model = this.pool_.members[0]
        lines = []
        for place, text in enumerate(model.rules.text()[:max_terms]):  # type: ignore[union-attr]
            said = [_listed(part[place]) for part in (model.inside, model.outside)]  # type: ignore[union-attr]
            lines.append(f"if {text} then {said[0]} else {said[1]}")
        return "\n".join(lines)


def _listed(values: Array) -> str:
    # Of two classes the probability of the second tells all.
    shown = values[1:] if len(values) == 2 else values
    return ", ".join(f"{value:.4g}" for value in shown)


def independent(held: NDArray[np.bool_], share: Array, most: int) -> NDArray[np.intp]:
    """Positions of rules that are not linear combinations of those before and a constant.

    Parameters
    ----------
    held : ndarray of bool of shape (n_rows, n_rules)
        Which rules hold for which rows.
    share : ndarray of shape (n_rows,)
        Weights that sum to one.
    most : int
        How many to choose at most.
    """
    root = np.sqrt(share)
    basis, chosen = [root], []
    for place in range(held.shape[1]):
        column = held[:, place] * root
        left = column
        for _ in range(2):  # twice, so that rounding leaves nothing behind
            known = np.stack(basis)
            left = left - known.T @ (known @ left)
        size = float(np.linalg.norm(left))
        if size > 1e-7:
            basis.append(left / size)
            chosen.append(place)
        if len(chosen) == most:
            break
    return np.array(chosen, dtype=np.intp)


def _terms(model: RuleMean, support: Array) -> list[Term]:
    change = model.weights[:, None] * (model.inside - model.outside)
    importance = np.abs(change).sum(axis=1) * np.sqrt(support * (1.0 - support))
    return [
        Term(
            text,
            "rule",
            float(c[-1]) if len(c) < 3 else tuple(c.tolist()),
            float(s),
            float(i),
        )
        for text, c, s, i in zip(model.rules.text(), change, support, importance, strict=True)
    ]


def _column_shares(rules: Rules, frequency: Array) -> Array:
    total = np.zeros(rules.schema.n_columns)
    np.add.at(
        total, rules.column, np.repeat(frequency / np.maximum(rules.lengths, 1), rules.lengths)
    )
    return total / total.sum() if total.sum() > 0 else total


@dataclass(eq=False, repr=False)
class SirusClassifier(ClassifierTask, Sirus):
    r"""The mean of the rules that most trees of a forest have in common.

    Columns are cut at quantiles, a forest of shallow trees is grown, and for each path the share
    :math:`\hat p` of trees in which it appears is computed. Paths with :math:`\hat p > p_0` are
    kept, except for linear combinations of more frequent ones. A rule predicts the mean of the
    training rows for which it holds, or of the others,

    .. math:: \hat g_r(x) = \bar y_{in} \text{ if } x \in r, \text{ else } \bar y_{out}, \qquad
        P(x) = \frac1R \sum_r \hat g_r(x).

    The list is stable under small changes of the data, unlike a tree. Without any rule the
    prediction is the base rate. The original is for two classes; here, means are vectors of
    probabilities.

    Attributes
    ----------
    terms_ : list of Term
        Text, coefficient (what it changes if the rule holds), support and importance of the rules,
        the most frequent first.
    frequencies_ : ndarray of shape (n_rules,)
        Share of the trees that contain each rule.
    n_rules_ : int
        Number of rules.
    feature_importances_ : ndarray of shape (n_features,)
        Frequencies of the rules, divided equally among the columns they use.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    pool_ : Pool
        The model.

    References
    ----------
    .. [1] Benard, Biau, Da Veiga & Scornet, "SIRUS: stable and interpretable rule set for
       classification", Electron. J. Stat. 15 (2021).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from coterie import SirusClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = SirusClassifier(random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    """

    def _weighed(
        self,
        rules: Rules,
        held: NDArray[np.bool_],
        inside: Array,
        outside: Array,
        rows: tuple[Array, Array],
    ) -> RuleMean:
        y, share = rows
        n_rules = len(rules)
        weights = np.full(n_rules, 1.0 / max(1, n_rules))
        constant = np.zeros(y.shape[1]) if n_rules else share @ y
        return RuleMean(rules, inside, outside, weights, constant)


@dataclass(eq=False, repr=False)
class SirusRegressor(RegressorTask, Sirus):
    r"""A weighted sum of the rules that most trees of a forest have in common.

    Rules are found as in `SirusClassifier`. Their weights are those of a non-negative ridge
    regression, so that no rule contradicts its own mean:

    .. math:: \min_{\beta \ge 0} \sum_i \bigl(y_i - \beta_0 - \sum_r \beta_r
        \hat g_r(x_i)\bigr)^2 + \lambda \sum_r \beta_r^2.

    Parameters
    ----------
    ridge : float, default=0.01
        :math:`\lambda`, in units of the number of rows times the mean variance of the rules.

    Attributes
    ----------
    terms_ : list of Term
        Text, coefficient (what it changes if the rule holds), support and importance of the rules,
        the most frequent first.
    frequencies_ : ndarray of shape (n_rules,)
        Share of the trees that contain each rule.
    n_rules_ : int
        Number of rules.
    feature_importances_ : ndarray of shape (n_features,)
        Frequencies of the rules, divided equally among the columns they use.
    pool_ : Pool
        The model.

    References
    ----------
    .. [1] Benard, Biau, Da Veiga & Scornet, "Interpretable random forests via rule extraction",
       AISTATS (2021).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from coterie import SirusRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> model = SirusRegressor(random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.3
    True
    """

    _: KW_ONLY
    ridge: float = 0.01

    allowed: ClassVar[Mapping[str, Allowed]] = {**_SIRUS, "ridge": at_least(0.0) | at_least(0)}

    def _weighed(
        self,
        rules: Rules,
        held: NDArray[np.bool_],
        inside: Array,
        outside: Array,
        rows: tuple[Array, Array],
    ) -> RuleMean:
        y, share = rows
        mean = share @ y
        scale = float(np.sqrt(share @ (y[:, 0] - mean[0]) ** 2))
        if not len(rules) or scale == 0.0:
            none = np.zeros(len(rules))
            return RuleMean(rules, inside, outside, none, mean)
        # Everything in units of the target, so that huge ones do not overflow.
        said = np.where(held, (inside[:, 0] - mean[0]) / scale, (outside[:, 0] - mean[0]) / scale)
        said = said - share @ said
        gram = said.T @ (said * share[:, None])
        gram[np.diag_indices_from(gram)] += max(self.ridge, 1e-9) * np.trace(gram) / len(gram)
        moment = said.T @ (share * (y[:, 0] - mean[0])) / scale
        factor = np.linalg.cholesky(gram)
        weights = nnls(factor.T, np.linalg.solve(factor, moment))[0]
        centre = share @ np.where(held, inside[:, 0], outside[:, 0])
        return RuleMean(rules, inside, outside, weights, mean - weights @ centre)
