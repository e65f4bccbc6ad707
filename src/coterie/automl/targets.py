"""Models of several targets of one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from coterie.tags import tagged


@tagged
@dataclass(frozen=True, eq=False)
class TableModels(Mapping[str, Any]):
    """One model for each of several targets, as `fit_table` returns for a list of targets.

    It is a mapping: ``models["price"]`` is the model of that target. No model sees the other
    targets, since they are not known of new rows either.

    Parameters
    ----------
    models : dict
        The fitted `TableClassifier` or `TableRegressor` of each target.

    Examples
    --------
    >>> import pandas as pd
    >>> from coterie import fit_table
    >>> frame = pd.DataFrame({"x": range(60)}) * 0.5
    >>> frame["size"] = ["low"] * 30 + ["high"] * 30
    >>> frame["twice"] = 2 * frame["x"]
    >>> models = fit_table(frame, ["size", "twice"], members="fast")
    >>> models.predict(pd.DataFrame({"x": [1.0, 29.0]})).round(0)
       size  twice
    0   low    2.0
    1  high   57.0
    >>> sorted(models.predict_proba(pd.DataFrame({"x": [1.0]})))
    ['size']
    """

    models: dict[str, Any]

    def __getitem__(self, target: str) -> Any:
        """The model of a target."""
        return self.models[target]

    def __iter__(self) -> Iterator[str]:
        """The targets, in the order in which they were given."""
        return iter(self.models)

    def __len__(self) -> int:
        """How many targets there are."""
        return len(self.models)

    def predict(self, X: Any) -> Any:
        """Predict all targets.

        Parameters
        ----------
        X : data frame
            The columns of the fit without the targets.

        Returns
        -------
        data frame
            A column for each target, in a frame of the same library; a pandas index is kept.
        """
        if not nw.dependencies.is_into_dataframe(X):
            raise TypeError(
                f"X must be a data frame (pandas, polars, pyarrow), not a {type(X).__name__}. For "
                "arrays, ask the model of each target."
            )
        frame = nw.from_native(X, eager_only=True)
        columns = {name: np.asarray(model.predict(X)) for name, model in self.items()}
        said = nw.from_dict(columns, backend=frame.implementation).to_native()
        index = nw.maybe_get_index(frame)
        if index is not None:
            said.index = index
        return said

    def predict_proba(self, X: Any) -> dict[str, NDArray[np.float64]]:
        """The probabilities of the classes of each target that has classes.

        Parameters
        ----------
        X : data frame
            The columns of the fit without the targets.

        Returns
        -------
        dict of ndarray
            By target; the columns are in the order of that model's ``classes_``.
        """
        classifiers = {name: model for name, model in self.items() if hasattr(model, "classes_")}
        return {name: model.predict_proba(X) for name, model in classifiers.items()}
