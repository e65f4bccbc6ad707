"""Requests from end to end, compared with what the model itself says."""

import numpy as np

from coterie.files.models import load_model
from tests.serve.rows import GOOD, said_by


def test_rows_are_answered_as_the_model_answers(serve, credit):
    rows = [GOOD, GOOD | {"duration": 48, "housing": None}]
    answer = serve(f"credit={credit.model}").post("/predict?probabilities=true", json=rows).json()
    expected = said_by(credit, rows)
    classes = load_model(credit.model).classes
    assert answer["model"] == "credit"
    assert answer["predictions"] == [str(classes[k]) for k in expected.argmax(axis=1)]
    for k, name in enumerate(classes):
        np.testing.assert_array_equal(answer[f"probability_{name}"], expected[:, k])


def test_unknown_models_routes_and_parameters(serve, credit):
    client = serve(f"credit={credit.model}")
    missing = client.post("/models/credits/predict", json=GOOD)
    assert missing.status_code == 404
    assert 'Did you mean "credit"' in missing.json()["error"]
    assert client.get("/nowhere").status_code == 404
    assert client.get("/predict").status_code == 405
    assert client.post("/predict?probs=1", json=GOOD).status_code == 400
    assert client.post("/predict?reject=2", json=GOOD).status_code == 400
    assert client.post("/predict?version=7", json=GOOD).status_code == 404


def test_documents_and_counts(serve, credit):
    client = serve(f"credit={credit.model}")
    client.post("/predict", json=GOOD, headers={"x-request-id": "mine"})
    assert client.get("/").headers["content-security-policy"]
    api = client.get("/openapi.json").json()
    assert api["components"]["schemas"]["credit"]["required"] == list(GOOD)
    text = client.get("/metrics").text
    assert 'coterie_requests_total{route="predict",status="200"} 1' in text
    assert 'coterie_rows_total{model="credit",version="1"} 1' in text
