"""The gate every request passes: token, limits, an id, a count and a line in the log."""

from __future__ import annotations

import asyncio
import hmac
import json
import logging
import re
import sys
import time
from typing import Any
from uuid import uuid4

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from coterie.serve.counters import Counters
from coterie.serve.problems import Problem, explained
from coterie.serve.settings import Settings

__all__ = ["Gate", "log_to", "read_bytes"]

_log = logging.getLogger("coterie.serve")
# No model is reachable here, so that balancers need no token.
_OPEN = frozenset({"/v2/health/live", "/v2/health/ready", "/health"})
_ID = re.compile(r"^[\w.:-]{1,100}$")


class JsonLines(logging.Formatter):
    """A JSON object for each record."""

    def format(self, record: logging.LogRecord) -> str:
        """The time, what happened, and its facts."""
        said = {"time": round(record.created, 3), "level": record.levelname.lower()}
        said |= {"event": record.getMessage(), **getattr(record, "facts", {})}
        if record.exc_info:
            said["traceback"] = self.formatException(record.exc_info)
        return json.dumps(said, default=str)


def log_to(stream: Any = None) -> None:
    """Write the server's log to a stream, one JSON object a line."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    _log.handlers[:] = [handler]
    _log.setLevel(logging.INFO)
    _log.propagate = False


class Gate:
    """An ASGI application around another.

    Parameters
    ----------
    app : ASGI application
        What answers.
    settings : Settings
        Limits and token.
    counters : Counters
        Where requests are counted.
    open_paths : frozenset of str
        What is answered without a token.
    """

    def __init__(
        self,
        app: Any,
        settings: Settings,
        counters: Counters,
        open_paths: frozenset[str] = _OPEN,
    ) -> None:
        self.app, self.settings, self.counters = app, settings, counters
        self.open_paths = open_paths

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        given = request.headers.get("x-request-id", "")
        name = given if _ID.match(given) else uuid4().hex
        facts: dict[str, Any] = {"id": name}
        scope["coterie.facts"] = facts
        scope["app"] = self  # so that the router raises what it cannot find
        began, status = time.perf_counter(), 500

        async def sending(message: Any) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"x-request-id", name.encode())]
            await send(message)

        self.counters.running += 1
        try:
            response = self._refusal(request, name)
            if response is None:
                response = await self._answer(scope, receive, sending, name)
            if response is not None:
                await response(scope, receive, sending)
        except (ClientDisconnect, ConnectionError):
            status = 499
        finally:
            self.counters.running -= 1
            seconds = time.perf_counter() - began
            route = getattr(scope.get("endpoint"), "__name__", "other")
            self.counters.note(route, status, seconds)
            facts |= {"method": request.method, "path": scope["path"], "status": status}
            _note(facts | {"ms": round(1e3 * seconds, 2)})

    def _refusal(self, request: Request, name: str) -> Response | None:
        token = self.settings.token
        if request.scope["path"] in self.open_paths:
            return None
        if token is not None:
            given = request.headers.get("authorization", "")
            if not hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
                problem = Problem(
                    "The token is missing or wrong.", "Send it as a bearer token.", 401
                )
                return _respond(problem, name, {"www-authenticate": "Bearer"})
        if self.counters.running > self.settings.max_requests:
            problem = Problem("Too many requests at once.", "Try again.", 503)
            return _respond(problem, name, {"retry-after": "1"})
        return None

    async def _answer(self, scope: Any, receive: Any, send: Any, name: str) -> Response | None:
        try:
            await self.app(scope, receive, send)
        except (ClientDisconnect, ConnectionError):
            raise
        except HTTPException as error:
            where = f"{scope['method']} {scope['path']}"
            problem = Problem(f"{where}: {error.detail}.", "See /openapi.json.", error.status_code)
            return _respond(problem, name, dict(error.headers or {}))
        except TimeoutError:
            limit = self.settings.timeout
            problem = Problem(
                f"The prediction took longer than {limit:g} s.", "Send fewer rows.", 503
            )
            return _respond(problem, name, {"retry-after": "1"})
        except Exception as error:
            known = explained(error)
            if known is None:
                _log.exception("failure", extra={"facts": {"id": name}})
                known = Problem("Internal server error; see the server's log.", status=500)
            return _respond(known, name)
        return None


def _note(facts: dict[str, Any]) -> None:
    """A line for a request; where in the code it was written is not looked up, which takes time."""
    if _log.isEnabledFor(logging.INFO):
        of_request = {"facts": facts}
        _log.handle(
            _log.makeRecord(_log.name, logging.INFO, "", 0, "request", (), None, None, of_request)
        )


def _respond(problem: Problem, name: str, headers: dict[str, str] | None = None) -> Response:
    return JSONResponse(problem.body(name), problem.status, headers)


async def read_bytes(request: Request, settings: Settings) -> bytes:
    """The body of a request, within the limits of size and time.

    Parameters
    ----------
    request : Request
        The request.
    settings : Settings
        The limits.
    """
    large = Problem(
        f"The body is larger than {settings.max_body:,} bytes.", "Send fewer rows per request.", 413
    )
    said = request.headers.get("content-length", "0")
    if said.isdecimal() and int(said) > settings.max_body:
        raise large
    parts, size = [], 0
    try:
        async with asyncio.timeout(settings.timeout):
            async for part in request.stream():
                size += len(part)
                if size > settings.max_body:
                    raise large
                parts.append(part)
    except TimeoutError:
        raise Problem("The body did not arrive in time.", status=408) from None
    return b"".join(parts)
