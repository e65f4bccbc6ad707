"""What clients may ask for beside the prediction."""

import numpy as np
import pytest

import coterie
from tests.serve.rows import GOOD


@pytest.mark.slow
def test_intervals_and_rejects(serve, credit, prices):
    client = serve(f"credit={credit.model}", f"prices={prices.model}")
    row = {"size": 100, "town": "ulm", "day": "2024-03-04"}
    answer = client.post("/models/prices/predict?interval=0.9", json=row).json()
    assert answer["low"][0] < answer["predictions"][0] < answer["high"][0]
    answer = client.post("/models/credit/predict?reject=0.999", json=GOOD).json()
    assert answer["predictions"] == [None]
    assert answer["rejected"] == [True]
    refused = client.post("/models/credit/predict?interval=0.9", json=GOOD)
    assert refused.status_code == 422


def test_shapley_values_add_up(serve, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    model = coterie.RandomForestRegressor(5, random_state=0).fit(X, X[:, 0])
    coterie.save(model, tmp_path / "forest.coterie")
    client = serve(tmp_path / "forest.coterie")
    answer = client.post("/predict?shap=true", json=X[:2].tolist()).json()
    for k, said in enumerate(answer["predictions"]):
        parts = answer["shap"][k]
        total = np.sum(parts["base"]) + np.sum(list(parts["values"].values()))
        assert total == pytest.approx(said)
