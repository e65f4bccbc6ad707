"""`coterie report`: the page about a model, written again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rich_click as click

from coterie.cli.console import Console
from coterie.cli.options import common, existing, model_argument

__all__ = ["command"]


@click.command("report")
@model_argument
@click.option("--out", type=existing, help="Output file, .html or .md. Default: report.html.")
@click.option("--card", is_flag=True, help="Write a model card instead. Default file: README.md.")
@click.option(
    "--trust", multiple=True, metavar="TYPE", help="Allow this type in the model file. Repeatable."
)
@common
def command(model: Path, **options: Any) -> None:
    """Rewrite the report on MODEL, as HTML or Markdown.

    A directory written by `coterie fit` keeps the facts of the report next to the model. Given only
    a model file, the model is loaded to collect them.
    """
    from coterie.base.atomic import write_whole
    from coterie.cli.writing import check_folder
    from coterie.files.models import load_model, model_file
    from coterie.report import facts, html, markdown, model_card

    endings = (".html", ".htm", ".md", ".markdown")
    if options["out"] is not None and options["out"].suffix.lower() not in endings:
        raise click.UsageError(
            f"A report is HTML or Markdown: --out must end in .html or .md, but "
            f"{str(options['out'])!r} does not."
        )
    file = model_file(model)
    kept = file.with_name("facts.json")
    out = options["out"] or file.with_name("README.md" if options["card"] else "report.html")
    check_folder(out)
    as_text = out.suffix.lower() in (".md", ".markdown")
    if options["card"] and not as_text:
        raise click.UsageError("A model card is Markdown: --out must end in .md.")
    write = model_card if options["card"] else markdown if as_text else html
    page = _page(kept, write) if model.is_dir() and kept.exists() else None
    if page is None:
        loaded = load_model(model, options["trust"]).model
        page = model_card(loaded) if options["card"] else write(facts(loaded))
    write_whole(out, [page.encode("utf-8")])
    Console(options["quiet"]).say(str(out))


def _page(kept: Path, write: Callable[[Any], str]) -> str | None:
    """The page by the facts that were kept; None if that file is damaged."""
    try:
        return write(json.loads(kept.read_text(encoding="utf-8")))
    except Exception:  # whatever is wrong with it, the model knows the facts as well
        return None
