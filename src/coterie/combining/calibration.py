"""Ensembles with calibrated probabilities."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from coterie.base import ClassifierTask
from coterie.base.signature import own_first
from coterie.combining.calibration_maps import METHODS, ClassMaps
from coterie.combining.combiner import COMBINER, Combiner
from coterie.combining.folds import Rowset, Unseen
from coterie.combining.named_members import Method, Named
from coterie.combining.profiles import Lesson
from coterie.core import Allowed, one_of

Array = NDArray[np.float64]


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
        counts = Lesson(np.stack(said[:1]), truth, weight).counts()
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
