"""The studio behind HTTP: for the person at this machine, and nobody else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Route, Router

from coterie.serve.counters import Counters
from coterie.serve.gate import Gate, read_bytes
from coterie.serve.problems import Problem
from coterie.serve.settings import Settings
from coterie.studio.fitting import fit_with_weights, hold_out_rows
from coterie.studio.plane import Columns
from coterie.studio.repertoire import METHODS, REGRESSORS, method
from coterie.studio.retraining import MOST_REPEATS, retrained
from coterie.studio.scene import Rows, scene_of
from coterie.studio.sheet import render
from coterie.studio.toys import CURVES, TOYS, toy
from coterie.studio.workbench import Workbench

#: What a request may ask for at most.
MOST_POINTS, MOST_ROUNDS, MOST_DEPTH = 5_000, 500, 8
#: How many rows of a table are drawn.
MOST_TABLE_POINTS = 1_000
_HOSTS = {"127.0.0.1", "localhost", "[::1]"}


class Neighbours:
    """An application that answers this machine's browser only.

    A page from elsewhere could talk to a local server in two ways: with its own origin, or with a
    name of its own that leads here. Both are refused.

    Parameters
    ----------
    app : ASGI application
        What answers.
    """

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer, or refuse."""
        if scope["type"] == "http":
            headers = {key.lower(): value.decode("latin-1") for key, value in scope["headers"]}
            host = headers.get(b"host", "")
            origin = headers.get(b"origin")
            if host.rpartition(":")[0] not in _HOSTS and host not in _HOSTS:
                await _refuse("The host name does not belong to this server.")(scope, receive, send)
                return
            if origin is not None and origin != f"http://{host}":
                await _refuse("Requests from other pages are not allowed.")(scope, receive, send)
                return
        await self.app(scope, receive, send)


def _refuse(words: str) -> Response:
    return JSONResponse({"error": words}, 403)


class Studio:
    """What the page asks for.

    Parameters
    ----------
    root : Path
        Tables are opened from here and below only.
    settings : Settings
        Limits and the token.
    """

    def __init__(self, root: Path, settings: Settings) -> None:
        self.settings = settings
        self.workbench = Workbench(root.resolve())

    @asynccontextmanager
    async def lifespan(self, _: Any) -> AsyncIterator[None]:
        """Leave nothing behind when the server ends."""
        try:
            yield
        finally:
            self.workbench.close()

    async def page(self, _: Request) -> Response:
        """The page; it holds no data, so it needs no token."""
        headers = {"cache-control": "no-store", "x-frame-options": "DENY"}
        return HTMLResponse(render({"scenes": [], "live": True}), headers=headers)

    async def choices(self, _: Request) -> Response:
        """Sets and methods by name."""
        classes = {"sets": list(TOYS), "methods": list(METHODS)}
        numbers = {"sets": list(CURVES), "methods": list(REGRESSORS)}
        return JSONResponse({"classes": classes, "numbers": numbers})

    async def points(self, request: Request) -> Response:
        """Points of a set."""
        asked = await self._json(request)
        n = _number(asked, "n", 200, 4, MOST_POINTS)
        noise, spread = _share(asked, "noise", 0.0), _share(asked, "spread", 0.2)
        seed = _number(asked, "seed", 0, 0, 1 << 31)
        X, y = toy(str(asked.get("set")), n=int(n), noise=noise, spread=spread, seed=int(seed))
        return JSONResponse({"X": X.round(5).tolist(), "y": y.round(5).tolist()})

    async def table_points(self, request: Request) -> Response:
        """Points of the open table: one or two of its columns, or a projection."""
        asked = await self._json(request)
        target, columns = asked.get("target"), asked.get("columns")
        found = await asyncio.to_thread(self.workbench.points, target, columns, MOST_TABLE_POINTS)
        return JSONResponse(found)

    async def explore(self, request: Request) -> Response:
        """Scenes of one or two methods on points that the page holds."""
        asked = await self._json(request)
        return JSONResponse({"scenes": await asyncio.to_thread(_scenes, asked)})

    async def retrain(self, request: Request) -> Response:
        """Bias and variance of the same methods on the same points."""
        asked = await self._json(request)
        return JSONResponse({"retrained": await asyncio.to_thread(_retrained, asked)})

    async def export(self, request: Request) -> Response:
        """The scenes as a page that needs no server."""
        asked = await self._json(request)
        state, scenes = asked.pop("state", ""), await asyncio.to_thread(_scenes, asked)
        for scene, names in zip(scenes, _names(asked, len(scenes)), strict=True):
            scene |= names
        return HTMLResponse(render({"scenes": scenes, "live": False, "state": str(state)}))

    async def _json(self, request: Request) -> dict[str, Any]:
        try:
            found = json.loads(await read_bytes(request, self.settings))
        except ValueError:
            raise Problem("The body is not JSON.", "Send an object.", 400) from None
        if not isinstance(found, dict):
            raise Problem("The body is not an object.", "Send an object.", 400)
        return found

    async def open_table(self, request: Request) -> Response:
        """A table by its path below the root, and what is in it."""
        asked = await self._json(request)
        return JSONResponse(await asyncio.to_thread(self.workbench.open, str(asked.get("path"))))

    async def drop_table(self, request: Request) -> Response:
        """A table that was dropped on the page."""
        content = await read_bytes(request, self.settings)
        name = request.query_params.get("name", "table.csv")
        return JSONResponse(await asyncio.to_thread(self.workbench.drop, name, content))

    async def fit(self, request: Request) -> Response:
        """Begin a search."""
        return JSONResponse(self.workbench.fit(await self._json(request)))

    async def run(self, _: Request) -> Response:
        """How the search is getting on."""
        return JSONResponse(await asyncio.to_thread(self.workbench.status))

    async def stop(self, _: Request) -> Response:
        """End the search and keep the best so far."""
        return JSONResponse(self.workbench.stop())

    async def whatif(self, request: Request) -> Response:
        """What the model says about a row."""
        asked = await self._json(request)
        return JSONResponse(await asyncio.to_thread(self.workbench.whatif, asked.get("row")))

    async def row(self, request: Request) -> Response:
        """A row of the table, to begin with."""
        return JSONResponse({"row": self.workbench.row(request.path_params["number"])})

    async def compare(self, request: Request) -> Response:
        """Two finished fits side by side."""
        asked = await self._json(request)
        names = [str(asked.get(one)) for one in ("first", "second")]
        return JSONResponse(await asyncio.to_thread(self.workbench.compare, *names))

    async def runs(self, _: Request) -> Response:
        """Finished fits below the root."""
        return JSONResponse({"runs": await asyncio.to_thread(self.workbench.runs)})

    async def result(self, request: Request) -> Response:
        """The report or the model of the last run."""
        path = self.workbench.result(request.path_params["what"])
        return FileResponse(path, filename=path.name)

    def routes(self) -> list[Route]:
        """Where everything is."""
        posts: dict[str, Callable[..., Any]] = {
            "points": self.points,
            "explore": self.explore,
            "retrain": self.retrain,
            "export": self.export,
            "table": self.open_table,
            "table_points": self.table_points,
            "drop": self.drop_table,
            "fit": self.fit,
            "stop": self.stop,
            "whatif": self.whatif,
            "compare": self.compare,
        }
        gets = {"choices": self.choices, "run": self.run, "runs": self.runs}
        found = [Route("/", self.page)]
        found += [Route(f"/api/{name}", answer, methods=["POST"]) for name, answer in posts.items()]
        found += [Route(f"/api/{name}", answer) for name, answer in gets.items()]
        found += [Route("/api/row/{number:int}", self.row)]
        return [*found, Route("/api/result/{what:str}", self.result)]


def studio_app(root: Path, token: str) -> Any:
    """The application, behind its gate.

    Parameters
    ----------
    root : Path
        Tables are opened from here and below only.
    token : str
        What every request but that for the page must bear.
    """
    settings = Settings((), token, max_body=256 << 20, timeout=120.0)
    studio = Studio(root, settings)
    router = Router(studio.routes(), lifespan=studio.lifespan)
    return Neighbours(Gate(router, settings, Counters(), open_paths=frozenset({"/"})))


@dataclass(frozen=True)
class Question:
    """Points that the page holds, and what to fit to them."""

    rows: Rows
    #: For each row, training rows first, which of the page's points it is.
    order: list[int]
    names: list[str]
    models: list[Any]
    columns: Columns

    @classmethod
    def read(cls, asked: dict[str, Any]) -> Question:
        """The question in a request, or a problem that says what is wrong with it."""
        numbers = asked.get("task", "classes") == "numbers"
        X, y = _points(asked, numbers)
        names = asked.get("methods")
        if not isinstance(names, list) or not 1 <= len(names) <= 2:
            raise Problem("Choose one or two methods.", "Send them as a list.")
        rounds = int(_number(asked, "rounds", 30, 1, MOST_ROUNDS))
        depth = int(_number(asked, "depth", 1, 1, MOST_DEPTH))
        models = [method(str(name), rounds, depth, numbers=numbers) for name in names]
        # The number of a point goes along as a column, so that it is known where each one went.
        numbered = np.column_stack([X, np.arange(len(y))])
        split = hold_out_rows(Rows(numbered, y), stratified=not numbers)
        shown = split.X if split.X_val is None else np.concatenate([split.X, split.X_val])
        held = None if split.X_val is None else split.X_val[:, :-1]
        rows = Rows(split.X[:, :-1], split.y, held, split.y_val)
        columns = (0,) if numbers else None
        return cls(rows, shown[:, -1].astype(int).tolist(), list(map(str, names)), models, columns)


def _scenes(asked: dict[str, Any]) -> list[dict[str, Any]]:
    question = Question.read(asked)
    rows, found = question.rows, []
    for name, model in zip(question.names, question.models, strict=True):
        fitted = fit_with_weights(model, rows.X, rows.y)
        scene = scene_of(fitted, rows, question.columns, most=MOST_ROUNDS)
        found.append(scene | {"name": name, "order": question.order})
    return found


def _retrained(asked: dict[str, Any]) -> list[dict[str, Any]]:
    question = Question.read(asked)
    repeats = int(_number(asked, "repeats", 20, 2, MOST_REPEATS))
    drawn = (0, 1) if question.columns is None else (0,)
    return [
        retrained(model, question.rows, drawn, most=MOST_ROUNDS, repeats=repeats)
        for model in question.models
    ]


def _names(asked: dict[str, Any], n_scenes: int) -> list[dict[str, Any]]:
    """What the page calls columns and classes, for scenes that leave it."""
    found = {}
    for key in ("columns", "classes"):
        names = asked.get(key)
        if isinstance(names, list) and names:
            found[key] = [str(name) for name in names]
    return [found] * n_scenes


def _points(asked: dict[str, Any], numbers: bool) -> Any:
    try:
        X = np.array(asked["X"], dtype=np.float64)
        y = np.array(asked["y"], dtype=np.float64 if numbers else np.intp)
    except (KeyError, TypeError, ValueError):
        raise Problem("X and y must be lists of numbers.", "Send points and classes.") from None
    width = 1 if numbers else 2
    if X.ndim != 2 or X.shape[1] != width or len(X) != len(y) or not np.isfinite(X).all():
        raise Problem(
            f"X must contain {'one finite number' if numbers else 'two finite numbers'} for each "
            "value of y.",
            "Send points and classes.",
        )
    if len(y) > MOST_POINTS:
        raise Problem(f"There are more than {MOST_POINTS:,} points.", "Send fewer.", 413)
    if numbers and (len(y) < 2 or not np.isfinite(y).all()):
        raise Problem("Two points or more are needed, with finite values.", "Add points.")
    if not numbers and len(np.unique(y)) < 2:
        raise Problem("There is only one class.", "Add points of another class.")
    return X, y


def _number(asked: dict[str, Any], name: str, default: float, low: float, high: float) -> float:
    value = asked.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise Problem(f"{name} must lie between {low} and {high}.", field=name)
    return value


def _share(asked: dict[str, Any], name: str, default: float) -> float:
    return _number(asked, name, default, 0.0, 1.0)
