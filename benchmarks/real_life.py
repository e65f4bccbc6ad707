"""Ten files as people send them: each is fitted, predicted and reported.

``python -m benchmarks.real_life`` writes ten generated CSV files to a temporary folder, lets
`coterie fit` and `coterie predict` work on each of them, and writes what was found in it to
`results/real_life.md`. With ``--keep FOLDER`` files, models and reports stay there.
"""

from __future__ import annotations

import argparse
import csv
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.tables import PROJECT

RESULTS = PROJECT / "benchmarks" / "results" / "real_life.md"
ROWS = 600
Rng = np.random.Generator
Cells = dict[str, list[Any]]

GOOD = ["lovely", "quiet", "sunny", "friendly", "clean", "spacious", "bright"]
BAD = ["noisy", "dark", "dirty", "rude", "cramped", "cold", "broken"]
PLAIN = [
    "the",
    "room",
    "was",
    "near",
    "station",
    "with",
    "a",
    "bed",
    "and",
    "window",
    "we",
    "stayed",
    "two",
    "nights",
]


def reviews(rng: Rng) -> Cells:
    """Free text says what the guest thinks; the number of the booking says nothing."""
    mood = rng.integers(0, 2, ROWS)
    texts = []
    for m in mood:
        words = [*rng.choice(PLAIN, 7), *rng.choice(GOOD if m else BAD, 2)]
        texts.append(" ".join(rng.permutation(words)))
    return {
        "booking": [f"B-{10_000 + 7 * k}" for k in range(ROWS)],
        "review": texts,
        "nights": rng.integers(1, 9, ROWS).tolist(),
        "target": ["again" if m else "never" for m in mood],
    }


def rides(rng: Rng) -> Cells:
    """German dates with a time of day; two moments whose difference matters."""
    start = np.datetime64("2023-03-01T00:00") + rng.integers(0, 300 * 1440, ROWS).astype("m8[m]")
    days = rng.integers(1, 20, ROWS)
    end = start + days.astype("m8[D]")
    written = [[_german(t) for t in some] for some in (start, end)]
    price = 20 * days + 5.0 * (start.astype("datetime64[M]").astype(int) % 12)
    price = price + rng.normal(0, 8, ROWS)
    return {"rented": written[0], "returned": written[1], "target": np.round(price, 2).tolist()}


def _german(moment: np.datetime64) -> str:
    day, time = str(moment).split("T")
    year, month, number = day.split("-")
    return f"{number}.{month}.{year} {time}"


def prices(rng: Rng) -> Cells:
    """Dollars with commas between thousands, per cent signs, a few cells that say n/a."""
    income, share = rng.gamma(3, 2000, ROWS), rng.uniform(0, 60, ROWS)
    paid = rng.random(ROWS) < 1 / (1 + np.exp(-(income / 2000 - share / 10)))
    cells = [f"${v:,.2f}" for v in income]
    for k in range(0, ROWS, 90):
        cells[k] = "n/a"
    return {
        "income": cells,
        "rate": [f"{v:.1f}%" for v in share],
        "target": ["paid" if p else "late" for p in paid],
    }


def commas(rng: Rng) -> Cells:
    """Decimal commas, and numbers in the target too."""
    x, z = rng.normal(10, 4, ROWS), rng.normal(0, 1, ROWS)
    y = 2 * x + 3 * z**2 + rng.normal(0, 1, ROWS)
    return {
        name: [f"{v:.2f}".replace(".", ",") for v in values]
        for name, values in (("weight", x), ("offset", z), ("target", y))
    }


def typos(rng: Rng) -> Cells:
    """A column of numbers with three typing errors, and one with many gaps."""
    age, dose = rng.integers(18, 90, ROWS), rng.uniform(0, 1, ROWS)
    ill = rng.random(ROWS) < 0.2 + 0.6 * (age > 60) * dose
    ages: list[Any] = age.tolist()
    ages[17], ages[230], ages[411] = "4o", "sixty", "5 5"
    doses = [f"{d:.3f}" if k % 3 else "" for k, d in enumerate(dose)]
    return {"age": ages, "dose": doses, "target": np.where(ill, "yes", "no").tolist()}


def customers(rng: Rng) -> Cells:
    """Numbers of customers in order, a column that never changes, one that almost never does."""
    calls, plan = rng.poisson(3, ROWS), rng.choice(["basic", "plus", "pro"], ROWS)
    left = rng.random(ROWS) < 0.1 + 0.12 * calls * (plan == "basic")
    rare = ["n"] * ROWS
    rare[5] = "y"
    return {
        "customer_id": list(range(1000, 1000 + ROWS)),
        "country": ["DE"] * ROWS,
        "beta_tester": rare,
        "calls": calls.tolist(),
        "plan": plan.tolist(),
        "target": np.where(left, "left", "stayed").tolist(),
    }


def copies(rng: Rng) -> Cells:
    """Half of the rows are there twice, and the label is noise: scores must not look good."""
    half = rng.normal(size=(ROWS // 2, 4)).round(3)
    label = rng.integers(0, 2, ROWS // 2)
    order = rng.permutation(ROWS)
    rows, labels = np.vstack([half, half])[order], np.append(label, label)[order]
    columns = {f"m{j}": rows[:, j].tolist() for j in range(4)}
    return {**columns, "target": np.where(labels, "a", "b").tolist()}


def fraud(rng: Rng) -> Cells:
    """One row in forty is of the class that matters."""
    amount, hour = rng.gamma(2, 50, ROWS), rng.integers(0, 24, ROWS)
    odd = (rng.random(ROWS) < 0.3) & (hour < 5) & (amount > 120)
    odd[:8] = True
    return {
        "amount": amount.round(2).tolist(),
        "hour": hour.tolist(),
        "known_device": rng.choice(["yes", "no"], ROWS).tolist(),
        "target": np.where(odd, "fraud", "fine").tolist(),
    }


def drift(rng: Rng) -> Cells:
    """Days in order; the level rises with them, so random folds would be too good."""
    day = np.arange(ROWS) // 3
    level = 0.02 * day + np.cumsum(rng.normal(0, 0.2, ROWS))
    dates = (np.datetime64("2022-01-01") + day.astype("m8[D]")).astype(str)
    y = level + rng.normal(0, 0.5, ROWS)
    return {
        "date": dates.tolist(),
        "temperature": rng.normal(15, 8, ROWS).round(1).tolist(),
        "target": y.round(3).tolist(),
    }


def sensors(rng: Rng) -> Cells:
    """Lists of numbers in a cell, of one length and of several."""
    three = rng.normal(size=(ROWS, 3))
    counts = [rng.integers(0, 9, rng.integers(2, 7)) for _ in range(ROWS)]
    y = three[:, 0] * 2 + np.array([c.max() for c in counts]) + rng.normal(0, 0.3, ROWS)
    return {
        "axes": ["[" + ", ".join(f"{v:.3f}" for v in row) + "]" for row in three],
        "events": [";".join(map(str, c)) for c in counts],
        "target": y.round(3).tolist(),
    }


FILES: tuple[Callable[[Rng], Cells], ...] = (
    *(reviews, rides, prices, commas, typos, customers, copies, fraud, drift, sensors),
)


def write(make: Callable[[Rng], Cells], folder: Path) -> tuple[Path, Path]:
    """The table in two files: three quarters to fit, the rest to predict."""
    cells = make(np.random.default_rng(0))
    rows = list(zip(*cells.values(), strict=True))
    cut = 3 * len(rows) // 4
    sign = ";" if make is commas else ","
    paths = []
    for name, part in (("train", rows[:cut]), ("new", rows[cut:])):
        path = folder / f"{make.__name__}_{name}.csv"
        with path.open("w", newline="") as file:
            csv.writer(file, delimiter=sign).writerows([list(cells), *part])
        paths.append(path)
    return paths[0], paths[1]


def work_on(make: Callable[[Rng], Cells], folder: Path) -> list[str]:
    """Fit, predict and report one file; the lines that tell about it."""
    import coterie
    from coterie.cli.main import run

    train, new = write(make, folder)
    out = folder / f"{make.__name__}_model"
    said = folder / f"{make.__name__}_said.csv"
    fit = ["fit", train, "--target", "target", "--members", "fast", "--out", out, "--quiet"]
    codes = [run([str(part) for part in fit])]
    codes.append(run([str(part) for part in ("predict", out, new, "--out", said)]))
    model = coterie.load(out / "model.coterie")
    entry = next(e for e in model.leaderboard_ if e.chosen and e.kind == "ensemble")
    notes = [f"`{c.name}`: {c.kind}{', ' + c.note if c.note else ''}" for c in model.columns_]
    found = [f"{f.level}: {f.message}".replace(f"{folder}/", "") for f in model.findings_]
    return [
        f"## {make.__name__}",
        "",
        str(make.__doc__),
        "",
        f"- exit codes of `fit` and `predict`: {codes[0]}, {codes[1]}; report: "
        f"{'written' if (out / 'report.html').is_file() else 'missing'}",
        f"- {model.metric_} {entry.score:.3f}, baseline {model.baseline_:.3f}; "
        f"{model.made_['splits']}",
        f"- columns: {'; '.join(notes)}",
        *(f"- {line}" for line in found),
        "",
    ]


def main() -> None:
    """Work on all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=Path)
    given = parser.parse_args()
    lines = [
        "# Ten files as people send them",
        "",
        "Generated tables of 600 rows, 450 of them to fit (`--members fast`). Made by "
        "`python -m benchmarks.real_life`.",
        "",
    ]
    with tempfile.TemporaryDirectory() as folder:
        place = given.keep or Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        for make in FILES:
            lines += work_on(make, place)
    RESULTS.write_text("\n".join(lines), encoding="utf-8")


if __name__ == "__main__":
    main()
