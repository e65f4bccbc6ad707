"""Tables on disk, models fitted to them, and a way to call commands."""

import csv
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from coterie.cli.main import run
from coterie.datasets import load_table


class Said(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def call(capsys) -> Callable[..., Said]:
    """Run a command in this process."""

    def calling(*arguments: object) -> Said:
        code = run([str(argument) for argument in arguments])
        return Said(code, *capsys.readouterr())

    return calling


@pytest.fixture
def write(tmp_path) -> Callable[[str, str | bytes], Path]:
    """Write a file."""

    def writing(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return writing


def write_rows(path: Path, header: list[str], rows: list[list[object]]) -> Path:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])
    return path


class Case(NamedTuple):
    train: Path
    test: Path
    model: Path


def fitted(folder: Path, target: str, header: list[str], rows: list[list[object]]) -> Case:
    half = len(rows) // 2
    train = write_rows(folder / "train.csv", header, rows[:half])
    test = write_rows(folder / "test.csv", header, rows[half:])
    out = folder / "model"
    command = ["fit", train, "--target", target, "--members", "fast", "--out", out, "--quiet"]
    assert run([str(part) for part in command]) == 0
    return Case(train, test, out)


@pytest.fixture(scope="session")
def credit(tmp_path_factory) -> Case:
    """Classes: good and bad credit, by numbers and words, some of them missing."""
    table = load_table("german_credit")
    names = ["checking_status", "duration", "age", "housing"]
    columns = []
    for name in names:
        cells = table.X[:, table.feature_names.index(name)]
        labels = table.categories.get(name)
        columns.append([labels[int(c)] if labels else int(c) for c in cells])
    rows = [list(row) for row in zip(*columns, table.y, strict=True)][:600]
    for row in rows[::17]:
        row[1] = "NA"
    return fitted(tmp_path_factory.mktemp("credit"), "credit", [*names, "credit"], rows)


@pytest.fixture(scope="session")
def prices(tmp_path_factory) -> Case:
    """Numbers: a price by size, town and day."""
    rng = np.random.default_rng(0)
    size, town = rng.uniform(20, 200, 600), rng.choice(["ulm", "bonn", "hof"], 600)
    price = 3 * size + 100 * (town == "bonn") + rng.normal(0, 20, 600)
    days = [f"2024-{1 + k % 12:02d}-{1 + k % 28:02d}" for k in range(600)]
    rows = [
        [f"{s:.2f}", t, day, f"{p:.3f}"]
        for s, t, day, p in zip(size, town, days, price, strict=True)
    ]
    folder = tmp_path_factory.mktemp("prices")
    return fitted(folder, "price", ["size", "town", "day", "price"], rows)
