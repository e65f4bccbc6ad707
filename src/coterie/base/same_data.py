"""Whether data has the columns and the target of an earlier fit, and what differs if not."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.data import DataError, Schema, Target
from coterie.data.errors import at_start

_SHOWN = 5  # labels in a message


def check_same_data(earlier: Any, draft: Any, cure: str) -> None:
    """Refuse data whose columns, categories, outputs or classes are not those of an earlier fit.

    Members know categories and classes by number: under other labels they would answer for the
    wrong ones without a word.

    Parameters
    ----------
    earlier, draft : estimator
        With ``schema_`` and ``target_`` of the earlier fit, and of the data now.
    cure : str
        What to do instead; ends the message.

    Raises
    ------
    DataError
        When something differs; it says what.
    """
    found = _columns(earlier.schema_, draft.schema_)
    if not found and hasattr(draft, "target_"):  # there is none where nothing is predicted
        found = _outputs(earlier.target_, draft.target_)
    if found:
        raise DataError(f"The data does not match the last fit. {found} {cure}")


def _columns(old: Schema, new: Schema) -> str:
    """What is different about the columns, as a sentence."""
    if old.n_columns != new.n_columns:
        return f"X has {new.n_columns} columns, but had {old.n_columns} before."
    if old.names != new.names:
        if old.names is None or new.names is None:
            now, then = ("no", "had some") if new.names is None else ("", "had none")
            return f"X has {now} column names, but {then} before.".replace("  ", " ")
        j = next(j for j in range(old.n_columns) if old.names[j] != new.names[j])
        return f"Column {j} of X is {new.names[j]!r}, but was {old.names[j]!r} before."
    for j in sorted(old.labels.keys() | new.labels.keys()):
        if j not in new.labels or j not in old.labels:
            now, then = ("numbers", "categories") if j in old.labels else ("categories", "numbers")
            return f"{at_start(new.column(j))} contains {now}, but contained {then} before."
        if not np.array_equal(old.labels[j], new.labels[j]):
            change = _change(old.labels[j], new.labels[j])
            return f"{at_start(new.column(j))} has different categories ({change})."
    for j in sorted(old.moments.keys() | new.moments.keys()):
        now, then = (schema.moments.get(j, "numbers") for schema in (new, old))
        if now != then:
            return f"{at_start(new.column(j))} contains {now}, but contained {then} before."
    return ""


def _outputs(old: Target, new: Target) -> str:
    """What is different about the target, as a sentence."""
    if old.n_outputs != new.n_outputs:
        return f"y has {_counted(new.n_outputs)}, but had {old.n_outputs} before."
    for k, (then, now) in enumerate(zip(old.classes, new.classes, strict=True)):
        if not np.array_equal(then, now):
            where = "y" if old.n_outputs == 1 else f"Output {k} of y"
            return f"{where} has different classes ({_change(then, now)})."
    return ""


def _change(old: Any, new: Any) -> str:
    """Which labels came and which went."""
    before, after = old.tolist(), new.tolist()
    came = [label for label in after if label not in set(before)]
    went = [label for label in before if label not in set(after)]
    parts = [
        f"{word} {_list(labels)}" for word, labels in (("new:", came), ("gone:", went)) if labels
    ]
    return "; ".join(parts) or "another order or type"


def _list(labels: list[Any]) -> str:
    more = f" and {len(labels) - _SHOWN} more" if len(labels) > _SHOWN else ""
    return ", ".join(map(repr, labels[:_SHOWN])) + more


def _counted(n_outputs: int) -> str:
    return "1 output" if n_outputs == 1 else f"{n_outputs} outputs"
