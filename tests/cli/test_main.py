import os
import subprocess
import sys
import warnings

import pytest

from coterie.cli import main as main_module
from coterie.cli.main import COMMANDS, root, run


def python(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **environment},
        check=False,
    )


def test_help_imports_nothing_heavy_and_names_all_commands():
    done = python(
        "import sys\n"
        "from coterie.cli import main\n"
        "try: main(['--help'])\n"
        "except SystemExit as end: code = end.code\n"
        "heavy = {'numpy', 'scipy', 'sklearn', 'pyarrow', 'rich', 'rich_click', 'narwhals'}\n"
        "print(code, sorted(heavy & set(sys.modules)))"
    )
    assert done.stdout.splitlines()[-1] == "0 []"
    assert all(f"  {name} " in done.stdout for name in COMMANDS)
    assert "130" in done.stdout
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize("package", ["click", "rich_click", "pyarrow"])
def test_without_the_extra_one_line_names_it(package):
    done = python(
        "import sys\n"
        "from importlib.abc import MetaPathFinder\n"
        "class Hide(MetaPathFinder):\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name == '{package}': raise ModuleNotFoundError(name, name=name)\n"
        "sys.meta_path.insert(0, Hide())\n"
        "from coterie.cli import main\n"
        "main(['--help'])"
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert 'pip install "coterie[cli]"' in done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(call, name):
    said = call(name, "--help")
    assert said.code == 0
    assert f"coterie {name}" in said.out
    command = root.get_command(None, name)
    assert command is not None
    assert command.name == name


def test_version(call):
    from coterie import __version__

    assert call("--version") == (0, f"coterie {__version__}\n", "")


def test_wrong_use_is_code_2(call):
    said = call("fti")
    assert said.code == 2
    assert 'Did you mean "fit"?' in said.err
    assert call("predict").code == 2
    assert call("fit", "a.csv", "--target", "y", "--time", "soon").code == 2


def broken(error):
    def fail(_):
        raise error

    return fail


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (ValueError("X is odd"), 1, "error: X is odd"),
        (ZeroDivisionError("oh"), 1, "--debug"),
    ],
)
def test_nothing_is_a_traceback_but_with_debug(capsys, monkeypatch, error, code, words):
    monkeypatch.setattr(main_module, "_run", broken(error))
    assert run([]) == code
    said = capsys.readouterr().err
    assert words in said
    assert "Traceback" not in said
    if code == 1:
        with pytest.raises(type(error)):
            run(["--debug"])


def test_warnings_are_notes(capsys, monkeypatch):
    def warn(_):
        warnings.simplefilter("default")
        warnings.warn("odd numbers", UserWarning, stacklevel=1)
        return 0

    monkeypatch.setattr(main_module, "_run", warn)
    assert run([]) == 0
    assert capsys.readouterr().err == "note: odd numbers\n"


@pytest.mark.skipif(os.name != "posix", reason="pipes")
def test_a_closed_pipe_ends_it_quietly():
    code = "from coterie.cli import main; main(['info', '--help'])"
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=writer, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


def test_errors_of_the_system_name_the_file(capsys, monkeypatch):
    error = OSError(28, "No space left on device", "/full/a.csv")
    monkeypatch.setattr(main_module, "_run", broken(error))
    assert run([]) == 1
    assert capsys.readouterr().err == "error: /full/a.csv: No space left on device\n"
