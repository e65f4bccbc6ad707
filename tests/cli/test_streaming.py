"""Tables that are read block by block."""

import csv
import subprocess
import sys

import numpy as np
import pytest

import coterie
from coterie.cli.streaming import is_large, stream_table
from coterie.files import ReadOptions
from coterie.files.errors import CommandError
from tests.commands import write_rows

pa = pytest.importorskip("pyarrow")
HEADER = ["id", "size", "town", "day", "note", "same", "price", "dear"]


def rows(n=3000, seed=0):
    """Prices by size, town and month; identifiers, texts and gaps among them."""
    rng = np.random.default_rng(seed)
    size = rng.uniform(20, 200, n)
    town = rng.choice(["ulm", "bonn", "hof"], n)
    month = rng.integers(1, 13, n)
    price = 3 * size + 200 * (town == "bonn") + 20 * month + rng.normal(0, 20, n)
    table = []
    for k in range(n):
        dear = "" if k % 100 == 7 else "yes" if price[k] > 450 else "no"
        words = f"offer {k} in the town of {town[k]} {rng.integers(10**6)}"
        row = [k + 1, f"{size[k]:.2f}", town[k], f"2024-{month[k]:02d}-11", words, 1]
        table.append([*row, f"{price[k]:.9f}", dear])
    for row in table[::19]:
        row[1] = "NA"
    return table


@pytest.fixture(scope="module")
def sales(tmp_path_factory):
    return write_rows(tmp_path_factory.mktemp("sales") / "sales.csv", HEADER, rows())


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr("coterie.files.delimited.BLOCK_BYTES", 1 << 14)


def decoded(found):
    return dict(zip(found.rows.names, found.rows.native().T, strict=True))


@pytest.mark.slow
def test_bins_and_target_are_those_of_the_same_rows(sales):
    found = stream_table(sales, ReadOptions(), "price", 0)
    assert found.n_lost == 0
    assert [(c.name, c.note) for c in found.left_out] == [
        ("id", "identifier"),
        ("note", "free text"),
    ]
    assert found.dates == ("day",)
    assert list(found.columns.kinds) == ["size", "town", "day", "same", "price", "dear"]
    cells, prices = decoded(found), np.array([float(row[6]) for row in rows()])
    assert sorted(prices) == sorted(found.y)
    place = dict(zip(prices, rows(), strict=True))
    town = np.array([place[price][2] for price in found.y])
    labels = found.rows.schema.labels[found.rows.names.index("town")]
    np.testing.assert_array_equal(labels[cells["town"].astype(int)], town)
    months = np.array([int(place[price][3][5:7]) for price in found.y])
    np.testing.assert_array_equal(cells["day.month"], months)
    np.testing.assert_array_equal(np.isnan(cells["size"]), [place[p][1] == "NA" for p in found.y])
    # Held-out rows stand at the end; the others are in their order.
    order = [place[p][0] for p in found.y]
    assert order[:2700] == sorted(order[:2700])
    assert min(order[2700:]) < 100


def test_labels_are_codes_and_rows_without_one_are_left_out(sales):
    found = stream_table(sales, ReadOptions(), "dear", 0)
    assert found.n_lost == 30
    assert len(found.rows) == len(found.y) == 2970
    assert found.y.dtype == np.int8
    assert found.classes.tolist() == ["no", "yes"]
    assert found.y.sum() == sum(row[7] == "yes" for row in rows())


@pytest.mark.slow
@pytest.mark.parametrize("target", ["price", "dear"])
def test_a_model_of_bins_answers_for_rows(sales, call, tmp_path, target):
    out = tmp_path / "m"
    header = [name for name in HEADER if name not in {"price", "dear"} - {target}]
    keep = [HEADER.index(name) for name in header]
    train = write_rows(tmp_path / "a.csv", header, [[r[j] for j in keep] for r in rows()])
    said = call("fit", train, "--target", target, "--stream", "--time", "10m", "--out", out)
    assert said.code == 0, said.err
    assert "block by block" in said.out
    model = coterie.load(out / "model.coterie")
    assert model.target_name_ == target
    assert model.feature_names_in_.tolist() == ["size", "town", "day", "same"]
    assert {m.family for m in model.members_} <= {"gradient boosting", "forest"}
    assert len(model.truth_) == len(model.out_of_fold_) == round(0.1 * model.made_["rows"])
    assert {f.kind for f in model.findings_} >= {"identifier", "text", "time order"}
    assert (out / "report.html").exists()
    # New rows: a town that was not there, gaps, other columns in another order.
    new = rows(400, seed=9)
    new[0][2], new[1][1] = "kiel", ""
    test = write_rows(tmp_path / "b.csv", HEADER[::-1], [row[::-1] for row in new])
    said = call("predict", out, test)
    assert said.code == 0, said.err
    answers = [row["prediction"] for row in csv.DictReader(said.out.splitlines())]
    if target == "price":
        truth = np.array([float(row[6]) for row in new])
        left = truth - np.array(answers, dtype=float)
        assert np.std(left[2:]) < 0.35 * np.std(truth)
    else:
        truth = ["yes" if float(row[6]) > 450 else "no" for row in new]
        right = [one == other for one, other in zip(answers, truth, strict=True)]
        assert np.mean(right) > 0.9


@pytest.mark.slow
def test_streamed_and_read_as_a_whole_are_about_as_good(sales, call, tmp_path):
    scores = []
    for number, how in enumerate(("--stream", "--no-stream")):
        out = tmp_path / str(number)
        members = ["--members", "gradient boosting"]
        assert call("fit", sales, "--target", "price", how, *members, "--out", out).code == 0
        model = coterie.load(out / "model.coterie")
        scores.append(model.leaderboard_[0].score)
    assert 0.8 < scores[0] / scores[1] < 1.25


def test_which_files_are_large(sales, monkeypatch, tmp_path):
    from pyarrow import csv as arrow_csv
    from pyarrow import parquet

    assert not is_large(sales)
    monkeypatch.setattr("coterie.cli.streaming._LARGE_BYTES", 1000)
    assert is_large(sales)
    wide = tmp_path / "wide.csv"
    wide.write_text(3 * (500 * "1," + "1\n"))
    assert not is_large(wide)  # three rows
    path = tmp_path / "a.parquet"
    parquet.write_table(arrow_csv.read_csv(sales), path)
    assert not is_large(path)
    monkeypatch.setattr("coterie.cli.streaming._LARGE_CELLS", 3000 * 8 - 1)
    assert not is_large(path)  # few rows, which are held as a whole
    monkeypatch.setattr("coterie.cli.streaming._HEAD_ROWS", 3000)
    assert is_large(path)


@pytest.mark.slow
def test_what_cannot_be_streamed_is_refused(sales, call, tmp_path):
    with pytest.raises(CommandError, match="cannot be a target"):
        stream_table(sales, ReadOptions(), "day", 0)
    common = ["fit", sales, "--stream", "--out", tmp_path / "m", "--target"]
    assert call(*common, "price", "--groups", "town").code == 2
    said = call(*common, "town", "--task", "regression")
    assert said.code == 1
    assert "not numbers" in said.err
    path = write_rows(tmp_path / "few.csv", ["x", "y"], [[k, k % 2] for k in range(9)])
    with pytest.raises(CommandError, match="at least 10"):
        stream_table(path, ReadOptions(), "y", 0)


@pytest.mark.slow
def test_commands_start_without_it():
    code = "import coterie.cli.fit, sys; assert 'coterie.cli.streaming' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.slow
def test_an_odd_cell_does_not_cost_the_column(tmp_path):
    table = rows()
    table[7][1] = "abc"
    path = write_rows(tmp_path / "a.csv", HEADER, table)
    found = stream_table(path, ReadOptions(), "price", 0)
    assert found.columns.kinds["size"] == "number"
    assert found.odd.columns["size"].count == 1
    assert 'line 9 "abc"' in "".join(found.notes)
    assert "size" in found.rows.names
