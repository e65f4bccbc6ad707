r"""Texts as numbers: what their words and letters have in common.

Words, pairs of words and short runs of letters are counted, in columns that a hash of them tells.
Counts are weighed by how rare they are, rows are brought to length one, and a truncated singular
value decomposition finds the few directions in which rows differ most [1]_.

.. [1] Deerwester et al., "Indexing by latent semantic analysis", J. Am. Soc. Inf. Sci. 41 (1990).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.preprocessing import normalize

from coterie.tags import tagged

Array = NDArray[np.float64]

_WIDTH = 2**13  # columns that words, and runs of letters, are hashed to
_ROWS = 20_000  # from which directions are learnt
_DIRECTIONS = 16
_FEWEST = 3  # rows that a word must be in
_FEWEST_TEXTS = 50
_DISTINCT = 0.2  # share of the rows, from which on labels are no groups
_WORDS = 2.0  # of a text, on average
_KINDS: tuple[dict[str, Any], ...] = (
    {"analyzer": "word", "ngram_range": (1, 2)},
    {"analyzer": "char_wb", "ngram_range": (3, 4)},
)


@tagged
@dataclass(frozen=True)
class TextEncoder:
    """The directions of the texts of a column.

    Parameters
    ----------
    kept : ndarray of int
        Columns of the counts that are looked at.
    rarity : ndarray
        What each of them weighs.
    directions : ndarray of shape (n_directions, n_kept)
        What they are worth in every direction.

    Examples
    --------
    >>> texts = ["red wine", "white wine", "red beer", "dark beer"] * 5
    >>> encoder = TextEncoder.learn(texts, seed=0)
    >>> encoder.columns(texts).shape, len(encoder.parts)
    ((20, 5), 5)
    """

    kept: NDArray[np.int64] = field(repr=False)
    rarity: Array = field(repr=False)
    directions: Array = field(repr=False)

    @classmethod
    def learn(cls, texts: Sequence[Any], seed: int) -> TextEncoder:
        """Learn from texts, or from some of them if there are many; the target has no part in it.

        Parameters
        ----------
        texts : sequence of str or None
            The column.
        seed : int
            Of the decomposition.
        """
        counts = _counts(texts[:: max(1, -(-len(texts) // _ROWS))])
        found = np.bincount(counts.indices, minlength=counts.shape[1])
        kept = np.flatnonzero((found >= _FEWEST) & (found < counts.shape[0]))
        rarity = np.log((1 + counts.shape[0]) / (1 + found[kept])) + 1
        number = min(_DIRECTIONS, len(kept) - 1, counts.shape[0] - 1)
        if number < 1:
            return cls(kept[:0], rarity[:0], np.zeros((0, 0)))
        weighed = normalize(counts[:, kept] @ sparse.diags_array(rarity))
        model = TruncatedSVD(number, random_state=seed % 2**32).fit(weighed)
        # Directions that texts do not have are rounding errors.
        there = model.singular_values_ > 1e-6 * model.singular_values_[0]
        return cls(kept, rarity, model.components_[there])

    @property
    def parts(self) -> tuple[str, ...]:
        """Names of the columns that texts become."""
        return ("length", *(f"text{k}" for k in range(len(self.directions))))

    def columns(self, texts: Sequence[Any]) -> Array:
        """What texts are in numbers, shape (n_rows, n_parts): their length, then directions."""
        length = np.array([[len(t) if isinstance(t, str) else np.nan] for t in texts])
        if not len(self.directions):
            return length
        weighed = normalize(_counts(texts)[:, self.kept] @ sparse.diags_array(self.rarity))
        return np.hstack([length, weighed @ self.directions.T])


def _counts(texts: Sequence[Any]) -> Any:
    """Counts of words, pairs of words and runs of letters."""
    plain = [text if isinstance(text, str) else "" for text in texts]
    parts = [
        HashingVectorizer(n_features=_WIDTH, alternate_sign=False, norm=None, **kind).transform(
            plain
        )
        for kind in _KINDS
    ]
    return sparse.csr_array(sparse.hstack(parts))


def is_prose(texts: Sequence[str]) -> bool:
    """Whether texts say something in their words, rather than being names of groups or of rows.

    Parameters
    ----------
    texts : sequence of str
        The known cells of a column.

    Examples
    --------
    >>> is_prose([f"a house with {k} rooms" for k in range(60)])
    True
    >>> is_prose(["red", "green"] * 30), is_prose([f"AB-{k}" for k in range(60)])
    (False, False)
    """
    if len(texts) < _FEWEST_TEXTS:
        return False
    distinct = set(texts)
    if len(distinct) < _DISTINCT * len(texts):
        return False
    some = list(texts[:: max(1, len(texts) // 200)])
    return bool(np.mean([len(text.split()) for text in some]) >= _WORDS)
