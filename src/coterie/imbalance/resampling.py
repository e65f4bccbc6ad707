"""The rows that a member saw, as imbalanced-learn shows them: samplers and pipelines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.pipeline import Pipeline

from coterie.core import RebalancedSampler, View, draw_entropy, lay_bags, shaking_stream
from coterie.data import Table, Target
from coterie.learners.shown import rows_given


@dataclass(eq=False, repr=False)
class RowSampler(BaseEstimator):
    """Draws the rows of one balanced bag, the same ones again and again.

    Parameters
    ----------
    sampling_strategy, replacement : see BalancedRandomForestClassifier
        As documented there.
    max_bins : int, default=255
        That of the forest: rows are drawn in an order that depends on their bins.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the bag.
    """

    sampling_strategy: Any = "auto"
    replacement: bool = False
    max_bins: int = 255
    random_state: Any = None

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        """The rows of the bag and their labels; ``sample_indices_`` has their positions.

        Parameters
        ----------
        X, y : array-like
            The training rows.
        """
        table, target = Table.read(X).bin(max_bins=self.max_bins), Target.labels(y)
        sampler = RebalancedSampler(self.sampling_strategy, self.replacement)
        _, draw = lay_bags(View(table, target), None, sampler)
        assert draw is not None, "a balanced bag is always drawn"
        counts = draw.counts(shaking_stream(draw_entropy(self.random_state)))
        self.sample_indices_ = np.repeat(np.arange(len(counts)), counts)
        labels = target.take(self.sample_indices_)
        return rows_given(table, self.sample_indices_), labels.decode(labels.encoded)

    def fit(self, X: Any, y: Any = None) -> Self:
        """There for pipelines."""
        return self

    def transform(self, X: Any) -> Any:
        """New rows as they are: only training rows are drawn."""
        return X


class SampledPipeline(Pipeline):
    """A sampler and a classifier: the latter is fitted to what the former draws."""

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Draw rows, and fit the classifier to them.

        Parameters
        ----------
        X, y : array-like
            The training rows.
        **params : dict
            Handed to the classifier's `fit`.
        """
        rows, labels = self.steps[0][1].fit_resample(X, y)
        self.steps[-1][1].fit(rows, labels, **params)
        return self
