"""Golden models: what small models of every family are, to the last bit or nearly so.

``python -m tests.golden.record "why the models change"`` writes the list anew. Do it when models
are meant to change, say why, and look at what changed; never to make a test pass. Without a reason
it prints the bits of all models as they are here: what a change must not move, it must not move in
a diff of two such lists either.

Two grades are kept apart. The bits of *exact* models come from the engine and from operations that
every processor rounds alike: they are promised everywhere. Those of *close* models also come from
BLAS, LAPACK, libm or a solver: only digits are promised.
"""

from __future__ import annotations

import hashlib
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.native import Forest
from tests.golden.cases import CLOSE, EVERY, EXACT, Case
from tests.golden.tables import rows

LIST = Path(__file__).with_name("models.json")
PARTS = ("forests", "weights", "answers")
#: Close models keep their answers to so many rows.
KEPT = 6


def fitted(case: Case) -> Any:
    """The model of a case."""
    table = rows(case.target, case.columns)
    more = {"sample_weight": table.weight} if case.weighted else {}
    if case.target == "grades":
        more["groups"] = table.query
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small models say that they are too small
        return case.model().fit(table.X, table.y, **more)


def answers(model: Any, case: Case) -> list[NDArray[Any]]:
    """All that a model says of the new rows."""
    new = rows(case.target, case.columns).new
    methods = ("predict", "predict_proba", "decision_function")
    said = [getattr(model, name)(new) for name in methods if hasattr(model, name)]
    return [np.asarray(one) for one in said]


def fingerprint(case: Case) -> str:
    """Digests of the trees, of the weights of members, and of the answers."""
    model = fitted(case)
    trees = sorted(_digest(forest_arrays(forest)) for forest in forests(model))
    weights = getattr(getattr(model, "pool_", None), "weights", np.empty(0))
    parts = [_short("".join(trees)), _digest([weights]), _digest(answers(model, case))]
    return " ".join(part[:12] for part in parts)


def forests(found: Any, seen: set[int] | None = None) -> list[Forest]:
    """Every native forest inside a model, wherever it is kept."""
    seen = set() if seen is None else seen
    if id(found) in seen or isinstance(found, (str, bytes, int, float, type(None), type)):
        return []
    seen.add(id(found))
    if isinstance(found, Forest):
        return [found]
    if isinstance(found, dict):
        inside = list(found.values())
    elif isinstance(found, (list, tuple)):
        inside = list(found)
    elif type(found).__module__.split(".")[0] == "coterie":
        slots = [name for kind in type(found).__mro__ for name in getattr(kind, "__slots__", ())]
        inside = [getattr(found, name) for name in slots if hasattr(found, name)]
        inside += list(getattr(found, "__dict__", {}).values())
    else:
        return []
    return [forest for one in inside for forest in forests(one, seen)]


def forest_arrays(forest: Forest) -> list[NDArray[Any]]:
    """What a forest is made of."""
    names = ("nodes", "n_samples", "weight", "impurity", "values", "categories")
    return [getattr(forest, name) for name in (*names, "node_offsets", "leaf_offsets")]


def _digest(arrays: list[NDArray[Any]]) -> str:
    digest = hashlib.sha256()
    for array in arrays:
        if array.dtype.kind == "f":
            array = array + 0.0  # -0.0 is 0.0
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()


def _short(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def sample(case: Case) -> list[float]:
    """The first numbers of the last of its answers, to ten digits: all that close models keep."""
    said = answers(fitted(case), case)[-1][:KEPT]
    return [float(f"{number:.10g}") for number in said.astype(float).ravel()]


def read() -> dict[str, Any]:
    """The list as it is kept."""
    kept: dict[str, Any] = json.loads(LIST.read_text(encoding="utf-8"))
    return kept


def write(reason: str) -> None:
    """Write the list anew, and say what changed."""
    old = read() if LIST.exists() else {"reasons": [], "exact": {}, "close": {}}
    new = {
        "reasons": [*old["reasons"], reason],
        "exact": {name: fingerprint(case) for name, case in EXACT.items()},
        "close": {name: sample(case) for name, case in CLOSE.items()},
    }
    for grade in ("exact", "close"):
        both = {**old[grade], **new[grade]}
        changed = [name for name in both if old[grade].get(name) != new[grade].get(name)]
        print(f"{grade}: {len(changed)} of {len(both)} changed", *changed, sep="\n  ")
    LIST.write_text(json.dumps(new, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__)
    elif len(sys.argv) > 1:
        write(" ".join(sys.argv[1:]))
    else:
        for name, case in EVERY.items():
            print(fingerprint(case), name)
