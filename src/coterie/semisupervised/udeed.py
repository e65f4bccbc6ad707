"""UDEED: linear members that are pushed apart on rows without labels."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from coterie.bagging.coordinates import Coordinates, settle_rows
from coterie.core import (
    Allowed,
    Bootstrap,
    Member,
    RowAxis,
    at_least,
    between,
    one_of,
    split_weight,
)
from coterie.core.seeds import shaking_stream
from coterie.core.trace import Trace
from coterie.data import Table, Target
from coterie.fusion.sums import row_product
from coterie.native import elementary
from coterie.semisupervised.lessons import Scene, Taught
from coterie.semisupervised.unlabelled import TAUGHT, UnlabelledClassifier
from coterie.tags import tagged

Array = NDArray[np.float64]

_MAX_LEVELS = 50  # of a category that have coordinates
_RIDGE = 1e-2  # keeps the first members finite where classes can be told apart by a line
_HARM = 1.1  # a loss on labelled rows that grew by more is told


class Points(NamedTuple):
    """Rows as points, with what is known of them.

    Attributes
    ----------
    known : ndarray of shape (n_labelled, n_coordinates + 1)
        Labelled rows, the last coordinate being 1.
    truth : ndarray of shape (n_labelled, n_classes)
        1 for the class of a row.
    share : ndarray of shape (n_labelled,)
        Weights that sum to one.
    others : ndarray of shape (n_others, n_coordinates + 1)
        The rows that members should differ on.
    """

    known: Array
    truth: Array
    share: Array
    others: Array


def probabilities(scores: Array) -> Array:
    """Class probabilities of linear scores, the first of two classes having score zero.

    Parameters
    ----------
    scores : ndarray of shape (..., n_scores)
        One score for two classes, otherwise one per class.

    Returns
    -------
    ndarray of shape (..., n_classes)
    """
    if scores.shape[-1] == 1:
        second = elementary.expit(np.ascontiguousarray(scores[..., 0]))
        return np.stack([1.0 - second, second], axis=-1)
    flat = np.ascontiguousarray(scores.reshape(-1, scores.shape[-1]))
    return np.asarray(elementary.softmax(flat)).reshape(scores.shape)


def diversity_loss(coef: Array, points: Points, gamma: float) -> tuple[float, Array]:
    r"""Mean logistic loss of members plus how much they agree on other rows, and its gradient.

    :math:`V = \frac1m \sum_k \ell_k + \gamma \frac{2}{m(m-1)} \sum_{p<q} \frac1{|D|} \sum_{x \in D}
    \langle f_p(x), f_q(x) \rangle`. With two classes f is :math:`2\sigma - 1`; with K it is what
    probabilities exceed 1/K by, scaled so that equal certain answers have product 1.

    Parameters
    ----------
    coef : ndarray of shape (n_members, n_coordinates + 1, n_scores)
        What members multiply coordinates by.
    points : Points
        The rows.
    gamma : float
        What agreement costs.

    Returns
    -------
    tuple of float and ndarray of the shape of `coef`
    """
    m, n_classes = len(coef), points.truth.shape[1]
    first = n_classes - coef.shape[2]  # of two classes the second alone has a score
    said = probabilities(points.known @ coef)
    likely = np.maximum((said * points.truth).sum(axis=2), np.finfo(np.float64).tiny)
    loss = -float((np.log(likely) @ points.share).mean())
    pulls = (said - points.truth)[:, :, first:] * points.share[:, None] / m
    slope = points.known.T @ pulls
    if gamma and len(points.others) and m > 1:
        cost, more = _agreement(coef, points.others, n_classes)
        loss, slope = loss + gamma * cost, slope + gamma * more
    return loss, np.asarray(slope)


def _agreement(coef: Array, rows: Array, n_classes: int) -> tuple[float, Array]:
    """Mean product of two members' answers, and its gradient."""
    m, first = len(coef), n_classes - coef.shape[2]
    said = probabilities(rows @ coef)
    excess = said - 1.0 / n_classes
    total = excess.sum(axis=0)
    scale = 2.0 / (m * (m - 1)) * n_classes / (n_classes - 1) / len(rows)
    cost = scale * float((total**2).sum() - (excess**2).sum()) / 2
    rest = (total - excess) * scale
    pulls = said * (rest - (said * rest).sum(axis=2, keepdims=True))
    return cost, rows.T @ pulls[:, :, first:]


@tagged
@dataclass(frozen=True)
class LinearMember:
    """A linear classifier on coordinates of rows.

    Parameters
    ----------
    coordinates : Coordinates
        Where rows lie.
    coef : ndarray of shape (n_coordinates + 1, n_scores)
        What coordinates are multiplied by; the last row is added.
    """

    coordinates: Coordinates
    coef: Array

    def predict(self, table: Table) -> Array:
        """Class probabilities."""
        placed = self.coordinates(table)
        return probabilities(row_product(placed, self.coef[:-1]) + self.coef[-1])


def _descend(
    coef: Array, points: Points, gamma: float, ridge: float, max_iter: int, tol: float
) -> tuple[Array, list[float]]:
    """Coefficients of least loss near those given, and the loss by step."""
    curve: list[float] = []

    def loss(flat: Array) -> tuple[float, Array]:
        now = flat.reshape(coef.shape)
        value, slope = diversity_loss(now, points, gamma)
        if ridge:
            value += ridge / 2 * float((now[:, :-1] ** 2).sum())
            slope = slope.copy()
            slope[:, :-1] += ridge * now[:, :-1]
        return value, slope.ravel()

    found = minimize(
        loss,
        coef.ravel(),
        jac=True,
        method="L-BFGS-B",
        callback=lambda flat: curve.append(loss(flat)[0]),
        options={"maxiter": max_iter, "ftol": tol * 1e-3, "gtol": tol},
    )
    return found.x.reshape(coef.shape), curve


@dataclass(eq=False, repr=False, kw_only=True)
class UDEEDClassifier(UnlabelledClassifier):
    r"""UDEED: logistic members that fit the labels and disagree on unlabelled rows.

    Unlabelled rows are never pseudo-labelled. Members start from bootstrap samples of the labelled
    rows and then jointly minimise their mean loss plus :math:`\gamma` times the mean product of two
    members' predictions on the unlabelled rows, so that they make different mistakes.

    Numbers are standardised, categories become indicators, and missing values are replaced by the
    mean and flagged.

    Parameters
    ----------
    n_estimators : int, default=20
        Number of members.
    gamma : float, default=0.1
        Penalty for agreement; 0 is the first control of the paper, in which all members coincide.
    diversity_on : {"unlabeled", "labeled"}, default="unlabeled"
        The rows that members should differ on; "labeled" is the other control.
    max_iter : int, default=200
        Maximum number of steps.
    tol : float, default=1e-6
        Stop when the gradient is smaller than this.

    Attributes
    ----------
    classes_, transduction_, labeled_iter_ : see TriTrainingClassifier
        As documented there.
    termination_condition_, n_iter_, score_, supervised_score_ : see TriTrainingClassifier
        As documented there.
    estimators_ : sequence of members
        The linear members.
    coef_, intercept_ : ndarray of shape (n_estimators, n_coordinates, n_scores), (..., n_scores)
        Their coefficients.
    loss_curve_ : list of float
        Loss by step.
    diversity_ : float
        Mean product of two members' predictions on the unlabelled rows.

    References
    ----------
    .. [1] Zhang & Zhou, "Exploiting unlabeled data to enhance ensemble diversity", ICDM (2010).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> known = np.where(np.arange(len(y)) % 10 == 0, y, -1)
    >>> UDEEDClassifier(random_state=0, n_folds=None).fit(X, known).score(X, y) > 0.9
    True
    """

    allowed: ClassVar[Mapping[str, Allowed]] = TAUGHT | {
        "n_estimators": at_least(1),
        "gamma": at_least(0.0),
        "diversity_on": one_of("unlabeled", "labeled"),
        "tol": between(0.0, 1.0, closed="neither"),
    }
    answers_by = "mean"

    n_estimators: int = 20
    gamma: float = 0.1
    diversity_on: Literal["unlabeled", "labeled"] = "unlabeled"
    max_iter: int = 200
    tol: float = 1e-6

    def _member(self) -> None:
        return None

    def _teach(self, scene: Scene) -> Taught:
        known = scene.labelled
        rows = settle_rows(
            scene.take(known), scene.target.take(known), scene.weighing(known), merge=True
        )
        free = scene.unlabelled
        nothing = Target.absent(len(free))
        every = settle_rows(scene.table, Target.absent(scene.table.n_rows), scene.weight)
        places = Coordinates.learn(every, scene.table.schema, _MAX_LEVELS)
        others = np.zeros((0, 0))
        if len(free):
            others = _with_one(places.place(settle_rows(scene.take(free), nothing).cells))
        points = Points(
            _with_one(places.place(rows.cells)),
            np.eye(scene.n_classes)[np.asarray(rows.encoded[:, 0], dtype=np.intp)],
            rows.weight / rows.weight.sum(),
            others,
        )
        start = self._start(scene, points, rows.weight)
        first: list[Member] = [LinearMember(places, coef) for coef in start]
        rounds = np.where(scene.codes >= 0, 0, -1).astype(np.int16)
        reason, coef = "all_labeled", start
        curve: list[float] = []
        if len(free):
            coef, curve = self._push_apart(start, points)
            reason = "max_iter" if len(curve) >= self.max_iter else "no_change"
        trace = Trace([{"round": t + 1.0, "loss": value} for t, value in enumerate(curve)])
        spread = (
            _agreement(coef, others, scene.n_classes)[0] if len(free) and len(coef) > 1 else 0.0
        )
        members: list[Member] = [LinearMember(places, each) for each in coef]
        facts = {"coef": coef, "curve": curve, "diversity": spread}
        return Taught(first, members, None, rounds, reason, max(1, len(curve)), trace, facts)

    def _start(self, scene: Scene, points: Points, weight: Array) -> Array:
        """Members by bootstraps of the labelled rows."""
        repeats, importance = split_weight(weight)
        axis = RowAxis.lay(np.arange(len(weight)), repeats)
        draw = Bootstrap(axis, axis.length)
        shape = (1, points.known.shape[1], scene.n_classes if scene.n_classes > 2 else 1)

        def fit(seed: int) -> Array:
            counts = draw.counts(shaking_stream(seed)).astype(np.float64)
            share = counts if importance is None else counts * importance
            drawn = points._replace(share=share / share.sum())
            return _descend(np.zeros(shape), drawn, 0.0, _RIDGE, self.max_iter, self.tol)[0]

        seeds = [int(seed) for seed in scene.seeds(self.n_estimators)]
        return np.concatenate(scene.executor.map(fit, seeds))

    def _push_apart(self, start: Array, points: Points) -> tuple[Array, list[float]]:
        """Move all members together."""
        where = points
        if self.diversity_on == "labeled":
            where = points._replace(others=points.known)
        coef, curve = _descend(start, where, float(self.gamma), 0.0, self.max_iter, float(self.tol))
        before, after = (diversity_loss(each, points, 0.0)[0] for each in (start, coef))
        if after > _HARM * before:
            warnings.warn(
                f"gamma={self.gamma} makes the members so different that the loss on labelled "
                f"rows rose from {before:.3g} to {after:.3g}. Use a smaller gamma.",
                UserWarning,
                stacklevel=6,
            )
        return coef, curve

    def _seat(self, scene: Scene, taught: Taught, members: list[Any], weights: Any = None) -> None:
        super()._seat(scene, taught, members, weights)
        coef = taught.facts["coef"]
        self.coef_, self.intercept_ = coef[:, :-1], coef[:, -1]
        self.loss_curve_, self.diversity_ = taught.facts["curve"], taught.facts["diversity"]


def _with_one(placed: Array) -> Array:
    return np.column_stack([placed, np.ones(len(placed))])
