"""Out-of-bag rows as a validation set: scores, curves, weights, calibration, stacking.

Every method is given the training rows again, in the order of `fit`: an ensemble keeps seeds, not
data. Rows that all members saw have no out-of-bag vote; they are NaN and left out of scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coterie.base.calibrate import CalibratedVotes
from coterie.base.check import admit_fit, publish_columns
from coterie.base.executor import thread_count
from coterie.base.member_weights import weigh
from coterie.base.oob_votes import Metric, OobCurve, OobVotes, collect_votes, score_votes
from coterie.base.same_data import check_same_data
from coterie.core import Bags, Pool
from coterie.data import DataError, Table, Target, open_source

Array = NDArray[np.float64]


class OutOfBag:
    """What out-of-bag rows can do for an ensemble that has ``pool_`` and ``bags_``."""

    pool_: Pool
    bags_: Bags
    oob_curve_: OobCurve
    target_: Target
    n_jobs: int | None
    _settled: Any
    _copy: Any
    _describe_target: Any
    task: Any
    categorical_features: Any

    @property
    def estimators_samples_(self) -> list[NDArray[np.int32]]:
        """The rows in the bag of each member, drawn again from its seed."""
        return list(self._settled().bags_.samples())

    def oob_samples(self) -> Iterator[NDArray[np.intp]]:
        """The rows each member has not seen, drawn again from its seed.

        Yields
        ------
        ndarray of int
            Positions of training rows, member by member.
        """
        bags = self._settled().bags_
        for member in range(len(bags)):
            yield np.flatnonzero(bags.free(member))

    def oob_curve(
        self, X: Any, y: Any, sample_weight: Any = None, *, metric: Metric | None = None
    ) -> OobCurve:
        """Out-of-bag error after 1, 2, ... members, in total and per class.

        Parameters
        ----------
        X, y, sample_weight : array-like
            The training data, in the order of the rows in `fit`; it is not kept.
        metric : str, scorer or callable, optional
            A further metric to compute after every member; see ``curve.scores``.

        Returns
        -------
        OobCurve
        """
        return self._oob(X, y, sample_weight, metric)[0].curve

    def oob_metric(self, metric: Metric, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Evaluate the out-of-bag predictions with any metric.

        Parameters
        ----------
        metric : str, scorer or callable
            Name of a scorer, a scorer, or ``metric(y_true, y_pred)``; scorers that need
            probabilities get them.
        X, y, sample_weight : array-like
            The training data, in the order of the rows in `fit`.

        Returns
        -------
        float
        """
        votes, target, weight = self._oob(X, y, sample_weight)
        return score_votes(metric, target, votes, weight)

    def oob_features(self, X: Any) -> Array:
        """Mean out-of-bag votes, as features for a second-level model.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The training rows, in the order of `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes) or (n_samples, n_outputs)
            Probabilities or numbers; NaN for rows without an out-of-bag vote.
        """
        this = self._settled()
        votes, weights = this.oob_votes(X), this.pool_.weights[:, None, None]
        heard = ~np.isnan(votes)
        total = np.where(heard, votes, 0.0) * weights
        mass = (heard * weights).sum(axis=0)
        return np.divide(total.sum(axis=0), mass, out=np.full(mass.shape, np.nan), where=mass > 0)

    def oob_votes(self, X: Any) -> Array:
        """The vote of every member on the rows it did not see.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The training rows, in the order of `fit`.

        Returns
        -------
        ndarray of shape (n_members, n_samples, n_outputs)
            NaN where the row is in the member's bag, or of weight zero.
        """
        this = self._settled()
        source = open_source(X, owner=type(self).__name__)
        this._check_training_rows(source.n_rows)
        kept = this.bags_.kept
        source = source if kept is None else source.take(kept)
        table = Table.under(this.schema_, source, owner=type(self).__name__)
        threads = thread_count(this.n_jobs)
        votes = votes_outside(this.pool_, this.bags_, table, this.target_, threads)
        return votes if kept is None else np.stack([this._spread(vote) for vote in votes])

    def oob_weights(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        method: Literal["score", "stack"] = "score",
    ) -> Array:
        r"""Weights for the members, from their out-of-bag predictions.

        "score" weights a member by how far its accuracy on its own out-of-bag rows is above chance,
        or by :math:`1 / MSE`. "stack" minimises the expected squared error of the weighted vote,
        :math:`\sum_{st} w_s w_t C_{st}` with :math:`w \ge 0`, :math:`\sum_t w_t = 1`, where
        :math:`C_{st}` is the mean product of the errors of two members on rows outside both bags,
        with the estimated noise subtracted.

        Parameters
        ----------
        X, y, sample_weight : array-like
            The training data, in the order of the rows in `fit`.
        method : {"score", "stack"}, default="score"
            How to weigh.

        Returns
        -------
        ndarray of shape (n_members,)
            Weights that sum to one; pass them to `reweighted`.
        """
        this = self._settled()
        target, weight, kept = this._training(X, y, sample_weight)[1:]
        votes = this.oob_votes(X)
        return weigh(votes if kept is None else votes[:, kept], target, weight, method)

    def reweighted(self, weights: ArrayLike) -> Self:
        """A copy with other member weights.

        Parameters
        ----------
        weights : array-like of shape (n_members,)
            Weights >= 0, not all zero.

        Returns
        -------
        fitted estimator of the same kind
        """
        this = self._settled()
        given = np.asarray(weights, dtype=np.float64)
        if given.shape != (len(this.pool_),) or not np.all(given >= 0) or not given.any():
            raise ValueError(
                f"weights has shape {given.shape}, but there are {len(this.pool_)} members; pass "
                "a finite number >= 0 for each, at least one of them positive."
            )
        twin: Self = this._copy()
        twin.pool_ = replace(this.pool_, weights=given)
        return twin

    def shortened(self, n_members: int) -> Self:
        """A copy with only the first members; see ``oob_curve_.enough()`` for how many are enough.

        Parameters
        ----------
        n_members : int
            How many to keep.

        Returns
        -------
        fitted estimator of the same kind
        """
        this = self._settled()
        if not 1 <= n_members <= len(this.pool_):
            raise ValueError(f"n_members={n_members} must be from 1 to {len(this.pool_)}.")
        twin: Self = this._copy()
        twin.pool_, twin.bags_ = this.pool_[:n_members], this.bags_[:n_members]
        return twin._unjudged()

    def pruned(self, members: ArrayLike) -> Self:
        """A copy with only some of the members; see `coterie.selection` for how to choose them.

        Parameters
        ----------
        members : array-like of int
            Their numbers, each once; they are kept in the order of the ensemble.

        Returns
        -------
        fitted estimator of the same kind
        """
        this = self._settled()
        kept, n_members = np.unique(np.asarray(members)), len(this.pool_)
        if kept.dtype.kind not in "iu" or not len(kept) or not 0 <= kept[0] <= kept[-1] < n_members:
            raise ValueError(
                f"members={members!r} must be at least one number from 0 to {n_members - 1}."
            )
        twin: Self = this._copy()
        twin.pool_, twin.bags_ = this.pool_.take(kept), this.bags_.take(kept)
        return twin._unjudged()

    def _unjudged(self) -> Self:
        """Itself, without the out-of-bag results of when there were more members."""
        twin = self
        for name in [name for name in vars(twin) if name.startswith("oob_") and name[-1] == "_"]:
            del twin.__dict__[name]  # they judged the whole
        return twin

    def calibrated(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        method: Literal["sigmoid", "isotonic"] = "sigmoid",
    ) -> CalibratedVotes:
        """The classifier with probabilities calibrated on out-of-bag votes; nothing is refitted.

        Parameters
        ----------
        X, y, sample_weight : array-like
            The training data, in the order of the rows in `fit`.
        method : {"sigmoid", "isotonic"}, default="sigmoid"
            Platt's sigmoid, or any non-decreasing step function, which needs more rows.

        Returns
        -------
        CalibratedVotes
            With ``predict`` and ``predict_proba``.
        """
        this = self._settled()
        votes, target, weight = this._oob(X, y, sample_weight)
        return CalibratedVotes.learn(this, votes, target, weight, method)

    def _oob(
        self, X: Any, y: Any, sample_weight: Any, metric: Metric | None = None
    ) -> tuple[OobVotes, Target, Array | None]:
        """Out-of-bag votes on the training rows, with what to compare them to."""
        this = self._settled()
        table, target, weight, kept = this._training(X, y, sample_weight)
        weight = weight if this.bags_.repeats else None
        rows = slice(None) if kept is None else kept
        seen = (~this.bags_.free(number)[rows] for number in range(len(this.bags_)))
        threads = thread_count(this.n_jobs)
        votes = collect_votes(
            this.pool_, table, target, seen, weight=weight, metric=metric, n_threads=threads
        )
        return votes, target, weight

    def _training(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Table, Target, Array | None, NDArray[np.intp] | None]:
        """The training data read again, for members that can judge it."""
        self.bags_.check_judges()
        return self._again(X, y, sample_weight)

    def _again(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Table, Target, Array | None, NDArray[np.intp] | None]:
        """The training data read again, refused when it cannot be what was fitted."""
        admitted = admit_fit(
            self, X, y, sample_weight, task=self.task, categorical=self.categorical_features
        )
        table, target, weight, kept = admitted
        self._check_size(table.n_rows if kept is None else len(sample_weight))
        again = self._copy()
        publish_columns(again, table.schema)
        self._describe_target(again, admitted)
        check_same_data(self, again, "Pass the training data again.")
        return table, target, weight, kept

    def _check_training_rows(self, n_rows: int) -> None:
        """Refuse rows that cannot be those of the fit, and members that cannot judge them."""
        self.bags_.check_judges()
        self._check_size(n_rows)

    def _check_size(self, n_rows: int) -> None:
        if n_rows != self.bags_.n_rows:
            raise DataError(
                f"X has {n_rows} rows, but the ensemble was fitted to {self.bags_.n_rows}: pass "
                "the training data again."
            )

    def _spread(self, values: Array) -> Array:
        """What was computed on the rows of positive weight, on all rows."""
        bags = self.bags_
        if bags.kept is None:
            return values
        spread = np.full((bags.n_rows, values.shape[1]), np.nan)
        spread[bags.kept] = values
        return spread


def votes_outside(
    pool: Pool, bags: Bags, table: Table, target: Target, n_threads: int = 1
) -> Array:
    """Votes of members on the rows outside their bags, NaN inside.

    Parameters
    ----------
    pool, bags : Pool, Bags
        The members and what they saw.
    table, target : Table, Target
        The rows that bags were drawn from, and what is predicted.
    n_threads : int
        Native threads.

    Returns
    -------
    ndarray of shape (n_members, n_rows, n_outputs)
    """
    width = sum(target.n_classes) or target.n_outputs
    votes = np.full((len(pool), table.n_rows, width), np.nan)
    for number in range(len(pool)):
        rows = np.flatnonzero(bags.unseen(number))
        if len(rows):
            one = Pool.of([pool.member(number)], cast=pool.cast)
            votes[number, rows] = one.raw(table.take(rows), n_threads=n_threads)
    return votes
