"""Build wheels for old Linux systems with Zig's Clang, and try one where there is no compiler.

    wheel.py build --arch x86_64 --arch aarch64     sdist, then wheels from that sdist, in dist/
    wheel.py check                                  install this machine's wheel, fit, compare
    wheel.py port --target x86_64-windows-gnu       compile the engine for a system, link nothing

Zig (the package `ziglang`) brings Clang, libc++ and the headers of every glibc, so that a wheel
needs only the glibc named in its tag, whatever this machine has.
"""

import argparse
import os
import platform
import resource
import shutil
import subprocess
import sys
import tarfile
import tempfile
import venv
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parents[1]
BUILD, DIST = ROOT / "build", ROOT / "dist"
GLIBC = "2.17"
TABLE = ROOT / "src/coterie/datasets/tables/german_credit.csv.gz"
# What must be the same with every compiler, and what those tests need besides the wheel.
TESTS = ("tests/golden", "tests/native")
TEST_NEEDS = ("pytest", "pytest-xdist", "hypothesis")
# More than a build asks for. Signs are left out: indices are unsigned, differences are not.
WARNINGS = [
    *("-Wall", "-Wextra", "-Wconversion", "-Wno-sign-conversion", "-Wshadow"),
    *("-Wnon-virtual-dtor", "-Wimplicit-fallthrough", "-Wno-unused-command-line-argument"),
]


def run(*command: str | Path, env: dict[str, str] | None = None, cwd: Path = ROOT) -> None:
    """Run a command; say which one failed."""
    subprocess.run([str(word) for word in command], check=True, env=env, cwd=cwd)


def compilers(arch: str) -> dict[str, str]:
    """Scripts that are Zig's Clang for one processor, as variables for CMake."""
    folder = BUILD / f"zig-{arch}"
    folder.mkdir(parents=True, exist_ok=True)
    # Zig checks for undefined behaviour wherever less is optimised than -O2.
    target = f"-target {arch}-linux-gnu.{GLIBC} -fno-sanitize=undefined"
    for name, words in {"cc": f"cc {target}", "c++": f"c++ {target}", "ar": "ar"}.items():
        script = folder / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m ziglang {words} "$@"\n')
        script.chmod(0o755)
    return {"CC": f"{folder}/cc", "CXX": f"{folder}/c++", "AR": f"{folder}/ar"}


def build_sdist() -> Path:
    """The sdist in dist/; where it was unpacked is returned."""
    from scikit_build_core.build import build_sdist as build

    DIST.mkdir(exist_ok=True)
    archive = DIST / build(str(DIST))
    shutil.rmtree(BUILD / "sdist", ignore_errors=True)
    with tarfile.open(archive) as tar:
        tar.extractall(BUILD / "sdist", filter="data")
    (source,) = (BUILD / "sdist").iterdir()
    # All files of an sdist have one time, by which a changed file would not be compiled again.
    for path in source.rglob("*"):
        if (origin := ROOT / path.relative_to(source)).is_file():
            shutil.copystat(origin, path)
    return source


def build_wheel(source: Path, arch: str) -> Path:
    """A wheel for one processor, tagged with the oldest glibc it runs on."""
    env = os.environ | compilers(arch) | {"_PYTHON_HOST_PLATFORM": f"linux-{arch}"}
    settings: dict[str, str | Path] = {
        "build-dir": BUILD / f"wheel-{arch}",
        "cmake.define.CMAKE_AR": env["AR"],
        "cmake.define.CMAKE_CXX_COMPILER_AR": env["AR"],
    }
    settings |= _clones(arch)
    here = arch == platform.machine()
    if here:
        settings |= {"cmake.define.COTERIE_TESTS": "ON"}
    else:
        settings |= {
            "cmake.define.CMAKE_SYSTEM_NAME": "Linux",
            "cmake.define.CMAKE_SYSTEM_PROCESSOR": arch,
        }
    plain = BUILD / f"plain-{arch}"
    shutil.rmtree(plain, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    options = [f"--config-settings={name}={value}" for name, value in settings.items()]
    run(*pip, *options, "--wheel-dir", plain, source, env=env)
    if here:
        _try_engine(settings["build-dir"], env)
    (wheel,) = plain.glob("*.whl")
    tag = f"manylinux_{GLIBC.replace('.', '_')}_{arch}"
    return _tagged(wheel, tag)


def _try_engine(folder: str | Path, env: dict[str, str]) -> None:
    """Run the C++ tests on the very objects that are in the wheel.

    Another compiler evaluates operands in another order and has another standard library, and so
    finds mistakes that the compiler of every day forgives.
    """
    tools = Path(sys.executable).parent
    run(tools / "cmake", "--build", folder, "--target", "coterie_tests", env=env)
    run(tools / "ctest", "--test-dir", folder, "--output-on-failure", env=env)


def _tagged(wheel: Path, tag: str) -> Path:
    """The wheel under its tag in dist/, if auditwheel finds that it deserves it.

    Nothing needs repair, as all but the C library is linked in; and auditwheel repairs only for
    the processor it runs on.
    """
    show = [sys.executable, "-m", "auditwheel", "show", str(wheel)]
    said = subprocess.run(show, check=True, capture_output=True, text=True).stdout
    if f'following platform tag: "{tag}"' not in " ".join(said.split()):
        raise SystemExit(f"{wheel.name} is not {tag}:\n{said}")
    run(sys.executable, "-m", "wheel", "tags", "--remove", "--platform-tag", tag, wheel)
    (named,) = wheel.parent.glob("*.whl")
    return Path(shutil.move(named, DIST / named.name))


def _clones(arch: str) -> dict[str, str]:
    """What hot loops need that are compiled for several processors, and chosen when loaded.

    Clang asks a variable of the compiler's library about the processor, which Zig's library does
    not have; GCC's, which is linked in, does. Without GCC, the wheel has plain loops only.
    """
    if arch != "x86_64":
        return {}
    gcc = shutil.which("gcc")
    if gcc is None:
        print("gcc was not found: the wheel is compiled for the plainest processor only")
        return {"cmake.define.COTERIE_NO_CLONES": "ON"}
    command = [gcc, "-m64", "-print-libgcc-file-name"]
    library = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    linked = ("MODULE", "EXE")  # the extension, and the C++ tests
    return {f"cmake.define.CMAKE_{kind}_LINKER_FLAGS": library for kind in linked}


def cpu_seconds(*command: str | Path, env: dict[str, str]) -> float:
    """What a command cost, the least of five runs."""
    costs = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run(*command, env=env)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        costs.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(costs)


def check(jobs: int) -> None:
    """Install this machine's wheel in an empty environment without a compiler, and try it.

    A table is fitted from the command line, the engine is tested, and models of every family must
    have the bits that are on record from another compiler.
    """
    wheel = max(DIST.glob(f"*{platform.machine()}.whl"), key=lambda path: path.stat().st_mtime)
    home = BUILD / "wheel-check"
    venv.create(home, with_pip=True, clear=True)
    env = {"PATH": str(home / "bin"), "HOME": str(home), "LANG": "C.UTF-8"}
    if shutil.which("c++", path=env["PATH"]) or shutil.which("cc", path=env["PATH"]):
        raise SystemExit(f"There is a compiler in {env['PATH']}, so this would show nothing.")
    python = home / "bin/python"
    quiet = ["--quiet", "--disable-pip-version-check", "--only-binary", ":all:"]
    run(python, "-m", "pip", "install", *quiet, f"{wheel}[cli]", env=env, cwd=home)
    fit: list[str | Path] = [
        "fit",
        TABLE,
        "--target",
        "target",
        "--time",
        "10s",
        "--out",
        home / "run",
    ]
    run(home / "bin/coterie", *fit, env=env, cwd=home)
    inside = [path for path in home.rglob("coterie") if path.parent.name == "site-packages"]
    size = sum(path.stat().st_size for path in inside[0].rglob("*") if path.is_file())
    empty, alone, forest = (
        cpu_seconds(python, "-c", line, env=env)
        for line in ("", "import coterie", "from coterie import RandomForestClassifier")
    )
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, installed {size / 1e6:.1f} MB")
    print(f"import coterie: {alone - empty:.2f} CPU seconds; with a forest: {forest - empty:.2f}")
    run(python, "-m", "pip", "install", *quiet, *TEST_NEEDS, env=env, cwd=home)
    pytest: list[str | Path] = [python, "-m", "pytest", "-q", f"-n{jobs}", "-p", "no:cacheprovider"]
    run(*pytest, *TESTS, env=env | {"OMP_NUM_THREADS": "1"})  # each process has a core


def port(target: str) -> None:
    """Compile the engine for another system with many warnings, as errors, and keep nothing."""
    zig = [sys.executable, "-m", "ziglang", "c++", "-target", target, "-c", "-O0", "-std=c++20"]
    flags = ["-Werror", *WARNINGS, f"-I{ROOT / 'native/include'}"]
    sources = sorted((ROOT / "native/src").glob("*.cpp"))
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:

        def compiled(source: Path) -> bool:
            out = ["-o", f"{folder}/{source.stem}.o"]
            return subprocess.run([*zig, *flags, source, *out], check=False).returncode == 0

        done = pool.map(compiled, sources)
        failed = [file.name for file, worked in zip(sources, done, strict=True) if not worked]
    if failed:
        raise SystemExit(f"{target}: {', '.join(failed)} did not compile without warnings")
    print(f"{target}: {len(sources)} files compile without warnings")


def main() -> None:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    building = commands.add_parser("build")
    building.add_argument("--arch", action="append", choices=["x86_64", "aarch64"])
    checking = commands.add_parser("check")
    checking.add_argument("--jobs", type=int, default=2)
    porting = commands.add_parser("port")
    porting.add_argument("--target", action="append", required=True)
    arguments = parser.parse_args()
    if arguments.command == "build":
        source = build_sdist()
        for arch in arguments.arch or [platform.machine()]:
            print(build_wheel(source, arch))
    elif arguments.command == "check":
        check(arguments.jobs)
    else:
        for target in arguments.target:
            port(target)


if __name__ == "__main__":
    main()
