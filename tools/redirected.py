"""Run other projects' tests of their ensembles and trees against coterie's classes.

The tests of the installed scikit-learn and imbalanced-learn are rewritten in a temporary folder:
what they import from `sklearn.ensemble`, `sklearn.tree` and `imblearn.ensemble` comes from
coterie if coterie has it. Tests of private functions and classes, and of classes that coterie
lacks, do not apply. Every other failure needs a line in redirected.toml that says why.

Usage: redirected.py [-n PROCESSES] [-k EXPRESSION] [--keep FOLDER]
"""

from __future__ import annotations

import argparse
import ast
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import coterie

REASONS = Path(__file__).with_suffix(".toml")
KINDS = ("internals", "random stream", "documented difference")
# Where a user imports from, and which coterie stands in for.
REPLACED = ("sklearn.ensemble", "sklearn.tree", "imblearn.ensemble")
FOLDERS = (
    "sklearn/ensemble/tests",
    "sklearn/ensemble/_hist_gradient_boosting/tests",
    "sklearn/tree/tests",
    "imblearn/ensemble/tests",
)
NOT_APPLICABLE = "not applicable: "
SUPPORT = f"""
import pytest


def absent(name):
    def new(cls, *args, **kwargs):
        pytest.skip("{NOT_APPLICABLE}coterie has no " + name)

    return type(name, (), {{"__new__": new}})


def overlay(module):
    from types import ModuleType

    import coterie

    over = ModuleType(module.__name__)
    over.__dict__.update(vars(module))
    ours = set(module.__all__) & set(coterie.__all__)
    over.__dict__.update({{name: getattr(coterie, name) for name in ours}})
    return over
"""


def is_private(module: str) -> bool:
    """Whether a module is an inner one of what is replaced."""
    return any(module.startswith(f"{public}._") for public in REPLACED)


class Redirection(ast.NodeTransformer):
    """Rewrites the imports of one test file, and skips tests of what coterie cannot have."""

    def __init__(self, source: ast.Module) -> None:
        self.inner = set(self._inner_names(source))
        self.theirs: set[str] = set()
        self.uses: dict[str, set[str]] = defaultdict(set)
        for node in source.body:
            used = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
            for defined in self._defined(node):
                self.uses[defined] |= used - {defined}

    @staticmethod
    def _inner_names(source: ast.Module) -> Iterator[str]:
        for node in ast.walk(source):
            if isinstance(node, ast.ImportFrom) and is_private(node.module or ""):
                # Constants are as good as any other number to compare with.
                yield from (a.asname or a.name for a in node.names if not a.name.isupper())
            elif isinstance(node, ast.Import):
                yield from (a.asname for a in node.names if is_private(a.name) and a.asname)

    @staticmethod
    def _defined(node: ast.stmt) -> list[str]:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            return [node.name]
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        found = [part for target in targets if target for part in ast.walk(target)]
        return [part.id for part in found if isinstance(part, ast.Name)]

    def _reached(self, name: str) -> set[str]:
        """Names that a function uses, by itself or through others of its module."""
        seen: set[str] = set()
        waiting = {name}
        while waiting:
            seen |= waiting
            waiting = {used for one in waiting for used in self.uses.get(one, ())} - seen
        return seen

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        if node.module == "sklearn" and any(alias.name == "tree" for alias in node.names):
            node.names = [alias for alias in node.names if alias.name != "tree"]
            self.theirs.add("tree")
            lines = "import sklearn.tree; import redirection; "
            found = ast.parse(f"{lines}tree = redirection.overlay(sklearn.tree)").body
            return [*([node] if node.names else []), *found]
        if node.module not in REPLACED:
            return node
        return [self._replacement(node.module, alias) for alias in node.names]

    def _replacement(self, module: str, alias: ast.alias) -> ast.stmt:
        given = alias.asname or alias.name
        self.theirs.add(given)
        if alias.name in coterie.__all__:
            return ast.parse(f"from coterie import {alias.name} as {given}").body[0]
        if isinstance(getattr(import_module(module), alias.name), type):
            return ast.parse(f"{given} = __import__('redirection').absent({alias.name!r})").body[0]
        # A function that works on fitted models, and should on ours.
        return ast.parse(f"from {module} import {alias.name} as {given}").body[0]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        if not node.name.startswith("test"):
            return node
        self.generic_visit(node)
        reached = self._reached(node.name)
        if reached & self.inner:
            reason = f"tests {', '.join(sorted(reached & self.inner))}"
        elif not reached & self.theirs:
            reason = "uses no class of these packages"
        else:
            return node
        call = f"__import__('pytest').mark.skip(reason={NOT_APPLICABLE + reason!r})"
        node.decorator_list.insert(0, ast.parse(call, mode="eval").body)
        return node


def rewrite(folder: Path) -> None:
    """Write the redirected tests of all installed packages to a folder."""
    (folder / "redirection.py").write_text(SUPPORT, encoding="utf-8")
    for place in FOLDERS:
        package = importlib.util.find_spec(place.split("/")[0])
        if package is None or package.origin is None:
            print(f"{place}: not installed")
            continue
        for path in sorted((Path(package.origin).parents[1] / place).glob("test_*.py")):
            source = ast.parse(path.read_text(encoding="utf-8"))
            redirected = ast.fix_missing_locations(Redirection(source).visit(source))
            # Not a name that Python could take for the package itself.
            written = folder / place.removesuffix("/tests").replace("/", "-") / path.name
            written.parent.mkdir(parents=True, exist_ok=True)
            written.write_text(ast.unparse(redirected), encoding="utf-8")


@dataclass(frozen=True)
class Outcome:
    """What came of one test."""

    file: str
    test: str
    state: str
    message: str = ""


def run(folder: Path, processes: str, only: str | None) -> list[Outcome]:
    """Run the tests of a folder."""
    (folder / "pytest.ini").write_text("[pytest]\njunit_family = xunit1\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-n", processes, "-p", "sklearn.conftest"]
    options = ["-p", "no:cacheprovider", "--import-mode=importlib", "--junitxml=results.xml"]
    options += ["--no-header", "--show-capture=no", "--no-summary", "--tb=short"]
    options += ["-k", only] if only else []
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(folder)}
    subprocess.run([*command, *options], cwd=folder, env=environment, check=False)
    results = folder / "results.xml"
    if not results.exists():
        raise SystemExit("pytest wrote no results")
    return [outcome(case) for case in ElementTree.parse(results).iter("testcase")]


def outcome(case: ElementTree.Element) -> Outcome:
    """One entry of pytest's results."""
    file, test = case.get("file", case.get("classname", "")), case.get("name", "")
    for found in case:
        message = found.get("message", "")
        if found.tag == "skipped":
            state = "not applicable" if message.startswith(NOT_APPLICABLE) else "skipped"
            return Outcome(file, test, state, message)
        if found.tag in ("failure", "error"):
            return Outcome(file, test, "failed", message.splitlines()[0] if message else "")
    return Outcome(file, test, "passed")


@dataclass(frozen=True)
class Reason:
    """Why tests fail, and are meant to."""

    kind: str
    tests: list[str]
    why: str

    def explains(self, one: Outcome) -> bool:
        """Whether a test is among those named, where * stands for anything."""
        name = f"{one.file}::{one.test}"
        patterns = (".*".join(map(re.escape, test.split("*"))) for test in self.tests)
        return any(re.fullmatch(f"(.*/)?{pattern}(\\[.*)?", name) for pattern in patterns)


def read_reasons() -> list[Reason]:
    """The table of reasons."""
    entries = tomllib.loads(REASONS.read_text(encoding="utf-8"))["failure"]
    reasons = [Reason(**entry) for entry in entries]
    wrong = [reason for reason in reasons if reason.kind not in KINDS]
    if wrong:
        raise SystemExit(f"{REASONS.name}: a kind is one of {', '.join(KINDS)}, not {wrong}")
    return reasons


def judge(outcomes: list[Outcome], reasons: list[Reason]) -> int:
    """Print rates and failures; returns how many of these nobody has explained."""
    by_file: dict[str, Counter[str]] = defaultdict(Counter)
    failures: dict[int | None, list[Outcome]] = defaultdict(list)
    for one in outcomes:
        state = one.state
        if state == "failed":
            found = next((number for number, r in enumerate(reasons) if r.explains(one)), None)
            failures[found].append(one)
            state = "unexplained" if found is None else reasons[found].kind
        by_file[one.file][state] += 1
    for number, reason in enumerate(reasons):
        failed = failures[number]
        print(f"\n{reason.kind}: {reason.why}" + ("" if failed else " (nothing fails any more)"))
        for one in failed:
            print(f"    {one.file}::{one.test}")
    print_rates(by_file)
    for one in failures[None]:
        print(f"FAILED without a reason: {one.file}::{one.test}\n    {one.message}")
    return len(failures[None])


def print_rates(by_file: dict[str, Counter[str]]) -> None:
    """Print a table of files, and its sums by package."""
    states = ("passed", *KINDS[1:], "unexplained", "internals", "not applicable", "skipped")
    print(f"\n{'':56}{'rate':>7}" + "".join(f"{state.split()[0]:>12}" for state in states))
    packages: dict[str, Counter[str]] = defaultdict(Counter)
    for file, counts in sorted(by_file.items()):
        packages[file.split("-")[0]] += counts
    for name, counts in [*sorted(by_file.items()), *packages.items()]:
        applicable = sum(counts[state] for state in states[:4])
        rate = f"{counts['passed'] / applicable:7.1%}" if applicable else f"{'':7}"
        print(f"{name:56}{rate}" + "".join(f"{counts[state]:12}" for state in states))


def main() -> int:
    """Rewrite, run and judge."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("-n", default="2", help="processes")
    parser.add_argument("-k", default=None, help="run only tests that match, as with pytest")
    parser.add_argument("--keep", type=Path, help="a folder for the rewritten tests")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(exist_ok=True)
        rewrite(folder)
        outcomes = run(folder, given.n, given.k)
    return 1 if judge(outcomes, read_reasons()) else 0


if __name__ == "__main__":
    sys.exit(main())
