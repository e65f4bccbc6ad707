"""A page on which one or two ensembles can be played round by round."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from coterie.studio.fitting import fit_with_weights, hold_out_rows
from coterie.studio.plane import Columns
from coterie.studio.retraining import retrained
from coterie.studio.scene import Rows, scene_of
from coterie.studio.sheet import render


class Explorer:
    """The page returned by `explore`; notebooks display it, and `save` writes it to a file.

    Parameters
    ----------
    scenes : list of dict
        One per ensemble, from `coterie.studio.scene.scene_of`.
    models : list of estimators, optional
        The ensembles, and
    rows : Rows, optional
        their rows: `retrain` needs both.

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

    def __init__(
        self,
        scenes: list[dict[str, Any]],
        models: Sequence[Any] = (),
        rows: Rows | None = None,
    ) -> None:
        self.scenes = scenes
        self.models = models
        self.rows = rows

    def retrain(self, repeats: int = 20) -> Self:
        """Add bias and variance by round, measured by training on random halves of the rows.

        The error of all these models is measured on the validation rows, or else on a quarter of
        the rows. The squared error is decomposed for numbers; for classes, it is the share of wrong
        labels, by Domingos' decomposition. The bias includes the noise.

        Parameters
        ----------
        repeats : int, default=20
            How often each model is trained.

        Returns
        -------
        Explorer
            The same page.

        Examples
        --------
        >>> import numpy as np
        >>> from coterie import BaggingRegressor, explore
        >>> X = np.linspace(0, 6, 80)[:, None]
        >>> page = explore(BaggingRegressor(n_estimators=5), X, np.sin(X[:, 0])).retrain(4)
        >>> len(page.scenes[0]["retrained"]["variance"])
        5
        """
        if self.rows is None or len(self.models) != len(self.scenes):
            raise ValueError("Only a page made by explore can be retrained: the models are needed.")
        for scene, model in zip(self.scenes, self.models, strict=True):
            scene["retrained"] = retrained(
                model,
                self.rows,
                scene["drawn"],
                most=scene["rounds"],
                resolution=scene["resolution"],
                repeats=repeats,
            )
        return self

    def html(self) -> str:
        """The whole page: styles, script and data in one file."""
        return render({"scenes": self.scenes, "live": False})

    def save(self, path: Any) -> Path:
        """Write the page to a file that any browser can open offline.

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
        A model fitted to `X` and `y`; if it is not fitted, it is fitted here and its row weights
        are recorded. With 60 rows or more, a quarter is then held out to measure the error, unless
        `X_val` is given. Two models are shown side by side, round by round.
    X : array-like or data frame of shape (n_rows, n_columns)
        The training rows.
    y : array-like of shape (n_rows,)
        Their classes or numbers.
    X_val, y_val : array-like, optional
        Validation rows that the model was not trained on.
    columns : sequence of one or two columns, "pca", or None
        What the axes are: columns by position or name, or the two principal components. By default
        the first two columns for classes, and the first for numbers. Other columns are held at
        typical values.
    rounds : int, default=200
        Maximum number of rounds shown.
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
    scenes = [scene_of(one, rows, columns, most=rounds, resolution=resolution) for one in ready]
    return Explorer(scenes, ready, rows)


def _is_fitted(model: Any) -> bool:
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True
