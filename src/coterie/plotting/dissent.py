"""What members that disagree with the vote contribute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from coterie import fusion, theory
from coterie.core.rule import Array
from coterie.plotting.ballots import ballot_of
from coterie.plotting.canvas import PALETTE, Display
from coterie.theory import DissentProfile

_TOGETHER, _GOOD, _BAD = "#9A9A9A", PALETTE[2], "#D55E00"


@dataclass(eq=False, repr=False)
class DissentDisplay(Display):
    r"""The dissent profile: the share of members that fail on each row, and whether the vote fails.

    Rows are placed side by side, each as wide as its weight; first those on which the vote is
    wrong, then the others, both in decreasing order of the share of members that fail, their
    height. Every number is a length or an area of the picture:

    - the **width** of the left part is the error of the vote,
    - the **area** below the profile is the mean error of the members: the dotted line is its mean
      height,
    - green are wrong votes that do no harm, *good* diversity; orange, above the profile, are
      correct votes that are wasted, *bad* diversity; grey is where members and vote are wrong
      together.

    Grey plus green is the members' error, grey plus orange that of the vote, so

    .. math:: E_{vote} = \bar E - good + bad

    exactly, for any vote of any number of classes [1]_. The dashed line is the profile that members
    of the same errors would have if they failed independently; it has the same area. A profile
    above it on the left means that members fail together; the point where the dashed line crosses
    one half is the error of the majority vote of independent members. The distance between the two
    is the *dependence*, from 0 for independent members to 1 for copies.

    This shows more than the kappa-error diagram, which shows pairs. Two pools may be identical in
    all pairwise measures, while the vote of one is right where that of the other is wrong (see
    `coterie.theory.dissent` for two of them): their clouds are the same, their profiles are not.
    That diagram shows neither the error of the vote nor whether diversity reduces it; here both can
    be read off the axes. It has one step for each row instead of a point for each of
    :math:`T(T-1)/2` pairs, and stays as clear with a thousand members.

    Parameters
    ----------
    profile : DissentProfile
        Failures of the members, see `coterie.theory.dissent`.
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
    .. [1] Brown & Kuncheva, "'Good' and 'bad' diversity in majority vote ensembles", MCS (2010);
       the picture is our own.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from coterie.plotting import DissentDisplay
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = RandomForestClassifier(20, random_state=0).fit(X[::2], y[::2])
    >>> profile = DissentDisplay.from_estimator(forest, X[1::2], y[1::2]).profile
    >>> bool(abs(profile.mean_error - profile.good + profile.bad - profile.error) < 1e-12)
    True
    """

    profile: DissentProfile
    name: str | None = None

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: Any, *, sample_weight: Any = None, ax: Any = None
    ) -> Self:
        """Plot a fitted ensemble on held-out rows.

        Parameters
        ----------
        model : fitted ensemble of classifiers, or list of fitted classifiers
            From coterie or scikit-learn. The vote is its prediction; for a list, the plurality.
        X, y : array-like or data frame, array-like
            Rows and their classes: not the members' training rows.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        DissentDisplay
        """
        ballot = ballot_of(model, X)
        settings: dict[str, Any] = {"sample_weight": sample_weight, "name": ballot.name, "ax": ax}
        return cls.from_predictions(ballot.labels, y, vote=ballot.vote, **settings)

    @classmethod
    def from_predictions(
        cls,
        labels: Any,
        y: Any = None,
        *,
        vote: Any = None,
        sample_weight: Any = None,
        name: str | None = None,
        ax: Any = None,
    ) -> Self:
        """Plot predictions from any source.

        Parameters
        ----------
        labels : array-like of shape (members, n_rows)
            Predicted labels; without `y`, whether each member is right.
        y : array-like of shape (n_rows,), optional
            True labels.
        vote : array-like of shape (n_rows,), optional
            Predictions of the ensemble; by default the plurality, and without `y` the majority.
        sample_weight : array-like of shape (n_rows,), optional
            Weights of the rows.
        name : str, optional
            Name of the ensemble.
        ax : matplotlib Axes, optional
            Axes to draw in; by default a new figure.

        Returns
        -------
        DissentDisplay
        """
        if vote is None and y is not None:
            vote = fusion.plurality(labels)
        return cls(theory.dissent(labels, y, vote=vote, sample_weight=sample_weight), name).plot(ax)

    def steps(self) -> tuple[Array, Array]:
        """Edges of the steps of the profile, and their heights; equal neighbours are one step.

        Returns
        -------
        edges : ndarray of shape (n_steps + 1,)
        heights : ndarray of shape (n_steps,)
        """
        profile = self.profile
        changes = np.diff(profile.failing, prepend=np.nan) != 0
        changes |= np.diff(profile.lost, prepend=False)
        starts = np.flatnonzero(changes)
        widths = np.add.reduceat(profile.shares, starts)
        return np.concatenate([[0.0], np.cumsum(widths)]), profile.failing[starts]

    def _draw(self, ax: Any, **options: Any) -> None:
        profile, (edges, heights) = self.profile, self.steps()
        split = int(np.searchsorted(edges, profile.error - 1e-12))
        lost, kept = slice(0, split), slice(split, None)
        areas = (
            (lost, 0.0, heights, _TOGETHER, f"wrong together: {profile.together:.3f}"),
            (lost, heights, 1.0, _BAD, f"wasted correct votes: {profile.bad:.3f}"),
            (kept, 0.0, heights, _GOOD, f"harmless wrong votes: {profile.good:.3f}"),
        )
        for part, low, high, color, label in areas:
            bottom = np.broadcast_to(low, heights.shape)[part]
            top = np.broadcast_to(high, heights.shape)[part]
            bars = (edges[:-1][part], top - bottom, np.diff(edges)[part], bottom)
            look = {"align": "edge", "color": color, "alpha": 0.75, "linewidth": 0}
            ax.bar(*bars, **look)
            # Of no rows there is no bar, but the legend still has its colour.
            ax.fill_between([], [], color=color, alpha=0.75, linewidth=0, label=label)
        self._lines(ax, edges, heights)
        self._frame(ax, edges, heights)

    def _lines(self, ax: Any, edges: Array, heights: Array) -> None:
        profile = self.profile
        ax.stairs(heights, edges, color="black", linewidth=1.2, baseline=None)
        failing, shares = profile.independent()
        label = f"vote of independent members: {profile.independent_error():.3f}"
        reach = np.concatenate([[0.0], np.cumsum(shares)])
        look = {"color": "black", "linestyle": "--", "linewidth": 1.0, "baseline": None}
        ax.stairs(failing, reach, label=label, **look)
        label = f"mean error of members: {profile.mean_error:.3f}"
        ax.axhline(profile.mean_error, color=PALETTE[0], linestyle=":", label=label)
        ax.axvline(
            profile.error,
            color="red",
            linewidth=1.8,
            label=f"error of the vote: {profile.error:.3f}",
        )

    def _frame(self, ax: Any, edges: Array, heights: Array) -> None:
        # Rows that no member gets wrong have no area: they are cut off.
        reach = edges[1:][heights > 0].max(initial=0.0)
        right = min(1.0, 1.02 * max(reach, self.profile.error) or 1.0)
        ax.set(xlim=(0.0, right), ylim=(0.0, 1.0))
        ax.set(xlabel="share of rows, hardest first", ylabel="share of members that are wrong")
        title = (
            f"Dissent profile{f': {self.name}' if self.name else ''}\ngain {self.profile.gain:+.3f}"
        )
        dependence = self.profile.dependence()
        ax.set_title(title if np.isnan(dependence) else f"{title}, dependence {dependence:.0%}")
        ax.legend(loc="upper right", framealpha=0.9, fontsize="small")
