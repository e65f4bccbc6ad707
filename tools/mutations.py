"""Deliberate faults, and which tests find them.

``python tools/mutations.py`` puts one fault of `tools/mutations.toml` after the other into a copy
of the tree and runs the tests that should notice it: those of the short suite first and, if none
of them fails, all. ``--only adaboost`` tries the faults of files with that in their names, ``--part
2/3`` the second third of them; ``--out benchmarks/results/mutations.md`` writes the table.

Only related tests run: the doctests of the file, the tests that mirror it, the golden models, the
folder of the mirroring tests, and the contract rows of the classes named in the list. The engine
is compiled anew for faults in ``native/``.
"""

from __future__ import annotations

import argparse
import importlib
import os
import shutil
import subprocess
import sys
import tomllib
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SCRATCH = ROOT / "build" / "mutations"
LIST = Path(__file__).with_suffix(".toml")
COPIED = ("src", "tests", "native", "conftest.py", "pyproject.toml", "CMakeLists.txt")
#: The copy is imported instead of the package that is installed in place, in subprocesses too.
START = """
import sys
sys.meta_path[:] = [f for f in sys.meta_path if "Redirecting" not in type(f).__name__]
sys.path.insert(0, {src!r})
"""
#: What pytest returns if a test fails, if a module cannot be imported, if there are no tests.
FAILED, BROKEN, NO_TESTS = 1, 2, 5
IMPORTED = (
    *("numpy", "scipy.stats", "scipy.optimize", "sklearn.ensemble", "sklearn.pipeline"),
    *("sklearn.linear_model", "sklearn.neural_network", "sklearn.utils.estimator_checks"),
    *("pandas", "polars", "pyarrow", "narwhals", "joblib", "pytest"),
)
CONTROL = ("tests/core",)
ENGINE_TESTS = ("tests/native", "tests/golden", "tests/trees", "tests/boosting/gradient")


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

    def stages(self) -> Iterator[list[str]]:
        """Arguments of pytest, the likeliest to notice first."""
        if self.native:
            yield from ([folder] for folder in ENGINE_TESTS)
            return
        inside = Path(self.file).relative_to("src/coterie")
        mirror = Path("tests") / inside.with_name(f"test_{inside.name}")
        yield [self.file, *([str(mirror)] if (ROOT / mirror).exists() else [])]
        yield ["tests/golden"]
        yield [str(mirror.parent)]
        if self.contract:
            yield ["tests/contract", "-k", self.contract]


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
    """A fresh copy of the tree, with the engine where Python files are."""
    shutil.rmtree(SCRATCH, ignore_errors=True)
    SCRATCH.mkdir(parents=True)
    for name in COPIED:
        source, target = ROOT / name, SCRATCH / name
        ignored = shutil.ignore_patterns("__pycache__")
        if source.is_dir():
            shutil.copytree(source, target, ignore=ignored)
        else:
            shutil.copy(source, target)
    engine = next((ROOT / "build" / "editable").glob("_engine.*so"))
    shutil.copy(engine, SCRATCH / "src" / "coterie" / "native")
    (SCRATCH / "sitecustomize.py").write_text(START.format(src=str(SCRATCH / "src")))


def compiled() -> bool:
    """Compile the engine of the copy; whether its own tests pass."""
    build, scripts = SCRATCH / "compiled", Path(sys.executable).parent
    cmake = [str(scripts / "cmake")]
    ninja = f"-DCMAKE_MAKE_PROGRAM={scripts / 'ninja'}"
    settings = [
        "-DCOTERIE_NO_CLONES=ON",
        "-DCOTERIE_TESTS=ON",
        f"-DPython_EXECUTABLE={sys.executable}",
    ]
    if not build.exists():
        _run([*cmake, "-S", str(SCRATCH), "-B", str(build), "-G", "Ninja", ninja, *settings])
    if _run([*cmake, "--build", str(build), "--target", "_engine", "coterie_tests"]):
        raise SystemExit("the engine with the fault does not compile")
    engine = next(build.glob("_engine.*so"))
    shutil.copy(engine, SCRATCH / "src" / "coterie" / "native")
    return _run([str(build / "coterie_tests")]) == 0


def _run(command: list[str]) -> int:
    with (SCRATCH / "log.txt").open("w") as log:
        return subprocess.run(command, cwd=SCRATCH, stdout=log, stderr=subprocess.STDOUT).returncode


def _fails(arguments: list[str]) -> bool:
    """Whether a test fails, in a fork: what is slow to import was imported once."""
    child = os.fork()
    if child:
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if code not in (0, FAILED, BROKEN, NO_TESTS):
            raise SystemExit(f"pytest ended with {code}; see {SCRATCH / 'log.txt'}")
        return code in (FAILED, BROKEN)
    os.chdir(SCRATCH)
    log = os.open("log.txt", os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
    os.dup2(log, 1)
    os.dup2(log, 2)
    exec(START.format(src=str(SCRATCH / "src")))
    import pytest

    code = 3
    try:
        code = int(pytest.main(["-q", "-x", "-p", "no:cacheprovider", *arguments]))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def import_once() -> None:
    """What every run of tests imports, but for the package itself."""
    os.environ |= {"PYTHONPATH": str(SCRATCH), "OMP_NUM_THREADS": "1"}
    os.environ["MPLBACKEND"] = "Agg"
    for name in IMPORTED:
        importlib.import_module(name)


def noticed_by(fault: Fault) -> str:
    """The suite that notices a fault: "short", "long" or "none"."""
    if fault.native and not compiled():
        return "short"
    for suite, more in (("short", ["--short"]), ("long", [])):
        if any(_fails([*more, *arguments]) for arguments in fault.stages()):
            return suite
    return "none"


def try_out(fault: Fault) -> str:
    """Which suite notices a fault; the copy is as it was afterwards."""
    path = SCRATCH / fault.file
    before = path.read_text()
    if before.count(fault.old) != 1:
        return "outdated"
    try:
        _write(path, before.replace(fault.old, fault.new))
        return noticed_by(fault)
    finally:
        _write(path, before)


def _write(path: Path, text: str) -> None:
    """Write a file; what was compiled of it might look as new as the file."""
    path.write_text(text)
    for old in path.parent.glob(f"__pycache__/{path.stem}.*"):
        old.unlink()


def table(results: list[tuple[Fault, str]]) -> str:
    """The outcome as Markdown."""
    found = [by for _, by in results]
    short, long = found.count("short"), found.count("short") + found.count("long")
    lines = [
        "# Deliberate faults",
        "",
        f"Of {len(found)} deliberate faults the long suite finds {long}, the short one {short} "
        f"({short / max(long, 1):.0%} of those). Made by `tools/mutations.py`.",
        "",
        "| file | instead of | stands | found by |",
        "|---|---|---|---|",
    ]
    for fault, by in results:
        old, new = (text.strip().replace("|", "\\|") for text in (fault.old, fault.new))
        lines.append(f"| {fault.file} | `{old}` | {f'`{new}`' if new else 'nothing'} | {by} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Try the faults and report."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="faults of files with this in their names")
    parser.add_argument("--part", default="1/1", help="2/3: the second third of the faults")
    parser.add_argument("--out", type=Path, help="where to write the table")
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    global SCRATCH
    SCRATCH = ROOT / "build" / f"mutations-{part}"
    prepare()
    import_once()
    if _fails(["--short", *CONTROL]):
        raise SystemExit(f"tests fail without a fault; see {SCRATCH / 'log.txt'}")
    results = []
    for fault in [f for f in read_list() if options.only in f.file][part - 1 :: parts]:
        results.append((fault, try_out(fault)))
        print(f"{results[-1][1]:9}{fault.file}: {fault.old.strip()[:70]}", flush=True)
    text = table(results)
    if options.out:
        options.out.write_text(text)
    print(text.splitlines()[2])


if __name__ == "__main__":
    main()
