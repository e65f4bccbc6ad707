"""What a model says about rows, as columns of a response."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.files.file_predictions import chances_or_numbers
from coterie.files.intervals import interval_width
from coterie.serve.bodies import table_of
from coterie.serve.problems import Problem
from coterie.serve.shelf import Served

__all__ = ["Wish", "asked", "columns_of", "encode"]

_YES = {"", "1", "true", "yes"}
_NO = {"0", "false", "no"}


@dataclass(frozen=True)
class Wish:
    """What a client wants to know beside the prediction.

    Attributes
    ----------
    probabilities : bool
        The probability of every class.
    reject : float or None
        No prediction where no class is as probable as this.
    interval : float or None
        The share of numbers that should lie between `low` and `high`.
    shap : bool
        What each column adds to the model's score.
    """

    probabilities: bool = False
    reject: float | None = None
    interval: float | None = None
    shap: bool = False

    @classmethod
    def read(cls, query: Any) -> Wish:
        """From the parameters of a request."""
        known = {"probabilities", "reject", "interval", "shap", "model", "version"}
        for name in query:
            if name not in known:
                raise Problem(
                    f"Unknown parameter {name!r}.",
                    f"Available: {', '.join(sorted(known))}.",
                    400,
                    name,
                )
        return cls(
            _flag(query, "probabilities"),
            _share(query, "reject"),
            _share(query, "interval"),
            _flag(query, "shap"),
        )


def _flag(query: Any, name: str) -> bool:
    said = str(query.get(name, "no")).lower()
    if said not in _YES | _NO:
        raise Problem(f"{said!r} is neither true nor false.", "", 400, name)
    return said in _YES


def _share(query: Any, name: str) -> float | None:
    if name not in query:
        return None
    try:
        share = float(query[name])
    except ValueError:
        share = np.nan
    if not 0 < share < 1:
        raise Problem(f"{query[name]!r} is not a number between 0 and 1.", "", 400, name)
    return share


def asked(served: Served, table: Any, *, labels: bool = False) -> NDArray[Any]:
    """The model's probabilities or numbers for rows; classes where it gives no probabilities.

    Parameters
    ----------
    served : Served
        The model.
    table : pyarrow Table
        The rows.
    labels : bool
        Whether to predict classes as `predict` does.
    """
    fitted = served.fitted
    if labels and fitted.classes is not None:
        return np.asarray(fitted.model.predict(fitted.matrix(table)))
    return chances_or_numbers(fitted, table)


def columns_of(served: Served, rows: Any, said: NDArray[Any], wish: Wish) -> dict[str, Any]:
    """Columns of the response.

    Parameters
    ----------
    served : Served
        The model.
    rows : Rows or pyarrow Table
        The rows.
    said : ndarray
        What `asked` gave for them.
    wish : Wish
        What the client wants.
    """
    found = (_numbers if served.fitted.classes is None else _classes)(served, said, wish)
    if wish.shap:
        found["shap"] = _shap(served, table_of(served.fitted, rows))
    return found


def _numbers(served: Served, said: NDArray[Any], wish: Wish) -> dict[str, Any]:
    if wish.probabilities or wish.reject is not None:
        raise Problem("probabilities and reject are for classifiers; this model is a regressor.")
    if wish.interval is None:
        return {"prediction": said}
    width = interval_width(served.fitted, wish.interval)
    return {"prediction": said, "low": said - width, "high": said + width}


def _classes(served: Served, said: NDArray[Any], wish: Wish) -> dict[str, Any]:
    if wish.interval is not None:
        raise Problem("interval is for regression; this model is a classifier.")
    classes = np.asarray(served.fitted.classes)
    if said.ndim == 1:  # classes already
        return {"prediction": said}
    best = said.argmax(axis=1)
    found: dict[str, Any] = {"prediction": classes[best].astype(object)}
    if wish.reject is not None:
        found["rejected"] = said[np.arange(len(said)), best] < wish.reject
        found["prediction"][found["rejected"]] = None
    if wish.probabilities:
        found |= {f"probability_{name}": said[:, k] for k, name in enumerate(classes.tolist())}
    return found


def _shap(served: Served, table: Any) -> list[dict[str, Any]]:
    """A dictionary for each row: what the columns add to the base value."""
    from coterie.interpretation import shap_values

    fitted = served.fitted
    try:
        found = shap_values(fitted.model, fitted.matrix(table))
    except (TypeError, ValueError) as error:
        raise Problem(f"This model's predictions cannot be explained here: {error}") from None
    names = fitted.names or list(table.column_names)
    values, base = np.asarray(found.values), np.asarray(found.base_values)
    return [
        {"base": base[k].tolist(), "values": dict(zip(names, values[k].tolist(), strict=True))}
        for k in range(len(values))
    ]


def encode(
    served: Served, columns: dict[str, Any], accept: str
) -> tuple[bytes | dict[str, Any], str]:
    """A response in the type that the client accepts: JSON, CSV, an Arrow stream or Parquet.

    Parameters
    ----------
    served : Served
        The model.
    columns : dict
        The columns.
    accept : str
        The header ``Accept``.
    """
    if "csv" not in accept and "arrow" not in accept and "parquet" not in accept:
        plain = {k: v.tolist() if isinstance(v, np.ndarray) else v for k, v in columns.items()}
        body: dict[str, Any] = {"model": served.name, "version": served.version}
        body["predictions"] = plain.pop("prediction")
        return body | plain, "application/json"
    import pyarrow as pa

    if "shap" in columns:
        raise Problem("shap is available as JSON only.", "Accept application/json.", 406)
    table = pa.table({k: pa.array(v.tolist()) for k, v in columns.items()})
    stream = io.BytesIO()
    if "csv" in accept:
        from pyarrow import csv

        csv.write_csv(table, stream)
        return stream.getvalue(), "text/csv; charset=utf-8"
    if "parquet" in accept:
        from pyarrow import parquet

        parquet.write_table(table, stream)
        return stream.getvalue(), "application/vnd.apache.parquet"
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)
    return stream.getvalue(), "application/vnd.apache.arrow.stream"
