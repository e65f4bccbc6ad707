"""Tokens and limits."""

from tests.serve.rows import GOOD


def test_limits(serve, credit):
    client = serve(credit.model, max_body=500, max_rows=2)
    assert client.post("/predict", json=[GOOD] * 3).status_code == 413
    assert client.post("/predict", json=[GOOD] * 50).status_code == 413
    assert client.post("/predict", json=[GOOD] * 2).status_code == 200


def test_a_token_is_asked_for(serve, credit):
    client = serve(credit.model, token="secret")
    assert client.get("/v2/health/ready").status_code == 200
    for path in ("/", "/models", "/metrics", "/openapi.json"):
        assert client.get(path).status_code == 401
    assert client.post("/predict", json=GOOD).status_code == 401
    wrong = client.post("/predict", json=GOOD, headers={"authorization": "Bearer guess"})
    assert wrong.status_code == 401
    right = client.post("/predict", json=GOOD, headers={"authorization": "Bearer secret"})
    assert right.status_code == 200
