"""Servers in this process."""

import shutil
from collections.abc import Callable, Iterator

import pytest

pytest.importorskip("starlette")
pytest.importorskip("httpx2")

from starlette.testclient import TestClient

from coterie.serve import Settings, create_app


@pytest.fixture
def serve() -> Iterator[Callable[..., TestClient]]:
    """Start a server for models."""
    clients = []

    def serving(*models: object, **settings: object) -> TestClient:
        app = create_app(Settings(tuple(map(str, models)), **settings))
        client = TestClient(app, raise_server_exceptions=False)
        clients.append(client.__enter__())
        return client

    yield serving
    for client in clients:
        client.__exit__(None, None, None)


@pytest.fixture
def model_file(credit, tmp_path):
    """A copy of a fitted model that a test may damage."""
    path = tmp_path / "credit.coterie"
    shutil.copy(credit.model / "model.coterie", path)
    return path
