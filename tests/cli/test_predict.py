import csv
import io

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

import coterie
from coterie.cli import predict as predict_module
from coterie.files import delimited, read_table
from coterie.files import table as table_module


def rows_of(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_predictions_are_the_models(call, credit):
    said = call("predict", credit.model, credit.test, "--probabilities", "--keep", "age")
    assert (said.code, said.err) == (0, "")
    model = coterie.load(credit.model / "model.coterie")
    table = read_table(credit.test).table
    chances = model.predict_proba(table.drop_columns(["credit"]))
    rows = rows_of(said.out)
    assert list(rows[0]) == ["age", "prediction", "probability_bad", "probability_good"]
    assert [int(row["age"]) for row in rows] == table.column("age").to_pylist()
    found = [[float(row["probability_bad"]), float(row["probability_good"])] for row in rows]
    assert np.array_equal(found, chances)
    assert [row["prediction"] for row in rows] == model.predict(
        table.drop_columns(["credit"])
    ).tolist()


def test_blocks_do_not_change_the_answers(call, credit, monkeypatch, tmp_path):
    whole = call("predict", credit.model, credit.test, "--probabilities").out
    monkeypatch.setattr(delimited, "BLOCK_BYTES", 1000)
    assert call("predict", credit.model, credit.test, "--probabilities").out == whole


def test_unsure_rows_are_rejected(call, credit, tmp_path):
    out = tmp_path / "p.parquet"
    said = call("predict", credit.model, credit.test, "--reject", 0.7, "--out", out)
    assert said == (0, f"300 predictions: {out}\n", "")
    sure = call("predict", credit.model, credit.test, "--probabilities").out
    table = parquet.read_table(out)
    highest = [
        max(float(row["probability_bad"]), float(row["probability_good"])) for row in rows_of(sure)
    ]
    rejected = table.column("rejected").to_pylist()
    assert rejected == [chance < 0.7 for chance in highest]
    assert table.column("prediction").is_null().to_pylist() == rejected
    assert 0 < sum(rejected) < 300


def test_intervals_hold_the_share_of_truths(call, prices):
    rows = rows_of(
        call("predict", prices.model, prices.test, "--interval", 0.8, "--keep", "price").out
    )
    inside = [float(row["low"]) <= float(row["price"]) <= float(row["high"]) for row in rows]
    # 300 rows: a standard deviation of 0.023.
    assert np.mean(inside) == pytest.approx(0.8, abs=0.08)


def test_types_are_those_of_the_fit(call, credit, write):
    """Words that look like numbers, unseen words, other columns and another order."""
    path = write("a.tsv", "extra\thousing\tage\tduration\tchecking_status\nx\t7\t30\t\t<0\n")
    said = call("predict", credit.model, path)
    assert said.code == 0
    assert said.err == "note: columns that the model does not know are ignored: extra\n"
    path = write("b.csv", "housing,age,duration,checking_status\nown,old,1,<0\n")
    said = call("predict", credit.model, path)
    assert said.code == 0
    assert 'b.csv, column "age": 1 cell is treated as missing' in said.err
    said = call("predict", credit.model, path, "--odd-cells", "error")
    assert said.code == 1
    assert 'b.csv, line 2, column "age": found "old"' in said.err
    path = write("c.csv", "housing,duration,checking_status\nown,1,<0\n")
    said = call("predict", credit.model, path)
    assert said.code == 1
    assert 'a column that is not in the file: "age"' in said.err


def test_other_formats_give_the_same(call, credit, tmp_path):
    parquet.write_table(read_table(credit.test).table, tmp_path / "a.parquet")
    expected = call("predict", credit.model, credit.test, "--probabilities").out
    assert call("predict", credit.model, tmp_path / "a.parquet", "--probabilities").out == expected


@pytest.mark.parametrize("names", [True, False])
def test_models_that_were_fitted_in_python(call, tmp_path, names, write):
    X = np.random.default_rng(0).normal(size=(100, 2))
    y = (X[:, 0] > 0).astype(int)
    table = pa.table({"a": X[:, 0], "b": X[:, 1]})
    model = coterie.DecisionTreeClassifier().fit(table if names else X, y)
    coterie.save(model, tmp_path / "tree.coterie")
    path = write("a.csv", "a,b\n-1,0\n1,0\n")
    assert call("predict", tmp_path / "tree.coterie", path).out == "prediction\n0\n1\n"


def test_wrong_wishes(call, credit, prices):
    assert call("predict", prices.model, prices.test, "--reject", 0.9).code == 2
    said = call("predict", credit.model, credit.test, "--interval", 0.9)
    assert said.code == 1
    assert "--reject" in said.err
    assert "does not exist" in call("predict", "nowhere", credit.test).err
    assert call("predict", credit.model, credit.test, "--out", "a.xlsx").code == 1


def test_each_block_is_written_before_the_next_is_read(call, credit, monkeypatch, tmp_path):
    steps = []

    def reading(source, *more):
        for table in converted(source, *more):
            steps.append("read")
            yield table

    def answering(*given):
        steps.append("answer")
        return answered(*given)

    converted, answered = table_module._converted, predict_module._answered
    monkeypatch.setattr(delimited, "BLOCK_BYTES", 1000)
    monkeypatch.setattr(table_module, "_converted", reading)
    monkeypatch.setattr(predict_module, "_answered", answering)
    assert call("predict", credit.model, credit.test, "--out", tmp_path / "p.csv").code == 0
    assert len(steps) > 6
    assert steps == ["read", "answer"] * (len(steps) // 2)


def test_the_table_is_not_written_over(call, credit, tmp_path):
    path = tmp_path / "t.csv"
    path.write_bytes(credit.test.read_bytes())
    (tmp_path / "link.csv").symlink_to(path)
    for out in (path, tmp_path / "link.csv"):
        said = call("predict", credit.model, path, "--out", out)
        assert said.code == 1
        assert "is the input file" in said.err
    assert path.read_bytes() == credit.test.read_bytes()


def test_kept_columns_are_kept_once_and_never_replaced(call, credit, write):
    said = call("predict", credit.model, credit.test, "--keep", "credit", "--keep", "credit")
    assert said.out.startswith("credit,prediction\n")
    lines = credit.test.read_text().splitlines()
    path = write("a.csv", "\n".join([f"{lines[0]},prediction", *(f"{x},1" for x in lines[1:])]))
    said = call("predict", credit.model, path, "--keep", "prediction")
    assert said.code == 2
    assert "--keep prediction" in said.err


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_no_rows_give_a_file_without_rows(call, credit, write, tmp_path, ending):
    path = write("a.csv", credit.test.read_text().splitlines()[0] + "\n")
    out = tmp_path / f"p.{ending}"
    said = call("predict", credit.model, path, "--out", out, "--probabilities", "--keep", "age")
    assert said.code == 0, said.err
    names = ["age", "prediction", "probability_bad", "probability_good"]
    if ending == "csv":
        assert out.read_text() == ",".join(names) + "\n"
    else:
        assert parquet.read_table(out).to_pydict() == {name: [] for name in names}


def test_sets_of_classes_hold_the_truth_often_enough(call, credit):
    said = call("predict", credit.model, credit.test, "--sets", "0.8", "--keep", "credit")
    assert (said.code, said.err) == (0, "")
    rows = rows_of(said.out)
    assert list(rows[0]) == ["credit", "prediction", "set", "set_size"]
    sets = [row["set"].split("|") for row in rows]
    assert [len(one) for one in sets] == [int(row["set_size"]) for row in rows]
    assert all(row["prediction"] in one for row, one in zip(rows, sets, strict=True))
    hits = [row["credit"] in one for row, one in zip(rows, sets, strict=True)]
    # As many rows set the threshold, which varies as much as the hits do.
    assert np.mean(hits) > 0.8 - 3 * np.sqrt(2 * 0.8 * 0.2 / len(hits))


def test_sets_and_intervals_are_one_or_the_other(call, credit):
    said = call("predict", credit.model, credit.test, "--sets", "0.8", "--interval", "0.8")
    assert said.code == 2
    assert "use only one of them" in said.err
