"""Bodies of requests in every form, and bad ones."""

import io
import json

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import csv, parquet
from sklearn.linear_model import LogisticRegression

import coterie
from coterie.data import ListSource
from coterie.serve.bodies import read_body, taken
from coterie.serve.shelf import Shelf
from tests.serve.rows import GOOD


@pytest.mark.parametrize("shape", ["one", "rows", "columns", "lists"])
def test_json_comes_in_several_shapes(serve, credit, shape):
    body = {
        "one": GOOD,
        "rows": {"rows": [GOOD]},
        "columns": {"columns": {k: [v] for k, v in GOOD.items()}},
        "lists": [list(GOOD.values())],
    }[shape]
    client = serve(credit.model)
    assert client.post("/predict", json=body).json() == client.post("/predict", json=[GOOD]).json()


def test_files_in_and_out(serve, credit):
    client = serve(credit.model)
    table = csv.read_csv(credit.test)
    bodies = {"text/csv": credit.test.read_bytes()}
    for kind, write in {
        "application/vnd.apache.parquet": parquet.write_table,
        "application/vnd.apache.arrow.stream": _write_stream,
    }.items():
        stream = io.BytesIO()
        write(table.drop_columns(["credit"]), stream)
        bodies[kind] = stream.getvalue()
    answers = [
        client.post("/predict", content=body, headers={"content-type": kind, "accept": "text/csv"})
        for kind, body in bodies.items()
    ]
    assert all(answer.status_code == 200 for answer in answers)
    assert len({answer.text for answer in answers}) == 1
    assert len(answers[0].text.splitlines()) == 1 + len(table)
    kind = {"content-type": "text/csv", "accept": "application/vnd.apache.arrow.stream"}
    body = client.post("/predict", content=bodies["text/csv"], headers=kind).content
    with pa.ipc.open_stream(body) as stream:
        assert stream.read_all().column_names == ["prediction"]


def _write_stream(table, stream):
    with pa.ipc.new_stream(stream, table.schema) as writer:
        writer.write_table(table)


@pytest.mark.parametrize(
    ("body", "status", "field", "row"),
    [
        ([GOOD, {k: v for k, v in GOOD.items() if k != "age"}], 422, "age", 1),
        ([GOOD, GOOD | {"age": "old"}], 422, "age", 1),
        ([GOOD | {"age": [1]}], 422, "age", 0),
        ([GOOD, 3], 422, None, 1),
        ([], 422, None, None),
        ("rows", 422, None, None),
        ({"columns": {"age": [1], "housing": ["own", "rent"]}}, 422, None, None),
    ],
)
def test_bad_rows_are_named(serve, credit, body, status, field, row):
    refused = serve(credit.model).post("/predict", json=body)
    said = refused.json()
    assert refused.status_code == status, said
    assert said.get("field") == field
    assert said.get("row") == row
    assert said["request_id"] == refused.headers["x-request-id"]


@pytest.mark.parametrize(
    ("body", "kind", "status"),
    [
        (b"{", "application/json", 400),
        (b"[NaN]", "application/json", 400),
        (b"[" * 100_000, "application/json", 400),
        (b"", "application/json", 400),
        (b"\x00\x01", "application/vnd.apache.parquet", 422),
        (b"\x00\x01", "application/vnd.apache.arrow.stream", 400),
        (b"age\n1\n", "text/csv", 422),
        (b"\xff\xfe", "application/json", 400),
        (b"rows", "text/plain", 415),
    ],
)
def test_bad_bodies_are_refused(serve, credit, body, kind, status):
    refused = serve(credit.model).post("/predict", content=body, headers={"content-type": kind})
    assert refused.status_code == status, refused.text
    assert refused.json()["error"]


@pytest.mark.parametrize("kind", ["trees", "any"])
def test_rows_of_any_model_are_read_without_a_table(serve, tmp_path, kind):
    rng = np.random.default_rng(0)
    columns = {"x": rng.normal(size=80).tolist(), "b": (rng.random(80) < 0.5).tolist()}
    if kind == "trees":
        columns |= {"x": [None, *columns["x"][1:]], "t": rng.choice(["a", "b", "c"], 80).tolist()}
        model = coterie.RandomForestClassifier(5, random_state=0)
    else:  # members of another package read rows by themselves
        model = coterie.BaggingClassifier(LogisticRegression(), n_estimators=3, random_state=0)
    table = pa.table(columns)
    model.fit(table, rng.integers(0, 2, 80))
    coterie.save(model, tmp_path / "model.coterie")
    rows = table.to_pylist()
    fitted = Shelf((str(tmp_path / "model.coterie"),)).open().find(None).fitted
    body = read_body(fitted, "application/json", json.dumps(rows).encode(), 100)
    assert isinstance(taken(fitted, body), ListSource)
    client = serve(tmp_path / "model.coterie")
    answer = client.post("/predict?probabilities=true", json=rows).json()
    np.testing.assert_array_equal(answer["probability_0"], model.predict_proba(table)[:, 0])
    refused = client.post("/predict", json=[rows[0], rows[1] | {"b": "yes"}])
    assert (refused.status_code, refused.json()["field"]) == (422, "b")
    refused = client.post("/predict", json=[rows[0] | {"x": "tall"}])
    assert refused.status_code == 422
    assert kind == "any" or "'x'" in refused.json()["error"]
