"""Ensemble selection: greedy, with replacement, from a library of members."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from coterie import fusion
from coterie.base.signature import own_first
from coterie.combining.combiner import COMBINER
from coterie.combining.profiles import LevelOneData, ProfiledClassifier, ProfiledRegressor
from coterie.core import Allowed, a_function, at_least, draw_entropy, fraction, one_of
from coterie.fusion.row_losses import brier_rows, error_rows, log_loss_rows

if TYPE_CHECKING:
    from coterie.combining.combiner import Combiner as Mixin
else:
    Mixin = object

Array = NDArray[np.float64]

SELECTION: dict[str, Allowed] = {
    **COMBINER,
    "n_start": at_least(1),
    "max_rounds": at_least(1),
    "replace": one_of(True, False),
    "n_bags": at_least(0),
    "fraction": fraction(),
}


def _mean_of(rows: Callable[[Array, Array], NDArray[Any]]) -> Callable[..., float]:
    """The mean over weighted rows of a loss of single ones."""
    return lambda hot, mean, weight: float(np.average(rows(mean, hot), weights=weight))


def _rmse(y: Array, mean: Array, weight: Array) -> float:
    return float(np.sqrt(np.average((mean - y) ** 2, weights=weight)))


def _mae(y: Array, mean: Array, weight: Array) -> float:
    return float(np.average(np.abs(mean - y), weights=weight))


#: Losses of weighted rows, by name.
LABEL_LOSSES: dict[str, Callable[..., float]] = {
    "log_loss": _mean_of(log_loss_rows),
    "brier": _mean_of(brier_rows),
    "error": _mean_of(error_rows),
}
NUMBER_LOSSES: dict[str, Callable[..., float]] = {"rmse": _rmse, "mae": _mae}


@dataclass(eq=False, repr=False, kw_only=True)
class Selecting(Mixin):
    """The search, for classifiers and regressors.

    Parameters
    ----------
    n_start : int, default=1
        Begin with up to this many of the best members, as long as each of them helps.
    max_rounds : int, default=50
        Maximum number of members selected, counting repetitions.
    replace : bool, default=True
        Whether a member may be selected more than once, which gives it more weight.
    n_bags : int, default=0
        If positive, the weights are averaged over this many searches among random subsets of the
        members, which reduces overfitting with large libraries.
    fraction : float, default=0.5
        Share of the members in each of these subsets.
    """

    n_start: int = 1
    max_rounds: int = 50
    replace: bool = True
    n_bags: int = 0
    fraction: float = 0.5

    def _search(self, draft: Any, profile: Array, y: Any, loss: Any) -> None:
        """Set the weights, and the way to them, on the draft."""
        options: dict[str, Any] = {
            "n_start": self.n_start,
            "max_rounds": self.max_rounds,
            "replace": self.replace,
        }
        if self.n_bags:
            seed = draw_entropy(self.random_state)
            draft.weights_ = fusion.bagged_selection(
                profile,
                y,
                loss,
                n_bags=self.n_bags,
                fraction=self.fraction,
                random_state=seed,
                **options,
            )
            return
        found = fusion.greedy_selection(profile, y, loss, **options)
        draft.weights_, draft.order_, draft.losses_ = found.weights, found.order, found.losses


def _own_loss(loss: Callable[..., float], weight: Array | None) -> Callable[..., float]:
    if weight is None:
        return loss
    return lambda y, mean: loss(y, mean, sample_weight=weight)


@own_first
@dataclass(eq=False, repr=False, kw_only=True)
class EnsembleSelectionClassifier(Selecting, ProfiledClassifier):
    r"""Ensemble selection: members are added one by one, each time the one that helps most.

    .. math:: t_{m+1} = \arg\min_t L\Big(y, \frac{1}{m + 1} \big(\sum_{s \le m} P_{t_s} + P_t\big)
        \Big)

    on held-out rows, up to the lowest loss. Members may be selected repeatedly. The search is fast,
    works for any loss, and leaves out members that do not help: fit many different members and let
    it choose.

    Parameters
    ----------
    loss : {"log_loss", "brier", "error"} or callable, default="log_loss"
        The loss to minimise. A callable takes labels and averaged probabilities, and
        ``sample_weight`` if there are weights.

    Attributes
    ----------
    estimators_ : list of classifiers
        The fitted members that are not dropped.
    named_estimators_ : Bunch
        Members by name; dropped ones are "drop".
    weights_ : ndarray of shape (n_members,)
        How often each was selected, divided by the number of rounds.
    order_, losses_ : ndarray of shape (n_rounds,)
        The member selected in each round, and the loss after it; absent with `n_bags`.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    pool_ : Pool
        The members.

    References
    ----------
    .. [1] Caruana, Niculescu-Mizil, Crew & Ksikes, "Ensemble selection from libraries of models",
       ICML (2004).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from coterie import DecisionTreeClassifier, EnsembleSelectionClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> library = [(f"tree{d}", DecisionTreeClassifier(max_depth=d)) for d in (1, 2, 4)]
    >>> model = EnsembleSelectionClassifier([("bayes", GaussianNB()), *library], random_state=0)
    >>> model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.9
    True
    """

    loss: Any = "log_loss"

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **SELECTION,
        "loss": one_of(*LABEL_LOSSES) | a_function,
    }

    def _learn(self, draft: Self, level_one: LevelOneData) -> None:
        profile, codes, weight = level_one
        if callable(self.loss):
            labels = draft.classes_[codes]
            self._search(draft, profile, labels, _own_loss(self.loss, weight))
            return
        hot = np.eye(profile.shape[2])[codes]
        measure, share = LABEL_LOSSES[self.loss], level_one.counts()
        self._search(draft, profile, hot, lambda y, mean: measure(y, mean, share))


@own_first
@dataclass(eq=False, repr=False, kw_only=True)
class EnsembleSelectionRegressor(Selecting, ProfiledRegressor):
    r"""Ensemble selection: members are added one by one, each time the one that helps most.

    .. math:: t_{m+1} = \arg\min_t L\Big(y, \frac{1}{m + 1} \big(\sum_{s \le m} h_{t_s} + h_t\big)
        \Big)

    on held-out rows, up to the lowest loss; see `EnsembleSelectionClassifier`.

    Parameters
    ----------
    loss : {"rmse", "mae"} or callable, default="rmse"
        The loss to minimise. A callable takes the truth and averaged predictions, and
        ``sample_weight`` if there are weights.

    Attributes
    ----------
    estimators_ : list of regressors
        The fitted members that are not dropped.
    named_estimators_ : Bunch
        Members by name; dropped ones are "drop".
    weights_ : ndarray of shape (n_members,)
        How often each was selected, divided by the number of rounds.
    order_, losses_ : ndarray of shape (n_rounds,)
        The member selected in each round, and the loss after it; absent with `n_bags`.
    pool_ : Pool
        The members.

    References
    ----------
    .. [1] Caruana, Niculescu-Mizil, Crew & Ksikes, "Ensemble selection from libraries of models",
       ICML (2004).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import Ridge
    >>> from coterie import EnsembleSelectionRegressor, RandomForestRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> library = [("linear", Ridge(0.1)), ("forest", RandomForestRegressor(20, random_state=0))]
    >>> model = EnsembleSelectionRegressor(library).fit(X, y)
    >>> bool(model.losses_.min() <= model.losses_[0]), float(model.weights_.sum())
    (True, 1.0)
    """

    loss: Any = "rmse"

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **SELECTION,
        "loss": one_of(*NUMBER_LOSSES) | a_function,
    }

    def _learn(self, draft: Self, level_one: LevelOneData, size: float) -> None:
        profile, y, weight = level_one
        if callable(self.loss):
            self._search(draft, profile * size, y * size, _own_loss(self.loss, weight))
            return
        measure, share = NUMBER_LOSSES[self.loss], level_one.counts()
        self._search(draft, profile, y, lambda truth, mean: measure(truth, mean, share))
        if hasattr(draft, "losses_"):
            draft.losses_ = draft.losses_ * size
