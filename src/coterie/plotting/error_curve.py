"""The error by number of members."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from coterie.core.rule import Array
from coterie.data.outputs import sample_weights
from coterie.plotting.ballots import Ballot, ballot_of, called
from coterie.plotting.canvas import PALETTE, Display, count_rounds

# Which colour a curve has, so that pictures of several ensembles compare.
COLOURS = {"training": PALETTE[0], "out-of-bag": PALETTE[2], "test": PALETTE[1]}


@dataclass(eq=False, repr=False)
class ErrorCurveDisplay(Display):
    r"""The error by number of members, on training, out-of-bag and test rows.

    The first members of an ensemble are a smaller one, so a single fit gives

    .. math:: E(t) = \frac{1}{\sum_i w_i} \sum_i w_i L(y_i, H_{1:t}(x_i))

    for every size. It shows whether more members would help, and for boosting whether they hurt.
    The loss is the zero-one loss for classification and the squared error for regression.

    Parameters
    ----------
    curves : mapping of str to ndarray of shape (n_members,)
        Errors by number of members, for each kind of rows.
    single : float, optional
        Mean error of a single member on test rows, drawn for comparison.
    squared : bool, default=False
        Whether errors are mean squared errors.
    name : str, optional
        Name of the ensemble.

    Attributes
    ----------
    ax_ : matplotlib Axes
        The axes of the plot.
    figure_ : matplotlib Figure
        The figure of the plot.

    References
    ----------
    .. [1] Breiman, "Out-of-bag estimation", University of California (1996).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from coterie.plotting import ErrorCurveDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = RandomForestClassifier(20, random_state=0).fit(X[::2], y[::2])
    >>> display = ErrorCurveDisplay.from_estimator(forest, X[1::2], y[1::2], train=(X[::2], y[::2]))
    >>> list(display.curves)
    ['training', 'out-of-bag', 'test']
    """

    curves: Mapping[str, Array]
    single: float | None = None
    squared: bool = False
    name: str | None = None

    @classmethod
    def from_estimator(
        cls,
        model: Any,
        X: Any,
        y: Any,
        *,
        train: tuple[Any, Any] | None = None,
        sample_weight: Any = None,
        ax: Any = None,
    ) -> Self:
        """Plot the error of a fitted ensemble by number of members.

        Parameters
        ----------
        model : fitted ensemble, or list of fitted models
            From coterie or scikit-learn: with ``staged_predict``, or whose members vote or are
            averaged.
        X, y : array-like or data frame, array-like
            Test rows, and their classes or numbers.
        train : tuple (X, y), optional
            The training rows in the order of `fit`, to draw their error too; and the out-of-bag
            error where the ensemble knows what each member saw, by ``estimators_samples_``.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the test rows.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        ErrorCurveDisplay
        """
        squared = not is_classifier(model[0][1] if _pairs(model) else _first(model))
        curves: dict[str, Array] = {}
        if train is not None:
            curves["training"] = error_by_size(staged(model, train[0]), train[1], None, squared)
            unseen = _out_of_bag(model, *train, squared)
            if unseen is not None:
                curves["out-of-bag"] = unseen
        curves["test"] = error_by_size(staged(model, X), y, sample_weight, squared)
        single = _single_error(model, X, y, sample_weight, squared)
        return cls(curves, single, squared, called(model)).plot(ax)

    @classmethod
    def from_predictions(
        cls,
        staged: Any,
        y: Any,
        *,
        train: tuple[Any, Any] | None = None,
        squared: bool = False,
        sample_weight: Any = None,
        name: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Plot staged predictions from any source.

        Parameters
        ----------
        staged : array-like of shape (n_members, n_rows)
            Predictions of ensembles of 1, 2, ... members for the test rows.
        y : array-like of shape (n_rows,)
            The truth.
        train : tuple (staged, y), optional
            The same for the training rows.
        squared : bool, default=False
            Whether errors are squared differences; by default shares of wrong labels.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the test rows.
        name : str, optional
            Name of the ensemble.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        ErrorCurveDisplay
        """
        curves: dict[str, Array] = {}
        if train is not None:
            curves["training"] = error_by_size(train[0], train[1], None, squared)
        curves["test"] = error_by_size(staged, y, sample_weight, squared)
        return cls(curves, None, squared, name).plot(ax)

    def _draw(self, ax: Any, **options: Any) -> None:
        n_members = max(len(curve) for curve in self.curves.values())
        for number, (rows, curve) in enumerate(self.curves.items()):
            color = COLOURS.get(rows, PALETTE[(number + 3) % len(PALETTE)])
            t, label = np.arange(1, len(curve) + 1), f"{rows} rows: {curve[-1]:.3g}"
            # Errors change from one size to the next and are nothing in between: steps.
            ax.step(t, curve, where="mid", color=color, label=label)
        if self.single is not None:
            label = f"a single member: {self.single:.3g}"
            ax.axhline(self.single, color="grey", linewidth=1, linestyle=":", label=label)
        count_rounds(ax, n_members)
        ax.set(xlabel="number of members", ylabel="mean squared error" if self.squared else "error")
        title = f"{'Mean squared error' if self.squared else 'Error'} by number of members"
        ax.set_title(f"{title}\n{self.name}" if self.name else title)
        ax.set_ylim(bottom=0, auto=True)
        ax.legend(frameon=False)


def error_by_size(stages: Iterable[Any], y: Any, sample_weight: Any, squared: bool) -> Array:
    """Error of each stage.

    >>> error_by_size([[0, 1, 1], [0, 0, 1]], [0, 0, 1], None, False)
    array([0.333, 0.   ])
    """
    truth = np.asarray(y)
    weight = sample_weights(sample_weight, len(truth))
    errors = []
    for stage in stages:
        said = np.asarray(stage)
        if said.shape != truth.shape:
            raise ValueError(
                f"y has {len(truth)} rows, but the predictions have shape {said.shape}."
            )
        loss = (said - truth) ** 2 if squared else said != truth
        errors.append(np.average(loss, weights=weight))
    return np.array(errors)


def staged(model: Any, X: Any) -> Iterator[NDArray[Any]]:
    """What the first, the first two, ... members of any ensemble say together."""
    if hasattr(model, "final_estimator_"):
        raise TypeError(
            f"{type(model).__name__} learns how to combine all its members, so a subset of them "
            "is not a smaller ensemble. Pass a list of its members to plot their vote."
        )
    if hasattr(model, "staged_predict"):
        return iter(model.staged_predict(X))
    return ballot_of(model, X).staged()


def _pairs(model: Any) -> bool:
    return isinstance(model, list | tuple) and isinstance(model[0], list | tuple)


def _first(model: Any) -> Any:
    return model[0] if isinstance(model, list | tuple) else model


def _single_error(model: Any, X: Any, y: Any, weight: Any, squared: bool) -> float | None:
    """Mean error of a member; None if members say nothing by themselves."""
    if hasattr(model, "staged_predict") and not hasattr(model, "estimator_weights_"):
        return None
    labels = ballot_of(model, X).labels
    return float(error_by_size(labels, y, weight, squared).mean())


def _out_of_bag(model: Any, X: Any, y: Any, squared: bool) -> Array | None:
    """Error on the training rows by the members that did not see them; None if that is unknown."""
    # Boosters with samples of their own grow one member on what the others left.
    if hasattr(model, "staged_predict") or not hasattr(model, "estimators_samples_"):
        return None
    ballot, truth = ballot_of(model, X), np.asarray(y)
    total = np.zeros(ballot.said.shape[1:])
    heard = np.zeros(len(truth), dtype=np.int64)
    errors = []
    for votes, seen in zip(ballot.said, model.estimators_samples_, strict=True):
        unseen = np.ones(len(truth), dtype=np.bool_)
        unseen[seen] = False
        total[unseen] += votes[unseen]
        heard += unseen
        errors.append(_covered_error(ballot, total, heard, truth, squared))
    return np.array(errors)


def _covered_error(
    ballot: Ballot, total: Array, heard: NDArray[np.int64], truth: NDArray[Any], squared: bool
) -> float:
    """Error on the rows with at least one vote; NaN without any."""
    rows = heard > 0
    if not rows.any():
        return float("nan")
    if squared:
        return float(np.mean((total[rows, 0] / heard[rows] - truth[rows]) ** 2))
    assert ballot.classes is not None
    said = ballot.classes[np.round(total[rows], 9).argmax(axis=1)]
    return float(np.mean(said != truth[rows]))
