"""The Open Inference Protocol."""

import json
import struct

import numpy as np

import coterie
from tests.serve.rows import GOOD, said_by


def test_inference_protocol(serve, credit):
    client = serve(f"credit={credit.model}")
    rows = [GOOD, GOOD | {"duration": 48}]
    facts = client.get("/v2/models/credit").json()
    kinds = {one["name"]: one["datatype"] for one in facts["inputs"]}
    assert kinds == {
        "checking_status": "BYTES",
        "duration": "FP64",
        "age": "FP64",
        "housing": "BYTES",
    }
    inputs = [
        {"name": n, "datatype": k, "shape": [2], "data": [row[n] for row in rows]}
        for n, k in kinds.items()
    ]
    answer = client.post("/v2/models/credit/infer", json={"id": "a", "inputs": inputs}).json()
    assert answer["id"] == "a"
    outputs = {one["name"]: one for one in answer["outputs"]}
    expected = said_by(credit, rows)
    np.testing.assert_array_equal(
        np.reshape(outputs["predict_proba"]["data"], outputs["predict_proba"]["shape"]), expected
    )


def test_binary_tensors(serve, credit):
    client = serve(f"credit={credit.model}")
    strings = [GOOD["checking_status"], GOOD["housing"]]
    packed = [struct.pack("<I", len(s)) + s.encode() for s in strings]
    numbers = [np.array([GOOD[n]], dtype="<f8").tobytes() for n in ("duration", "age")]
    parts = {
        "checking_status": ("BYTES", packed[0]),
        "duration": ("FP64", numbers[0]),
        "age": ("FP64", numbers[1]),
        "housing": ("BYTES", packed[1]),
    }
    request = {
        "inputs": [
            {"name": n, "datatype": k, "shape": [1], "parameters": {"binary_data_size": len(d)}}
            for n, (k, d) in parts.items()
        ],
        "outputs": [{"name": "predict_proba", "parameters": {"binary_data": True}}],
    }
    head = json.dumps(request).encode()
    body = head + b"".join(data for _, data in parts.values())
    headers = {"inference-header-content-length": str(len(head))}
    answer = client.post("/v2/models/credit/infer", content=body, headers=headers)
    length = int(answer.headers["inference-header-content-length"])
    (tensor,) = json.loads(answer.content[:length])["outputs"]
    values = np.frombuffer(answer.content[length:], dtype="<f8").reshape(tensor["shape"])
    np.testing.assert_array_equal(values, said_by(credit, [GOOD]))
    cut = client.post("/v2/models/credit/infer", content=body[:-3], headers=headers)
    assert cut.status_code == 400


def test_a_matrix_for_columns_without_names(serve, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    model = coterie.RandomForestRegressor(5, random_state=0).fit(X, X[:, 0])
    coterie.save(model, tmp_path / "forest.coterie")
    client = serve(tmp_path / "forest.coterie")
    tensor = {
        "name": "input-0",
        "datatype": "FP64",
        "shape": [2, 3],
        "data": X[:2].ravel().tolist(),
    }
    answer = client.post("/v2/models/forest/infer", json={"inputs": [tensor]}).json()
    np.testing.assert_array_equal(answer["outputs"][0]["data"], model.predict(X[:2]))
    wrong = client.post("/v2/models/forest/infer", json={"inputs": [tensor | {"shape": [3, 2]}]})
    assert wrong.status_code == 422
