"""The studio behind HTTP: for the person at this machine, and nobody else."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
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
from coterie.studio.explorer import fit_with_weights, hold_out_rows
from coterie.studio.repertoire import METHODS, method
from coterie.studio.scene import Rows, scene_of
from coterie.studio.sheet import render
from coterie.studio.toys import TOYS, toy
from coterie.studio.workbench import Workbench

#: What a request may ask for at most.
MOST_POINTS, MOST_ROUNDS, MOST_DEPTH = 5_000, 500, 8
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
        return JSONResponse({"sets": list(TOYS), "methods": list(METHODS)})

    async def points(self, request: Request) -> Response:
        """Points of a set."""
        asked = await self._json(request)
        n = _number(asked, "n", 200, 4, MOST_POINTS)
        noise, spread = _share(asked, "noise", 0.0), _share(asked, "spread", 0.2)
        seed = _number(asked, "seed", 0, 0, 1 << 31)
        X, y = toy(str(asked.get("set")), n=int(n), noise=noise, spread=spread, seed=int(seed))
        return JSONResponse({"X": X.round(5).tolist(), "y": y.tolist()})

    async def explore(self, request: Request) -> Response:
        """Scenes of one or two methods on points that the page holds."""
        asked = await self._json(request)
        return JSONResponse({"scenes": await asyncio.to_thread(_scenes, asked)})

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
            "table": self.open_table,
            "drop": self.drop_table,
            "fit": self.fit,
            "stop": self.stop,
            "whatif": self.whatif,
        }
        gets = {"choices": self.choices, "run": self.run, "runs": self.runs}
        found = [Route("/", self.page)]
        found += [Route(f"/api/{name}", answer, methods=["POST"]) for name, answer in posts.items()]
        found += [Route(f"/api/{name}", answer) for name, answer in gets.items()]
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


def _scenes(asked: dict[str, Any]) -> list[dict[str, Any]]:
    X, y = _rows(asked)
    names = asked.get("methods")
    if not isinstance(names, list) or not 1 <= len(names) <= 2:
        raise Problem("Choose one or two methods.", "Send them as a list.")
    rounds = int(_number(asked, "rounds", 30, 1, MOST_ROUNDS))
    depth = int(_number(asked, "depth", 1, 1, MOST_DEPTH))
    rows = hold_out_rows(Rows(X, y), stratified=True)
    found = []
    for name in names:
        model = fit_with_weights(method(str(name), rounds, depth), rows.X, rows.y)
        found.append(scene_of(model, rows, most=MOST_ROUNDS) | {"name": str(name)})
    if rows.X_val is not None:  # where the page's points are among those of the scene
        shown = np.concatenate([rows.X, rows.X_val])
        found[0]["order"] = _order(X, shown)
    return found


def _rows(asked: dict[str, Any]) -> Any:
    try:
        X, y = np.array(asked["X"], dtype=np.float64), np.array(asked["y"], dtype=np.intp)
    except (KeyError, TypeError, ValueError):
        raise Problem("X and y must be lists of numbers.", "Send points and classes.") from None
    if X.ndim != 2 or X.shape[1] != 2 or len(X) != len(y) or not np.isfinite(X).all():
        raise Problem(
            "X must contain two finite numbers for each value of y.", "Send points and classes."
        )
    if len(y) > MOST_POINTS:
        raise Problem(f"There are more than {MOST_POINTS:,} points.", "Send fewer.", 413)
    if len(np.unique(y)) < 2:
        raise Problem("There is only one class.", "Add points of another class.")
    return X, y


def _order(X: Any, shown: Any) -> list[int]:
    """For each point of the scene, which of the page's it is."""
    places: dict[bytes, list[int]] = {}
    for number, row in enumerate(X):
        places.setdefault(row.tobytes(), []).append(number)
    return [places[row.tobytes()].pop(0) for row in shown]


def _number(asked: dict[str, Any], name: str, default: float, low: float, high: float) -> float:
    value = asked.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise Problem(f"{name} must lie between {low} and {high}.", field=name)
    return value


def _share(asked: dict[str, Any], name: str, default: float) -> float:
    return _number(asked, name, default, 0.0, 1.0)
