"""The error by number of training rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import clone, is_classifier

from coterie.core.rule import Array
from coterie.data import DataError
from coterie.plotting.canvas import PALETTE, Display


@dataclass(eq=False, repr=False)
class LearningCurveDisplay(Display):
    r"""The error on training rows and on held-out rows, by number of training rows.

    If the two curves of a learner are far apart, it has a large variance, and more rows will help.
    If they have met at a high error, it has a large bias, and a richer model will help.

    Parameters
    ----------
    sizes : ndarray of shape (n_sizes,)
        Numbers of training rows.
    curves : mapping of str to mapping of str to ndarray of shape (repeats, n_sizes)
        Errors on the ``training`` and ``test`` rows, by the name of the learner.
    squared : bool, default=False
        Whether errors are mean squared errors.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.

    Examples
    --------
    >>> from coterie import BaggingClassifier, DecisionTreeClassifier
    >>> from coterie.datasets import load_table
    >>> from coterie.plotting import LearningCurveDisplay
    >>> X, y = load_table("german_credit", return_X_y=True)
    >>> display = LearningCurveDisplay.from_estimator(
    ...     {"tree": DecisionTreeClassifier(random_state=0)}, X, y, sizes=[50, 400], repeats=3
    ... )
    >>> bool(display.curves["tree"]["test"].mean(axis=0)[1] < 0.4)
    True
    """

    sizes: Array
    curves: Mapping[str, Mapping[str, Array]]
    squared: bool = False

    @classmethod
    def from_estimator(
        cls,
        models: Any,
        X: Any,
        y: Any,
        *,
        sizes: Sequence[int] | None = None,
        repeats: int = 5,
        random_state: int = 0,
        ax: Any = None,
    ) -> Self:
        """Train learners on more and more rows, and measure their error on the same other rows.

        Parameters
        ----------
        models : estimator, or mapping of str to estimator
            Fitted or not; clones are trained.
        X, y : array-like, array-like
            Rows of numbers, and their classes or numbers. In each repetition a random quarter is
            set aside to measure on.
        sizes : sequence of int, optional
            Numbers of training rows; by default five, from a tenth of the other rows to all of
            them. Larger samples contain the smaller ones.
        repeats : int, default=5
            How often everything is drawn anew.
        random_state : int, default=0
            Seeds the draws.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        LearningCurveDisplay
        """
        learners = models if isinstance(models, Mapping) else {type(models).__name__: models}
        if len({is_classifier(one) for one in learners.values()}) != 1:
            raise DataError("Pass classifiers or regressors, not both.")
        squared = not is_classifier(next(iter(learners.values())))
        table, truth = np.asarray(X), np.asarray(y)
        wanted = _sizes(sizes, len(truth) - len(truth) // 4)
        rng = np.random.default_rng(random_state)
        orders = [rng.permutation(len(truth)) for _ in range(repeats)]
        curves = {}
        for name, learner in learners.items():
            errors = np.array([_errors(learner, table, truth, one, wanted) for one in orders])
            curves[name] = {"training": errors[:, :, 0], "test": errors[:, :, 1]}
        return cls(wanted, curves, squared).plot(ax)

    def _draw(self, ax: Any, **options: Any) -> None:
        for number, (name, parts) in enumerate(self.curves.items()):
            colour = PALETTE[number % len(PALETTE)]
            for rows, style in (("training", "--"), ("test", "-")):
                errors = np.asarray(parts[rows])
                mean, spread = errors.mean(axis=0), errors.std(axis=0)
                label = f"{name}, {rows} rows"
                ax.plot(self.sizes, mean, style, color=colour, marker="o", ms=4, label=label)
                if rows == "test" and len(errors) > 1:
                    ax.fill_between(
                        self.sizes, mean - spread, mean + spread, color=colour, alpha=0.15, lw=0
                    )
        measure = "mean squared error" if self.squared else "error"
        ax.set(xlabel="number of training rows", ylabel=measure, title="Learning curves")
        ax.set_ylim(bottom=0, auto=True)
        ax.legend(frameon=False)


def _sizes(sizes: Sequence[int] | None, most: int) -> Array:
    if sizes is None:
        return np.unique(np.linspace(0.1, 1.0, 5) * most).astype(int)
    found = np.asarray(sizes)
    if found.ndim != 1 or not len(found) or (found < 1).any() or (found > most).any():
        raise DataError(
            f"sizes must lie between 1 and {most}, the rows that are left when a quarter is set "
            f"aside, not {list(sizes)}."
        )
    return np.sort(found.astype(int))


def _errors(learner: Any, table: Any, truth: Any, order: Any, sizes: Array) -> Array:
    """Errors on the training rows and on others, by size, for one order of the rows."""
    n_test, found = len(truth) // 4, []
    for size in sizes:
        learn = order[n_test : n_test + size]
        model = clone(learner).fit(table[learn], truth[learn])
        losses = []
        for rows in (learn, order[:n_test]):
            said = model.predict(table[rows])
            wrong = said != truth[rows] if is_classifier(model) else (said - truth[rows]) ** 2
            losses.append(wrong.mean())
        found.append(losses)
    return np.array(found)
