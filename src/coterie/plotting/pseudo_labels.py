"""What a semi-supervised ensemble taught itself, round by round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coterie.plotting.canvas import PALETTE, Display, count_rounds


@dataclass(eq=False, repr=False)
class PseudoLabelDisplay(Display):
    """How many rows were last pseudo-labelled in each round, by class.

    If the classes of these rows are known after all, the share of wrong ones is a curve on the
    right scale.

    Parameters
    ----------
    counts : ndarray of shape (n_rounds, n_classes)
        Rows by round and class.
    classes : ndarray of shape (n_classes,)
        The classes.
    wrong : ndarray of shape (n_rounds,) or None
        Share of rows that were given a wrong class; NaN for rounds without rows.
    n_never : int
        Number of rows that were never pseudo-labelled.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> from coterie import CoForestClassifier
    >>> from coterie.plotting import PseudoLabelDisplay
    >>> X, y = load_iris(return_X_y=True)
    >>> known = np.where(np.arange(150) % 10 == 0, y, -1)
    >>> model = CoForestClassifier(n_folds=None, random_state=0).fit(X, known)
    >>> display = PseudoLabelDisplay.from_estimator(model, y)
    """

    counts: NDArray[np.int64]
    classes: NDArray[Any]
    wrong: NDArray[np.float64] | None = None
    n_never: int = 0

    @classmethod
    def from_estimator(cls, model: Any, y: ArrayLike | None = None, *, ax: Any = None) -> Self:
        """Plot a fitted semi-supervised classifier.

        Parameters
        ----------
        model : classifier
            Fitted, with ``labeled_iter_`` and ``transduction_``, as scikit-learn's and coterie's
            have.
        y : array-like of shape (n_samples,), optional
            True labels of all training rows.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        PseudoLabelDisplay
        """
        rounds, labels = np.asarray(model.labeled_iter_), np.asarray(model.transduction_)
        last = max(1, int(rounds.max()))
        counts = np.zeros((last, len(model.classes_)), dtype=np.int64)
        wrong = None if y is None else np.full(last, np.nan)
        for number in range(1, last + 1):
            own = rounds == number
            counts[number - 1] = [(labels[own] == label).sum() for label in model.classes_]
            if wrong is not None and own.any():
                wrong[number - 1] = np.mean(labels[own] != np.asarray(y)[own])
        never = int((rounds == -1).sum())
        return cls(counts, np.asarray(model.classes_), wrong, never).plot(ax)

    def _draw(self, ax: Any, **options: Any) -> None:
        t = np.arange(1, len(self.counts) + 1)
        base = np.zeros(len(t))
        for place, label in enumerate(self.classes):
            colour = PALETTE[place % len(PALETTE)]
            ax.bar(t, self.counts[:, place], bottom=base, color=colour, label=str(label))
            base = base + self.counts[:, place]
        count_rounds(ax, len(t))
        ax.set_ylabel("unlabelled rows")
        ax.set_title(f"Rows by the round that last pseudo-labelled them; {self.n_never} never")
        ax.legend(title="given class", frameon=False)
        if self.wrong is not None:
            twin = ax.twinx()
            twin.plot(t, self.wrong, marker="o", color="#333333")
            twin.set(ylim=(0, 1), ylabel="share of wrong classes")
