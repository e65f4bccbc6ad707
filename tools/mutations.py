"""Deliberate faults, and which tests find them.

``python tools/mutations.py`` tries the faults of `tools/mutations.toml` one by one in a copy of the
tree: first the related tests of the short suite, then, if none of them fails, those that only the
long suite has. It stops at the first failing test, makes sure that it passes without the fault, and
records it in `benchmarks/results/mutations.json`; the next trial starts with that test. After a
change of the short suite, a run is therefore cheap unless a test that found something has left it.
``--only adaboost`` tries the faults of files with that in their names, ``--new`` those that no test
is known to find; ``--gone`` only lists recorded tests that the short suite no longer has,
``--table`` only writes `benchmarks/results/mutations.md` from the record.

The whole suite is imported and collected once. Each trial is a fork, in which the functions with
the fault get its code; faults must therefore stand within functions. Related tests are the doctests
of the file, the tests that mirror it, those that import something from it, the folder of the
mirroring tests, the golden models, and the contract rows of the classes named in the list. Faults
in ``native/`` are compiled, and tried in fresh processes.
"""

from __future__ import annotations

import argparse
import ast
import filecmp
import gc
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
SCRATCH = ROOT / "build" / "mutations"
LIST = Path(__file__).with_suffix(".toml")
RECORD = ROOT / "benchmarks" / "results" / "mutations.json"
#: The copy is imported instead of the package that is installed in place, in subprocesses too.
START = f"""
import sys
sys.meta_path[:] = [f for f in sys.meta_path if "Redirecting" not in type(f).__name__]
sys.path.insert(0, {str(SCRATCH / "src")!r})
"""
#: As far from the sources as the build in place: ccache knows files by relative paths.
BUILD = SCRATCH / "build" / "editable"
ENGINE_TESTS = ("tests/golden", "tests/native", "tests/trees", "tests/boosting/gradient")
#: How many stages of tests there are, see `Fault.places`, and a pattern of no test.
STAGES, NEVER = 6, "(?!)"
#: A test that runs for longer than this many seconds of CPU time hangs.
LIMIT = 120.0
NOTHING = {"suite": "none", "test": ""}
PYTEST = ("-q", "-s", "-p", "no:cacheprovider", f"--basetemp={SCRATCH / 'tmp'}")


@dataclass(frozen=True)
class Fault:
    """A text to be replaced by a wrong one, and the contract rows that might notice."""

    file: str
    old: str
    new: str
    contract: str

    @property
    def native(self) -> bool:
        return self.file.startswith("native/")

    @property
    def name(self) -> str:
        """The key in the record."""
        old, new = (" ".join(text.split()) for text in (self.old, self.new))
        return f"{self.file}: {old} -> {new}"

    def places(self, last: str) -> list[re.Pattern[str]]:
        """Patterns of the names of tests by stage, the likeliest to notice first."""
        inside = Path(self.file).relative_to("src/coterie")
        folder = Path("tests") / inside.parent
        rows = (
            f"tests/contract/.*({self.contract.replace(' or ', '|')})" if self.contract else NEVER
        )
        stages = [
            re.escape(last) + "$" if last else NEVER,
            f"{self.file}::|{folder / f'test_{inside.name}'}::",
            "|".join(f"{re.escape(file)}::" for file in self.users()) or NEVER,
            f"{folder}/",
            "tests/golden/" if self.contract and inside.parts[0] != "automl" else NEVER,
            rows,
        ]
        return [re.compile(stage) for stage in stages]

    def users(self) -> list[str]:
        """Files of tests that import something public from the file of the fault."""
        module = ast.parse((ROOT / self.file).read_text())
        names = {top.name for top in module.body if isinstance(top, ast.ClassDef | ast.FunctionDef)}
        return [file for file, imports in imported().items() if names & imports]


@cache
def imported() -> dict[str, set[str]]:
    """What each file of tests but those of all estimators imports from the package."""
    found = {}
    files = set((ROOT / "tests").rglob("test_*.py")) - set((ROOT / "tests/contract").glob("*.py"))
    for file in sorted(files):
        parts = ast.walk(ast.parse(file.read_text()))
        ours = [p for p in parts if isinstance(p, ast.ImportFrom) and "coterie" in (p.module or "")]
        found[str(file.relative_to(ROOT))] = {name.name for part in ours for name in part.names}
    return found


def read_list() -> list[Fault]:
    """The faults; a fault without contract rows of its own has those of its package."""
    content = tomllib.loads(LIST.read_text())
    rows = content["contract"]
    return [
        Fault(f["file"], f["old"], f["new"], f.get("contract", rows.get(_package(f["file"]), "")))
        for f in content["fault"]
    ]


def _package(file: str) -> str:
    return file.split("/")[2] if file.startswith("src/") else "engine"


def prepare() -> None:
    """A copy of the tracked files as they are, with the engine where Python files are.

    Files that are the same stay, and so does what was compiled of them. The others get the time of
    now: what was compiled of them last may hold a fault.
    """
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    names = [name for name in listed.stdout.splitlines() if (ROOT / name).exists()]
    for old in SCRATCH.glob("*/**/*.py"):
        if str(old.relative_to(SCRATCH)) not in names:
            old.unlink()
    for name in names:
        source, target = ROOT / name, SCRATCH / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists() or not filecmp.cmp(source, target, shallow=False):
            shutil.copy(source, target)
    (SCRATCH / "sitecustomize.py").write_text(START)
    engine = next((ROOT / "build" / "editable").glob("_engine.*so"))
    shutil.copy(engine, SCRATCH / "src" / "coterie" / "native")


class Trials:
    """Runs tests in forks of a process that has imported and collected them all."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = faults
        self.record: dict[str, dict[str, str]] = {}
        if RECORD.exists():
            known, kept = {fault.name for fault in faults}, json.loads(RECORD.read_text())
            self.record = {name: found for name, found in kept.items() if name in known}
        self.listing = False
        self.long: list[pytest.Item] = []
        self.trusted: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> Iterator[None]:
        """Remember what the short suite leaves out."""
        before = items[:]
        yield
        kept = set(items)
        self.long = [item for item in before if item not in kept]

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try the faults instead of running the tests."""
        self.short = session.items
        if self.listing:
            self.list_gone()
            return True
        self.functions: dict[str, list[FunctionType]] = {}
        gc.unfreeze()  # what was frozen after collecting the tests would not be listed
        for one in gc.get_objects():
            if isinstance(one, FunctionType):
                self.functions.setdefault(one.__code__.co_filename, []).append(one)
        gc.freeze()
        faults = self.faults
        for suite, items in (("short", self.short), ("long", self.long)):
            for stage in range(STAGES):
                faults = [fault for fault in faults if not self.noticed(fault, suite, stage, items)]
        for fault in faults:
            keep(self.record, fault, "none", "")
        return True

    def list_gone(self) -> None:
        """Print recorded tests that are not in the short suite."""
        there = {item.nodeid for item in self.short}
        for name, found in sorted(self.record.items()):
            test = found["test"].partition(" (")[0]
            if found["suite"] == "short" and "::" in test and test not in there:
                print(f"gone: {test}, which found {name}")

    def noticed(self, fault: Fault, suite: str, stage: int, items: list[pytest.Item]) -> bool:
        """Whether a test of a stage notices a fault."""
        path = SCRATCH / fault.file
        last = self.record.get(fault.name, {}).get("test", "").partition(" (")[0]
        *before, place = fault.places(last)[: stage + 1]
        chosen = [
            item
            for item in items
            if place.match(item.nodeid) and not any(p.match(item.nodeid) for p in before)
        ]
        with Replaced(path, fault.old, fault.new):
            texts = [(ROOT / fault.file).read_text(), path.read_text()]
            old, new = (compile(text, path, "exec", dont_inherit=True) for text in texts)
            codes = dict(_changed(old, new))
            if not codes:
                raise SystemExit(f"not within a function: {fault}")
            test = self.finder(chosen, codes)
        if test:
            keep(self.record, fault, suite, test)
        return bool(test)

    def finder(self, items: list[pytest.Item], codes: dict[CodeType, CodeType]) -> str:
        """The first test that fails with other code and passes without it."""
        while items and (test := self.failing(items, codes)):
            name = test.partition(" (")[0]
            place = next(k for k, item in enumerate(items) if item.nodeid == name)
            if name in self.trusted or not self.failing([items[place]], {}):
                self.trusted.add(name)
                return test
            print(f"         {name} fails without the fault too", flush=True)
            items = items[place + 1 :]
        return ""

    def failing(self, items: list[pytest.Item], codes: dict[CodeType, CodeType]) -> str:
        """The first test that fails in a fork, or that ends or outlives it."""
        events = SCRATCH / "events.txt"
        child = os.fork()
        if child == 0:
            code = 1
            try:
                _redirect()
                self.put(codes)
                run(items, events)
                code = 0
            finally:
                os._exit(code)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        test, outcome = events.read_text().splitlines()[-1].split("\t")
        if status > 0:
            raise SystemExit(f"a trial broke off; see {SCRATCH / 'log.txt'}")
        if status < 0:
            return f"{test} ({signal.Signals(-status).name})"
        return test if outcome == "failed" else ""

    def put(self, codes: dict[CodeType, CodeType]) -> None:
        """Give functions other code; a file that is not imported yet has it anyway."""
        files = {code.co_filename for code in codes}
        loaded = {getattr(module, "__file__", None) for module in sys.modules.values()}
        assert files & loaded <= self.functions.keys(), "functions were not found"
        for file in files & self.functions.keys():
            changed = [f for f in self.functions[file] if f.__code__ in codes]
            for function in changed:
                function.__code__ = codes[function.__code__]
            assert changed, f"{file} was compiled in another way"


def run(items: list[pytest.Item], events: Path) -> None:
    """Run tests until one fails, and write down what happens."""
    with events.open("w") as out:
        for item, after in zip(items, [*items[1:], None], strict=True):
            print(item.nodeid, "started", sep="\t", file=out, flush=True)
            signal.setitimer(signal.ITIMER_PROF, LIMIT)
            failures = Failures()
            item.config.pluginmanager.register(failures)
            item.ihook.pytest_runtest_protocol(item=item, nextitem=after)
            item.config.pluginmanager.unregister(failures)
            if failures.seen:
                print(item.nodeid, "failed", sep="\t", file=out, flush=True)
                return
        print(items[-1].nodeid, "passed", sep="\t", file=out, flush=True)


class Failures:
    """Whether a test has failed, in setting up or in itself."""

    seen = False

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Notice a failure."""
        self.seen = self.seen or report.failed


def _redirect() -> None:
    log = os.open(SCRATCH / "log.txt", os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
    os.dup2(log, 1)
    os.dup2(log, 2)


def _changed(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """Functions of a module or a class, and what they are with the fault."""
    for one, other in zip(_inside(old), _inside(new), strict=True):
        if not one.co_flags & 1:  # neither optimised nor a function: a class
            yield from _changed(one, other)
        elif one != other:
            yield one, other


def _inside(code: CodeType) -> list[CodeType]:
    return [part for part in code.co_consts if isinstance(part, CodeType)]


class Replaced:
    """A file of the copy with other text in it, for a while."""

    def __init__(self, path: Path, old: str, new: str) -> None:
        self.path, self.old, self.new = path, old, new

    def __enter__(self) -> None:
        self.before = self.path.read_text()
        if self.before.count(self.old) != 1:
            raise SystemExit(f"outdated: {self.path}: {self.old}")
        self._write(self.before.replace(self.old, self.new))

    def __exit__(self, *_: Any) -> None:
        self._write(self.before)

    def _write(self, text: str) -> None:
        """Write the file; what was compiled of it might look as new as the file."""
        self.path.write_text(text)
        for old in self.path.parent.glob(f"__pycache__/{self.path.stem}.*"):
            old.unlink()


def try_engine(fault: Fault, last: str) -> tuple[str, str]:
    """Which suite and which test notices a fault of the engine."""
    with Replaced(SCRATCH / fault.file, fault.old, fault.new):
        compile_engine("coterie_engine")
        if failed := failing_unit_test():
            return "short", f"native/tests: {failed}"
        link_module()
        places = [*([last] if last.startswith("tests/") else []), *ENGINE_TESTS]
        for suite, more in (("short", ["--short"]), ("long", [])):
            for place in places:
                command = [sys.executable, "-m", "pytest", *PYTEST, "-x", *more, place]
                if found := re.findall(
                    r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", _run(command)[1], re.M
                ):
                    return suite, found[0]
    return "none", ""


def compile_engine(target: str) -> None:
    """Compile the engine of the copy, as the one in place was compiled: ccache may know it."""
    cmake = str(Path(sys.executable).parent / "cmake")
    if not BUILD.exists():
        given = ["-DCOTERIE_PYTHON=OFF", "-DCOTERIE_TESTS=ON", "-DCMAKE_CXX_COMPILER=/usr/bin/g++"]
        if ccache := shutil.which("ccache"):
            given.append(f"-DCMAKE_CXX_COMPILER_LAUNCHER={ccache}")
        ninja = f"-DCMAKE_MAKE_PROGRAM={Path(sys.executable).parent / 'ninja'}"
        _run([cmake, "-S", str(SCRATCH), "-B", str(BUILD), "-G", "Ninja", ninja, *given])
    if _run([cmake, "--build", str(BUILD), "--target", target, "-j", "1"])[0]:
        raise SystemExit(f"the engine with the fault does not compile; see {SCRATCH / 'log.txt'}")


def link_module() -> None:
    """Link the module of the copy: of the one in place, all but the engine's library."""
    place = ROOT / "build" / "editable"
    module = next(place.glob("_engine.*so")).name
    ninja = str(Path(sys.executable).parent / "ninja")
    said = subprocess.check_output([ninja, "-C", str(place), "-t", "commands", module], text=True)
    command = said.splitlines()[-1].replace(
        "libcoterie_engine.a", str(BUILD / "libcoterie_engine.a")
    )
    target = SCRATCH / "src" / "coterie" / "native" / module
    subprocess.run(
        command.replace(f"-o {module}", f"-o {target}"), shell=True, cwd=place, check=True
    )


def failing_unit_test() -> str:
    """What fails of the engine's own tests."""
    compile_engine("coterie_tests")
    code, said = _run([str(BUILD / "coterie_tests")])
    failed = re.search(r"^FAIL (.+)$", said, re.M)
    return (failed[1] if failed else f"code {code}") if code else ""


def _run(command: list[str]) -> tuple[int, str]:
    done = subprocess.run(command, cwd=SCRATCH, capture_output=True, text=True)
    (SCRATCH / "log.txt").write_text(done.stdout + done.stderr)
    return done.returncode, done.stdout + done.stderr


def keep(record: dict[str, dict[str, str]], fault: Fault, suite: str, test: str) -> None:
    """Record the outcome of a trial."""
    record[fault.name] = {"suite": suite, "test": test}
    RECORD.write_text(json.dumps(record, indent=1, sort_keys=True) + "\n")
    print(f"{suite:9}{fault.name[:90]} | {test}", flush=True)


def table(faults: list[Fault], record: dict[str, dict[str, str]]) -> str:
    """The outcome as Markdown."""
    suites = [record[f.name]["suite"] for f in faults if f.name in record]
    short, long = suites.count("short"), suites.count("short") + suites.count("long")
    lines = [
        "# Deliberate faults",
        "",
        f"Of {len(suites)} deliberate faults the long suite finds {long}, the short one {short} "
        f"({short / max(long, 1):.0%} of those). Made by `tools/mutations.py`, which says how. It "
        "runs related tests only: what is found by the long suite here might be found by some "
        "other test of the short one. A name in brackets is the signal that ended a test. Not "
        f"tried yet: {len(faults) - len(suites)}.",
        "",
        tomllib.loads(LIST.read_text())["note"].strip(),
        "",
        "| file | instead of | stands | suite | first test that fails |",
        "|---|---|---|---|---|",
    ]
    for fault in faults:
        found = record.get(fault.name, {**NOTHING, "suite": "not tried"})
        old, new = (" ".join(text.split()).replace("|", "\\|") for text in (fault.old, fault.new))
        texts = [f"`{text}`" if text else "nothing" for text in (old, new, found["test"])]
        lines.append(f"| {fault.file} | {texts[0]} | {texts[1]} | {found['suite']} | {texts[2]} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Try the faults and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="faults of files with this in their names")
    parser.add_argument("--new", action="store_true", help="faults that no test is known to find")
    parser.add_argument(
        "--gone",
        action="store_true",
        help="only list tests that found faults, and that the short suite no longer has",
    )
    parser.add_argument("--table", action="store_true", help="only write the table")
    options = parser.parse_args()
    faults = read_list()
    trials = Trials(faults)
    record = trials.record
    if not options.table:
        chosen = [f for f in faults if options.only in f.file]
        chosen = [
            f for f in chosen if not options.new or record.get(f.name, NOTHING)["suite"] == "none"
        ]
        prepare()
        os.chdir(SCRATCH)
        os.environ |= {"PYTHONPATH": str(SCRATCH), "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        sys.dont_write_bytecode = False
        trials.faults, trials.listing = [f for f in chosen if not f.native], options.gone
        if trials.faults or options.gone:
            exec(START)
            pytest.main([*PYTEST, "--short", "tests", "src"], plugins=[trials])
        for fault in [f for f in chosen if f.native and not options.gone]:
            last = record.get(fault.name, {}).get("test", "")
            keep(record, fault, *try_engine(fault, last))
    RECORD.with_suffix(".md").write_text(table(faults, record))


if __name__ == "__main__":
    main()
