"""Ensembles with calibrated probabilities."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from coterie import fusion
from coterie.base import ClassifierTask
from coterie.base.signature import own_first
from coterie.combining.combiner import COMBINER, Combiner
from coterie.combining.folds import Rowset, Unseen
from coterie.combining.named_members import Method, Named
from coterie.combining.profiles import LevelOneData
from coterie.core import Allowed, one_of
from coterie.fusion.calibration import inner, log_odds
from coterie.tags import tagged

Array = NDArray[np.float64]

METHODS = ("platt", "isotonic", "beta", "temperature")
_CLOSEST, _WIDEST = 1e-6, 0.05
_LEARNERS: dict[str, Callable[..., Any]] = {
    "platt": fusion.platt,
    "isotonic": fusion.isotonic,
    "beta": fusion.beta,
}


@tagged
@dataclass(frozen=True)
class ClassMaps:
    """Calibrated probabilities of all classes.

    Parameters
    ----------
    method : {"platt", "isotonic", "beta", "temperature", "identity"}
        Kind of map.
    maps : tuple of callables
        One per class; one for the second with two classes, and for "temperature".
    n_classes : int
        Number of classes.
    scores : bool
        Whether what is mapped are scores; otherwise probabilities.
    bounds : tuple of two floats
        What is beyond them is moved to them first: probabilities of 0 and 1 have no logarithms.
    """

    method: str
    maps: tuple[Callable[[Any], Array], ...]
    n_classes: int
    scores: bool
    bounds: tuple[float, float]

    @classmethod
    def learn(
        cls,
        said: Array,
        codes: NDArray[Any],
        weight: Array,
        method: str,
        n_classes: int,
        *,
        scores: bool,
    ) -> ClassMaps:
        """Learn from rows that are new to whoever spoke.

        Parameters
        ----------
        said : ndarray of shape (rows, outputs)
            Probabilities, or scores; of two classes one score for the second will do.
        codes : ndarray of int of shape (rows,)
            True classes.
        weight : ndarray of shape (rows,)
            How many rows each row stands for.
        method : {"platt", "isotonic", "beta", "temperature"}
            Kind of map.
        n_classes : int
            Number of classes.
        scores : bool
            Whether `said` are scores.
        """
        blank = cls(method, (), n_classes, scores, _bounds(said, scores=scores))
        if len(np.unique(codes)) < 2:
            if n_classes > 1:
                warnings.warn(
                    "All calibration rows belong to one class, so probabilities are not "
                    "calibrated.",
                    UserWarning,
                    stacklevel=2,
                )
            return cls("identity", (), n_classes, scores, blank.bounds)
        if method == "temperature":
            maps = [fusion.temperature(blank._logits(said), codes, weight)]
            return cls(method, tuple(maps), n_classes, scores, blank.bounds)
        learn = _LEARNERS[method]
        columns = blank._columns(said)
        classes = (1,) if n_classes == 2 else range(n_classes)
        pairs = zip(classes, columns, strict=True)
        found = tuple(learn(column, codes == k, weight) for k, column in pairs)
        return cls(method, found, n_classes, scores, blank.bounds)

    def __call__(self, said: Array) -> Array:
        """Calibrated probabilities, shape (rows, classes)."""
        if self.method == "identity":
            return self._plain(said)
        if self.method == "temperature":
            return self.maps[0](self._logits(said))
        pairs = zip(self.maps, self._columns(said), strict=True)
        mapped = np.column_stack([map_(column) for map_, column in pairs])
        if self.n_classes == 2:
            return np.hstack([1.0 - mapped, mapped])
        total = mapped.sum(axis=1, keepdims=True)
        even = np.full(mapped.shape, 1.0 / self.n_classes)
        return np.divide(mapped, total, out=even, where=total > 0)

    def _inside(self, said: Array) -> Array:
        return np.clip(said, *self.bounds)

    def _columns(self, said: Array) -> list[Array]:
        """What each map is given."""
        given = self._inside(said)
        columns = [given[:, -1]] if self.n_classes == 2 else list(given.T)
        if self.method == "beta" and self.scores:
            return [expit(column) for column in columns]
        if self.method == "platt" and not self.scores:
            return [log_odds(column) for column in columns]
        return columns

    def _logits(self, said: Array) -> Array:
        given = self._inside(said)
        if self.scores and given.shape[1] == 1:
            return np.hstack([np.zeros_like(given), given])
        return given if self.scores else np.log(inner(given))

    def _plain(self, said: Array) -> Array:
        """Probabilities as they are, scores squashed."""
        if not self.scores:
            return said
        odds = expit(self._inside(said))
        odds = np.hstack([1.0 - odds, odds]) if odds.shape[1] == 1 else odds
        return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def _bounds(said: Array, *, scores: bool) -> tuple[float, float]:
    """Between which lies what can be told apart."""
    if scores:
        # A class that was never seen has the lowest of all numbers.
        known = said[np.abs(said) < np.finfo(np.float64).max]
        return (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    edge = np.minimum(said, 1.0 - said)
    between = edge[edge > 1e-9]
    # Half of what is closest to 0 or 1: there a vote of all members would be, were there more.
    smallest = between.min() / 2 if between.size else _WIDEST
    width = float(np.clip(smallest, _CLOSEST, _WIDEST))
    return width, 1.0 - width


@own_first
@dataclass(eq=False, repr=False, kw_only=True)
class CalibratedEnsembleClassifier(ClassifierTask, Combiner):
    r"""The mean of the members' probabilities, calibrated on held-out rows.

    Of the rows to which a calibrated classifier assigns probability p, a share p belongs to the
    class. Members are often miscalibrated: forests are under-confident; fully grown trees, naive
    Bayes and boosting are over-confident. A calibration map is fitted to out-of-fold or out-of-bag
    predictions, never to predictions on training rows, which are always over-confident.

    Members of different kinds are calibrated one by one before they are averaged
    (``calibrate="members"``). By default the average is calibrated: the mean of different
    calibrated probabilities is itself not calibrated but under-confident [2]_.

    Parameters
    ----------
    method : {"platt", "isotonic", "beta", "temperature"}, default="platt"
        Kind of map, see `coterie.fusion`. "platt", a sigmoid with smoothed targets, and "beta" need
        few rows; "isotonic" takes any shape and needs a thousand or more; "temperature" has one
        number for all classes and does not change the most probable class. The others calibrate one
        class against the rest and normalise.
    calibrate : {"ensemble", "members"}, default="ensemble"
        What is mapped: the mean of the members' probabilities, or each member's. Members without
        probabilities are mapped from their decision function in the latter case; otherwise they
        count as 0 and 1.

    Attributes
    ----------
    calibrators_ : list of ClassMaps
        The maps: one, or one for each member.
    estimators_ : list of classifiers
        The fitted members.
    named_estimators_ : Bunch
        Members by name.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    pool_ : Pool
        The members.

    References
    ----------
    .. [1] Niculescu-Mizil & Caruana, "Predicting good probabilities with supervised learning",
       ICML (2005).
    .. [2] Ranjan & Gneiting, "Combining probability forecasts", J. R. Stat. Soc. B 72 (2010).

    Examples
    --------
    >>> from sklearn.datasets import make_classification
    >>> from sklearn.metrics import log_loss
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = make_classification(1000, n_redundant=10, random_state=0)
    >>> plain = GaussianNB().fit(X[::2], y[::2])
    >>> model = CalibratedEnsembleClassifier([("bayes", GaussianNB())]).fit(X[::2], y[::2])
    >>> loss = [log_loss(y[1::2], m.predict_proba(X[1::2])) for m in (plain, model)]
    >>> loss[1] < loss[0]
    True
    """

    method: Literal["platt", "isotonic", "beta", "temperature"] = "platt"
    calibrate: Literal["ensemble", "members"] = "ensemble"

    member_kind: ClassVar[str] = "classifier"
    allowed: ClassVar[Mapping[str, Allowed]] = {
        **COMBINER,
        "method": one_of(*METHODS),
        "calibrate": one_of("ensemble", "members"),
    }

    def _methods(self, members: Sequence[Named]) -> list[Method]:
        scores = self.calibrate == "members"
        return [_what_to_ask(member.estimator, scores=scores) for member in members]

    def _combine(self, draft: Self, rows: Rowset, unseen: Unseen | None) -> None:
        assert unseen is not None, "calibration learns from unseen rows"
        n_classes = len(draft.classes_)
        covered = unseen.covered
        weight = None if rows.weight is None else rows.weight[covered]
        truth = rows.target.codes[covered, 0]
        said = [values[covered] for values in unseen.values]
        counts = LevelOneData(np.stack(said[:1]), truth, weight).counts()
        asked = [_asked_for(seat) for seat in _seats(draft)]
        if self.calibrate == "ensemble":
            said, asked = [np.mean(said, axis=0)], ["predict_proba"]
        draft.calibrators_ = [
            ClassMaps.learn(
                given, truth, counts, self.method, n_classes, scores=method == "decision_function"
            )
            for given, method in zip(said, asked, strict=True)
        ]

    def _mean_vote(self, X: Any) -> Array:
        table = self._admit(X)
        said = [member.predict(table) for member in _seats(self)]
        if self.calibrate == "ensemble":
            return self.calibrators_[0](np.mean(said, axis=0))
        pairs = zip(self.calibrators_, said, strict=True)
        return np.asarray(np.mean([map_(given) for map_, given in pairs], axis=0))


def _what_to_ask(estimator: Any, *, scores: bool) -> Method:
    """Probabilities, or else scores if those will do, or else labels."""
    if hasattr(estimator, "predict_proba"):
        return "predict_proba"
    return "decision_function" if scores and hasattr(estimator, "decision_function") else "predict"


def _seats(model: Any) -> list[Any]:
    return [model.pool_.member(number) for number in range(len(model.pool_))]


def _asked_for(seat: Any) -> Method:
    """What a seat, or the seats of its folds, are asked for."""
    return getattr(seat, "seats", (seat,))[0].method
