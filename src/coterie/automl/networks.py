"""Small networks for tables: several at once, on columns that are cut into pieces.

A network of scikit-learn sees a column of numbers as one input, so whatever is not smooth in it
takes many epochs to learn. Here each column is also given piece by piece, which lets the first
layer learn a broken line of it, and the mean of a few networks takes the place of one.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from coterie.native import stop_if_told
from coterie.tags import tagged

__all__ = ["NETWORKS", "NetworkClassifier", "NetworkRegressor"]

Array = NDArray[np.float64]
Small = NDArray[np.float32]

_BATCHES, _LARGEST, _SMALLEST = 25, 256, 16  # of an epoch; rows of a batch
_PIECES, _MOST_INPUTS = 12, 400  # of a column, of all together, at most
_CLIP = 3.0  # interquartile ranges, about, beyond which values are drawn in
_FAR, _NARROW = 1e6, 1e-150  # whose squares and inverses are still numbers
_WARM = 0.1  # share of the steps in which the learning rate rises
_FADING = (0.9, 0.97)  # of the mean gradient, of the mean square
_ROWS = 4_096  # asked about at a time
_PART, _MOST_KEPT = 8, 2_000  # one row of so many, and how many at most, choose the epoch
_TINY = np.float32(1e-8)


@tagged
@dataclass(frozen=True)
class Pieces:
    """Columns of numbers as inputs of a network.

    Parameters
    ----------
    middle, scale : ndarray of shape (n_columns,)
        Median, and what a distance from it is multiplied by.
    cuts : tuple of ndarray
        Ends of the pieces of each column; of one with few values, none.
    """

    middle: Array
    scale: Array
    cuts: tuple[Array, ...]

    @classmethod
    def of(cls, X: Array, number: int) -> Pieces:
        """Pieces with about the same number of rows.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_columns)
            Without gaps.
        number : int
            Pieces of a column, at most.
        """
        low, middle, high = np.quantile(X, (0.25, 0.5, 0.75), axis=0)
        width = np.where(high > low, (high - low) / 0.75, np.ptp(X, axis=0) / 4)
        number = max(2, min(number, _MOST_INPUTS // max(1, X.shape[1])))
        ends = np.quantile(X, np.linspace(0, 1, number + 1), axis=0)
        cuts = [np.unique(column) for column in ends.T]
        cuts = [some if len(some) > 3 else np.empty(0) for some in cuts]
        return cls(middle, 1 / np.where(width > _NARROW, width, 1.0), tuple(cuts))

    def __call__(self, X: Array) -> Small:
        """Inputs for some rows."""
        with np.errstate(over="ignore"):  # what is too large is clipped
            far = np.clip((X - self.middle) * self.scale, -_FAR, _FAR)
            inputs = [far / np.sqrt(1 + (far / _CLIP) ** 2)]
            for column, ends in zip(X.T, self.cuts, strict=True):
                if len(ends):
                    inside = (column[:, None] - ends[:-1]) / np.diff(ends)
                    inputs.append(np.clip(inside, 0, 1) - 0.5)
        return np.hstack(inputs, dtype=np.float32, casting="unsafe")


class Adam:
    """Steps of Adam [1]_ with weight decay, whose size rises and then falls as a cosine.

    References
    ----------
    .. [1] Kingma & Ba, "Adam: a method for stochastic optimization", ICLR (2015).
    """

    def __init__(self, arrays: list[Small], rate: float, decay: float, n_steps: int) -> None:
        self.arrays, self.rate, self.decay, self.n_steps = arrays, rate, decay, n_steps
        self.means = [np.zeros_like(one) for one in arrays]
        self.squares = [np.zeros_like(one) for one in arrays]
        self.done = 0

    def step(self, slopes: list[Small]) -> None:
        """Move all arrays against their slopes, which are overwritten."""
        share = self.done / self.n_steps
        self.done += 1
        rate = self.rate * min(1.0, share / _WARM) * (0.5 + 0.5 * np.cos(np.pi * share))
        first, second = _FADING
        size = rate * np.sqrt(1 - second**self.done) / (1 - first**self.done)
        for one, slope, mean, square in zip(
            self.arrays, slopes, self.means, self.squares, strict=True
        ):
            mean *= np.float32(first)
            mean += np.float32(1 - first) * slope
            slope *= slope
            square *= np.float32(second)
            square += np.float32(1 - second) * slope
            if one.shape[1] > 1:  # not what is added to each row alike
                one *= np.float32(1 - rate * self.decay)
            one -= np.float32(size) * mean / (np.sqrt(square) + _TINY)


class Best:
    """The arrays of each network as they were when its loss was least."""

    def __init__(self, arrays: list[Small]) -> None:
        self.now = arrays
        self.arrays = tuple(one.copy() for one in arrays)
        self.losses: Any = np.inf

    def look(self, losses: Small) -> None:
        """Keep those of the networks that are better than before."""
        better = losses < self.losses
        for kept, one in zip(self.arrays, self.now, strict=True):
            kept[better] = one[better]
        self.losses = np.where(better, losses, self.losses)


class Network(BaseEstimator):
    """Several networks side by side, each with rows of its own that choose its epoch.

    Parameters
    ----------
    hidden_layer_sizes : tuple of int, default=(64, 64)
        Units of each hidden layer.
    max_iter : int, default=40
        Epochs.
    n_networks : int, default=2
        Whose mean is the answer.
    n_numbers : int, optional
        How many columns are numbers; the others, after them, are taken as they are. By default all.
    learning_rate, weight_decay, dropout : float
        Of the steps; of the weights in each step, times its size; share of the units that are left
        out.
    random_state : int, default=0
        Source of randomness.
    """

    early_stopping = False

    def __init__(
        self,
        hidden_layer_sizes: tuple[int, ...] = (64, 64),
        max_iter: int = 40,
        n_networks: int = 2,
        n_numbers: int | None = None,
        learning_rate: float = 4e-3,
        weight_decay: float = 1e-2,
        dropout: float = 0.1,
        random_state: int = 0,
    ) -> None:
        self.hidden_layer_sizes = hidden_layer_sizes
        self.max_iter = max_iter
        self.n_networks = n_networks
        self.n_numbers = n_numbers
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.dropout = dropout
        self.random_state = random_state

    pieces_: Pieces
    weights_: tuple[Small, ...]
    shifts_: tuple[Small, ...]

    def _inputs(self, X: Any) -> Small:
        cells = np.asarray(X, dtype=np.float64)
        number = len(self.pieces_.middle)
        return np.hstack(
            [self.pieces_(cells[:, :number]), cells[:, number:]],
            dtype=np.float32,
            casting="unsafe",
        )

    def _learn(self, X: Any, goals: Small, weight: Any) -> None:
        """Fit the networks to goals of shape (n_rows, n_outputs).

        Each keeps a part of the rows to itself, and the weights of the epoch that is best for it.
        """
        cells = np.asarray(X, dtype=np.float64)
        self.pieces_ = Pieces.of(cells[:, : self.n_numbers], _PIECES)
        inputs, rng = self._inputs(cells), np.random.default_rng(self.random_state)
        weights, shifts = self._begin(inputs.shape[1], goals.shape[1], rng)
        share = np.ones(len(inputs), dtype=np.float32)
        if weight is not None:
            share *= np.asarray(weight / np.mean(weight), dtype=np.float32)
        kept, learnt = self._parts(len(inputs), rng)
        size = int(np.clip(learnt.shape[1] // _BATCHES, _SMALLEST, _LARGEST))
        n_steps = self.max_iter * -(-learnt.shape[1] // size)
        adam = Adam([*weights, *shifts], self.learning_rate, self.weight_decay, n_steps)
        best = Best([*weights, *shifts])
        for _ in range(self.max_iter):
            order = np.argsort(rng.random(learnt.shape), axis=1)
            shuffled = np.take_along_axis(learnt, order, axis=1)
            for start in range(0, shuffled.shape[1], size):
                stop_if_told()
                rows = shuffled[:, start : start + size]
                layers = self._forward(inputs[rows], weights, shifts, rng)
                error = (self._answer(layers.pop()) - goals[rows]) * share[rows][..., None]
                adam.step(self._slopes(layers, error / np.float32(rows.shape[1]), weights))
            said = self._answer(self._forward(inputs[kept], weights, shifts)[-1])
            best.look((self._losses(said, goals[kept]) * share[kept]).mean(axis=1))
        self.weights_, self.shifts_ = best.arrays[: len(weights)], best.arrays[len(weights) :]

    def _parts(
        self, n_rows: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows that each network keeps to itself, and those it learns from."""
        order = rng.permutation(n_rows)
        number = max(1, min(n_rows // _PART, _MOST_KEPT))
        turned = [np.roll(order, -k * number) for k in range(self.n_networks)]
        return np.array([o[:number] for o in turned]), np.array([o[number:] for o in turned])

    def _begin(
        self, n_inputs: int, n_outputs: int, rng: np.random.Generator
    ) -> tuple[list[Small], list[Small]]:
        sizes = [n_inputs, *self.hidden_layer_sizes, n_outputs]
        weights = []
        for before, after in itertools.pairwise(sizes):
            drawn = rng.standard_normal((self.n_networks, before, after), dtype=np.float32)
            weights.append(drawn * np.float32(np.sqrt(2 / before)))
        weights[-1] *= np.float32(0.1)
        shifts = [np.zeros((self.n_networks, 1, after), dtype=np.float32) for after in sizes[1:]]
        return weights, shifts

    def _forward(
        self,
        x: Small,
        weights: Any,
        shifts: Any,
        rng: np.random.Generator | None = None,
    ) -> list[Small]:
        """Inputs, hidden units and outputs; with a generator, units are left out."""
        layers = [x]
        for number, (weight, shift) in enumerate(zip(weights, shifts, strict=True), start=1):
            x = np.matmul(x, weight)
            x += shift
            if number < len(weights):
                np.maximum(x, 0, out=x)
                if rng is not None and self.dropout > 0:
                    x *= rng.random(x.shape, dtype=np.float32) >= self.dropout
                    x /= np.float32(1 - self.dropout)
            layers.append(x)
        return layers

    def _slopes(self, layers: list[Small], error: Small, weights: list[Small]) -> list[Small]:
        """Of the loss, by weights and shifts."""
        of_weights, of_shifts = [], []
        for number in range(len(weights) - 1, -1, -1):
            of_weights.append(np.matmul(layers[number].transpose(0, 2, 1), error))
            of_shifts.append(error.sum(axis=1, keepdims=True))
            if number:
                error = np.matmul(error, weights[number].transpose(0, 2, 1))
                error *= layers[number] > 0
                error /= np.float32(1 - self.dropout)
        return of_weights[::-1] + of_shifts[::-1]

    def _answer(self, raw: Small) -> Small:
        raise NotImplementedError

    def _losses(self, said: Small, goals: Small) -> Small:
        raise NotImplementedError

    def _mean(self, X: Any) -> Array:
        """The mean of what the networks say."""
        inputs, said = self._inputs(X), []
        for start in range(0, len(inputs), _ROWS):
            some = inputs[None, start : start + _ROWS]
            raw = self._forward(some, self.weights_, self.shifts_)[-1]
            said.append(self._answer(raw.astype(np.float64)).mean(axis=0))
        return np.concatenate(said)


@tagged
class NetworkClassifier(ClassifierMixin, Network):
    """Networks for classes; see `Network`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> y = X[:, 0] * X[:, 1] > 0
    >>> NetworkClassifier().fit(X, y).score(X, y) > 0.8
    True
    """

    classes_: NDArray[Any]

    def fit(self, X: Any, y: ArrayLike, sample_weight: Any = None) -> Self:
        """Fit the networks.

        Parameters
        ----------
        X : array of shape (n_rows, n_columns)
            Numbers without gaps.
        y : array of shape (n_rows,)
            Labels.
        sample_weight : array of shape (n_rows,), optional
            Weights of rows.
        """
        self.classes_, codes = np.unique(np.asarray(y), return_inverse=True)
        self._learn(X, np.eye(len(self.classes_), dtype=np.float32)[codes], sample_weight)
        return self

    def _answer(self, raw: Any) -> Any:
        return softmax(raw, axis=2)

    def _losses(self, said: Any, goals: Any) -> Any:
        return -np.log(np.maximum((said * goals).sum(axis=2), _TINY))

    def predict_proba(self, X: Any) -> Array:
        """Probabilities, shape (n_rows, n_classes)."""
        return self._mean(X)

    def predict(self, X: Any) -> NDArray[Any]:
        """The most probable class."""
        return self.classes_[np.argmax(self._mean(X), axis=1)]


@tagged
class NetworkRegressor(RegressorMixin, Network):
    """Networks for numbers, which answer within the range of what they saw; see `Network`.

    Examples
    --------
    >>> X = np.linspace(0, 10, 200)[:, None]
    >>> NetworkRegressor().fit(X, np.sin(X[:, 0])).score(X, np.sin(X[:, 0])) > 0.9
    True
    """

    mean_: float
    spread_: float
    range_: tuple[float, float]

    def fit(self, X: Any, y: ArrayLike, sample_weight: Any = None) -> Self:
        """Fit the networks.

        Parameters
        ----------
        X : array of shape (n_rows, n_columns)
            Numbers without gaps.
        y : array of shape (n_rows,)
            Numbers.
        sample_weight : array of shape (n_rows,), optional
            Weights of rows.
        """
        truth = np.asarray(y, dtype=np.float64)
        self.mean_, self.spread_ = float(truth.mean()), float(truth.std()) or 1.0
        self.range_ = float(truth.min()), float(truth.max())
        goals = ((truth - self.mean_) / self.spread_).astype(np.float32)[:, None]
        self._learn(X, goals, sample_weight)
        return self

    def _answer(self, raw: Any) -> Any:
        return raw

    def _losses(self, said: Any, goals: Any) -> Any:
        return ((said - goals) ** 2).sum(axis=2)

    def predict(self, X: Any) -> Array:
        """Numbers."""
        return np.clip(self._mean(X)[:, 0] * self.spread_ + self.mean_, *self.range_)


#: Both of them.
NETWORKS = (NetworkClassifier, NetworkRegressor)
