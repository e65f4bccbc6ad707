"""RuleFit: a sparse linear model over the rules of an ensemble."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier

from coterie.base import Admitted, ClassifierTask, Committee, RegressorTask
from coterie.core import (
    Allowed,
    Pool,
    RandomLike,
    at_least,
    between,
    draw_entropy,
    growing_stream,
    has,
    one_of,
    repetitions,
)
from coterie.data import Table
from coterie.forests import RandomForestClassifier, RandomForestRegressor
from coterie.interpretation.lasso import Moments, logistic_lasso, squared_lasso
from coterie.interpretation.rules import Rules, different, extract_rules, no_rules
from coterie.interpretation.terms import Linear, RuleModel, Term
from coterie.interpretation.virtual import dense_cells
from coterie.learners import ForeignLearner
from coterie.trees.growth import SHAPE

Array = NDArray[np.float64]

RULES: dict[str, Allowed] = {
    "estimator": has("fit", "predict", "get_params") | one_of(None),
    "max_rules": at_least(1),
    **{name: SHAPE[name] for name in ("random_state", "n_jobs", "max_bins")},
    "categorical_features": SHAPE["categorical_features"],
}
_FIT: dict[str, Allowed] = {
    **RULES,
    "max_conditions": at_least(1) | one_of(None),
    "linear": one_of(True, False),
    "winsorise": between(0.0, 0.5, closed="left"),
    "alpha": between(0.0, 1.0) | one_of(None),
}


class Design(NamedTuple):
    """Candidate terms, and what they are on the training rows."""

    rules: Rules
    linear: Linear
    held: NDArray[np.bool_]
    columns: Array
    share: Array
    n_units: float


@dataclass(eq=False, repr=False)
class RuleFit(Committee):
    """A lasso over the rules of an ensemble and the columns themselves.

    Parameters
    ----------
    estimator : ensemble, default=None
        Source of the rules: a tree, forest, bag or booster with native trees as members; small
        trees make short rules. By default a random forest of 100 trees of 6 leaves, none of which
        has less than 2 % of the weight.
    max_rules : int, default=500
        Maximum number of candidate rules; equivalent rules count once, and the first trees come
        first. There are at most as many linear terms, those with the largest correlations.
    max_conditions : int or None, default=None
        Longer rules are excluded.
    linear : bool, default=True
        Whether numeric columns are also terms: rules need many steps to approximate a line.
    winsorise : float, default=0.025
        Values beyond the quantiles of this share, at both ends, count as the quantiles in linear
        terms.
    alpha : float or None, default=None
        Penalty relative to the smallest one that leaves no term, so from 0 to 1. By default the
        one with the smallest Bayesian information criterion.
    random_state : int, RandomState, Generator or None, default=None
        Seeds the ensemble.
    n_jobs : int, default=None
        Number of workers of the default ensemble.
    max_bins : int, default=255
        Maximum number of bins per column for the default ensemble.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Numeric columns to be treated as categorical.
    """

    estimator: Any = None
    _: KW_ONLY
    max_rules: int = 500
    max_conditions: int | None = None
    linear: bool = True
    winsorise: float = 0.025
    alpha: float | None = None
    random_state: RandomLike = None
    n_jobs: int | None = None
    max_bins: int = 255
    categorical_features: Any = "from_dtype"

    # Known after a fit.
    terms_: list[Term] = field(init=False)
    feature_importances_: Array = field(init=False)
    n_rules_: int = field(init=False)

    multi_output: ClassVar[bool] = False
    allowed: ClassVar[Mapping[str, Allowed]] = _FIT

    def _default_ensemble(self) -> Any:
        kind = RandomForestClassifier if self.task == "classification" else RandomForestRegressor
        return kind(
            max_leaf_nodes=6,
            max_features="third",
            min_weight_fraction_leaf=0.02,
            draw="repeats",
            max_bins=self.max_bins,
            categorical_features=self.categorical_features,
            n_jobs=self.n_jobs,
        )

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        design = self._design(admitted, draw_entropy(self.random_state))
        centred = np.hstack([design.held - design.share @ design.held, design.columns])
        moments = Moments.of(centred, design.share)
        fitted = [
            self._fit_scores(moments, centred, y, design.share, design.n_units)
            for y in self._scores(admitted)
        ]
        coefs = np.array([coef for _, coef in fitted])
        # Rules are 0 or 1 in the model, centred only in the fit.
        mean = np.concatenate([design.share @ design.held, np.zeros(design.columns.shape[1])])
        intercepts = np.array([intercept for intercept, _ in fitted]) - coefs @ mean
        used = np.flatnonzero(np.abs(coefs).sum(axis=0))
        n_rules = len(design.rules)
        rules, lines = used[used < n_rules], used[used >= n_rules] - n_rules
        model = RuleModel(
            design.rules[rules],
            design.linear[lines],
            intercepts,
            np.ascontiguousarray(coefs[:, used]),
            admitted.target.n_classes[0] if admitted.target.classes else 0,
        )
        support = (design.share @ design.held)[rules]
        draft.pool_ = Pool.of([model])
        draft.n_rules_ = len(rules)
        draft.terms_ = model.terms(support)
        draft.feature_importances_ = model.column_importances(support)

    def _scores(self, admitted: Admitted) -> list[Array]:
        """What each score is fitted to."""
        raise NotImplementedError

    def _fit_scores(
        self, moments: Moments, design: Array, y: Array, share: Array, n_units: float
    ) -> tuple[float, Array]:
        raise NotImplementedError

    def _design(self, admitted: Admitted, entropy: int) -> Design:
        table, target, weight, _ = admitted
        model = self._default_ensemble() if self.estimator is None else self.estimator
        learner = ForeignLearner(model, name="estimator")
        fitted = learner.fit(table, target, weight, growing_stream(entropy)).estimator
        if isinstance(fitted, DummyClassifier):  # rows of one class
            rules = no_rules(table.schema)
        else:
            rules = extract_rules(fitted, max_conditions=self.max_conditions)
        known = Table.under(rules.schema, table.given())
        held = rules(known)
        chosen = different(held, rules.lengths)[: self.max_rules]
        rules, held = rules[chosen], held[:, chosen]
        share = np.ones(table.n_rows) if weight is None else weight / weight.max()
        share = share / share.sum()
        repeats = repetitions(weight)
        n_units = float(table.n_rows if repeats is None else repeats.sum())
        cells = dense_cells(known)
        numbers = np.setdiff1d(np.arange(known.n_columns), list(rules.schema.labels))
        linear = Linear.learn(cells, numbers[: None if self.linear else 0], share, self.winsorise)
        columns = linear(cells)
        if len(linear) > self.max_rules:
            strength = np.abs(np.array([columns.T @ (share * y) for y in self._scores(admitted)]))
            top = np.sort(np.argsort(-strength.max(axis=0), kind="stable")[: self.max_rules])
            linear, columns = linear[top], columns[:, top]
        return Design(rules, linear, held, columns, share, n_units)

    def to_text(self, max_terms: int | None = None) -> str:
        """The model as text: the constant, then the terms, the most important first.

        Parameters
        ----------
        max_terms : int, optional
            How many to show; all by default.

        Returns
        -------
        str
        """
        this = self._settled()
        start = _number(this.pool_.members[0].constants.tolist())  # type: ignore[union-attr]
        lines = [f"{start:>12}  always"]
        for term in this.terms_[:max_terms]:
            told = f"if {term.text}" if term.kind == "rule" else f"times {term.text}"
            lines.append(f"{_number(term.coefficient):>12}  {told}")
        return "\n".join(lines)


def _number(value: Any) -> str:
    if isinstance(value, list | tuple):
        return " ".join(f"{v:+.3g}" for v in value)
    return f"{value:+.4g}"


@dataclass(eq=False, repr=False)
class RuleFitRegressor(RegressorTask, RuleFit):
    r"""A sparse sum of rules and linear terms, chosen by the lasso from the rules of an ensemble.

    Every node of the ensemble's trees is a rule :math:`r_k(x) \in \{0, 1\}`. With columns
    :math:`l_j`, winsorised so that outliers do not count,

    .. math:: F(x) = a_0 + \sum_k a_k r_k(x) + \sum_j b_j l_j(x_j), \qquad
        \min \tfrac1{2n} \sum_i (y_i - F(x_i))^2 + \lambda \bigl(\sum_k |a_k| + \sum_j |b_j|\bigr),

    and most coefficients are zero, so the model is readable.

    Attributes
    ----------
    terms_ : list of Term
        Text, coefficient, support and importance of all terms, the most important first.
    n_rules_ : int
        Number of rules that remain.
    feature_importances_ : ndarray of shape (n_features,)
        Importance of the terms, divided equally among the columns they use.
    pool_ : Pool
        The model.

    References
    ----------
    .. [1] Friedman & Popescu, "Predictive learning via rule ensembles", Ann. Appl. Stat. 2 (2008).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from coterie import RuleFitRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
    >>> model = RuleFitRegressor(random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.4
    True
    """

    def _scores(self, admitted: Admitted) -> list[Array]:
        return [admitted.target.values[:, 0]]

    def _fit_scores(
        self, moments: Moments, design: Array, y: Array, share: Array, n_units: float
    ) -> tuple[float, Array]:
        return squared_lasso(moments, design, y, share, n_units, self.alpha)


@dataclass(eq=False, repr=False)
class RuleFitClassifier(ClassifierTask, RuleFit):
    r"""Log-odds as a sparse sum of an ensemble's rules and linear terms, chosen by the lasso.

    As `RuleFitRegressor`, but for the log-odds of the second class, with the log-loss in place of
    squared errors. For more than two classes there is a sum for each against the rest, and
    probabilities are scaled to sum to one.

    Attributes
    ----------
    terms_ : list of Term
        Text, coefficient, support and importance of all terms, the most important first.
    n_rules_ : int
        Number of rules that remain.
    feature_importances_ : ndarray of shape (n_features,)
        Importance of the terms, divided equally among the columns they use.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    pool_ : Pool
        The model.

    References
    ----------
    .. [1] Friedman & Popescu, "Predictive learning via rule ensembles", Ann. Appl. Stat. 2 (2008).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from coterie import RuleFitClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> model = RuleFitClassifier(random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    """

    def _scores(self, admitted: Admitted) -> list[Array]:
        codes, n_classes = admitted.target.codes[:, 0], admitted.target.n_classes[0]
        if n_classes == 1:
            return [np.ones(len(codes))]
        asked = [1] if n_classes == 2 else range(n_classes)
        return [(codes == k).astype(np.float64) for k in asked]

    def _fit_scores(
        self, moments: Moments, design: Array, y: Array, share: Array, n_units: float
    ) -> tuple[float, Array]:
        return logistic_lasso(moments, design, y, share, n_units, self.alpha)
