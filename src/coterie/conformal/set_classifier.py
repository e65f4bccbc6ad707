"""Prediction sets for any classifier."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import column_or_1d

from coterie.base import Admitted, ClassifierTask
from coterie.base.bagged import Bagged
from coterie.conformal.class_scores import class_scores, true_ranks
from coterie.conformal.coverage_report import CoverageReport, coverage_rows
from coterie.conformal.wrapper import (
    Conformal,
    fit_copy,
    numeric_columns,
    thresholds,
    too_few,
)
from coterie.core import Allowed, at_least, draw_entropy, one_of
from coterie.core.axis import uniforms
from coterie.core.seeds import shaking_stream
from coterie.data import DataError
from coterie.forests import RandomForestClassifier
from coterie.learners.member_votes import class_places, votes_of_probabilities
from coterie.theory import needed_rows, ranks_of

Array = NDArray[np.float64]

SOURCES = ("auto", "split", "cv+", "oob", "oof")
_LAMBDAS = (0.001, 0.01, 0.1, 0.2, 0.5)


@dataclass(eq=False, repr=False)
class ConformalClassifier(ClassifierTask, Conformal):
    r"""A wrapper that gives any classifier prediction sets with a chosen coverage.

    Each class of a row has a nonconformity score, larger for worse fits (`class_scores`). The
    scores of the true classes on unseen rows give a quantile, and a set contains all classes with
    scores up to it. Whatever the model and the data, the set contains the true class with
    probability :math:`1 - \alpha`, if rows are exchangeable. Confident predictions have small sets.

    Parameters
    ----------
    method : {"raps", "aps", "lac"}, default="raps"
        The score. "lac" has the smallest sets on average, some of them empty; "aps" adapts to how
        hard a row is; "raps" does so with fewer classes.
    source : {"auto", "split", "cv+", "oob", "oof"}, default="auto"
        Where unseen rows come from: held-out ones, the models of `cv` folds, the out-of-bag votes
        of a bagged ensemble, or out-of-fold probabilities stored in the model. "auto" uses
        out-of-bag or out-of-fold rows if there are any, and "cv+" otherwise. Only "split" (and
        `calibrate`) has the exact guarantee; the others are approximate.
    penalty : float or "auto", default=0.01
        λ, the penalty of "raps" for each rank beyond `k_reg`; "auto" chooses the one with the
        smallest sets on a fifth of the calibration rows, which are then not used for calibration.
    k_reg : int or "auto", default=5
        Number of ranks without this penalty; "auto" uses the quantile of the true ranks on that
        fifth.
    randomized : bool, default=True
        Whether a random number decides on the last class of "aps" and "raps". It depends on the
        content of the row and on `random_state`, so that a row always gets the same set. Without
        it, sets tend to be larger.
    empty : {"allow", "top"}, default="allow"
        Whether sets may be empty, or always contain the most probable class.

    Attributes
    ----------
    estimator_ : fitted classifier
        The model.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    source_ : str
        The value that "auto" chose.
    conformity_scores_ : ndarray of shape (n_calibration,)
        Scores of the true classes of the calibration rows.
    n_calibration_ : int
        Their number.

    References
    ----------
    .. [1] Romano, Sesia & Candès, "Classification with valid and adaptive coverage", NeurIPS 33
       (2020).
    .. [2] Angelopoulos, Bates, Jordan & Malik, "Uncertainty sets for image classifiers using
       conformal prediction", ICLR (2021).
    .. [3] Vovk, Lindsay, Nouretdinov & Gammerman, "Mondrian confidence machine" (2003).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = ConformalClassifier(random_state=0).fit(X[::2], y[::2])
    >>> sets = model.predict_set(X[1::2], alpha=0.1)
    >>> sets.shape, bool(sets[np.arange(75), y[1::2]].mean() > 0.8)
    ((75, 3), True)
    """

    forest: ClassVar[type] = RandomForestClassifier
    allowed: ClassVar[Mapping[str, Allowed]] = Conformal.shared | {
        "method": one_of("raps", "aps", "lac"),
        "source": one_of(*SOURCES),
        "penalty": at_least(0.0) | one_of("auto"),
        "k_reg": at_least(0) | one_of("auto"),
        "randomized": one_of(True, False),
        "empty": one_of("allow", "top"),
    }

    method: str = "raps"
    source: str = "auto"
    penalty: Any = 0.01
    k_reg: Any = 5
    randomized: bool = True
    empty: str = "allow"

    def _train(
        self,
        draft: Self,
        admitted: Admitted,
        n_samples: int,
        groups: Any = None,
        model: Any = None,
    ) -> None:
        numbers, truth = self._groups(groups, admitted, n_samples), self._truth(admitted)
        draft.entropy_ = draw_entropy(self.random_state)
        draft.weight_ = draft.folds_ = None
        rng = shaking_stream(draft.entropy_)
        if model is not None:
            draft.estimator_, draft.source_ = model, "split"
            draft.classes_, draft.weight_ = np.asarray(model.classes_), admitted.weight
            draft.n_classes_ = len(draft.classes_)
            self._keep(draft, admitted, truth, draft._chances(model, admitted.table.given()))
        elif self.source == "split":
            held = self._held_out(admitted, numbers, rng)
            self._prepare(self.estimator, draft, admitted.take(np.flatnonzero(~held)))
            draft.source_ = "split"
            rest = admitted.take(np.flatnonzero(held))
            said = draft._chances(draft.estimator_, rest.table.given())
            self._keep(draft, rest, self._truth(rest), said)
        else:
            self._prepare(self.estimator, draft, admitted)
            draft.source_ = self._choice(draft.estimator_)
            said = self._unseen(draft, admitted, truth, numbers, rng)
            self._keep(draft, admitted, truth, said)

    def _choice(self, fitted: Any) -> str:
        """What "auto" means for a model that is fitted."""
        bagged = isinstance(fitted, Bagged) and fitted.bags_.spares
        kept = hasattr(fitted, "out_of_fold_")
        if self.source == "oob" and not bagged:
            raise ValueError(
                "source='oob' needs a bagged ensemble with out-of-bag rows, not "
                f"{type(fitted).__name__}. Use source='cv+'."
            )
        if self.source == "oof" and not kept:
            raise ValueError(
                f"{type(fitted).__name__} keeps no out-of-fold predictions. Use source='cv+'."
            )
        if self.source != "auto":
            return self.source
        return "oob" if bagged else "oof" if kept else "cv+"

    def _unseen(
        self, draft: Self, admitted: Admitted, truth: NDArray[Any], groups: Any, rng: Any
    ) -> Array:
        """Probabilities of all rows by models, or members, that have not seen them."""
        model, rows = draft.estimator_, admitted.table.given()
        if draft.source_ == "oob":
            return np.asarray(model._oob(rows, truth, admitted.weight)[0].mean)
        if draft.source_ == "oof":
            said = np.asarray(model.out_of_fold_, dtype=np.float64)
            if len(said) != len(truth):
                raise ValueError(
                    "The model keeps out-of-fold predictions for some of the rows only. Use "
                    "source='cv+'."
                )
            return said
        folds = self._folds(admitted, self.cv, groups, rng)
        given = self._default() if self.estimator is None else self.estimator
        said, draft.models_ = np.empty((len(truth), len(draft.classes_))), []
        for fold in range(folds.max() + 1):
            others, mine = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
            one = fit_copy(given, admitted.take(others), truth[others], rng)
            said[mine] = draft._chances(one, admitted.table.take(mine).given())
            draft.models_.append(one)
        draft.folds_ = folds
        return said

    def _keep(self, draft: Self, admitted: Admitted, truth: NDArray[Any], said: Array) -> None:
        """Remember what rows for calibration tell: rows without a vote tell nothing."""
        known = ~np.isnan(said).any(axis=1)
        table = admitted.table.take(np.flatnonzero(known))
        draft.chances_, codes = said[known], _places(draft.classes_, truth)
        draft.codes_ = codes[known]
        draft.uniforms_ = uniforms(table, draft.entropy_)
        strata = self._strata(admitted.table.given())
        draft.strata_ = None if strata is None else strata[known]
        if draft.weight_ is not None:
            draft.weight_ = draft.weight_[known]
        if draft.folds_ is not None:
            draft.folds_ = draft.folds_[known]
        draft.n_calibration_ = len(draft.codes_)
        plain = 0.01 if self.penalty == "auto" else self.penalty
        ranks = 5 if self.k_reg == "auto" else self.k_reg
        draft.conformity_scores_ = draft._true_scores(plain, ranks)

    def _chances(self, model: Any, rows: Any) -> Array:
        """Probabilities of all classes, whichever of them the model knows."""
        if not hasattr(model, "predict_proba"):
            raise ValueError(
                f"{type(model).__name__} has no predict_proba, which prediction sets need. Wrap "
                "it in sklearn.calibration.CalibratedClassifierCV."
            )
        return votes_of_probabilities(model.predict_proba(rows), model.classes_, self.classes_)

    def _scores(self, chances: Array, u: Array, lambda_: float, k_reg: int) -> Array:
        drawn = u if self.randomized else None
        method: Any = self.method
        return class_scores(chances, method, drawn, lambda_=lambda_, k_reg=k_reg)

    def _true_scores(self, lambda_: float, k_reg: int) -> Array:
        scores = self._scores(self.chances_, self.uniforms_, lambda_, k_reg)
        return np.asarray(scores[np.arange(len(scores)), self.codes_])

    def _tuned(self, alpha: float) -> tuple[float, int, NDArray[np.intp]]:
        """The fine of "raps", and the rows that are left to calibrate on."""
        every = np.arange(self.n_calibration_)
        if self.method != "raps" or "auto" not in (self.penalty, self.k_reg):
            return (
                0.0 if self.penalty == "auto" else float(self.penalty),
                0 if self.k_reg == "auto" else int(self.k_reg),
                every,
            )
        order = np.argsort(self.uniforms_, kind="stable")
        some, rest = order[: len(order) // 5], np.sort(order[len(order) // 5 :])
        ranks = np.sort(true_ranks(self.chances_[some], self.codes_[some]))
        k_reg = self.k_reg
        if k_reg == "auto":
            place = min(ranks_of(len(ranks), alpha)[1], len(ranks)) - 1
            k_reg = int(ranks[place]) if len(ranks) else 1
        if self.penalty != "auto":
            return float(self.penalty), k_reg, rest

        def mean_size(lambda_: float) -> float:
            scores = self._scores(self.chances_[some], self.uniforms_[some], lambda_, k_reg)
            own = scores[np.arange(len(some)), self.codes_[some]]
            place = min(ranks_of(len(own), alpha)[1], len(own)) - 1
            return float((scores <= np.sort(own)[place]).sum(axis=1).mean())

        return min(_LAMBDAS, key=mean_size) if len(some) else 0.01, k_reg, rest

    def _mean_vote(self, X: Any) -> Array:
        return self._chances(self.estimator_, X)

    def predict_set(
        self, X: Any, alpha: ArrayLike = 0.1, sample_weight: ArrayLike | None = None
    ) -> NDArray[np.bool_]:
        """Which classes belong to the set of each row.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows.
        alpha : float or list of floats, default=0.1
            Share of rows whose true class may lie outside the set.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows if `calibrate` was given some; ones by default.

        Returns
        -------
        ndarray of bool of shape (n_samples, n_classes) or (n_samples, n_classes, n_levels)
            Columns in the order of ``classes_``.
        """
        this = self._settled()
        levels = this._levels(alpha)
        u = uniforms(this._admit(X), this.entropy_)
        models = this.models_ if this.source_ == "cv+" else [this.estimator_]
        said = [this._chances(model, X) for model in models]
        strata = this._strata(X)
        own = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        sets = [this._set(said, u, strata, level, own) for level in levels]
        if self.empty == "top":
            best = np.mean(said, axis=0).argmax(axis=1)
            for one in sets:
                one[np.arange(len(u)), best] = True
        return sets[0] if np.ndim(alpha) == 0 else np.stack(sets, axis=2)

    def _set(
        self, said: list[Array], u: Array, strata: Any, alpha: float, own: Array | None
    ) -> NDArray[np.bool_]:
        lambda_, k_reg, left = self._tuned(alpha)
        true = self._true_scores(lambda_, k_reg)
        scores = [self._scores(chances, u, lambda_, k_reg) for chances in said]
        sets = np.zeros(scores[0].shape, dtype=bool)
        for mine, known in self._parts(strata, len(u), left):
            for columns, rows in self._by_class(known, alpha):
                cut = [score[np.ix_(mine, columns)] for score in scores]
                if self.source_ == "cv+":
                    sets[np.ix_(mine, columns)] = self._crossed(cut, true, rows, alpha)
                    continue
                limit = self._limit(true, rows, alpha, None if own is None else own[mine])
                sets[np.ix_(mine, columns)] = cut[0] <= limit
        return sets

    def _limit(self, true: Array, rows: NDArray[np.intp], alpha: float, own: Array | None) -> Any:
        """The largest score in a set, for all rows or for each."""
        weight = None if self.weight_ is None else self.weight_[rows]
        found = thresholds(true[rows], alpha, weight, own)
        return found if np.ndim(found) == 0 else found[:, None]

    def _crossed(
        self, scores: list[Array], true: Array, rows: NDArray[np.intp], alpha: float
    ) -> NDArray[np.bool_]:
        """Classes whose scores are not above those of enough rows, each by its own model."""
        above = np.zeros(scores[0].shape, dtype=np.int64)
        for fold, score in enumerate(scores):
            mine = np.sort(true[rows[self.folds_[rows] == fold]])
            above += np.searchsorted(mine, score, side="left")
        rank = ranks_of(len(rows), alpha)[1]
        if rank > len(rows):
            warnings.warn(too_few(len(rows), alpha), UserWarning, stacklevel=5)
        return above < rank

    def _parts(self, strata: Any, n: int, left: NDArray[np.intp]) -> Any:
        """Queries, and the rows for calibration that speak for them."""
        if strata is None:
            yield np.arange(n), left
            return
        for value in np.unique(strata):
            yield np.flatnonzero(strata == value), left[self.strata_[left] == value]

    def _by_class(self, known: NDArray[np.intp], alpha: float) -> Any:
        """Classes, and the rows that speak for them; all together unless by class."""
        n_classes = len(self.classes_)
        if self.by != "class":
            yield np.arange(n_classes), known
            return
        counts = np.bincount(self.codes_[known], minlength=n_classes)
        few = np.flatnonzero(counts < needed_rows(alpha))
        if len(few):
            names = ", ".join(map(repr, self.classes_[few].tolist()))
            warnings.warn(
                f"Always in the set, because there are too few calibration rows: {names}. A "
                f"class needs {needed_rows(alpha)} calibration rows for {1.0 - alpha:.0%} "
                "coverage.",
                UserWarning,
                stacklevel=5,
            )
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "[0-9]+ calibration rows")
            for k in range(n_classes):
                yield np.array([k]), known[self.codes_[known] == k]

    def coverage_report(self, X: Any, y: Any, alpha: float = 0.1) -> CoverageReport:
        """How often sets contain the true class: overall, by class, set size and bins of columns.

        Parameters
        ----------
        X, y : array-like
            Rows that neither fit nor calibration has seen, and their classes.
        alpha : float, default=0.1
            Share of rows whose true class may lie outside the set.

        Returns
        -------
        CoverageReport
        """
        this, labels = self._settled(), column_or_1d(y)
        sets = self.predict_set(X, alpha)
        hits = sets[np.arange(len(sets)), _places(this.classes_, labels)]
        sizes = sets.sum(axis=1).astype(np.float64)
        columns = numeric_columns(this._admit(X))
        return CoverageReport(alpha, tuple(coverage_rows(hits, sizes, labels, columns)))


def _places(classes: NDArray[Any], labels: NDArray[Any]) -> NDArray[np.intp]:
    """Positions of the labels among the classes."""
    unknown = sorted(set(labels.tolist()) - set(classes.tolist()), key=str)
    if unknown:
        raise DataError(
            f"y contains the class {unknown[0]!r}, which the model does not know. No set can "
            "contain it: fit the model to rows of this class too, or leave them out."
        )
    return np.asarray(class_places(classes, labels))
