"""Tables as scikit-learn's members want them: no gaps, no categories, one scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MinMaxScaler,
    OneHotEncoder,
    QuantileTransformer,
    StandardScaler,
)

if TYPE_CHECKING:
    from coterie.automl.situation import Situation

_MANY = 40  # labels of a column that get a column each; rarer ones share one
_MANY_COLUMNS = 100
_QUANTILES = 200


def as_numbers(situation: Situation, *, ranks: bool = False) -> ColumnTransformer:
    """Gaps filled, categories turned into numbers, and all of it on one scale.

    Missing numbers become the median, with a column that says so. Categories become one column
    for each label, those beyond the most frequent ones sharing a column. Numbers are standardised;
    many columns, which are often alike as points of a picture are, are put between 0 and 1 instead,
    since a standard deviation of almost nothing would make a few of them huge.

    Parameters
    ----------
    situation : Situation
        The kinds of the columns.
    ranks : bool, default=False
        Whether numbers become normal scores of their ranks, which tames long tails.
    """
    seed = situation.seed % 2**32
    labels = situation.cardinalities
    many = int((labels == 0).sum()) >= _MANY_COLUMNS
    squash: Any = MinMaxScaler(clip=True) if many else StandardScaler()
    if ranks:
        squash = QuantileTransformer(
            n_quantiles=min(_QUANTILES, max(2, situation.n_rows // 4)),
            output_distribution="normal",
            random_state=seed,
        )
    return _by_kind(situation, make_pipeline(_fill(situation), squash))


def filled(situation: Situation) -> ColumnTransformer:
    """The same with numbers on their own scales, before the columns that were categories."""
    return _by_kind(situation, _fill(situation))


def _fill(situation: Situation) -> SimpleImputer:
    return SimpleImputer(
        strategy="median", add_indicator=situation.missing, keep_empty_features=True
    )


def _by_kind(situation: Situation, numbers: Any) -> ColumnTransformer:
    labels = situation.cardinalities
    one_hot = OneHotEncoder(
        handle_unknown="infrequent_if_exist",
        min_frequency=2,
        max_categories=_MANY,
        sparse_output=False,
    )
    parts: list[tuple[str, Any, list[int]]] = [
        ("numbers", numbers, np.flatnonzero(labels == 0).tolist()),
        ("categories", one_hot, np.flatnonzero(labels > 0).tolist()),
    ]
    return ColumnTransformer([part for part in parts if part[2]], n_jobs=1)
