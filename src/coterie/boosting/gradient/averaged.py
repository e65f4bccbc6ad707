"""Several boosted models of one table, and the one forest that is their mean.

The mean of the models' scores is the score of one forest whose trees weigh so much less. So
predictions, explanations and exports of the mean are those of a single model.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.random import SeedSequence
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar

from coterie.base import Admitted
from coterie.base.scoring import mean_loss
from coterie.boosting.gradient.board import Array
from coterie.boosting.gradient.fit import Earlier, Fold, Given, loss_target, train
from coterie.core import Pool
from coterie.core.trace import Trace
from coterie.data import Target
from coterie.native import Forest

_SEED = 2**31 + 2  # of the streams of the models, apart from all others
_WIDEST = np.log(2.0)  # of a temperature: scores are at most doubled, or halved


def deal(target: Target, number: int, seed: int) -> list[Fold]:
    """Folds of the rows, each class or size of number in all of them by its share.

    Rows of a class that has fewer rows than there are folds are held out by none. Without any fold
    that is worth it, the list is empty.

    Parameters
    ----------
    target : Target
        Of all rows.
    number : int
        How many folds.
    seed : int
        Seed of the draw.

    Examples
    --------
    >>> folds = deal(Target.labels(["a", "b"] * 4, n_rows=8), 2, seed=0)
    >>> [len(fold.watched) for fold in folds]
    [4, 4]
    """
    rng = np.random.default_rng(seed)
    place = np.full(target.n_rows, -1)
    if target.kind == "labels":
        codes = target.codes[:, 0]
        groups = [np.flatnonzero(codes == code) for code in range(len(target.classes[0]))]
        kept = [rng.permutation(group) for group in groups if len(group) >= number]
        order = np.concatenate(kept) if kept else np.empty(0, dtype=np.intp)
        place[order] = np.arange(len(order)) % number
    else:
        # Neighbours by size go to different folds, in an order drawn for each group of them.
        order = np.lexsort((rng.random(target.n_rows), target.values[:, 0]))
        draws = rng.random((-(-target.n_rows // number), number)).argsort(axis=1)
        place[order] = draws.ravel()[: target.n_rows]
    held = [np.flatnonzero(place == k) for k in range(number)]
    if min(map(len, held)) == 0:
        return []
    return [Fold(np.flatnonzero(place != k), rows) for k, rows in enumerate(held)]


@dataclass(frozen=True)
class Model:
    """One of the models.

    Parameters
    ----------
    fitted : estimator
        The draft it was fitted on.
    shape : int
        Which of the settings it has.
    fold : Fold or None
        The rows it has not seen.
    """

    fitted: Any
    shape: int
    fold: Fold | None

    @property
    def curve(self) -> Array:
        """Scores of held-out rows before and after every round, larger being better."""
        return np.asarray(self.fitted._curve)

    def pool(self, size: int) -> Pool:
        """Its first rounds."""
        return self.fitted.pool_[:size]


def fit_models(
    settings: Sequence[SimpleNamespace],
    draft: Any,
    admitted: Admitted,
    given: Given,
    folds: Sequence[Fold | None],
    earlier: Sequence[Earlier] | None = None,
    time_limit: float | None = None,
) -> list[Model]:
    """Fit a model for each fold, with the settings in turn; fewer when time is up.

    Parameters
    ----------
    settings : sequence of namespaces
        Parameters in the engine's words, one for each shape.
    draft : estimator
        What models are copies of.
    admitted : Admitted
        All rows, binned.
    given : Given
        What else `fit` was given.
    folds : sequence of Fold or None
        The rows of each model; None for all of them.
    earlier : sequence of Earlier, optional
        The rounds that each model keeps.
    time_limit : float, optional
        Seconds for all of them.
    """
    models: list[Model] = []
    began = time.monotonic()
    for number, fold in enumerate(folds):
        twin = draft._copy()
        twin.entropy_ = int(
            SeedSequence(draft.entropy_, spawn_key=(_SEED, number)).generate_state(1)[0]
        )
        if time_limit is not None:
            spent = time.monotonic() - began
            # A model that is cut short is worse than none, unless it is the only one.
            if number and spent * (number + 1) / number > time_limit:
                break
            twin._seconds = time_limit - spent
        shape = number % len(settings)
        kept = None if earlier is None else earlier[number]
        train(settings[shape], twin, admitted, given._replace(fold=fold), kept)
        models.append(Model(twin, shape, fold))
    return models


def best_rounds(models: Sequence[Model], *, keep_all: bool = False) -> list[int]:
    """How many rounds each model keeps: those that are best for all of its shape together.

    A round that is best for one fold is so by chance in part. Models without held-out rows keep
    all they have.
    """
    sizes = []
    for model in models:
        alike = [other for other in models if other.shape == model.shape]
        most = len(model.fitted.pool_)
        if keep_all or not len(model.curve):
            sizes.append(most)
            continue
        longest = max(len(other.curve) for other in alike)
        curves = [np.pad(m.curve, (0, longest - len(m.curve)), mode="edge") for m in alike]
        share = [1.0 if m.fold is None else len(m.fold.watched) for m in alike]
        mean = np.average(curves, axis=0, weights=share)
        best = int(mean[1:].argmax()) + 1 if np.isfinite(mean[1:]).any() else most
        sizes.append(min(best, most))
    return sizes


def temperature(models: Sequence[Model], sizes: Sequence[int], admitted: Admitted) -> float:
    """What scores are multiplied by so that rows no model has seen are as sure as they are right.

    Half of what those rows ask for, on the scale of logs: one model is less sure of itself than the
    mean of all is right.
    """
    raws, ys, weights = [], [], []
    loss = models[0].fitted.loss_
    for model, size in zip(models, sizes, strict=True):
        if model.fold is None:
            return 1.0
        rows = model.fold.watched
        raws.append(model.pool(size).raw(admitted.table.take(rows)) + model.fitted.start_)
        ys.append(loss_target(admitted.target.take(rows)))
        weights.append(np.ones(len(rows)) if admitted.weight is None else admitted.weight[rows])
    raw, y, weight = np.concatenate(raws), np.concatenate(ys), np.concatenate(weights)
    found = minimize_scalar(
        lambda log: mean_loss(loss, y, weight, np.exp(log) * raw),
        bounds=(-_WIDEST, _WIDEST),
        method="bounded",
        options={"xatol": 1e-3},
    )
    return float(np.exp(found.x / 2))


def join(draft: Any, models: Sequence[Model], sizes: Sequence[int], factor: float) -> None:
    """Set the mean of the models on the draft: one forest, its rounds in turn of the models.

    Parameters
    ----------
    draft : estimator
        Receives the results.
    models, sizes : sequences
        The models, and how many rounds of each are kept.
    factor : float
        What their mean is multiplied by.
    """
    parts = [model.pool(size) for model, size in zip(models, sizes, strict=True)]
    share = factor / len(models)
    owner = np.repeat(np.arange(len(models)), sizes)
    turn = np.concatenate([np.arange(1, size + 1) / size for size in sizes])
    order = np.lexsort((owner, turn))
    whole = replace(
        parts[0],
        members=Forest.concatenate([part.forest for part in parts]),
        weights=share * np.concatenate([part.weights for part in parts]),
    )
    first = models[0].fitted
    for name, value in vars(first).items():
        if name.endswith("_") and name not in vars(draft):
            setattr(draft, name, value)
    draft.pool_ = whole if len(models) == 1 else whole.take(order)
    draft.starts_ = np.array([model.fitted.start_ for model in models])
    draft.start_ = factor * draft.starts_.mean(axis=0)
    draft.model_of_round_ = owner[order]
    draft.n_models_, draft.temperature_ = len(models), factor
    draft.trace_ = _trace(models, sizes, owner[order])
    draft.stop_reason_ = draft.trace_.reason
    draft.n_iter_ = draft.best_iteration_ = len(order)
    for where in ("train", "validation"):
        curves = [getattr(m.fitted, f"{where}_score_") for m in models if m.shape == 0]
        shortest = min(map(len, curves))
        setattr(draft, f"{where}_score_", np.mean([c[:shortest] for c in curves], axis=0))


def _trace(models: Sequence[Model], sizes: Sequence[int], owner: NDArray[np.intp]) -> Trace:
    """The rounds of all models in the order of the joined forest."""
    left = [iter(model.fitted.trace_.rounds) for model in models]
    rounds = [{**next(left[number]), "model": float(number)} for number in owner]
    cut = any(size < len(m.fitted.pool_) for m, size in zip(models, sizes, strict=True))
    reason = "best_round" if cut else models[-1].fitted.trace_.reason
    return Trace(rounds, reason=reason)
