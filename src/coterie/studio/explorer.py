"""A page on which one or two ensembles can be played round by round."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import train_test_split
from sklearn.utils.validation import check_is_fitted

from coterie.studio.plane import Columns, take_rows
from coterie.studio.scene import Rows, scene_of
from coterie.studio.sheet import render

#: Fewer rows are too few to hold some out.
_ENOUGH = 60
_HELD = 0.25


class Explorer:
    """The page returned by `explore`; notebooks display it, and `save` writes it to a file.

    Parameters
    ----------
    scenes : list of dict
        One per ensemble, from `coterie.studio.scene.scene_of`.

    Attributes
    ----------
    scenes : list of dict
        The same.

    Examples
    --------
    >>> from coterie import AdaBoostClassifier, explore
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]
    >>> page = explore(AdaBoostClassifier(n_estimators=3), X, y, resolution=8)
    >>> page.html().startswith("<!doctype html>")
    True
    """

    def __init__(self, scenes: list[dict[str, Any]]) -> None:
        self.scenes = scenes

    def html(self) -> str:
        """The whole page: styles, script and data, and nothing from elsewhere."""
        return render({"scenes": self.scenes, "live": False})

    def save(self, path: Any) -> Path:
        """Write the page to a file, which any browser opens without a network.

        Parameters
        ----------
        path : str or path
            Where to.

        Returns
        -------
        Path
        """
        target = Path(path)
        target.write_text(self.html(), encoding="utf-8")
        return target

    def _repr_html_(self) -> str:
        """A frame of its own, so that neither page nor notebook can touch the other."""
        rights = "allow-scripts allow-downloads"
        return (
            f'<iframe sandbox="{rights}" srcdoc="{escape(self.html())}" title="Explorer" '
            'style="width:100%;height:900px;border:0"></iframe>'
        )

    def __repr__(self) -> str:
        shown = ", ".join(f"{one['name']} ({one['rounds']} rounds)" for one in self.scenes)
        return f"<Explorer of {shown}; save(path) writes a page>"


def explore(
    model: Any,
    X: Any,
    y: Any,
    *,
    X_val: Any = None,
    y_val: Any = None,
    columns: Columns = None,
    rounds: int = 200,
    resolution: int = 96,
) -> Explorer:
    r"""Explore an ensemble round by round: weights, members, regions, errors, margins, formulas.

    On the page you can step, play or scrub through the rounds of any booster, and through the
    members of bagging models and forests. It works offline and needs no server.

    Parameters
    ----------
    model : estimator, class of estimators, or list of two
        Fitted to `X` and `y`, or else fitted here, with its row weights kept; of 60 rows or more, a
        quarter is then held out to measure the error on, unless `X_val` is given. Two models are
        shown side by side, round by round.
    X : array-like or data frame of shape (n_rows, n_columns)
        The training rows.
    y : array-like of shape (n_rows,)
        Their classes or numbers.
    X_val, y_val : array-like, optional
        Validation rows that the model was not trained on.
    columns : sequence of one or two columns, "pca", or None
        What the axes are: columns by position or name, or the two principal components. By
        default the first two columns for classes, and the first for numbers. The rest is held at
        typical values.
    rounds : int, default=200
        How many rounds are shown at most.
    resolution : int, default=96
        Cells of the picture along each axis.

    Returns
    -------
    Explorer
        Notebooks show it; ``save(path)`` writes one HTML file.

    Examples
    --------
    >>> import coterie
    >>> X, y = coterie.datasets.load_table("watermelon", return_X_y=True)
    >>> page = coterie.explore(coterie.AdaBoostClassifier(n_estimators=11), X, y, resolution=24)
    >>> page
    <Explorer of AdaBoostClassifier (11 rounds); save(path) writes a page>
    """
    models = model if isinstance(model, list | tuple) else [model]
    if not 1 <= len(models) <= 2:
        raise ValueError(f"One or two models can be shown, not {len(models)}.")
    if (X_val is None) != (y_val is None):
        raise ValueError("Pass both X_val and y_val, or neither.")
    for name, value, least in (("rounds", rounds, 1), ("resolution", resolution, 8)):
        if value < least:
            raise ValueError(f"{name} must be at least {least}, not {value}.")
    models = [one() if isinstance(one, type) else one for one in models]
    rows = Rows(X, np.asarray(y), X_val, None if y_val is None else np.asarray(y_val))
    if X_val is None and not any(_is_fitted(one) for one in models):
        rows = hold_out_rows(rows, stratified=is_classifier(models[0]))
    ready = [one if _is_fitted(one) else fit_with_weights(one, rows.X, rows.y) for one in models]
    if len({is_classifier(one) for one in ready}) > 1:
        raise ValueError("A classifier and a regressor cannot be shown side by side.")
    return Explorer(
        [scene_of(one, rows, columns, most=rounds, resolution=resolution) for one in ready]
    )


def hold_out_rows(rows: Rows, *, stratified: bool, seed: int = 0) -> Rows:
    """A quarter of the rows to measure the error on, if there are enough of them."""
    if len(rows.y) < _ENOUGH:
        return rows
    groups = rows.y if stratified and np.unique(rows.y, return_counts=True)[1].min() > 1 else None
    learn, held = train_test_split(
        np.arange(len(rows.y)), test_size=_HELD, random_state=seed, stratify=groups
    )
    learn, held = np.sort(learn), np.sort(held)
    X, y = rows.X, rows.y
    return Rows(take_rows(X, learn), y[learn], take_rows(X, held), y[held])


def fit_with_weights(model: Any, X: Any, y: Any) -> Any:
    """A fitted copy that kept its row weights; random, but the same each time."""
    copy, known = clone(model), model.get_params(deep=False)
    if known.get("trace", "") is None:
        copy.set_params(trace="weights")
    if known.get("random_state", 0) is None:
        copy.set_params(random_state=0)
    return copy.fit(X, y)


def _is_fitted(model: Any) -> bool:
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True
