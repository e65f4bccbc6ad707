import json

import numpy as np
import pyarrow.csv
import pytest

import coterie

pytest.importorskip("onnx")


def test_a_file_for_other_runtimes(call, credit, tmp_path):
    runtime = pytest.importorskip("onnxruntime")
    out = tmp_path / "m.onnx"
    said = call("export", credit.model, "--out", out)
    assert said.code == 0
    first, second = said.out.splitlines()
    assert first == f"{out} ({out.stat().st_size:,} bytes)"
    assert second == "input X: checking_status, duration, age, housing"
    session = runtime.InferenceSession(str(out))
    lists = json.loads(session.get_modelmeta().custom_metadata_map["categories"])
    table = pyarrow.csv.read_csv(credit.test).drop_columns(["credit"])
    columns = []
    for j, column in enumerate(table.columns):
        cells = [None if cell == "NA" else cell for cell in column.to_pylist()]
        if str(j) in lists:
            cells = [np.nan if cell is None else lists[str(j)].index(cell) for cell in cells]
        columns.append(np.array(cells, dtype=np.float64))
    chances = session.run(["probabilities"], {"X": np.column_stack(columns)})[0]
    found = tmp_path / "found.csv"
    assert call("predict", credit.model, credit.test, "--out", found, "--probabilities").code == 0
    model = coterie.load(credit.model / "model.coterie")
    expected = pyarrow.csv.read_csv(found)
    for k, label in enumerate(model.classes_):
        name = next(n for n in expected.column_names if n.endswith(str(label)))
        np.testing.assert_allclose(chances[:, k], np.asarray(expected[name]), atol=1e-6)


def test_models_that_have_no_such_form(call, prices):
    said = call("export", prices.model)
    assert said.code == 1
    assert "reads dates (day)" in said.err
    assert not (prices.model / "model.onnx").exists()


def test_other_formats_are_refused(call, credit, tmp_path):
    said = call("export", credit.model, "--out", tmp_path / "m.pmml")
    assert said.code == 2
    assert ".onnx" in said.err
    assert not (tmp_path / "m.pmml").exists()
