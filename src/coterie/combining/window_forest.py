"""Multi-grained scanning: windows of sequences or images as class probabilities."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from coterie.core import at_least, check_params, draw_entropy, member_seeds, one_of
from coterie.core.params import a_list
from coterie.forests import ExtraTreesClassifier, RandomForestClassifier
from coterie.trees.growth import SHAPE

Cells = NDArray[np.float32]

_BLOCK = 1 << 22  # cells of windows that are looked at together


def count_windows(shape: tuple[int, ...], size: int, stride: int = 1) -> int:
    """How many windows there are.

    Parameters
    ----------
    shape : tuple of int
        Length of a sequence, or height and width of an image.
    size : int
        Length of a side of the window.
    stride : int, default=1
        Step between windows.

    Examples
    --------
    >>> count_windows((400,), 100), count_windows((20, 20), 10), count_windows((28, 28), 7)
    (301, 121, 484)
    """
    return int(np.prod([(side - size) // stride + 1 for side in shape]))


def windows_of(X: NDArray[Any], shape: tuple[int, ...], size: int, stride: int = 1) -> NDArray[Any]:
    """All windows of every row.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        Rows; those of images are read line by line.
    shape, size, stride : tuple of int, int, int
        See `count_windows`.

    Returns
    -------
    ndarray of shape (n_rows, n_windows, size ** len(shape))

    Examples
    --------
    >>> windows_of(np.arange(4)[None, :], (4,), 3)[0].tolist()
    [[0, 1, 2], [1, 2, 3]]
    """
    images = X.reshape(len(X), *shape)
    axes = tuple(range(1, len(shape) + 1))
    found = sliding_window_view(images, (size,) * len(shape), axis=axes)
    steps = (slice(None), *([slice(None, None, stride)] * len(shape)))
    return found[steps].reshape(len(X), -1, size ** len(shape))


class WindowForestTransformer(TransformerMixin, BaseEstimator):
    """Turns windows of sequences or images into class probabilities predicted by forests.

    A window slides over each row. For each window size, a random forest and a completely random
    forest are trained on all windows of all rows, labelled with the classes of their rows; the
    probabilities of a row's windows are its new columns. In `fit_transform`, those of the training
    rows come from trees that have seen no window of the row.

    Parameters
    ----------
    shape : int, tuple of int or None, default=None
        Length of a sequence, or height and width of an image; None takes all columns as a sequence.
    windows : list of int or None, default=None
        Sizes of the windows; by default a sixteenth, an eighth and a quarter of the shortest side.
    stride : int, default=1
        Step between windows.
    n_trees : int, default=100
        Trees of a forest.
    max_windows : int or None, default=None
        Maximum number of windows per row used for training, drawn at random; lower it first to save
        memory.
    min_samples_leaf : int or float, default=1
        Minimum number of windows in a leaf.
    n_jobs : int, default=None
        Threads.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness.

    Attributes
    ----------
    forests_ : list of pairs of forests
        By size of window.
    windows_ : list of int
        Sizes of the windows.
    classes_ : ndarray of shape (n_classes,)
        Class labels.

    References
    ----------
    .. [1] Zhou & Feng, "Deep forest: towards an alternative to deep neural networks", IJCAI (2017).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(40, 16)), np.arange(40) % 2
    >>> scan = WindowForestTransformer(windows=[4], n_trees=5, random_state=0)
    >>> scan.fit_transform(X, y).shape  # 13 windows, 2 forests, 2 classes
    (40, 52)
    """

    def __init__(
        self,
        shape: Any = None,
        windows: Any = None,
        *,
        stride: int = 1,
        n_trees: int = 100,
        max_windows: int | None = None,
        min_samples_leaf: float = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.shape, self.windows, self.stride, self.n_trees = shape, windows, stride, n_trees
        self.max_windows, self.min_samples_leaf = max_windows, min_samples_leaf
        self.n_jobs, self.random_state = n_jobs, random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the forests of all sizes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Sequences, or images line by line.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        self
        """
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any) -> Cells:
        """Fit, and return out-of-bag probabilities of the training rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Sequences, or images line by line.
        y : array-like of shape (n_samples,)
            Class labels.

        Returns
        -------
        ndarray of float32 of shape (n_samples, n_features_out)
        """
        self._check()
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.shape_ = self._read_shape(X.shape[1])
        self.windows_ = self._read_windows()
        self.classes_, codes = np.unique(y, return_inverse=True)
        seeds = member_seeds(draw_entropy(self.random_state), 0, 2 * len(self.windows_))
        self.forests_, parts = [], []
        for number, size in enumerate(self.windows_):
            pair, honest = self._scan(X, codes, size, seeds[2 * number : 2 * number + 2])
            self.forests_.append(pair)
            parts += honest
        self.n_features_out_ = sum(part.shape[1] for part in parts)
        return np.hstack(parts)

    def transform(self, X: Any) -> Cells:
        """Probabilities of new rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of float32 of shape (n_samples, n_features_out)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        pairs = zip(self.forests_, self.windows_, strict=True)
        return np.hstack([self._ask(forest, X, size) for pair, size in pairs for forest in pair])

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the new columns: size of the window, forest, window and class.

        Parameters
        ----------
        input_features : array-like of str or None
            Not looked at.
        """
        check_is_fitted(self)
        names = [
            f"window{size}_forest{forest}_{place}_{label}"
            for size in self.windows_
            for forest in range(2)
            for place in range(count_windows(self.shape_, size, self.stride))
            for label in self.classes_
        ]
        return np.array(names, dtype=object)

    def _check(self) -> None:
        allowed = {
            "shape": at_least(1) | a_list | one_of(None),
            "windows": a_list | one_of(None),
            "stride": at_least(1),
            "n_trees": at_least(1),
            "max_windows": at_least(1) | one_of(None),
            **{name: SHAPE[name] for name in ("min_samples_leaf", "n_jobs", "random_state")},
        }
        check_params(type(self).__name__, self.get_params(deep=False), allowed)

    def _read_shape(self, n_columns: int) -> tuple[int, ...]:
        given: Any = n_columns if self.shape is None else self.shape
        shape = (int(given),) if np.ndim(given) == 0 else tuple(int(side) for side in given)
        if int(np.prod(shape)) != n_columns:
            raise ValueError(f"shape={self.shape!r} does not match the {n_columns} columns of X.")
        return shape

    def _read_windows(self) -> list[int]:
        shortest = min(self.shape_)
        if self.windows is None:
            return sorted({max(1, shortest // part) for part in (16, 8, 4)})
        sizes = [int(size) for size in self.windows]
        wrong = [size for size in sizes if not 1 <= size <= shortest]
        if wrong or not sizes:
            raise ValueError(
                f"windows={self.windows!r} must be at least one window size from 1 to {shortest}."
            )
        return sizes

    def _scan(
        self, X: NDArray[Any], codes: NDArray[np.intp], size: int, seeds: NDArray[np.int64]
    ) -> tuple[tuple[Any, Any], list[Cells]]:
        """The two forests of a size, and honest probabilities."""
        windows = windows_of(X, self.shape_, size, self.stride)
        n_rows, n_windows, _ = windows.shape
        shown = np.arange(n_windows)
        if self.max_windows is not None and self.max_windows < n_windows:
            rng = np.random.default_rng(int(seeds[0]))
            shown = np.sort(rng.choice(n_windows, self.max_windows, replace=False))
        rows = windows[:, shown].reshape(-1, windows.shape[2])
        labels = np.repeat(codes, len(shown))
        owners = np.repeat(np.arange(n_rows), len(shown))
        forests, honest = [], []
        kinds: list[tuple[type[Any], str | int]] = [
            (RandomForestClassifier, "sqrt"),
            (ExtraTreesClassifier, 1),
        ]
        for (kind, most), seed in zip(kinds, seeds, strict=True):
            forest = kind(
                self.n_trees,
                max_features=most,
                bootstrap=True,
                min_samples_leaf=self.min_samples_leaf,
                n_jobs=self.n_jobs,
                random_state=int(seed) % 2**31,
            ).fit(rows, labels, groups=owners)
            forests.append(forest)
            honest.append(self._honest(forest, windows, owners))
        return (forests[0], forests[1]), honest

    def _honest(self, forest: Any, windows: NDArray[Any], owners: NDArray[np.intp]) -> Cells:
        """Mean probabilities by the trees that saw no window of a row."""
        n_rows, n_windows, size = windows.shape
        total = np.zeros((n_rows, n_windows, len(self.classes_)), dtype=np.float32)
        heard = np.zeros(n_rows)
        first = np.flatnonzero(np.append(True, owners[1:] != owners[:-1]))
        for number, tree in enumerate(forest.estimators_):
            free = np.flatnonzero(forest.bags_.free(number)[first])
            if len(free):
                said = tree.predict_proba(windows[free].reshape(-1, size))
                total[free] += said.reshape(len(free), n_windows, -1)
                heard[free] += 1
        total /= np.maximum(heard, 1)[:, None, None].astype(np.float32)
        total[heard == 0] = 1.0 / len(self.classes_)  # nobody can judge them
        return total.reshape(n_rows, -1)

    def _ask(self, forest: Any, X: NDArray[Any], size: int) -> Cells:
        """Probabilities of all windows, some rows at a time."""
        n_windows = count_windows(self.shape_, size, self.stride)
        cells = n_windows * size ** len(self.shape_)
        step = max(1, _BLOCK // cells)
        found = np.empty((len(X), n_windows * len(self.classes_)), dtype=np.float32)
        for start in range(0, len(X), step):
            rows = windows_of(X[start : start + step], self.shape_, size, self.stride)
            said = forest.predict_proba(rows.reshape(-1, rows.shape[2]))
            found[start : start + step] = said.reshape(len(rows), -1)
        return found

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
