"""The application: its routes, and what each answers."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.resources import files
from typing import Any

import numpy as np
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route, Router

from coterie.serve.batching import Batcher
from coterie.serve.bodies import read_body, typed
from coterie.serve.counters import Counters
from coterie.serve.gate import Gate, log_to, read_bytes
from coterie.serve.openapi import describe_api
from coterie.serve.predictions import Wish, asked, columns_of, encode
from coterie.serve.problems import Problem
from coterie.serve.settings import Settings
from coterie.serve.shelf import Served, Shelf
from coterie.serve.tensors import (
    input_columns,
    input_tensors,
    output_tensor,
    pack,
    split_binary,
)

__all__ = ["ENVIRONMENT", "create_app", "from_environment"]

ENVIRONMENT = "COTERIE_SERVE"  # where worker processes find their settings
_EXTENSIONS = ["binary_tensor_data"]


class Service:
    """Models, and the answers to requests for them.

    Parameters
    ----------
    settings : Settings
        Models and limits.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.counters = Counters()
        self.shelf = Shelf(settings.models, settings.trusted).open()
        self.batcher = Batcher(settings.threads, settings.batch_rows)

    @asynccontextmanager
    async def lifespan(self, _: Any) -> AsyncIterator[None]:
        """Look after the files while the server runs."""
        watch = asyncio.create_task(self._watch()) if self.settings.reload else None
        try:
            yield
        finally:
            if watch is not None:
                watch.cancel()
            self.batcher.close()

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(self.settings.reload)
            await asyncio.to_thread(self.shelf.look)

    def _find(self, request: Request) -> Served:
        path, query = request.path_params, request.query_params
        name = path.get("model") or query.get("model")
        return self.shelf.find(name, path.get("version") or query.get("version"))

    async def _say(self, request: Request, served: Served, rows: Any) -> Any:
        self.counters.rows[served.name, served.version] += len(rows)
        request.scope["coterie.facts"] |= {"model": served.name, "version": served.version}
        request.scope["coterie.facts"]["rows"] = len(rows)
        async with asyncio.timeout(self.settings.timeout):
            return await self.batcher.ask(served, rows)

    async def predict(self, request: Request) -> Response:
        """Plain rows in JSON, CSV, Arrow or Parquet."""
        served, wish = self._find(request), Wish.read(request.query_params)
        body = await read_bytes(request, self.settings)
        kind, rows = request.headers.get("content-type", ""), self.settings.max_rows
        # Large bodies are read in a thread, so that others need not wait.
        large = len(body) > 1 << 16
        read = (served.fitted, kind, body, rows)
        sent = await asyncio.to_thread(read_body, *read) if large else read_body(*read)
        said = await self._say(request, served, sent)
        make = (served, sent, said, wish)
        columns = await asyncio.to_thread(columns_of, *make) if wish.shap else columns_of(*make)
        content, kind = encode(served, columns, request.headers.get("accept", ""))
        if isinstance(content, dict):
            return JSONResponse(content)
        return Response(content, media_type=kind)

    async def infer(self, request: Request) -> Response:
        """Tensors of the Open Inference Protocol."""
        served = self._find(request)
        body = await read_bytes(request, self.settings)
        length = request.headers.get("inference-header-content-length")
        said, binary = split_binary(body, length)
        table = typed(served.fitted, input_columns(served.fitted, input_tensors(said, binary)))
        if len(table) > self.settings.max_rows:
            raise Problem(f"More than {self.settings.max_rows:,} rows.", "Send fewer.", 413)
        scores = await self._say(request, served, table)
        outputs = _wanted(said, _outputs(served, table, scores))
        parts = [output_tensor(name, values, binary) for name, values, binary in outputs]
        response: dict[str, Any] = {"model_name": served.name, "model_version": served.version}
        if isinstance(said.get("id"), str):
            response["id"] = said["id"]
        response["outputs"] = [tensor for tensor, _ in parts]
        content, headers = pack(response, [data for _, data in parts])
        return Response(content, headers=headers)

    async def metadata(self, request: Request) -> Response:
        """What a model takes and gives."""
        served = self._find(request)
        return JSONResponse(_described(served, list(self.shelf.served[served.name])))

    async def models(self, _: Request) -> Response:
        """All models."""
        listed = [
            {"name": one.name, "version": one.version, "columns": one.kinds()}
            for one in self.shelf.all()
        ]
        return JSONResponse({"models": listed})

    async def ready(self, request: Request) -> Response:
        """Whether a model is in service."""
        served = self._find(request)
        return JSONResponse({"name": served.name, "ready": True})

    async def server(self, _: Request) -> Response:
        """What the server is."""
        from coterie import __version__

        return JSONResponse({"name": "coterie", "version": __version__, "extensions": _EXTENSIONS})

    async def live(self, _: Request) -> Response:
        """Whether the server runs."""
        return JSONResponse({"live": True, "ready": True})

    async def metrics(self, _: Request) -> Response:
        """Counts for Prometheus."""
        more = {
            "coterie_models": float(len(self.shelf.all())),
            "coterie_reloads_total": float(self.shelf.n_reloads),
            "coterie_reload_failures_total": float(self.shelf.n_failures),
            "coterie_batches_total": float(self.batcher.n_batches),
        }
        return PlainTextResponse(self.counters.text(more), media_type="text/plain; version=0.0.4")

    async def openapi(self, _: Request) -> Response:
        """The OpenAPI document."""
        return JSONResponse(describe_api(self.shelf.all()))

    async def page(self, _: Request) -> Response:
        """A page to try the models."""
        text = files("coterie.serve").joinpath("page.html").read_text(encoding="utf-8")
        policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
        return HTMLResponse(
            text, headers={"content-security-policy": policy + "connect-src 'self'"}
        )

    def routes(self) -> list[Route]:
        """All routes; a model may be followed by one of its versions."""
        found = [
            Route("/", self.page),
            Route("/openapi.json", self.openapi),
            Route("/metrics", self.metrics),
            Route("/health", self.live),
            Route("/models", self.models),
            Route("/predict", self.predict, methods=["POST"]),
            Route("/models/{model}/predict", self.predict, methods=["POST"]),
            Route("/v2", self.server),
            Route("/v2/health/live", self.live),
            Route("/v2/health/ready", self.live),
        ]
        for base in ("/v2/models/{model}", "/v2/models/{model}/versions/{version}"):
            found.append(Route(base, self.metadata))
            found.append(Route(f"{base}/ready", self.ready))
            found.append(Route(f"{base}/infer", self.infer, methods=["POST"]))
        return found


def _outputs(served: Served, table: Any, said: Any) -> dict[str, Any]:
    classes = served.fitted.classes
    if classes is None:
        return {"predict": said}
    labels = (
        np.asarray(classes)[said.argmax(axis=1)]
        if said.ndim == 2
        else asked(served, table, labels=True)
    )
    return {"predict": labels, "predict_proba": said}


def _wanted(request: dict[str, Any], given: dict[str, Any]) -> list[tuple[str, Any, bool]]:
    """Names and values of the outputs that were asked for, and whether as binary data."""
    parameters = request.get("parameters")
    parameters = parameters if isinstance(parameters, dict) else {}
    default = parameters.get("binary_data_output") is True
    listed = request.get("outputs")
    if not isinstance(listed, list) or not listed:
        return [(name, values, default) for name, values in given.items()]
    found = []
    for output in listed:
        name = output.get("name") if isinstance(output, dict) else None
        if name not in given:
            raise Problem(f"There is no output {name!r}.", f"Available: {', '.join(given)}.", 400)
        own = output.get("parameters")
        binary = own.get("binary_data", default) if isinstance(own, dict) else default
        found.append((name, given[name], binary is True))
    return found


def _described(served: Served, versions: list[str]) -> dict[str, Any]:
    text = {"text": "BYTES", "time": "BYTES", "boolean": "BOOL"}
    inputs = [
        {"name": name, "datatype": text.get(kind, "FP64"), "shape": [-1]}
        for name, kind in served.kinds().items()
    ]
    classes = served.fitted.classes
    labels = np.asarray([0.0] if classes is None else classes)
    outputs = [output_tensor("predict", labels[:0], False)[0] | {"shape": [-1]}]
    if classes is not None:
        outputs.append({"name": "predict_proba", "datatype": "FP64", "shape": [-1, len(classes)]})
    for output in outputs:
        output.pop("data", None)
    return {
        "name": served.name,
        "versions": versions,
        "platform": "coterie",
        "inputs": inputs,
        "outputs": outputs,
    }


def create_app(settings: Settings) -> Any:
    """An ASGI application that serves models.

    Parameters
    ----------
    settings : Settings
        Models and limits.

    Returns
    -------
    ASGI application
        To be run by uvicorn or any other server.
    """
    service = Service(settings)
    # The bare router: problems are answered by the gate.
    router = Router(service.routes(), redirect_slashes=False, lifespan=service.lifespan)
    return Gate(router, settings, service.counters)


def from_environment() -> Any:
    """The application of a worker process."""
    log_to()
    return create_app(Settings.from_text(os.environ[ENVIRONMENT]))
