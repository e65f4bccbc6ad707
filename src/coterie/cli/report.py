"""`coterie report`: the page about a model, written again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import rich_click as click

from coterie.cli.console import Console
from coterie.cli.options import common, existing, model_argument

__all__ = ["command"]


@click.command("report")
@model_argument
@click.option("--out", type=existing, help="Where to write: .html or .md; report.html otherwise.")
@click.option("--trust", multiple=True, metavar="TYPE", help="Load this foreign type. Repeatable.")
@common
def command(model: Path, **options: Any) -> None:
    """Write the page about MODEL again, as HTML or Markdown.

    A directory that `coterie fit` wrote has the facts of the page beside the model; a model file
    alone is loaded to gather them.
    """
    from coterie.base.atomic import write_whole
    from coterie.cli.models import load_model, model_file
    from coterie.cli.writing import check_folder
    from coterie.report import facts, html, markdown

    endings = (".html", ".htm", ".md", ".markdown")
    if options["out"] is not None and options["out"].suffix.lower() not in endings:
        raise click.UsageError(
            f"the page is written as HTML or Markdown: the name given with --out must end in "
            f".html or .md, and {str(options['out'])!r} does not."
        )
    file = model_file(model)
    kept = file.with_name("facts.json")
    if model.is_dir() and kept.exists():
        found = json.loads(kept.read_text(encoding="utf-8"))
    else:
        found = facts(load_model(model, options["trust"]).model)
    out = options["out"] or file.with_name("report.html")
    check_folder(out)
    page = markdown(found) if out.suffix.lower() in (".md", ".markdown") else html(found)
    write_whole(out, [page.encode("utf-8")])
    Console(options["quiet"]).say(str(out))
