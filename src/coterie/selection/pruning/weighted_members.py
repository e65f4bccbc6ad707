"""The members of any ensemble with the weights they have in it, and some of them only."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.dummy import DummyClassifier

from coterie.bagging.bag import OneVote
from coterie.base.bagged import Bagged
from coterie.boosting.booster import Booster
from coterie.core import Pool
from coterie.data import DataError, Table
from coterie.learners import class_places
from coterie.native import Forest
from coterie.selection.adapted import AdaptedPool, Classes, adapt_pool, members_of

Array = NDArray[np.float64]

_CHECKED = 1000  # rows on which an ensemble is compared with the vote of its members


def adapt_weighted(model: Any, classes: Classes) -> AdaptedPool:
    """The members of a fitted ensemble or list, each with its weight.

    Members of boosters and of hard votes give their weight to one class; others share it out by
    their probabilities. Native trees stay in one forest.

    Parameters
    ----------
    model : fitted ensemble, or list of fitted models
        Its members must predict by themselves.
    classes : ndarray or None
        Classes of the committee, sorted; None for numbers.
    """
    # A pool of one class is a constant.
    if not isinstance(model, list | tuple | DummyClassifier) and not hasattr(model, "estimators_"):
        raise TypeError(
            f"{type(model).__name__} has no members to choose from. Pass an ensemble with "
            "`estimators_`, or a list of models."
        )
    if isinstance(model, Bagged):
        return adapt_pool(model, classes)
    if isinstance(model, Booster) and _native(model, classes):
        return _boosted(model, classes)
    panel = adapt_pool(model, classes)
    weights = _weights(model, panel.n_members)
    pool = panel.pool if weights is None else replace(panel.pool, weights=weights)
    hard = weights is not None and hasattr(model, "estimator_weights_")
    if classes is not None and (hard or getattr(model, "voting", None) == "hard"):
        pool = replace(pool, cast=OneVote((len(classes),)))
    return replace(panel, pool=pool)


def _native(model: Any, classes: Classes) -> bool:
    pool = model.pool_
    alone = isinstance(pool.members, Forest) and pool.width == 1
    return alone and (classes is not None) == is_classifier(model.estimator_)


def _boosted(model: Any, classes: Classes) -> AdaptedPool:
    """The trees of a booster as voters; each gives its weight to one class."""
    weights = _usable(model.pool_.weights)
    if classes is None:
        return AdaptedPool(Pool(model.pool_.members, weights), model.schema_, None, 1)
    places = class_places(classes, model.classes_)
    pool = Pool(model.pool_.members, weights, cast=OneVote((len(places),)))
    same = len(places) == len(classes)
    return AdaptedPool(pool, model.schema_, None if same else places, len(classes))


def _weights(model: Any, n_members: int) -> Array | None:
    """What members count in their ensemble; None if it does not say."""
    for name in ("estimator_weights_", "weights_", "weights"):
        found = getattr(model, name, None)
        if found is not None and np.ndim(found) == 1 and len(found) >= n_members:
            return _usable(np.asarray(found, dtype=np.float64)[:n_members])
    return None


def _usable(weights: Array) -> Array:
    """Weights of which every part has a sum above zero: those without weight have a little."""
    floor = 1e-12 * max(float(np.abs(weights).max(initial=0.0)), np.finfo(float).tiny)
    return np.maximum(weights, floor)


def check_vote(model: Any, panel: AdaptedPool, table: Table, classes: Classes) -> None:
    """Refuse ensembles that do something else than let their members vote.

    The members of a gradient booster, say, add up to what it predicts: some of them say nothing.
    """
    if isinstance(model, list | tuple | Bagged):
        return
    some = table.take(np.arange(min(_CHECKED, table.n_rows)))
    whole, mean = adapt_pool([model], classes).votes(some)[0], panel.mean(some)
    if classes is not None:
        fair = (whole.argmax(axis=1) == mean.argmax(axis=1)).mean() >= 0.9
    else:
        scale = float(whole.var()) + 1e-9 * float((whole**2).mean())
        fair = float(((whole - mean) ** 2).mean()) <= 0.1 * scale
    if not fair:
        raise TypeError(
            f"The prediction of {type(model).__name__} is not the vote or mean of its members, so "
            "it cannot be pruned. Pass a bag, a forest, a booster whose members "
            "vote, or a list of models."
        )


def unseen_rows(model: Any, n_rows: int) -> NDArray[np.bool_]:
    """Which training rows each member has not seen, shape (members, rows)."""
    if isinstance(model, Bagged):
        bags = model.bags_
        bags.check_judges()
        if bags.n_rows != n_rows:
            raise DataError(
                f"There are {n_rows} rows, but the ensemble was fitted to {bags.n_rows}: with "
                'validate="oob", pass its training rows.'
            )
        return np.stack([bags.free(t) for t in range(len(bags))])
    if isinstance(model, DummyClassifier):
        return np.ones((1, n_rows), dtype=bool)
    samples = getattr(model, "estimators_samples_", None)
    if samples is None:
        name = "A list of models" if isinstance(model, list | tuple) else type(model).__name__
        raise ValueError(
            f'{name} does not record which rows its members saw, as validate="oob" requires. Use '
            "a share of the rows, or a number of folds."
        )
    unseen = np.ones((len(samples), n_rows), dtype=bool)
    for mask, seen in zip(unseen, samples, strict=True):
        if len(seen) and int(np.max(seen)) >= n_rows:
            raise DataError(
                f"There are {n_rows} rows, but the ensemble was fitted to more: with "
                'validate="oob", pass its training rows.'
            )
        mask[seen] = False
    if not unseen.any():
        raise ValueError(
            'Every member saw every row, so validate="oob" has no rows to evaluate on. Fit with '
            "bootstrap=True, or use a share of the rows."
        )
    return unseen


def keep(model: Any, members: NDArray[np.intp]) -> Any:
    """The ensemble of some members: of the same kind if it is a bag, else a list of models."""
    if isinstance(model, Bagged):
        return model.pruned(members)
    models = members_of(model)[0]
    return [models[t] for t in members]
