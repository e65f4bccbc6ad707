"""What each column adds to an answer of native trees, exactly."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Parts", "exact_shapley"]

Array = NDArray[np.float64]
Scale = Literal["answer", "score"]

_BACKGROUND = 200  # rows that values are computed against
_ROUNDING = 1e-6


class Parts(NamedTuple):
    """What each column adds to an answer.

    Attributes
    ----------
    values : ndarray of shape (n_columns,)
        Shapley values, in the order of the row's columns.
    base : float
        The mean for the background rows.
    method : {"exact", "sampled"}
        How they were found.
    scale : {"answer", "score"}
        What they add up to: the probability or number itself, or the score of the trees from
        which the model makes it.
    """

    values: Array
    base: float
    method: Literal["exact", "sampled"]
    scale: Scale = "answer"


def exact_shapley(fitted: Any, row: Any, background: Any, best: int | None) -> Parts | None:
    """Shapley values of one answer as the engine computes them, or None where it cannot.

    Models of native trees are explained by `coterie.shap_values` against rows of the background;
    so are tables whose answer is a weighted mean of such models' answers. Boosters are explained
    on the scale of their score, which is what their trees add up to.

    Parameters
    ----------
    fitted : Fitted
        The model.
    row, background : pyarrow Table
        The explained row, and rows to take unknown columns from.
    best : int or None
        Position of the class whose probability is explained; None for numbers.

    References
    ----------
    .. [1] Lundberg, Erion & Lee, "Consistent individualized feature attribution for tree
       ensembles", arXiv:1802.03888 (2018).
    """
    model = fitted.model
    if len(background) > _BACKGROUND:
        rng = np.random.default_rng(0)
        background = background.take(np.sort(rng.choice(len(background), _BACKGROUND, False)))
    find = _table_parts if hasattr(model, "blend_") else _model_parts
    try:
        found = find(model, fitted.matrix(row), fitted.matrix(background))
    except (TypeError, ValueError):  # no sum over native trees
        return None
    if found is None:
        return None
    whole, scale = _one_output(found[0], _answer(model, fitted.matrix(row)), best)
    names = row.column_names if fitted.names is None else fitted.names
    parts = dict(zip(names, whole[:-1], strict=True))
    values = np.array([parts.get(name, 0.0) for name in row.column_names])
    return Parts(values, float(whole[-1]), "exact", scale)


def _answer(model: Any, row: Any) -> Array:
    """Probabilities, or a number, as one flat array."""
    ask = model.predict_proba if hasattr(model, "classes_") else model.predict
    return np.asarray(ask(row), dtype=np.float64).ravel()


def _one_output(whole: Array, answer: Array, best: int | None) -> tuple[Array, Scale]:
    """The values of the class or number that is explained, and what they add up to."""
    if best is None:
        flat, said = whole[:, 0], answer[0]
    elif whole.shape[1] == 1:  # the score of the second class, of two
        return (whole[:, 0] if best == 1 else -whole[:, 0]), "score"
    else:
        flat, said = whole[:, best], answer[best]
    return flat, "answer" if _near(flat.sum(), said) else "score"


def _near(total: Any, said: Any) -> bool:
    return bool(np.abs(total - said).max() <= _ROUNDING * (1.0 + np.abs(said).max()))


def _model_parts(model: Any, row: Any, background: Any) -> Array:
    """Values and, as the last, base values, shape (1, n_columns + 1, n_outputs)."""
    from coterie.interpretation import shap_values

    found = shap_values(model, row, background=background)
    whole = np.concatenate([found.values, found.base_values[:, None]], axis=1)
    return whole.reshape(*whole.shape[:2], -1)


def _table_parts(model: Any, row: Any, background: Any) -> Array | None:
    """The same of a table's members, weighed; None if its answer is no weighted mean of theirs."""
    blend, labels = model.blend_, hasattr(model, "classes_")
    models = [part.estimator for seat in model.pool_.members for part in seat.seats]
    # Scores of boosters are no probabilities, of which the mean is taken.
    scores = labels and any(hasattr(one, "decision_function") for one in models)
    if scores or blend.logs or blend.tau != 1.0 or blend.shift is not None:
        return None
    weights = blend.weights / blend.weights.sum() if labels else blend.weights
    cells, others = model._admit(row), model._admit(background)
    total = np.zeros((cells.n_columns + 1, len(model.classes_) if labels else 1))
    for weight, seat in zip(weights, model.pool_.members, strict=True):
        for part in seat.seats:
            one = _model_parts(part.estimator, seat.cells(cells), seat.cells(others))
            known = np.asarray(part.estimator.classes_ if labels else [0], dtype=np.intp)
            spot = np.ix_(np.append(seat.used, cells.n_columns), known)
            total[spot] += weight / len(seat.seats) * one[0]
    if not _near(total.sum(axis=0), _answer(model, row)):  # through a link, say
        return None
    return _by_origin(
        total[None], model.preparation_.origin([str(name) for name in cells.names or ()])
    )


def _by_origin(whole: Array, origin: list[str]) -> Array:
    """The values of the parts of each date added up."""
    if len(set(origin)) == len(origin):
        return whole
    places = {name: k for k, name in enumerate(dict.fromkeys(origin))}
    merged = np.zeros((1, len(places) + 1, whole.shape[2]))
    for j, name in enumerate(origin):
        merged[:, places[name]] += whole[:, j]
    merged[:, -1] = whole[:, -1]
    return merged
