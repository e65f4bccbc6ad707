"""What a model inside of a model sees of the input of an ONNX model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data.errors import at_start
from coterie.data.schema import Schema
from coterie.export.errors import OnnxError

__all__ = ["View"]

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class View:
    """The columns of the input that a model sees, and what it sees in place of codes.

    The input holds numbers; a category is its code among those of the outermost model. Models
    inside have learnt categories of their own, perhaps not all of them.

    Parameters
    ----------
    columns : ndarray of int
        Positions of the model's columns in the input.
    labels : mapping of int to ndarray
        For each of the model's columns that holds codes in the input, what the model sees in
        their place: the k-th label for the code k, NaN for what it does not know.
    shows_codes : bool, default=False
        Whether the model sees the codes themselves, which it may then take for numbers.
    source : str, default=""
        The result that columns are positions in, if it is not the input.

    Examples
    --------
    >>> view = View(np.array([2]), {0: np.array(["low", "high", "new"])})
    >>> view.codes(Schema(1, labels={0: np.array(["high", "low"])}))
    {0: array([ 1,  0, -1])}
    """

    columns: Ints
    labels: Mapping[int, NDArray[Any]]
    shows_codes: bool = False
    source: str = ""

    @classmethod
    def whole(cls, schema: Schema) -> View:
        """The view of the outermost model, whose codes are those of the input."""
        return cls(np.arange(schema.n_columns), schema.labels)

    def take(self, columns: NDArray[Any]) -> View:
        """The view of a model that is shown some of the columns only, by their positions."""
        labels = {k: self.labels[j] for k, j in enumerate(columns.tolist()) if j in self.labels}
        return View(self.columns[columns], labels, self.shows_codes, self.source)

    def cells(self, schema: Schema) -> View:
        """The view of a model that is shown the cells of a table rather than what was given."""
        codes = self.codes(schema)
        same = all(np.array_equal(known, np.arange(len(known))) for known in codes.values())
        seen = {j: np.where(known < 0, np.nan, known) for j, known in codes.items()}
        return View(self.columns, seen, shows_codes=same, source=self.source)

    def codes(self, schema: Schema) -> dict[int, Ints]:
        """For each categorical column of a model, its code for every code of the input.

        Parameters
        ----------
        schema : Schema
            The columns as the model knows them.

        Returns
        -------
        dict of int to ndarray
            -1 for what the model does not know.
        """
        found = {}
        for j in sorted({*self.labels, *schema.labels}):
            shown, known = self.labels.get(j), schema.labels.get(j)
            if shown is None:
                raise OnnxError(
                    f"{at_start(schema.column(j))} is categorical for a member and numeric for the "
                    "ensemble. Set the same categorical_features on the ensemble."
                )
            if known is not None:
                place = {label: code for code, label in enumerate(known.tolist())}
                found[j] = np.array([place.get(label, -1) for label in shown.tolist()], np.int64)
            elif len(shown) and not self.shows_codes:
                raise OnnxError(
                    f"{at_start(schema.column(j))} is numeric for a member and categorical for the "
                    "ensemble. Set the same categorical_features on the member."
                )
        return found
