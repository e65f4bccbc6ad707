"""`BoostedTrees*` beside other libraries as they come, on tables for choosing and for confirming.

``python -m benchmarks.default_boosters`` fits every contender with its own defaults and one thread
to repeated splits of the tables of the data folder, and writes `results/boosted_trees.json` after
each fit and `results/boosted_trees.md` at the end. What is there already is not measured again;
``--again NAME`` measures one contender anew, and ``--efforts`` adds our fast and our best effort.
Defaults may be tuned on the choosing half (to which all tables of the older reports belong), never
on the confirming one.
"""

from __future__ import annotations

import argparse
import json
import re
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from benchmarks.automl import score
from benchmarks.boosters_report import EFFORTS, OURS, markdown
from benchmarks.tables import PROJECT, REAL, Real, data_folder, read_file

Record = dict[str, Any]
RESULTS = PROJECT / "benchmarks" / "results" / "boosted_trees.json"
PEERS = ("CatBoost", "LightGBM", "XGBoost", "HistGradientBoosting", "RandomForest")
MOST_LABELS = 255  # that scikit-learn's histogram boosting takes in a column
LEFT_OUT = ("mnist",)  # 784 columns
MANY_COLUMNS = 500


@dataclass(frozen=True)
class Listed:
    """A table with its half."""

    name: str
    real: Real
    half: str
    columns: int = 0

    @property
    def splits(self) -> int:
        """How often it is split: once where there are many columns."""
        return 1 if self.columns > MANY_COLUMNS else 3

    @property
    def most(self) -> int:
        """Rows to train on at most: many classes take long."""
        return 3_000 if self.real.classes > 4 else 8_000


def listed() -> list[Listed]:
    """All tables at hand, small ones first."""
    known = [Listed(t, r, "choose") for t, r in REAL.items() if t not in LEFT_OUT]
    more = data_folder() / "more" / "README.md"
    if more.is_file():
        known += read_list(more.read_text(encoding="utf-8"))
    here = [t for t in known if (data_folder() / t.real.file).is_file()]
    return sorted(here, key=_size)


def _size(table: Listed) -> float:
    rows = min(table.most, table.real.rows) * max(1, table.real.classes - 1)
    return rows * max(1.0, table.columns / 30)


def read_list(text: str) -> list[Listed]:
    """The tables that a list in Markdown names; survival is another task.

    >>> found = read_list("| nox | regression | 8,088 | 3 (0) | - | choose |")
    >>> found[0].name, found[0].real.rows, found[0].half
    ('nox', 6066, 'choose')
    """
    found = []
    task = r"(binary|regression|(\d+) classes)"
    row = rf"^\| (\w+) \| {task} \| ([\d,]+) \| (\d+) .*\| (choose|confirm) \|"
    for name, what, classes, rows, columns, half in re.findall(row, text, re.MULTILINE):
        kind: Any = "regression" if what == "regression" else "classification"
        n_classes = 1 if kind == "regression" else int(classes or 2)
        train = round(int(rows.replace(",", "")) * 0.75)
        real = Real(f"more/{name}.csv.gz", kind, train, n_classes)
        found.append(Listed(name, real, half, int(columns)))
    return found


def split(table: Listed, y: NDArray[Any], seed: int) -> tuple[NDArray[Any], NDArray[Any]]:
    """Rows to train on and rows held out, drawn anew for every seed unless they are in order."""
    real, n = table.real, len(y)
    if real.ordered:
        cut = n - round(n * real.share)
        train, test = np.arange(cut), np.arange(cut, n)
    else:
        train, test = train_test_split(np.arange(n), test_size=0.25, random_state=seed)
    if len(train) > table.most:
        train = np.random.default_rng(seed).choice(train, table.most, replace=False)
    if len(test) > 4 * table.most:
        test = np.random.default_rng(seed).choice(test, 4 * table.most, replace=False)
    if real.task == "classification":
        test = test[np.isin(y[test], y[train])]
    return train, test


def contender(name: str, table: Listed, frame: Any, seed: int) -> tuple[Any, Any]:
    """A model as it comes, with one thread, and what its table needs before."""
    kind = "Classifier" if table.real.task == "classification" else "Regressor"
    text = [c for c in frame.columns if frame[c].dtype == "category"]
    if name in EFFORTS:
        import coterie

        given = {"effort": EFFORTS[name], "random_state": seed, "n_jobs": 1}
        return getattr(coterie, OURS + kind)(**given), _same
    if name == "CatBoost":
        import catboost

        quiet = {"verbose": False, "allow_writing_files": False, "thread_count": 1}
        given = {**quiet, "random_state": seed, "cat_features": text or None}
        return getattr(catboost, name + kind)(**given), lambda part: _named(part, text)
    if name == "LightGBM":
        import lightgbm

        found = getattr(lightgbm, "LGBM" + kind)
        return found(random_state=seed, n_jobs=1, verbosity=-1), _same
    if name == "XGBoost":
        import xgboost

        found = getattr(xgboost, "XGB" + kind)
        return found(random_state=seed, n_jobs=1, enable_categorical=True), _same
    from sklearn import ensemble

    many = [c for c in text if name == "RandomForest" or frame[c].nunique() > MOST_LABELS]
    given = {"random_state": seed, **({"n_jobs": 1} if name == "RandomForest" else {})}
    return getattr(ensemble, name + kind)(**given), lambda part: _coded(part, many)


def _same(frame: Any) -> Any:
    return frame


def _named(frame: Any, text: Sequence[str]) -> Any:
    """Missing categories get a name, which CatBoost asks for."""
    frame = frame.copy()
    for name in text:
        frame[name] = frame[name].astype(object).fillna("missing").astype(str)
    return frame


def _coded(frame: Any, text: Sequence[str]) -> Any:
    """Categories as numbers, where a model takes no others, or no more of them."""
    frame = frame.copy()
    for name in text:
        codes = frame[name].cat.codes.astype(float)
        frame[name] = codes.where(codes >= 0)
    return frame


def measure(name: str, table: Listed, data: tuple[Any, NDArray[Any]], seed: int) -> Record:
    """Fit one contender to one split: loss and CPU seconds; a failure becomes a record."""
    frame, y = data
    train, test = split(table, y, seed)
    record: Record = {"table": table.name, "half": table.half, "split": seed, "contender": name}
    try:
        model, prepare = contender(name, table, frame, seed)
        began = time.process_time()
        model.fit(prepare(frame.iloc[train]), y[train])
        record["cpu"] = round(time.process_time() - began, 4)
        rows, labels = prepare(frame.iloc[test]), table.real.task == "classification"
        output = model.predict_proba(rows) if labels else model.predict(rows)
        record["loss"] = score(_codes(y[train], y[test], labels), np.asarray(output, np.float64))
    except Exception as error:
        return record | {"error": f"{type(error).__name__}: {error}"[:200]}
    return record | {"prior": _prior(y[train], y[test], labels), "rows": len(train)}


def _codes(train: NDArray[Any], test: NDArray[Any], labels: bool) -> NDArray[Any]:
    """The columns of probabilities that the held-out rows' classes have."""
    return np.searchsorted(np.unique(train), test) if labels else test


def _prior(train: NDArray[Any], test: NDArray[Any], labels: bool) -> float:
    """The loss of a model that looks at no column."""
    if not labels:
        return score(test, np.full(len(test), train.mean()))
    shares = np.unique(train, return_counts=True)[1] / len(train)
    return score(_codes(train, test, labels), np.tile(shares, (len(test), 1)))


def missing(records: Sequence[Record], tables: Sequence[Listed], names: Sequence[str]) -> Iterator:
    """What has not been measured yet: contender, table and seed; all tables once, then again."""
    known = {(r["contender"], r["table"], r["split"]) for r in records}
    for seed in range(max(table.splits for table in tables)):
        for table in tables:
            for name in names:
                if seed < table.splits and (name, table.name, seed) not in known:
                    yield name, table, seed


def main() -> None:
    """Measure what is not there yet, and write the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--half", choices=("choose", "confirm"), help="one half of the tables")
    add("--tables", default="", help="names, separated by commas")
    add("--splits", type=int, default=3, help="splits of a table at most")
    add("--contenders", default="", help="names, separated by commas")
    add("--efforts", action="store_true", help="our efforts too")
    add("--again", default="", metavar="NAME", help="measure this contender anew")
    add("--note", default="", help="a sentence for the report")
    add("--out", type=Path, default=RESULTS)
    args = parser.parse_args()
    records = json.loads(args.out.read_text(encoding="utf-8")) if args.out.is_file() else []
    wanted = args.tables.split(",") if args.tables else None
    tables = [t for t in listed() if args.half in (None, t.half)]
    tables = [t for t in tables if wanted is None or t.name in wanted]
    anew = {t.name for t in tables}
    records = [r for r in records if r["contender"] != args.again or r["table"] not in anew]
    names = args.contenders.split(",") if args.contenders else [OURS, *PEERS]
    names += [name for name in EFFORTS if args.efforts and name not in names]
    data: tuple[str, Any] = "", None
    for name, table, seed in missing(records, tables, names):
        if seed >= args.splits:
            break
        if data[0] != table.name:
            data = table.name, read_file(table.real)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            records.append(measure(name, table, data[1], seed))
        found = records[-1]
        print(table.name, seed, name, found.get("loss", found.get("error")), flush=True)
        args.out.write_text(json.dumps(records, indent=0) + "\n", encoding="utf-8")
    args.out.with_suffix(".md").write_text(markdown(records, args.note), encoding="utf-8")


if __name__ == "__main__":
    main()
