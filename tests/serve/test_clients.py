"""Clients of other projects talk to a real server."""

import json
import os
import shutil
import subprocess

import numpy as np
import pytest

pytest.importorskip("uvicorn")

from benchmarks.serving_servers import coterie_server
from coterie import RandomForestClassifier, save
from coterie.datasets import load_table

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="needs Linux's /proc"),
]
TABLE = load_table("german_credit")
MODEL = RandomForestClassifier(n_estimators=10, random_state=0).fit(TABLE.X, TABLE.y)
ROWS = TABLE.X[:5]


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    save(MODEL, folder / "model.coterie")
    with coterie_server(folder) as started:
        yield f"127.0.0.1:{started.port}"


def test_curl(address):
    curl = shutil.which("curl")
    if curl is None:
        pytest.skip("there is no curl")
    command = [curl, "-sS", "--fail", "-H", "content-type: application/json", "-d", "@-"]
    said = subprocess.run(
        [*command, f"http://{address}/predict"],
        input=json.dumps(ROWS.tolist()).encode(),
        capture_output=True,
        check=True,
    ).stdout
    assert json.loads(said)["predictions"] == MODEL.predict(ROWS).tolist()


@pytest.mark.parametrize("binary", [True, False])
def test_triton(address, binary):
    triton = pytest.importorskip("tritonclient.http")
    with triton.InferenceServerClient(address) as client:
        assert client.is_server_live()
        assert client.is_model_ready("m")
        assert client.get_model_metadata("m")["platform"] == "coterie"
        cells = triton.InferInput("rows", list(ROWS.shape), "FP64")
        cells.set_data_from_numpy(np.ascontiguousarray(ROWS, dtype=np.float64), binary)
        names = ("predict", "predict_proba")
        wanted = [triton.InferRequestedOutput(name, binary_data=binary) for name in names]
        said = client.infer("m", [cells], outputs=wanted)
        np.testing.assert_array_equal(said.as_numpy("predict_proba"), MODEL.predict_proba(ROWS))
        assert [
            str(x, "utf-8") if isinstance(x, bytes) else x for x in said.as_numpy("predict")
        ] == [*map(str, MODEL.predict(ROWS))]
