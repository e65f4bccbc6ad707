"""What an operator may say about a server."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["Settings"]


@dataclass(frozen=True)
class Settings:
    """Models and limits of a server.

    Parameters
    ----------
    models : tuple of str
        Paths of models, each with an optional ``name=`` before it. A directory with numbered
        entries (``1``, ``2``, …) holds versions of one model; the highest number is the default.
    token : str, optional
        The token that clients must send as ``Authorization: Bearer TOKEN``; health checks need
        none.
    max_body : int, default=64 MiB
        Maximum size of a request in bytes.
    max_rows : int, default=100,000
        Maximum number of rows per request.
    timeout : float, default=30.0
        Time limit in seconds for reading a request, and again for answering it.
    max_requests : int, default=256
        Maximum number of concurrent requests; others are rejected with status 503.
    batch_rows : int, default=10,000
        Maximum number of rows of waiting requests that are predicted in one batch.
    threads : int, default=2
        Number of predictions that run in parallel.
    reload : float, default=1.0
        Seconds between checks of the model files; 0 disables them.
    trusted : tuple of str
        Types from other packages that model files may contain.

    Examples
    --------
    >>> Settings.from_text(Settings(("iris=iris.coterie",)).text()).models
    ('iris=iris.coterie',)
    """

    models: tuple[str, ...]
    token: str | None = None
    max_body: int = 64 << 20
    max_rows: int = 100_000
    timeout: float = 30.0
    max_requests: int = 256
    batch_rows: int = 10_000
    threads: int = 2
    reload: float = 1.0
    trusted: tuple[str, ...] = ()

    def text(self) -> str:
        """As text, for the environment of worker processes."""
        return json.dumps(asdict(self))

    @classmethod
    def from_text(cls, text: str) -> Settings:
        """The inverse of `text`."""
        plain: dict[str, Any] = json.loads(text)
        return cls(**plain | {k: tuple(plain[k]) for k in ("models", "trusted")})
