"""Bodies of requests in every form, and bad ones."""

import io

import pyarrow as pa
import pytest
from pyarrow import csv, parquet

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
