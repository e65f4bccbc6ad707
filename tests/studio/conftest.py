"""Scenes and pages for tests of the studio."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_moons

from coterie import AdaBoostClassifier, explore
from tests.studio.scenes import facts


@pytest.fixture(scope="session")
def moons() -> tuple[Any, Any]:
    return make_moons(120, noise=0.25, random_state=0)


@pytest.fixture(scope="session")
def page(moons) -> Any:
    return explore(AdaBoostClassifier(n_estimators=12), *moons, resolution=32)


@pytest.fixture(scope="session")
def wave() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 6, 80)
    return x[:, None], np.sin(x) + rng.normal(0, 0.2, 80)


@pytest.fixture(scope="module")
def address(tmp_path_factory) -> Iterator[str]:
    uvicorn = pytest.importorskip("uvicorn")
    from coterie.studio.server import studio_app

    root = tmp_path_factory.mktemp("studio")
    text = "a,<script>alert(1)</script>,y\n"
    text += "".join(f"{k},{k % 7},{'yes' if k > 20 else 'no'}\n" for k in range(40))
    (root / "t.csv").write_text(text, encoding="utf-8")
    for name, score in (("one", 0.5), ("two", 0.4)):
        (root / name).mkdir()
        run = json.dumps(facts({"forest": score, name: 0.6}))
        (root / name / "facts.json").write_text(run, encoding="utf-8")
    config = uvicorn.Config(studio_app(root, "the-token"), port=0, log_level="error")
    socket = config.bind_socket()
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]}, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{socket.getsockname()[1]}/"
    server.should_exit = True
    thread.join(10)
    socket.close()


@pytest.fixture
def studio(browser, address) -> Iterator[Any]:
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.set_default_timeout(120_000)
    page.complaints = []
    page.on("console", lambda message: page.complaints.append(message.text))
    page.on("pageerror", lambda error: page.complaints.append(str(error)))
    page.goto(f"{address}#token=the-token&n=64&rounds=8")
    page.wait_for_selector("html[data-fits='1']")
    yield page
    page.close()
