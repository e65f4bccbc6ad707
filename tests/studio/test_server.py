"""Who is answered, and what."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

testclient = pytest.importorskip("starlette.testclient")

from coterie.serve.settings import Settings  # noqa: E402
from coterie.studio.server import Studio, studio_app  # noqa: E402
from tests.studio.scenes import unpack  # noqa: E402

TOKEN = "secret-token"
BEARER = {"authorization": f"Bearer {TOKEN}"}
GETS = ("choices", "run", "runs", "result/model", "row/1")
POSTS = (
    *("points", "explore", "retrain", "export", "table", "table_points", "drop", "fit", "stop"),
    *("whatif", "compare"),
)
API = [*(("GET", name) for name in GETS), *(("POST", name) for name in POSTS)]


@pytest.fixture
def client(tmp_path) -> Any:
    (tmp_path / "inside").mkdir()
    table = "a,b,y\n" + "".join(f"{k},{k % 3},{k % 2}\n" for k in range(30))
    (tmp_path / "inside" / "t.csv").write_text(table, encoding="utf-8")
    (tmp_path / "outside.csv").write_text(table, encoding="utf-8")
    (tmp_path / "inside" / "link.csv").symlink_to(tmp_path / "outside.csv")
    app = studio_app(tmp_path / "inside", TOKEN)
    with testclient.TestClient(app, "http://127.0.0.1:8090") as made:
        yield made


def test_page_is_live_and_holds_nothing(client):
    answer = client.get("/")
    assert answer.status_code == 200
    assert '"live": true' in answer.text
    assert TOKEN not in answer.text
    assert answer.headers["x-frame-options"] == "DENY"


@pytest.mark.parametrize(("method", "path"), API)
def test_everything_else_needs_the_token(client, method, path):
    wrong = [{}, {"authorization": "Bearer wrong"}, {"authorization": TOKEN}]
    for headers in wrong:
        assert client.request(method, f"/api/{path}", headers=headers).status_code == 401
    assert client.request(method, f"/api/{path}?token={TOKEN}").status_code == 401


def test_other_origins_and_names_are_refused(client):
    for headers in (
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"host": "evil.example:8090"},
        {"host": "127.0.0.1.evil.example"},
    ):
        answer = client.get("/api/choices", headers=BEARER | headers)
        assert answer.status_code == 403, headers
        assert client.get("/", headers=headers).status_code == 403
    own = {"origin": "http://127.0.0.1:8090"}
    assert client.get("/api/choices", headers=BEARER | own).status_code == 200
    local = {"host": "localhost:8090", "origin": "http://localhost:8090"}
    assert client.get("/api/choices", headers=BEARER | local).status_code == 200


@pytest.mark.parametrize(
    "path",
    ["../outside.csv", "link.csv", "/etc/passwd", "inside/../../outside.csv", "..", "", "\0", "no"],
)
def test_paths_that_lead_elsewhere_are_refused(client, path):
    answer = client.post("/api/table", headers=BEARER, json={"path": path})
    assert answer.status_code in (403, 404), answer.text
    assert "columns" not in answer.text


def test_tables_below_the_root_are_opened(client):
    found = client.post("/api/table", headers=BEARER, json={"path": "t.csv"}).json()
    assert found["rows"] == 30
    assert [one["name"] for one in found["columns"]] == ["a", "b", "y"]


def test_dropped_tables_stay_in_their_folder(client, tmp_path):
    before = set(tmp_path.rglob("*"))
    body = b"a,y\n1,0\n2,1\n"
    for name in ("../../evil.csv", "..\\evil.csv", ".hidden.csv", "a/b.csv"):
        answer = client.post("/api/drop", headers=BEARER, content=body, params={"name": name})
        assert answer.status_code == 200, answer.text
        assert "/" not in answer.json()["name"]
        assert "\\" not in answer.json()["name"]
    assert set(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("what", ["../t.csv", "..%2ft.csv", "settings", "facts.json"])
def test_only_results_are_given_out(client, what):
    assert client.get(f"/api/result/{what}", headers=BEARER).status_code == 404


def test_points_and_scenes(client):
    wish = {"set": "moons", "n": 100, "noise": 0.1}
    points = client.post("/api/points", headers=BEARER, json=wish).json()
    assert len(points["X"]) == len(points["y"]) == 100
    ask = points | {"methods": ["AdaBoost", "bagging"], "rounds": 5}
    first, second = client.post("/api/explore", headers=BEARER, json=ask).json()["scenes"]
    assert (first["name"], second["name"], first["rounds"]) == ("AdaBoost", "bagging", 5)
    # The page knows which of its points each dot is.
    shown = unpack(first)["points"]
    np.testing.assert_allclose(shown, np.array(points["X"])[first["order"]], rtol=1e-5)


def test_every_path_is_among_those_that_need_the_token(tmp_path):
    routes = Studio(tmp_path, Settings((), TOKEN)).routes()
    paths = {route.path.removeprefix("/api/").split("/")[0] for route in routes} - {""}
    assert paths == {path.split("/")[0] for _, path in API}


def test_numbers_have_scenes_and_variance(client):
    points = client.post("/api/points", headers=BEARER, json={"set": "wave", "n": 64}).json()
    ask = points | {"methods": ["bagging"], "rounds": 3, "task": "numbers"}
    (scene,) = client.post("/api/explore", headers=BEARER, json=ask).json()["scenes"]
    assert (scene["task"], scene["rounds"], scene["train"]) == ("regression", 3, 48)
    truth = unpack(scene)["truth"]
    np.testing.assert_allclose(truth, np.array(points["y"])[scene["order"]], rtol=1e-5)
    ask |= {"repeats": 2}
    (found,) = client.post("/api/retrain", headers=BEARER, json=ask).json()["retrained"]
    assert len(found["variance"]) == 3


def test_scenes_leave_as_a_page_of_their_own(client):
    points = client.post("/api/points", headers=BEARER, json={"set": "seven points"}).json()
    ask = points | {
        "methods": ["AdaBoost"],
        "rounds": 2,
        "state": "#round=2",
        "columns": ["u", "v"],
    }
    page = client.post("/api/export", headers=BEARER, json=ask).text
    assert '"live": false' in page
    assert '"state": "#round=2"' in page
    assert '"columns": ["u", "v"]' in page
    assert TOKEN not in page


def test_rows_and_points_of_the_table(client):
    assert client.get("/api/row/1", headers=BEARER).status_code == 409
    client.post("/api/table", headers=BEARER, json={"path": "t.csv"})
    assert client.get("/api/row/3", headers=BEARER).json()["row"] == {"a": "2", "b": "2", "y": "0"}
    assert client.get("/api/row/31", headers=BEARER).status_code == 422
    ask = {"target": "y", "columns": ["a", "b"]}
    found = client.post("/api/table_points", headers=BEARER, json=ask).json()
    assert found["classes"] == ["0", "1"]
    assert found["X"][2] == [2.0, 2.0]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"methods": []}, "one or two"),
        ({"methods": ["nonsense"]}, "no method"),
        ({"rounds": 10_000}, "rounds must"),
        ({"y": [0] * 10}, "only one class"),
        ({"X": "text"}, "lists of numbers"),
        ({"X": [[1, 2, 3]] * 10}, "two finite numbers"),
        ({"depth": True}, "depth must"),
        ({"task": "numbers", "methods": ["bagging"]}, "one finite number"),
    ],
)
def test_wrong_questions_are_explained(client, change, words):
    rng = np.random.default_rng(0)
    ask = {"X": rng.normal(size=(10, 2)).tolist(), "y": [0, 1] * 5, "methods": ["AdaBoost"]}
    answer = client.post("/api/explore", headers=BEARER, json=ask | change)
    assert answer.status_code in (400, 422)
    assert words in answer.json()["error"]


def test_broken_bodies_are_refused(client):
    for body in (b"", b"[1]", b"{", b"\xff"):
        answer = client.post("/api/explore", headers=BEARER, content=body)
        assert answer.status_code == 400


def test_search_needs_a_table_and_a_column(client):
    assert client.post("/api/fit", headers=BEARER, json={"target": "y"}).status_code == 409
    client.post("/api/table", headers=BEARER, json={"path": "t.csv"})
    answer = client.post("/api/fit", headers=BEARER, json={"target": "--out=/x"})
    assert answer.status_code == 422
    wrong = {"target": "y", "metric": "a b; c"}
    assert client.post("/api/fit", headers=BEARER, json=wrong).status_code == 422
