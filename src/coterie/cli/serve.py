"""`coterie serve`: models behind HTTP."""

from __future__ import annotations

import os
from typing import Any

import rich_click as click

from coterie.cli.console import Console
from coterie.files.errors import CommandError

__all__ = ["command"]


@click.command("serve")
@click.argument("models", nargs=-1, required=True, metavar="[NAME=]MODEL…")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option("--port", default=8080, show_default=True, type=click.IntRange(0, 65_535))
@click.option(
    "--token",
    envvar="COTERIE_TOKEN",
    help="Bearer token required of clients. Safer in the variable COTERIE_TOKEN.",
)
@click.option(
    "--workers", default=1, show_default=True, type=click.IntRange(1), help="Number of processes."
)
@click.option(
    "--threads",
    default=2,
    show_default=True,
    type=click.IntRange(1),
    help="Number of concurrent predictions per process.",
)
@click.option(
    "--max-rows",
    default=100_000,
    show_default=True,
    type=click.IntRange(1),
    help="Maximum number of rows per request.",
)
@click.option(
    "--max-body",
    default=64,
    show_default=True,
    type=click.IntRange(1),
    metavar="MIB",
    help="Maximum size of a request.",
)
@click.option(
    "--max-requests",
    default=256,
    show_default=True,
    type=click.IntRange(1),
    help="Maximum number of concurrent requests; others are told to retry.",
)
@click.option(
    "--timeout",
    default=30.0,
    show_default=True,
    type=click.FloatRange(0, min_open=True),
    help="Time limit in seconds for reading a request, and again for answering it.",
)
@click.option(
    "--trust", multiple=True, metavar="TYPE", help="Allow this type in the model file. Repeatable."
)
@click.option("--debug", is_flag=True, help="Show a traceback on errors.")
def command(models: tuple[str, ...], **options: Any) -> None:
    """Serve MODELS, directories of `coterie fit` or files of `coterie.save`, over HTTP.

    POST rows to /predict as JSON, CSV, Arrow or Parquet, or tensors to /v2/models/NAME/infer (Open
    Inference Protocol). Open / in a browser to try it. When a model file is replaced, the new
    model takes over; if the new file is damaged, the old model stays in service. Ctrl-C stops the
    server after pending requests are answered.
    """
    try:
        import uvicorn

        from coterie.serve.app import ENVIRONMENT
        from coterie.serve.settings import Settings
        from coterie.serve.shelf import Shelf
    except ModuleNotFoundError as error:
        raise CommandError(
            f"`coterie serve` needs {error.name}.", "Install it with: pip install 'coterie[serve]'"
        ) from error
    settings = Settings(
        models,
        options["token"],
        options["max_body"] << 20,
        options["max_rows"],
        options["timeout"],
        options["max_requests"],
        threads=options["threads"],
        trusted=options["trust"],
    )
    # What is wrong with a model is said here, not by each worker.
    names = [f"{one.name} ({one.version})" for one in Shelf(models, options["trust"]).open().all()]
    console = Console(quiet=False)
    console.say(f"serving {', '.join(names)} on http://{options['host']}:{options['port']}")
    if options["token"] is None and options["host"] not in ("127.0.0.1", "localhost", "::1"):
        console.notes(["no token is set: anyone who can reach this address can use the models"])
    os.environ[ENVIRONMENT] = settings.text()
    uvicorn.run(
        "coterie.serve.app:from_environment",
        factory=True,
        host=options["host"],
        port=options["port"],
        workers=options["workers"],
        access_log=False,
        log_level="warning",
        timeout_graceful_shutdown=int(options["timeout"]) + 1,
        timeout_keep_alive=30,
    )
