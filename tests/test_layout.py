"""The house rules that a machine can check."""

import ast
import importlib
import inspect
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
from sklearn import base as sklearn_base

import coterie

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "coterie"
MODULES = sorted(PACKAGE.rglob("*.py"))
SCRIPTS = [
    path
    for folder in ("benchmarks", "docs", "examples", "tests", "tools")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if not {"_build", "generated", "auto_examples"} & set(path.parts)
]
MAX_MODULE_LINES = 400
MAX_FUNCTION_LINES = 40
MAX_ARGUMENTS = 8
VAGUE_NAMES = {"utils", "helpers", "common", "misc", "basic"}
Function = ast.FunctionDef | ast.AsyncFunctionDef


def where(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def public_names() -> Iterator[tuple[str, object]]:
    """Everything exported by the package and by its subpackages of functions."""
    packages = ("datasets", "diversity", "fusion", "plotting", "report", "selection", "theory")
    for module in ("coterie", *(f"coterie.{package}" for package in packages)):
        exports = importlib.import_module(module)
        for name in exports.__all__:
            exported = getattr(exports, name)
            if inspect.isclass(exported) or inspect.isfunction(exported):
                yield f"{module}.{name}", exported


PUBLIC = dict(public_names())


def test_every_module_has_its_test_file():
    places = [path.relative_to(PACKAGE) for path in MODULES if path.name != "__init__.py"]
    mirrors = [ROOT / "tests" / place.with_name(f"test_{place.name}") for place in places]
    assert [where(mirror) for mirror in mirrors if not mirror.exists()] == []


@pytest.mark.parametrize("path", MODULES + SCRIPTS, ids=where)
def test_module_is_small_and_well_named(path):
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= MAX_MODULE_LINES, f"{lines} lines; is there a seam?"
    assert path.stem not in VAGUE_NAMES, "name it after what it holds"


def code_lines(source: str) -> set[int]:
    """Numbers of the lines that hold code: no blanks, comments or docstrings."""
    skipped = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT}
    skipped |= {tokenize.DEDENT, tokenize.ENDMARKER}
    lines = {
        number
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type not in skipped
        for number in range(token.start[0], token.end[0] + 1)
    }
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, Function | ast.ClassDef | ast.Module) and ast.get_docstring(node):
            docstring = node.body[0]
            lines -= set(range(docstring.lineno, (docstring.end_lineno or docstring.lineno) + 1))
    return lines


def functions(source: str) -> Iterator[Function]:
    """All functions and methods but constructors, which take what scikit-learn's take."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, Function) and node.name != "__init__":
            yield node


@pytest.mark.parametrize("path", MODULES, ids=where)
def test_functions_are_short(path):
    source = path.read_text(encoding="utf-8")
    lines = code_lines(source)
    for function in functions(source):
        span = range(function.lineno, (function.end_lineno or function.lineno) + 1)
        assert len(lines.intersection(span)) <= MAX_FUNCTION_LINES, function.name


@pytest.mark.parametrize("path", MODULES, ids=where)
def test_functions_take_few_arguments(path):
    for function in functions(path.read_text(encoding="utf-8")):
        given = function.args
        names = [argument.arg for argument in given.posonlyargs + given.args + given.kwonlyargs]
        own = [name for name in names if name not in ("self", "cls")]
        assert len(own) <= MAX_ARGUMENTS, function.name


def test_no_machine_paths():
    roots = "|".join(("home", "root", "work", "Users", "opt"))
    pattern = re.compile(rf"(?<![\w.}}])/(?:{roots})/\w")
    # In a linked work tree .git is a file that says where the repository is.
    texts = [path for path in ROOT.iterdir() if path.is_file() and path.name != ".git"]
    folders = ("native", "src", "tests", "tools", "examples", "docs", "benchmarks", ".ci")
    kinds = {".cpp", ".hpp", ".py", ".pyi", ".md", ".rst", ".toml", ".txt", ".json", ".css"}
    for folder in folders:
        texts += [path for path in (ROOT / folder).rglob("*") if path.suffix in kinds]
    for path in texts:
        found = pattern.search(path.read_text(encoding="utf-8", errors="replace"))
        assert found is None, f"{where(path)}: {found}"


def sections(docstring: str) -> dict[str, str]:
    """Sections of a numpydoc docstring by their titles."""
    parts = re.split(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", docstring, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("name", PUBLIC)
def test_public_name_has_an_example(name):
    docstring = inspect.getdoc(PUBLIC[name]) or ""
    assert ">>> " in sections(docstring).get("Examples", ""), "no runnable example"


@pytest.mark.parametrize("name", PUBLIC)
def test_public_name_documents_its_parameters(name):
    documented = sections(inspect.getdoc(PUBLIC[name]) or "").get("Parameters", "")
    # "a, b : int" documents both a and b.
    headings = re.findall(r"^([*\w][\w*, ]*?)(?: ?:.*)?$", documented, flags=re.MULTILINE)
    described = {part.strip(" *") for heading in headings for part in heading.split(",")}
    assert set(inspect.signature(PUBLIC[name]).parameters) - described == set()


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def private_uses(source: str) -> list[str]:
    """Names of scikit-learn's that start with an underscore and are used here."""
    tree = ast.parse(source)
    found, local = [], {"sklearn"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name.split(".")[0] == "sklearn"]
            local |= {alias.asname for alias in node.names if alias.name in names and alias.asname}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "sklearn":
            names = [f"{node.module}.{alias.name}" for alias in node.names]
            local |= {alias.asname or alias.name for alias in node.names}
        else:
            continue
        found += [name for name in names if any(map(is_private, name.split(".")))]
    inherited = {
        name
        for base in (sklearn_base.BaseEstimator, sklearn_base.ClassifierMixin)
        for name in dir(base)
        if is_private(name) and not name.startswith("_repr_")
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            start = node.value
            while isinstance(start, ast.Attribute):
                start = start.value
            foreign = isinstance(start, ast.Name) and start.id in local
            if foreign or node.attr in inherited:
                found.append(ast.unparse(node))
    return found


@pytest.mark.parametrize("path", MODULES + SCRIPTS, ids=where)
def test_only_the_public_part_of_scikit_learn_is_used(path):
    assert private_uses(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    "source",
    [
        "import sklearn.tree._tree",
        "from sklearn.utils._param_validation import Interval",
        "from sklearn.ensemble._forest import ForestClassifier",
        "from sklearn.utils import _safe_indexing",
        "import sklearn\nsklearn.tree._tree.Tree",
        "from sklearn import utils as u\nu._bunch",
        "from sklearn.base import BaseEstimator\nBaseEstimator._get_param_names()",
        "class A:\n    def f(self):\n        return self._get_param_names()",
    ],
)
def test_private_uses_are_found(source):
    assert len(private_uses(source)) == 1


def test_public_uses_are_allowed():
    source = "import sklearn\nfrom sklearn.utils.validation import validate_data\n"
    assert private_uses(source + "sklearn.__version__\nself._forest") == []


def test_code_lines_leave_out_what_is_not_code():
    source = '"""Doc."""\n\n# why\nx = (\n    1,\n)\n\n\ndef f():\n    """Doc."""\n    return x\n'
    assert code_lines(source) == {4, 5, 6, 9, 11}


def test_version_is_the_packages():
    toml = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert f'version = "{coterie.__version__}"' in toml
