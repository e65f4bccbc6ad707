"""A classifier that may abstain, and the resulting risk-coverage trade-off."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from coterie import fusion
from coterie.base import ClassifierTask
from coterie.base.elsewhere import where_rows_are
from coterie.base.signature import own_first
from coterie.combining.combiner import COMBINER, Combiner, seed_member
from coterie.combining.folds import Rowset, Unseen
from coterie.combining.named_members import Named, pick_method
from coterie.core import (
    Allowed,
    between,
    draw_entropy,
    has,
    member_seeds,
    one_of,
)
from coterie.data import DataError, Target
from coterie.forests import RandomForestClassifier
from coterie.fusion.votes import with_rejects
from coterie.learners import Method

Array = NDArray[np.float64]


def _can_mark(label: Any) -> bool:
    """Whether something can stand among labels; NaN cannot be told from an oversight."""
    if isinstance(label, float) and np.isnan(label):
        return False
    return label is None or isinstance(label, str | int | float | np.number)


a_reject_label = Allowed(_can_mark, "a label, or None")


def check_mark(classes: NDArray[Any], mark: Any) -> None:
    """Refuse a mark that is a class."""
    with_rejects(classes, np.zeros(len(classes), dtype=bool), classes, mark)


class RejectScore:
    """Accuracy of a classifier that may decline to answer."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of the rows predicted correctly; rejected rows count as wrong.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each row.

        Returns
        -------
        float
        """
        right = self.predict(X) == np.asarray(y)  # type: ignore[attr-defined]  # a mixin
        return float(np.average(right, weights=sample_weight))


class RejectingVotes(RejectScore):
    """Labels only where a class has more than a share of the support."""

    reject: bool
    threshold: float
    reject_label: Any
    classes_: NDArray[Any]

    def reject_mask(self, X: Any) -> NDArray[np.bool_]:
        """Rows in which no class has more than the share `threshold` of the support.

        It is available whether or not `reject` is set.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of bool of shape (n_samples,)
        """
        this = self._settled()  # type: ignore[attr-defined]  # a mixin of committees
        return self._mask(this._support(this._admit(X)))

    def _mask(self, support: Array) -> NDArray[np.bool_]:
        return fusion.rejected(support[None], threshold=self.threshold)

    def _marked(self, labels: NDArray[Any], support: Array) -> NDArray[Any]:
        """Labels with marks where the vote is rejected, if that was asked for."""
        if not self.reject:
            return labels
        return with_rejects(labels, self._mask(support), self.classes_, self.reject_label)


@dataclass(frozen=True)
class RiskCoverage:
    """Error rate of a classifier on its most confident predictions, by coverage.

    Parameters
    ----------
    coverage : ndarray of shape (n_steps,)
        Share of the rows that are predicted, increasing to one.
    risk : ndarray of shape (n_steps,)
        Error rate among them.
    thresholds : ndarray of shape (n_steps,)
        Confidence threshold: rows with at least this confidence are predicted.

    Examples
    --------
    >>> curve = risk_coverage([0.9, 0.6, 0.8, 0.5], [True, False, True, True])
    >>> curve.risk.round(3), curve.thresholds
    (array([0.   , 0.   , 0.333, 0.25 ]), array([0.9, 0.8, 0.6, 0.5]))
    """

    coverage: Array
    risk: Array
    thresholds: Array

    @property
    def area(self) -> float:
        """Area under the risk as a function of coverage; the smaller, the better."""
        return float(self.risk @ np.diff(self.coverage, prepend=0.0))

    def threshold_of(self, coverage: float) -> float:
        """The largest confidence threshold at which this share of the rows is predicted."""
        place = int(np.searchsorted(self.coverage, coverage - 1e-12))
        return float(self.thresholds[min(place, len(self.thresholds) - 1)])


def risk_coverage(confidence: Any, hits: Any, sample_weight: Any = None) -> RiskCoverage:
    r"""Risk at every coverage: rows are predicted from the most to the least confident.

    .. math:: coverage(\tau) = \frac1n \sum_i 1[c_i \ge \tau], \qquad
        risk(\tau) = \frac{\sum_i 1[c_i \ge \tau,\, \text{wrong}]}{\sum_i 1[c_i \ge \tau]}

    Parameters
    ----------
    confidence : array-like of shape (n_samples,)
        Confidence of the classifier, for example its largest probability.
    hits : array-like of bool of shape (n_samples,)
        Whether its predictions are correct.
    sample_weight : array-like of shape (n_samples,), optional
        Weight of each sample.

    Returns
    -------
    RiskCoverage
        One step for each different confidence.

    References
    ----------
    .. [1] El-Yaniv & Wiener, "On the foundations of noise-free selective classification", J. Mach.
       Learn. Res. 11 (2010).

    Examples
    --------
    >>> risk_coverage([0.9, 0.6, 0.6], [True, False, True]).coverage.round(3)
    array([0.333, 1.   ])
    """
    sure, right = np.asarray(confidence, dtype=np.float64), np.asarray(hits, dtype=bool)
    if sure.ndim != 1 or sure.shape != right.shape or not len(sure) or np.isnan(sure).any():
        raise DataError(
            "confidence and hits must have the same shape (n_samples,) and contain no NaN."
        )
    share = np.ones(len(sure)) if sample_weight is None else np.asarray(sample_weight, dtype=float)
    order = np.argsort(-sure, kind="stable")
    last = np.append(np.diff(sure[order]) != 0, True)  # equally sure ones are answered together
    answered = np.cumsum(share[order])[last]
    wrong = np.cumsum((share * ~right)[order])[last]
    return RiskCoverage(answered / answered[-1], wrong / answered, sure[order][last])


@own_first
@dataclass(eq=False, repr=False)
class RejectOptionClassifier(RejectScore, ClassifierTask, Combiner):
    r"""Any classifier, made to abstain where it is not confident enough.

    Chow's rule: if an error costs 1 and a reject costs d, it is optimal to predict where the
    largest probability is at least :math:`1 - d`. Alternatively, set the share of rows to be
    predicted (the coverage): the threshold is then found on held-out rows.

    Parameters
    ----------
    estimator : classifier, default=None
        A classifier with probabilities, for example an ensemble. By default a random forest.
    coverage : float, default=1.0
        Share of the rows to be predicted, assuming that they resemble the training rows. With 1.0,
        all rows are.
    cost : float or None, default=None
        Cost of a reject relative to an error, from 0 to 1; instead of `coverage`.
    confidence : {"probability", "margin", "entropy"}, default="probability"
        Measure of confidence: the largest probability, the difference of the two largest, or one
        minus the normalised entropy. `cost` is for probabilities.
    reject_label : object, default="auto"
        What `predict` returns for rejected rows: by default None for text, -1 for integers and NaN
        for floats. It must not be a class.

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier.
    threshold_ : float
        Rows with a lower confidence are rejected.
    risk_coverage_ : RiskCoverage
        Error at each coverage, on rows that the classifier has not seen.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    pool_ : Pool
        The classifier.

    References
    ----------
    .. [1] Chow, "On optimum recognition error and reject tradeoff", IEEE Trans. Inf. Theory 16
       (1970).
    .. [2] El-Yaniv & Wiener, "On the foundations of noise-free selective classification", J. Mach.
       Learn. Res. 11 (2010).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie import RandomForestClassifier, RejectOptionClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(30, random_state=0)
    >>> model = RejectOptionClassifier(forest, coverage=0.8).fit(X[::2], y[::2])
    >>> said = model.predict(X[1::2])
    >>> answered = said != -1
    >>> bool(0.6 < answered.mean() < 1), bool((said == y[1::2])[answered].mean() > 0.95)
    (True, True)
    """

    estimator: Any = None
    estimators: Any = field(default=None, init=False)  # there is one, with a parameter of its own
    _: KW_ONLY
    coverage: float = 1.0
    cost: float | None = None
    confidence: Literal["probability", "margin", "entropy"] = "probability"
    reject_label: Any = "auto"

    member_kind: ClassVar[str] = "classifier"
    allowed: ClassVar[Mapping[str, Allowed]] = {
        **{name: word for name, word in COMBINER.items() if name != "estimators"},
        "estimator": one_of(None) | has("fit", "predict_proba"),
        "coverage": between(0.0, 1.0, closed="right"),
        "cost": one_of(None) | between(0.0, 1.0),
        "confidence": one_of("probability", "margin", "entropy"),
        "reject_label": a_reject_label,
    }

    def _members(self, target: Target) -> list[Named]:
        if self.estimator is None:
            forest = RandomForestClassifier(
                draw="repeats",
                max_bins=self.max_bins,
                categorical_features=self.categorical_features,
            )
            member = Named("estimator", forest)
        else:
            member = Named("estimator", self.estimator)
        if self.random_state is None or self._prefit:
            return [member]
        seed = member_seeds(draw_entropy(self.random_state), 0, 1).tolist()[0]
        return [seed_member(member, seed)]

    def _given(self) -> dict[str, Any]:
        return {} if self.estimator is None else {"estimator": self.estimator}

    def _methods(self, members: Any) -> list[Method]:
        return [pick_method(member, "predict_proba") for member in members]

    def _combine(self, draft: Self, rows: Rowset, unseen: Unseen | None) -> None:
        assert unseen is not None, "the curve is that of unseen rows"
        if self.cost is not None and (self.confidence != "probability" or self.coverage != 1.0):
            raise ValueError(
                'cost requires confidence="probability", and cannot be combined with coverage.'
            )
        if self.cost is not None or self.coverage < 1.0:
            check_mark(draft.classes_, self.reject_label)
        seen, chances = unseen.covered, unseen.profile[0]
        weight = None if rows.weight is None else rows.weight[seen]
        hits = chances.argmax(axis=1) == rows.target.codes[seen, 0]
        draft.estimator_ = draft.estimators_[0]
        draft.risk_coverage_ = risk_coverage(self._confidence(chances), hits, weight)
        if self.cost is not None:
            draft.threshold_ = 1.0 - self.cost
        elif self.coverage == 1.0:
            draft.threshold_ = -np.inf
        else:
            draft.threshold_ = draft.risk_coverage_.threshold_of(self.coverage)

    def _confidence(self, chances: Array) -> Array:
        n_classes = chances.shape[1]
        if n_classes == 1 or self.confidence == "probability":
            return np.asarray(chances.max(axis=1))
        if self.confidence == "margin":
            top = np.partition(chances, n_classes - 2, axis=1)
            return np.asarray(top[:, -1] - top[:, -2])
        logs = np.log(chances, out=np.zeros_like(chances), where=chances > 0)
        return np.asarray(1.0 + (chances * logs).sum(axis=1) / np.log(n_classes))

    def _mean_vote(self, X: Any) -> Array:
        return np.asarray(self._profile(X)[0])

    @where_rows_are
    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class, or the reject label.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels; see `reject_label` for rejects.
        """
        this = self._settled()
        chances = this._mean_vote(X)
        labels = this.classes_[chances.argmax(axis=1)]
        if this.threshold_ == -np.inf:
            return np.asarray(labels)
        mask = this._confidence(chances) < this.threshold_
        return with_rejects(labels, mask, this.classes_, this.reject_label)

    def reject_mask(self, X: Any) -> NDArray[np.bool_]:
        """Rows that are rejected.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of bool of shape (n_samples,)
        """
        this = self._settled()
        return np.asarray(this._confidence(this._mean_vote(X)) < this.threshold_)

    def risk_coverage(self, X: Any, y: Any, sample_weight: Any = None) -> RiskCoverage:
        """The curve of risk and coverage on other rows.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        y : array-like of shape (n_samples,)
            Their labels.
        sample_weight : array-like of shape (n_samples,), optional
            Weight of each row.

        Returns
        -------
        RiskCoverage
        """
        this = self._settled()
        chances = this._mean_vote(X)
        hits = this.classes_[chances.argmax(axis=1)] == np.asarray(y)
        return risk_coverage(this._confidence(chances), hits, sample_weight)
