"""LambdaMART: gradient boosting that ranks the documents of queries."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from coterie.base import Admitted
from coterie.base.check import Task, admit_fit
from coterie.base.elsewhere import host_of
from coterie.base.scoring import Scoring, Validation
from coterie.boosting.gradient.faces import HistBooster
from coterie.boosting.gradient.fit import ALONE, Given
from coterie.boosting.gradient.parameters import HIST
from coterie.boosting.gradient.tasks import GradientOrder
from coterie.core import Allowed, a_list, at_least, between, one_of
from coterie.data import DataError, Target
from coterie.losses import LambdaRankLoss, PointwiseLoss
from coterie.ranking.queries import (
    by_query,
    check_grades,
    grade_rows,
    hold_out_queries,
    read_queries,
    silent_queries,
)
from coterie.ranking.rank_metrics import METRICS, gains_of, ndcg

Array = NDArray[np.float64]


def _is_metric(word: Any) -> bool:
    if not isinstance(word, str):
        return callable(word)
    name, _, places = word.partition("@")
    return name in METRICS and (places.isdecimal() and int(places) > 0 if "@" in word else True)


_a_metric = Allowed(
    lambda v: all(map(_is_metric, v)) and len(v) > 0 if isinstance(v, list) else _is_metric(v),
    "'ndcg', 'map', 'mrr' or 'err', optionally with a cutoff, as in 'ndcg@5', a function "
    "(estimator, X, y) -> float, or a list of these",
)


class RankingTask:
    """Targets are grades of documents beside their queries; predictions are scores."""

    task: ClassVar[Task] = "ranking"

    n_silent_queries_: int


@dataclass(eq=False, repr=False)
class LambdaMARTRanker(RankingTask, GradientOrder, HistBooster):
    r"""Gradient boosting that ranks the documents of a query.

    For each pair of documents of a query with different grades, the score of the better one is
    pushed up and that of the other down, by

    .. math:: \frac{\sigma\,\Delta_{ij}}{1 + e^{\sigma (s_i - s_j)}}, \qquad
              \Delta_{ij} = \frac{|2^{y_i} - 2^{y_j}|\,|D_i - D_j|}{Z},

    where s are the scores, D the discounts :math:`1 / \log_2(2 + \text{place})` at the places the
    scores give, and Z the discounted gain of the best order: :math:`\Delta` is the change of the
    NDCG if the two were swapped. Trees are fitted to these gradients as in
    `HistGradientBoostingRegressor`. Rows may be in any order. Grades are integers starting at 0. A
    query with a single document or a single grade has no gradient. Documents with equal scores are
    ranked in the order of their rows, so before the first round the order of rows matters.

    Parameters
    ----------
    loss : {"ndcg", "map", "pairwise"}, default="ndcg"
        How :math:`\Delta` weights a pair: by the change in NDCG, by the change in average precision
        (grades above 0 are relevant), or all pairs equally.
    sigma : float, default=1.0
        :math:`\sigma`, the steepness.
    truncation_level : int, default=30
        At least one document of a pair must be among this many first documents.
    normalise_queries : bool, default=True
        Divide gradients by the distance of the scores, and down-weight queries with large
        gradients, as LightGBM's ``lambdarank_norm`` does. This changes the loss, and gives better
        results on most data sets.
    gain : {"exponential", "linear"} or array-like, default="exponential"
        The gain of a grade: :math:`2^y - 1`, the grade itself, or the entry of an array.
    k : int or None, default=None
        Number of positions that count in `score`, and in early stopping unless `scoring` sets it.
    scoring : str, callable or list of them, default="ndcg"
        The metric monitored by early stopping on held-out queries: "ndcg", "map", "mrr" or "err",
        such as "ndcg@5"; or a function ``(estimator, X, y)`` whose `y` has the columns grade and
        number of the query. Larger is better.

    Attributes
    ----------
    n_silent_queries_ : int
        Number of queries without any gradient.
    n_iter_, best_iteration_ : see HistGradientBoostingRegressor
        As documented there.
    train_score_, validation_score_, do_early_stopping_ : see HistGradientBoostingRegressor
        As documented there.
    pool_, start_, trace_, stop_reason_ : see HistGradientBoostingRegressor
        As documented there.
    estimators_, feature_importances_ : see HistGradientBoostingRegressor
        As documented there.

    References
    ----------
    .. [1] Burges, "From RankNet to LambdaRank to LambdaMART: an overview", Microsoft Research
       MSR-TR-2010-82 (2010).
    .. [2] Wang et al., "The LambdaLoss framework for ranking metric optimization", CIKM (2018).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, query = rng.normal(size=(600, 4)), np.repeat(np.arange(60), 10)
    >>> y = np.clip(np.round(X[:, 0] + 1), 0, 3)
    >>> model = LambdaMARTRanker(max_iter=20).fit(X, y, groups=query)
    >>> model.score(X, y, groups=query) > 0.95
    True
    """

    loss: Literal["ndcg", "map", "pairwise"] = "ndcg"
    _: KW_ONLY
    sigma: float = 1.0
    truncation_level: int = 30
    normalise_queries: bool = True
    gain: Any = "exponential"
    k: int | None = None
    scoring: Any = "ndcg"

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **HIST,
        "loss": one_of("ndcg", "map", "pairwise"),
        "sigma": between(0.0, float("inf"), closed="neither"),
        "truncation_level": at_least(1),
        "normalise_queries": one_of(True, False),
        "gain": one_of("exponential", "linear") | a_list,
        "k": at_least(1) | one_of(None),
        "scoring": _a_metric,
    }

    def fit(  # type: ignore[override]  # queries besides
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        groups: Any = None,
        qid: Any = None,
        group: Any = None,
        eval_set: Any = None,
    ) -> Self:
        """Fit to the training rows.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Numbers, categories and missing values.
        y : array-like of shape (n_samples,)
            Grades: integers from 0; higher is better.
        sample_weight : array-like of shape (n_samples,), optional
            Weights >= 0, usually the same within a query; a row with weight 0 is ignored.
        groups, qid : array-like of shape (n_samples,), optional
            The query of every row, in any order; two names for the same thing. The rows of a
            Dask collection must be in the order of their queries.
        group : array-like of int, optional
            Instead, the number of rows of each query, if its rows are contiguous.
        eval_set : tuple (X, y, groups) or (X, y, groups, sample_weight), optional
            Rows for early stopping, instead of some of the training queries.

        Returns
        -------
        self
        """
        if y is None:
            raise DataError(
                "This LambdaMARTRanker estimator requires y to be passed, but the target y is None."
            )
        y, groups, qid, group = (_as_arrays(given) for given in (y, groups, qid, group))
        documents = grade_rows(y, read_queries(groups, qid, group, len(np.asarray(y))))
        validation = None if eval_set is None else _read_validation(eval_set)
        return self._fit(X, documents, sample_weight, given=Given(0, validation))

    def _admit_fit(self, X: Any, y: Any, sample_weight: Any) -> Admitted:
        return admit_fit(
            self, X, y, sample_weight, task="regression", categorical=self.categorical_features
        )

    def _describe_target(self, draft: Self, admitted: Admitted) -> None:
        draft.target_ = admitted.target.empty()
        draft.n_outputs_ = 1

    def _train(
        self, draft: Self, admitted: Admitted, n_samples: int, *, given: Given = ALONE
    ) -> None:
        largest = None if isinstance(self.gain, str) else len(self.gain) - 1
        check_grades(admitted.target, largest)
        draft.n_silent_queries_, n_queries = silent_queries(admitted.target)
        if draft.n_silent_queries_ == n_queries:
            raise DataError(
                "No query has two documents with different grades, so there is nothing to rank."
            )
        super()._train(draft, by_query(admitted), n_samples, given=given)

    def _make_loss(self, target: Target) -> PointwiseLoss:
        gains = None
        if not (isinstance(self.gain, str) and self.gain == "exponential"):
            grades = np.arange(target.values[:, 0].max() + 1)
            gains = gains_of(grades, self.gain)
        return LambdaRankLoss(
            self.loss, float(self.sigma), int(self.truncation_level), self.normalise_queries, gains
        )

    def _hold_out(
        self, target: Target, share: float, seed: int
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        return hold_out_queries(target, share, seed)

    def _read_scoring(self, word: str) -> Scoring:
        name, _, places = word.partition("@")
        options: dict[str, Any] = {"k": int(places) if places else self.k}
        if name == "ndcg":
            options["gain"] = self.gain
        return Scoring(word, partial(_measure, METRICS[name], options), larger=True)

    def score(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None, qid: Any = None
    ) -> float:
        """The mean NDCG of the queries, at the first `k` positions.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        y : array-like of shape (n_samples,)
            Grades.
        sample_weight : array-like of shape (n_samples,), optional
            The weight of a query is the mean weight of its rows.
        groups, qid : array-like of shape (n_samples,)
            The query of every row. Searches pass it on if requested, see ``set_score_request``.

        Returns
        -------
        float
        """
        queries = read_queries(groups, qid, None, len(y))
        scores = self.predict(X)
        return ndcg(y, scores, queries, k=self.k, gain=self.gain, sample_weight=sample_weight)


def _as_arrays(given: Any) -> Any:
    """What is known of rows of a collection that is elsewhere, here; others as they are."""
    return given if host_of(given) is None else np.asarray(given)


def _read_validation(eval_set: Any) -> Validation:
    """Rows to watch: X, y, queries and perhaps weights."""
    if not isinstance(eval_set, tuple) or len(eval_set) not in (3, 4):
        raise DataError("eval_set must be a tuple (X, y, groups) or (X, y, groups, sample_weight).")
    X, *others = eval_set
    y, groups, *weight = (_as_arrays(given) for given in others)
    documents = grade_rows(y, read_queries(groups, None, None, len(y)))
    return Validation(X, documents, *weight)


def _measure(
    metric: Any,
    options: Mapping[str, Any],
    estimator: Any,
    X: Any,
    y: Array,
    sample_weight: Any = None,
) -> float:
    """What a metric says of rows whose targets are grades beside queries."""
    said = estimator.predict(X)
    return float(metric(y[:, 0], said, y[:, 1], sample_weight=sample_weight, **options))
