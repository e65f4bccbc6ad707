"""Defaults that were changed, before and after: ``python -m benchmarks.ensemble_defaults``.

Each study fits what was the default, what is, and something simple beside them to the same random
splits of real tables, at most ``--rows`` rows of each. A difference is given with half of its 95 %
interval over the splits; losses are listed like gains. Tables of the folder ``more`` are marked by
what they are for: defaults were chosen on some and confirmed on others. Results go to
``benchmarks/results/defaults.json``, where those of studies that are not asked for stay, and to
``defaults.md``.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import t as student
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier as Stump

from benchmarks.tables import PROJECT, data_folder
from coterie import (
    AdaBoostClassifier,
    AdaBoostM2Classifier,
    AdaBoostRegressor,
    BaggingClassifier,
    CostSensitiveBoostClassifier,
    DecisionTreeClassifier,
    EnsembleSelectionClassifier,
    ExtraTreesClassifier,
    LPBoostClassifier,
    PrunedEnsembleClassifier,
    RandomForestClassifier,
    RobustBoostClassifier,
    SoftBoostClassifier,
)

Answers = dict[str, float]

#: Tables used for choosing, and those looked at once, to confirm.
BINARY = ["german_credit", "ionosphere", "sonar", "mammographic", "crx", "bands", "credit_card"]
BINARY += ["yeast1", "spambase"]
BINARY_CONFIRM = ["australian", "saheart", "hmda", "wdbc"]
MANY = ["vehicle", "soybean", "vowel", "led7digit", "tae", "hpc_data", "letter"]
MANY_CONFIRM = ["contraceptive", "chile", "scat", "marketing"]
NUMBERS = ["concrete", "abalone", "auto_mpg", "biomass", "car_prices", "chem_yield", "hitters"]
NUMBERS += ["nox", "sacramento"]
NUMBERS_CONFIRM = ["airfare", "college", "gpa2", "wage", "cps8", "deliveries"]


class Split(NamedTuple):
    """Rows to learn from and to test by, and the seed they were drawn by."""

    X: Any
    y: NDArray[Any]
    X_new: Any
    y_new: NDArray[Any]
    seed: int


def splits(name: str, rows: int, n_splits: int, labels: bool) -> Iterator[Split]:
    """Random splits of at most `rows` rows of a table, a third of them to test by."""
    path = data_folder() / f"{name}.csv.gz"
    path = path if path.exists() else path.parent / "more" / path.name
    frame = pd.read_csv(path, keep_default_na=False, na_values=[""])
    X, y = frame.drop(columns="target"), frame["target"].to_numpy()
    for column in X.columns[[not pd.api.types.is_numeric_dtype(kind) for kind in X.dtypes]]:
        X[column] = X[column].astype("category")
    y = np.unique(y, return_inverse=True)[1] if labels else y.astype(float)
    for seed in range(n_splits):
        some = np.random.default_rng(seed).permutation(len(y))[:rows]
        if labels:  # a class of one row cannot be in both parts
            some = some[np.bincount(y[some])[y[some]] > 1]
        strata = y[some] if labels else None
        a, b = train_test_split(some, test_size=1 / 3, random_state=seed, stratify=strata)
        yield Split(X.iloc[a], y[a], X.iloc[b], y[b], seed)


def flipped(split: Split, share: float) -> NDArray[Any]:
    """Labels of which some are of another class."""
    rng, n_classes = np.random.default_rng(split.seed), split.y.max() + 1
    wrong = rng.random(len(split.y)) < share
    others = (split.y + rng.integers(1, n_classes, len(split.y))) % n_classes
    return np.where(wrong, others, split.y)


def errors(models: dict[str, Any], split: Split, y: NDArray[Any]) -> Answers:
    """Percent of mistakes of each model."""
    return {
        name: 100 * float(np.mean(model.fit(split.X, y).predict(split.X_new) != split.y_new))
        for name, model in models.items()
    }


def m2(split: Split) -> Answers:
    """Stumps under row weights, as scikit-learn's are given, and under label weights."""
    X, X_new = (
        part.assign(**{c: part[c].cat.codes for c in part.select_dtypes("category")}).to_numpy(
            float
        )
        for part in (split.X, split.X_new)
    )
    models = {
        "before": AdaBoostM2Classifier(Stump(max_depth=1), random_state=0),
        "after": AdaBoostM2Classifier(),
        "AdaBoost": AdaBoostClassifier(),
    }
    return errors(models, split._replace(X=X, X_new=X_new), split.y)


def soft_margin(booster: type, share: float) -> Callable[[Split], Answers]:
    """The softness by the first member alone, and by rows held out."""

    def study(split: Split) -> Answers:
        y = flipped(split, share)
        stump = DecisionTreeClassifier(criterion="misclassification", max_depth=1)
        wrong = float(np.mean(stump.fit(split.X, y).predict(split.X) != y))
        old = booster(nu=min(max(1.5 * wrong, 0.1), 1.0)).fit(split.X, y)
        if old.margin_ <= 1e-9 and old.stop_reason_ != "max_rounds":  # its second try
            old = booster(nu=min(max(2.2 * wrong, 0.1), 1.0))
        return errors({"before": old, "after": booster(), "one stump": stump}, split, y)

    return study


def robust(share: float) -> Callable[[Split], Answers]:
    """A goal of 0.1 and whole steps, and short steps to a goal chosen by rows held out."""

    def study(split: Split) -> Answers:
        models = {
            "before": RobustBoostClassifier(error_goal=0.1, learning_rate=1.0),
            "after": RobustBoostClassifier(),
            "AdaBoost": AdaBoostClassifier(n_estimators=200),
        }
        return errors(models, split, flipped(split, share))

    return study


def costs(ratio: float) -> Callable[[Split], Answers]:
    """Mean cost of a mistake, the rare class being the costly one."""

    def study(split: Split) -> Answers:
        rare = int(np.bincount(split.y).argmin())
        by_class = np.where(np.arange(2) == rare, ratio, 1.0)
        cost = {rare: ratio}
        plain = AdaBoostClassifier().fit(split.X, split.y)
        said = {"AdaBoost, threshold": (plain.predict_proba(split.X_new) * by_class).argmax(axis=1)}
        for name, method in (("before", "adac2"), ("after", "cgada"), ("AdaMEC", "adamec")):
            model = CostSensitiveBoostClassifier(method=method, cost=cost).fit(split.X, split.y)
            said[name] = model.predict(split.X_new)
        each = by_class[split.y_new]
        return {name: 100 * float(np.mean(each * (a != split.y_new))) for name, a in said.items()}

    return study


def r2(split: Split) -> Answers:
    """Root mean squared error as a percentage of that with weights, which stays the default."""
    found = {}
    for name, weighting in (("before", "reweight"), ("after", "resample")):
        model = AdaBoostRegressor(weighting=weighting, random_state=split.seed)
        said = model.fit(split.X, split.y).predict(split.X_new)
        found[name] = float(np.sqrt(np.mean((said - split.y_new) ** 2)))
    return {name: 100 * error / found["before"] for name, error in found.items()}


def pruning(split: Split) -> Answers:
    """Errors of bags of 100 trees, and how many members are kept."""
    bag = BaggingClassifier(n_estimators=100, random_state=split.seed).fit(split.X, split.y)
    found = {"whole": 100 * float(np.mean(bag.predict(split.X_new) != split.y_new))}
    for name, size in (("before", "best"), ("after", "auto")):
        model = PrunedEnsembleClassifier(
            bag, size=size, validate="oob", prefit=True, random_state=split.seed
        ).fit(split.X, split.y)
        found[name] = 100 * float(np.mean(model.predict(split.X_new) != split.y_new))
        found[f"kept {name}"] = model.size_
    return found


def selection(split: Split) -> Answers:
    """Ensemble selection by log loss and by error, beside its forest."""
    seed = split.seed
    library = [
        ("forest", RandomForestClassifier(random_state=seed)),
        ("extra", ExtraTreesClassifier(random_state=seed)),
        ("ada", AdaBoostClassifier()),
        ("tree", DecisionTreeClassifier(max_depth=4)),
    ]
    models = {
        "before": EnsembleSelectionClassifier(library, random_state=seed),
        "after": EnsembleSelectionClassifier(library, loss="error", random_state=seed),
        "forest": RandomForestClassifier(random_state=seed),
    }
    return errors(models, split, split.y)


class Study(NamedTuple):
    """What is measured, on which tables, what it says, and what the default must not lose to."""

    title: str
    run: Callable[[Split], Answers]
    tables: list[str]
    confirm: list[str]
    rival: str = "before"
    labels: bool = True


STUDIES = {
    "m2": Study("AdaBoost.M2, stumps: error in %", m2, MANY, MANY_CONFIRM, "AdaBoost"),
    **{
        f"{name}_{share:.0%}": Study(
            f"{name}, {share:.0%} of the labels flipped: error in %",
            soft_margin(booster, share),
            BINARY,
            BINARY_CONFIRM,
            "one stump",
        )
        for name, booster in (("LPBoost", LPBoostClassifier), ("SoftBoost", SoftBoostClassifier))
        for share in (0.0, 0.2)
    },
    **{
        f"robust_{share:.0%}": Study(
            f"RobustBoost, {share:.0%} of the labels flipped: error in %",
            robust(share),
            BINARY,
            BINARY_CONFIRM,
            "AdaBoost",
        )
        for share in (0.0, 0.2)
    },
    **{
        f"costs_{ratio:.0f}": Study(
            f"Costs {ratio:.0f}:1: mean cost of a row, times 100",
            costs(ratio),
            ["mlc_churn", "titanic", *BINARY],
            BINARY_CONFIRM,
            "AdaBoost, threshold",
        )
        for ratio in (2.0, 5.0)
    },
    "r2": Study(
        "AdaBoost.R2: re-sampling (after) as percent of the error with weights (before)",
        r2,
        NUMBERS,
        NUMBERS_CONFIRM,
        labels=False,
    ),
    "pruning": Study(
        "Pruning, 100 trees: error in %, and members kept",
        pruning,
        [*BINARY, "vehicle", "soybean"],
        BINARY_CONFIRM,
        "whole",
    ),
    "selection": Study(
        "Ensemble selection by log loss (before, the default) and by error (after): error in %",
        selection,
        [*BINARY[:6], "spambase", "vehicle", "soybean"],
        BINARY_CONFIRM,
        "forest",
    ),
}


def half_interval(values: list[float]) -> float:
    """Half of the 95 % interval of a mean."""
    spread = float(np.std(values, ddof=1)) / np.sqrt(len(values))
    return float(student.ppf(0.975, len(values) - 1)) * spread


def gaps_of(answers: Sequence[Answers], other: str) -> list[float]:
    """What the default has more than something else, by split."""
    return [answer["after"] - answer[other] for answer in answers]


def tally(what: str, gaps: dict[str, float], confirm: Sequence[str]) -> str:
    """How often the default is better, and by how much on either half."""
    halves = {
        "choosing": [gap for table, gap in gaps.items() if table not in confirm],
        "confirming": [gap for table, gap in gaps.items() if table in confirm],
    }
    means = [
        f"{np.mean(found):+.2f} ± {half_interval(found):.2f} on the {name} half"
        for name, found in halves.items()
    ]
    better, worse = sum(gap < 0 for gap in gaps.values()), sum(gap > 0 for gap in gaps.values())
    return f"Against {what}: less on {better} tables, more on {worse}; {', '.join(means)}."


def page_of(known: dict[str, Any]) -> str:
    """All studies measured so far, with what there is to say about single measurements."""
    lines, notes, former = [HEAD], known.get("notes", {}), known.get("former", {})
    for name in STUDIES:
        if name not in known and name in former:  # of which only the table was kept
            lines += [former[name], ""]
        if name in known:
            lines += report(STUDIES[name], known[name])
            lines += [notes[name], ""] if name in notes else []
    return "\n".join(lines)


def report(study: Study, found: dict[str, list[Answers]]) -> list[str]:
    """A table of means, and how often the new default is better."""
    names, others = (
        list(next(iter(found.values()))[0]),
        list(dict.fromkeys(["before", study.rival])),
    )
    shown = [*names, *(f"after - {other}" for other in others)]
    n_splits = len(next(iter(found.values())))
    lines = [f"## {study.title}", "", f"{n_splits} splits.", "", f"| table | {' | '.join(shown)} |"]
    lines.append("|---" * (len(shown) + 1) + "|")
    for table, answers in found.items():
        cells = [f"{np.mean([answer[name] for answer in answers]):.1f}" for name in names]
        for other in others:
            gaps = gaps_of(answers, other)
            cells.append(f"{np.mean(gaps):+.1f} ± {half_interval(gaps):.1f}")
        mark = " (confirm)" if table in study.confirm else ""
        lines.append(f"| {table}{mark} | {' | '.join(cells)} |")
    for other in others:
        means = {table: float(np.mean(gaps_of(found[table], other))) for table in found}
        lines += ["", tally(other, means, study.confirm)]
    return [*lines, ""]


HEAD = """# Defaults before and after

At most 600 rows of a table, a third of them to test by; means of random splits, and 95 % intervals
of differences over the splits, below each table over the tables. Tables marked (confirm) had no
part in the choice. Written by `python -m benchmarks.ensemble_defaults`.
"""


def main() -> None:
    """Measure, and write after every study."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=600, help="rows of a table at most")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--studies", nargs="*", choices=list(STUDIES), default=list(STUDIES))
    parser.add_argument("--out", default=str(PROJECT / "benchmarks" / "results" / "defaults"))
    chosen = parser.parse_args()
    raw, page = (Path(f"{chosen.out}.{kind}") for kind in ("json", "md"))
    warnings.simplefilter("ignore")
    known = json.loads(raw.read_text(encoding="utf-8")) if raw.exists() else {}
    for name in chosen.studies:
        study, began = STUDIES[name], time.process_time()
        known[name] = {
            table: [study.run(s) for s in splits(table, chosen.rows, chosen.splits, study.labels)]
            for table in [*study.tables, *study.confirm]
        }
        known.get("notes", {}).pop(name, None)  # it was about the former measurement
        raw.write_text(json.dumps(known), encoding="utf-8")
        page.write_text(page_of(known), encoding="utf-8")
        print(f"{name}: {time.process_time() - began:.0f} s", flush=True)


if __name__ == "__main__":
    main()
