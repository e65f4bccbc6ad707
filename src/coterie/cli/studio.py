"""`coterie studio`: ensembles seen in a browser, and a workbench for tables."""

from __future__ import annotations

import secrets
import webbrowser
from pathlib import Path
from typing import Any

import rich_click as click

from coterie.cli.console import Console
from coterie.files.errors import CommandError

__all__ = ["command"]


@click.command("studio")
@click.option("--port", default=8090, show_default=True, type=click.IntRange(0, 65_535))
@click.option(
    "--root",
    default=".",
    show_default=True,
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Directory from which tables are opened (including subdirectories) and to which runs "
    "are written.",
)
@click.option("--no-browser", is_flag=True, help="Only print the address; do not open a browser.")
@click.option("--debug", is_flag=True, help="Show a traceback on errors.")
def command(port: int, root: Path, no_browser: bool, debug: bool) -> None:
    """Open the studio in a browser: boosting round by round, and a workbench for tables.

    The server listens on localhost only, and requires the token in the printed URL, which changes
    with every start. Stop it with Ctrl-C.
    """
    try:
        import uvicorn

        from coterie.studio.server import studio_app
    except ModuleNotFoundError as error:
        raise CommandError(
            f"`coterie studio` needs {error.name}.", "Install it with: pip install 'coterie[serve]'"
        ) from error
    token = secrets.token_urlsafe(24)
    config = uvicorn.Config(
        studio_app(root, token),
        host="127.0.0.1",
        port=port,
        access_log=False,
        log_level="warning",
        timeout_graceful_shutdown=2,
    )
    # Bound here, so that a port of 0 is known before the address is printed.
    socket = config.bind_socket()
    # Behind the #, so that it is neither sent nor logged nor given to other pages.
    address = f"http://127.0.0.1:{socket.getsockname()[1]}/#token={token}"
    Console(quiet=False).say(f"studio on {address}")
    if not no_browser:
        _show(address)
    uvicorn.Server(config).run(sockets=[socket])


def _show(address: str) -> Any:
    """Open a browser where there is one; the address is printed anyway."""
    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False
