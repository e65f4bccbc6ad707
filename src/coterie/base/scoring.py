"""Scoring predictions that are known already, and the rows that are held out to be scored.

One vocabulary for all families: `scoring` is read by `read_scoring`; scorers of scikit-learn are
asked about a `StandIn`, an estimator whose predictions are known; rows to score are a part of the
training rows (`hold_out`) or those that a user gave (`admit_validation`). When scores no longer
improve, `coterie.core.watch.Patience` says so.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.metrics import accuracy_score, get_scorer, get_scorer_names, r2_score
from sklearn.model_selection import train_test_split
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.metaestimators import available_if

from coterie.base.check import Admitted
from coterie.core import Allowed
from coterie.data import DataError, Schema, Table, Target, read_weight
from coterie.losses import PointwiseLoss

Array = NDArray[np.float64]
Scorer = Callable[..., float]

#: Measures that a family computes itself; smaller is better.
OWN = ("error", "loss")
#: Early stopping is on with more rows than this, if it is "auto"; as in scikit-learn.
MANY_ROWS = 10_000


@dataclass(frozen=True)
class Scoring:
    """A number that says how good predictions are.

    Parameters
    ----------
    name : str
        What it is called in the trace, after "validation_" or "train_".
    scorer : callable or None
        ``scorer(estimator, X, y)``, larger is better; None is a measure of the family's own.
    larger : bool
        Whether larger is better; if not, the trace has minus what the scorer says.
    """

    name: str
    scorer: Scorer | None = None
    larger: bool = False

    def best(self, values: Array) -> int:
        """Position of the best value; in case of ties, the first."""
        return int(np.argmax(values) if self.larger else np.argmin(values))


def read_scoring(scoring: Any, kind: str) -> tuple[Scoring, ...]:
    """What one or several names or scorers stand for; the first of them decides.

    Parameters
    ----------
    scoring : str, callable, None, or a sequence of those
        As given by the user.
    kind : {"labels", "values"}
        Of the target: None stands for the accuracy, or for R².

    Examples
    --------
    >>> [(s.name, s.larger) for s in read_scoring(["error", "log_loss", None], "labels")]
    [('error', False), ('log_loss', False), ('accuracy', True)]
    """
    default = "accuracy" if kind == "labels" else "r2"
    several = scoring if isinstance(scoring, list | tuple) else [scoring]
    read = tuple(_read(default if one is None else one, at) for at, one in enumerate(several, 1))
    names = [one.name for one in read]
    if len(set(names)) < len(names):
        raise ValueError(f"scoring contains the same name twice: {', '.join(names)}.")
    return read


def _read(scoring: Any, number: int) -> Scoring:
    if not isinstance(scoring, str):
        return Scoring(getattr(scoring, "__name__", f"score_{number}"), scoring, larger=True)
    if scoring in OWN:
        return Scoring(scoring)
    if scoring in get_scorer_names():
        return Scoring(scoring, get_scorer(scoring), larger=True)
    return Scoring(scoring, get_scorer(f"neg_{scoring}"))


def a_scoring(*own: str, several: bool = True) -> Allowed:
    """What `scoring` may be in a family with these measures of its own.

    Parameters
    ----------
    *own : str
        Of `OWN`.
    several : bool, default=True
        Whether it may be a list.

    Examples
    --------
    >>> word = a_scoring("error")
    >>> word.admits("roc_auc"), word.admits(["error", None]), word.admits("loss")
    (True, True, False)
    """

    def is_one(scoring: Any) -> bool:
        if isinstance(scoring, str) and scoring not in OWN:
            known = get_scorer_names()
            return scoring in known or f"neg_{scoring}" in known
        return scoring is None or scoring in own or callable(scoring)

    def admits(scoring: Any) -> bool:
        if isinstance(scoring, list | tuple):
            return several and len(scoring) > 0 and all(is_one(one) for one in scoring)
        return is_one(scoring)

    words = ", ".join(repr(word) for word in own)
    return Allowed(
        admits,
        f"{words}, the name of a scorer as in sklearn.metrics.get_scorer_names() with or without "
        "its 'neg_', a function (estimator, X, y) -> float, "
        f"{'a list of these, ' if several else ''}or None",
    )


@dataclass(frozen=True)
class Answers:
    """How the scores of rows become what an estimator says of them.

    Parameters
    ----------
    predict : callable
        From scores of shape (n_rows, n_scores) to labels or numbers.
    predict_proba, decision_function : callable or None
        The same for those methods, if there are any.
    classes : ndarray, list of them, or None
        Class labels; None for numbers.
    """

    predict: Callable[[Array], NDArray[Any]]
    predict_proba: Callable[[Array], Any] | None = None
    decision_function: Callable[[Array], Array] | None = None
    classes: Any = None

    def error(self, y: NDArray[Any], weight: Array | None, raw: Array) -> float:
        """The share of mistakes, or the mean absolute error."""
        said = self.predict(raw).reshape(len(y), -1)
        known = y.reshape(len(y), -1)
        each = np.abs(said - known) if self.classes is None else said != known
        return float(np.average(each.mean(axis=1), weights=weight))


def _gives(method: str) -> Callable[[Any], bool]:
    return lambda estimator: getattr(estimator.answers, method) is not None


class StandIn(BaseEstimator):
    """An estimator whose predictions are known: scorers can be asked about it at no cost.

    Parameters
    ----------
    answers : Answers
        How scores become predictions.
    rows : array, data frame or sparse matrix
        The rows whose scores are known.
    raw : ndarray of shape (n_rows, n_scores)
        Their scores.
    elsewhere : callable or None
        The scores of any other rows; None refuses them.
    """

    def __init__(
        self,
        answers: Any = None,
        rows: Any = None,
        raw: Any = None,
        elsewhere: Callable[[Any], Array] | None = None,
    ) -> None:
        self.answers, self.rows, self.raw, self.elsewhere = answers, rows, raw, elsewhere

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.answers.classes is None:
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        else:
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        return tags

    def _raw(self, X: Any) -> Array:
        if X is self.rows:
            return np.asarray(self.raw)
        if self.elsewhere is None:
            raise ValueError("A scorer may only request predictions for the rows it was given.")
        return self.elsewhere(X)

    @property
    def classes_(self) -> Any:
        """Class labels; a list of them for several outputs."""
        if self.answers.classes is None:
            raise AttributeError("A regressor has no classes.")
        return self.answers.classes

    def predict(self, X: Any) -> NDArray[Any]:
        """Labels or numbers."""
        return np.asarray(self.answers.predict(self._raw(X)))

    @available_if(_gives("predict_proba"))
    def predict_proba(self, X: Any) -> Any:
        """Class probabilities; of several outputs a list."""
        return self.answers.predict_proba(self._raw(X))

    @available_if(_gives("decision_function"))
    def decision_function(self, X: Any) -> Array:
        """The scores."""
        return np.asarray(self.answers.decision_function(self._raw(X)))

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy, or R²."""
        metric = r2_score if self.answers.classes is None else accuracy_score
        return float(metric(y, self.predict(X), sample_weight=sample_weight))


def of_predictions(metric: Callable[..., float]) -> Scorer:
    """The scorer that a metric of what is true and what is predicted makes.

    Unlike those of `sklearn.metrics.make_scorer` it passes weights on only if the metric takes
    them, and leaves the predictions of several outputs alone.
    """
    takes = inspect.signature(metric).parameters

    def scorer(estimator: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        if sample_weight is None or "sample_weight" not in takes:
            return metric(y, estimator.predict(X))
        return metric(y, estimator.predict(X), sample_weight=sample_weight)

    return scorer


def ask(scorer: Scorer, estimator: StandIn, y: NDArray[Any], weight: Array | None) -> float:
    """What a scorer says of the rows whose predictions are known.

    Weights are passed on if there are any and the scorer takes them.
    """
    options = {}
    if weight is not None:
        takes = inspect.signature(scorer).parameters
        anything = any(one.kind is inspect.Parameter.VAR_KEYWORD for one in takes.values())
        options = {"sample_weight": weight} if anything or "sample_weight" in takes else {}
    return float(scorer(estimator, estimator.rows, y, **options))


@dataclass(frozen=True)
class Measures:
    """Measures rows of known scores by one or several scorings.

    Parameters
    ----------
    scorings : sequence of Scoring
        What to measure.
    answers : Answers
        How scores become predictions.
    rows : Admitted
        The rows.
    own : mapping of str to callable
        The family's own measures of scores, ``raw -> float``, by name; without one, "error" is
        the share of mistakes or the mean absolute error.
    where : str
        How facts begin that are measured on these rows: "train", "validation", or what a set of
        rows is called.
    reading : callable or None
        From the sum of weighted votes to the scores that `answers` and `own` take; None if that
        is the same. It is called once per round.
    """

    scorings: Sequence[Scoring]
    answers: Answers
    rows: Admitted
    own: Mapping[str, Callable[[Array], float]] = field(default_factory=dict)
    where: str = "validation"
    reading: Callable[[Array], Array] | None = None

    @cached_property
    def given(self) -> Any:
        """The rows as the user gave them."""
        return self.rows.table.given()

    @cached_property
    def y(self) -> NDArray[Any]:
        """Their labels or numbers."""
        return self.rows.target.decode(self.rows.target.encoded)

    def fact(self, scoring: Scoring) -> str:
        """The name of a measure in the trace."""
        return f"{self.where}_{scoring.name}"

    def __call__(
        self, raw: Array, elsewhere: Callable[[Any], Array] | None = None
    ) -> dict[str, float]:
        """Facts of a round; `elsewhere` gives the scores of any other rows, see `StandIn`."""
        raw = raw if self.reading is None else self.reading(raw)
        return {self.fact(one): self._measure(one, raw, elsewhere) for one in self.scorings}

    def _measure(
        self, scoring: Scoring, raw: Array, elsewhere: Callable[[Any], Array] | None
    ) -> float:
        if scoring.scorer is None:
            own = self.own.get(scoring.name)
            return self.answers.error(self.y, self.rows.weight, raw) if own is None else own(raw)
        estimator = StandIn(self.answers, self.given, raw, elsewhere)
        value = ask(scoring.scorer, estimator, self.y, self.rows.weight)
        if math.isnan(value):
            rows = "training rows" if self.where == "train" else "held-out rows"
            raise ValueError(
                f"The score {scoring.name!r} is not defined on the {rows}. Hold out more rows, or "
                "choose another scoring."
            )
        return value if scoring.larger else -value


def mean_loss(loss: PointwiseLoss, y: Array, weight: Array | None, raw: Array) -> float:
    """The weighted mean loss of scores."""
    return float(np.average(loss.value(y, raw), weights=weight))


class Validation(NamedTuple):
    """Rows to score, as they are passed to ``fit``."""

    X: Any
    y: Any
    sample_weight: Any = None

    @classmethod
    def of(cls, X: Any, y: Any, sample_weight: Any) -> Validation | None:
        """The rows, or None if there are none."""
        if (X is None) != (y is None):
            there, missing = ("X_val", "y_val") if y is None else ("y_val", "X_val")
            raise ValueError(f"{there} is provided, but {missing} was not provided.")
        return None if X is None else cls(X, y, sample_weight)


def stops_early(early_stopping: bool | str, given: Validation | None, n_rows: int) -> bool:
    """Whether early stopping is on: "auto" asks for rows to score, or for many rows."""
    if early_stopping == "auto":
        return given is not None or n_rows > MANY_ROWS
    return bool(early_stopping)


def hold_out_seed(entropy: int) -> int:
    """The seed by which rows to hold out are drawn, from that of the whole fit."""
    return int(np.random.SeedSequence(entropy, spawn_key=(2**31,)).generate_state(1)[0])


def hold_out(
    target: Target, share: float, seed: int, *, strict: bool = False
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows to learn from and rows to hold out, both ascending; each class by its share.

    Parameters
    ----------
    target : Target
        Of all rows.
    share : float
        The share to hold out, or their number.
    seed : int
        Seed of the draw.
    strict : bool, default=False
        Refuse, as scikit-learn's ``GradientBoostingClassifier``, classes that cannot be in both
        parts.
    """
    strata = None
    if target.kind == "labels" and target.n_outputs == 1:
        # A class of a single row cannot be in both parts: then rows are drawn from all alike.
        sizes = np.bincount(target.codes[:, 0])
        apart = strict or sizes[sizes > 0].min(initial=2) >= 2
        strata = target.codes[:, 0].astype(np.float64) if apart else None
    learn, held = train_test_split(
        np.arange(target.n_rows), test_size=share, random_state=seed, stratify=strata
    )
    if strict and strata is not None and len(np.unique(strata[learn])) < len(np.unique(strata)):
        raise ValueError(
            "The training data after the early stopping split is missing some classes. Try using "
            "another random seed."
        )
    return np.sort(learn), np.sort(held)


def admit_validation(
    owner: str, schema: Schema, known: Target, given: Validation, *, infinite: bool = False
) -> Admitted:
    """Rows to score, read under the columns and classes of the rows to learn from.

    Parameters
    ----------
    owner : str
        Named in messages.
    schema, known : Schema, Target
        Of the rows to learn from.
    given : Validation
        The rows to score.
    infinite : bool, default=False
        Whether infinity may be among them.
    """
    table = Table.under(schema, given.X, owner=owner, infinite=infinite)
    weight, kept = read_weight(given.sample_weight, table.n_rows)
    read = Target.labels if known.kind == "labels" else Target.numbers
    target = read(given.y, rows=kept, n_rows=table.n_rows)
    if target.n_outputs != known.n_outputs:
        raise DataError(f"y_val has {target.n_outputs} columns, but y has {known.n_outputs}.")
    if known.kind == "labels":
        target = under_classes(known, target)
    return Admitted(table if kept is None else table.take(kept), target, weight, kept)


def under_classes(known: Target, target: Target) -> Target:
    """The target of rows to score with the classes of the rows to learn from."""
    columns = []
    for k, classes in enumerate(target.classes):
        place = {label: code for code, label in enumerate(known.classes[k].tolist())}
        unknown = [label for label in classes.tolist() if label not in place]
        if unknown:
            raise DataError(
                f"y_val contains {unknown[0]!r}, which is not one of the classes in y. Remove "
                "such rows."
            )
        codes = np.array([place[label] for label in classes.tolist()], dtype=np.int32)
        columns.append(codes[target.codes[:, k]])
    return replace(known, encoded=np.stack(columns, axis=1))
