"""Files that are replaced while the server runs."""

import os

import coterie
from tests.serve.rows import GOOD


def test_a_replaced_file_is_taken_up_and_garbage_is_not(serve, model_file, tmp_path):
    client = serve(model_file, reload=0)
    shelf = client.app.app.routes[0].endpoint.__self__.shelf
    before = client.post("/predict?probabilities=1", json=GOOD).json()
    (tmp_path / "new").write_bytes(b"garbage")
    os.replace(tmp_path / "new", model_file)
    shelf.look()
    assert client.post("/predict?probabilities=1", json=GOOD).json() == before
    metrics = client.get("/metrics").text
    assert "coterie_reload_failures_total 1" in metrics
    model = coterie.RandomForestClassifier(3, random_state=0).fit([[0.0], [1.0]], ["a", "b"])
    coterie.save(model, model_file)
    shelf.look()
    assert client.post("/predict", json=[[1.0]]).json()["predictions"] == ["b"]
    assert "coterie_reloads_total 1" in client.get("/metrics").text


def test_versions(serve, model_file, tmp_path):
    for version in ("1", "2", "10"):
        (tmp_path / "versions" / version).mkdir(parents=True)
        target = tmp_path / "versions" / version / "model.coterie"
        target.write_bytes(model_file.read_bytes())
    client = serve(f"credit={tmp_path / 'versions'}")
    assert client.post("/predict", json=GOOD).json()["version"] == "10"
    assert client.get("/v2/models/credit").json()["versions"] == ["1", "2", "10"]
    assert client.get("/v2/models/credit/versions/2/ready").status_code == 200
    assert client.get("/v2/models/credit/versions/3/ready").status_code == 404


def test_a_folder_that_cannot_be_read_does_not_end_the_watch(
    serve, model_file, tmp_path, monkeypatch
):
    (tmp_path / "versions" / "1").mkdir(parents=True)
    (tmp_path / "versions" / "1" / "model.coterie").write_bytes(model_file.read_bytes())
    client = serve(f"credit={tmp_path / 'versions'}", reload=0)
    shelf = client.app.app.routes[0].endpoint.__self__.shelf

    def gone(path):
        raise FileNotFoundError(2, "No such file or directory", str(path))

    monkeypatch.setattr(type(tmp_path), "iterdir", gone)
    shelf.look()
    assert client.post("/predict", json=GOOD).status_code == 200
