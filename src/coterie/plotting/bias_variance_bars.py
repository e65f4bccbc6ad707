"""Bias and variance of learners, measured by retraining."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import clone, is_classifier

from coterie.data import DataError
from coterie.plotting.canvas import PALETTE, Display
from coterie.theory import bias_variance, domingos


@dataclass(eq=False, repr=False)
class BiasVarianceDisplay(Display):
    r"""Bias and variance of learners, measured by retraining them on other samples.

    Bagging reduces the variance, boosting reduces the bias. Numbers are decomposed by the squared
    error, classes by Domingos' decomposition, in which variance on rows whose main prediction is
    wrong counts for good [1]_.

    Parameters
    ----------
    parts : mapping of str to mapping of str to float
        ``bias`` and ``variance`` by the name of the learner.
    squared : bool, default=True
        Whether the error is the squared error.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.

    References
    ----------
    .. [1] Domingos, "A unified bias-variance decomposition", ICML (2000).

    Examples
    --------
    >>> import numpy as np
    >>> from coterie import BaggingRegressor, DecisionTreeRegressor
    >>> from coterie.plotting import BiasVarianceDisplay
    >>> X = np.linspace(0, 6, 120)[:, None]
    >>> y = np.sin(X[:, 0]) + np.random.default_rng(0).normal(0, 0.3, 120)
    >>> learners = {"tree": DecisionTreeRegressor(), "bag": BaggingRegressor(random_state=0)}
    >>> display = BiasVarianceDisplay.from_estimator(learners, X, y, repeats=8)
    >>> display.parts["bag"]["variance"] < display.parts["tree"]["variance"]
    True
    """

    parts: Mapping[str, Mapping[str, float]]
    squared: bool = True

    @classmethod
    def from_estimator(
        cls,
        models: Any,
        X: Any,
        y: Any,
        *,
        repeats: int = 20,
        random_state: int = 0,
        ax: Any = None,
    ) -> Self:
        """Train learners on halves of the rows, and decompose their error on the other rows.

        Parameters
        ----------
        models : estimator, or mapping of str to estimator
            Fitted or not; clones are trained.
        X, y : array-like, array-like
            Rows of numbers, and their classes or numbers. A quarter is set aside to measure on;
            each training sample is a random half of the others.
        repeats : int, default=20
            How often each is trained.
        random_state : int, default=0
            Seeds the halves.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        BiasVarianceDisplay
        """
        learners = models if isinstance(models, Mapping) else {type(models).__name__: models}
        if len({is_classifier(one) for one in learners.values()}) != 1:
            raise DataError("Pass classifiers or regressors, not both.")
        table, truth = np.asarray(X), np.asarray(y)
        rng = np.random.default_rng(random_state)
        order = rng.permutation(len(truth))
        test, rest = order[: len(order) // 4], order[len(order) // 4 :]
        halves = [rng.permutation(rest)[: len(rest) // 2] for _ in range(repeats)]
        squared = not is_classifier(next(iter(learners.values())))
        parts = {}
        for name, learner in learners.items():
            said = [clone(learner).fit(table[h], truth[h]).predict(table[test]) for h in halves]
            parts[name] = _parts(np.stack(said), truth[test], squared)
        return cls(parts, squared).plot(ax)

    def _draw(self, ax: Any, **options: Any) -> None:
        places, left = np.arange(len(self.parts)), np.zeros(len(self.parts))
        for colour, part in ((PALETTE[0], "bias"), (PALETTE[1], "variance")):
            width = np.array([one[part] for one in self.parts.values()])
            ax.barh(places, width, left=left, color=colour, label=part)
            left += width
        ax.set_yticks(places, list(self.parts))
        ax.invert_yaxis()
        measure = "mean squared error" if self.squared else "error"
        ax.set(xlabel=f"{measure}; the bias includes the noise", title="Bias and variance")
        ax.legend(frameon=False)


def _parts(said: Any, truth: Any, squared: bool) -> dict[str, float]:
    found = bias_variance(said, truth) if squared else domingos(said, truth)
    bias, error = float(found.bias.mean()), float(found.error.mean())
    # What variance adds to the error in all; of classes it may take away.
    return {"bias": bias, "variance": error - bias}
