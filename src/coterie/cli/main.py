"""The group of commands, and how a run ends: exit codes and errors for people."""

from __future__ import annotations

import os
import sys
import warnings
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import click

from coterie.files.errors import CommandError, nearest

__all__ = ["COMMANDS", "root", "run"]

# The others are needed by every command; finding them does not import them.
for _needed in ("rich_click", "rich", "pyarrow"):
    if find_spec(_needed) is None:
        raise ModuleNotFoundError(f"No module named {_needed!r}", name=_needed)

# A command lives in the module of its name; its first line stands here too, so that
# the overview imports none of them.
COMMANDS = {
    "fit": "Find the best ensemble for a table.",
    "predict": "Predict the rows of a file of any size.",
    "evaluate": "Score a model on labelled rows.",
    "explain": "Show which columns matter, overall or for single rows.",
    "report": "Rewrite the report on a model.",
    "diagnose": "Diagnose an ensemble: errors, diversity, what to try next.",
    "compare": "Compare models on the same rows, with a paired test.",
    "export": "Export a model to ONNX or C.",
    "serve": "Serve models over HTTP.",
    "studio": "Explore ensembles in a browser, and try them on tables.",
    "info": "Show what is in a model file, without loading it.",
}
EXIT_CODES = {
    "0": "success",
    "1": "a problem with the data or the model; the message says how to fix it",
    "2": "the command was called incorrectly",
    "130": "interrupted before a model was found",
    "141": "the reader of the output closed the pipe",
}


class ClosedPipe(Exception):
    """Whoever read the output has seen enough."""


class LazyGroup(click.Group):
    """Commands whose modules are imported when they are called."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; click would end the process if its output is not wanted any more."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise ClosedPipe from error

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the commands, in the order in which they are used."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command."""
        if cmd_name not in COMMANDS:
            return None
        found: click.Command = import_module(f"coterie.cli.{cmd_name}").command
        return found

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; help someone who mistyped it."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            ctx.fail(f'There is no command "{args[0]}". {nearest(args[0], COMMANDS)}')
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The overview."""
        with formatter.section(click.style("Commands", bold=True)):
            formatter.write_dl(
                [(click.style(name, fg="cyan"), text) for name, text in COMMANDS.items()]
            )
        with formatter.section(click.style("Exit codes", bold=True)):
            formatter.write_dl(list(EXIT_CODES.items()))
        formatter.write("\nRun coterie COMMAND --help for details.\n")


def _print_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from coterie import __version__

        click.echo(f"coterie {__version__}")
        ctx.exit()


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Print the version.",
)
def root() -> None:
    """Ensemble learning from the command line.

    Start with: coterie fit FILE --target COLUMN
    """


def run(arguments: list[str] | None = None) -> int:
    """Run a command and give the exit code; nothing but `--debug` shows a traceback.

    Parameters
    ----------
    arguments : list of str, optional
        What stands behind ``coterie``; the process's own arguments if not given.
    """
    given = sys.argv[1:] if arguments is None else arguments
    debug = "--debug" in given
    try:
        with warnings.catch_warnings():
            if not debug:
                warnings.showwarning = _show_warning
            return _run(given)
    except (ClosedPipe, BrokenPipeError):
        # Python must not complain when it closes the output.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except (KeyboardInterrupt, click.Abort):
        _complain("interrupted")
        return 130
    except Exception as error:
        if debug:
            raise
        _complain(_words(error))
        return 1


def _run(arguments: list[str]) -> int:
    try:
        code: Any = root.main(args=arguments, prog_name="coterie", standalone_mode=False)
    except click.UsageError as error:
        error.show()
        return error.exit_code
    except click.ClickException as error:
        raise CommandError(error.format_message()) from error
    return code if isinstance(code, int) else 0


def _words(error: Exception) -> str:
    """What to tell a person about an exception."""
    if isinstance(error, OSError) and error.strerror:
        what = f"{error.filename}: " if error.filename else ""
        return f"{what}{error.strerror}"
    if isinstance(error, CommandError | ValueError | OSError | ImportError):
        return str(error)
    if isinstance(error, MemoryError):
        return "out of memory\n  Fit fewer rows or columns, or use a machine with more memory."
    return (
        f"unexpected error: {type(error).__name__}: {error}\n"
        "  Run the command again with --debug to see where."
    )


def _complain(text: str) -> None:
    click.echo(f"{click.style('error:', fg='red', bold=True)} {text}", err=True)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    click.echo(f"{click.style('note:', fg='yellow')} {message}", err=True)
