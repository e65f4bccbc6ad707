"""The house rules that a machine can check."""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from sklearn import base as sklearn_base

import coterie

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "coterie"
MODULES = sorted(PACKAGE.rglob("*.py"))
GENERATED = {"_build", "generated", "auto_examples"}  # by make docs
SCRIPTS = [
    path
    for folder in ("benchmarks", "docs", "examples", "tests", "tools")
    for path in sorted((ROOT / folder).rglob("*.py"))
    if not GENERATED & set(path.parts)
]
MAX_MODULE_LINES = 400
MAX_FUNCTION_LINES = 40
MAX_ARGUMENTS = 8
MAX_DEPTH = 4
VAGUE_NAMES = {"utils", "helpers", "common", "misc", "basic"}
Function = ast.FunctionDef | ast.AsyncFunctionDef


def where(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def public_names() -> Iterator[tuple[str, object]]:
    """Everything exported by the package and by its subpackages of functions."""
    packages = (
        *("clustering", "datasets", "diversity", "fusion", "plotting", "ranking", "report"),
        *("selection", "semisupervised", "survival", "theory"),
    )
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


def test_modules_are_small():
    # Only what is long with its docstrings needs to be parsed.
    long = [path for path in MODULES + SCRIPTS if len(written_lines(read(path))) > MAX_MODULE_LINES]
    sizes = {where(path): len(code_lines(read(path))) for path in long}
    assert {path: size for path, size in sizes.items() if size > MAX_MODULE_LINES} == {}


def test_modules_are_named_after_what_they_hold():
    assert [where(path) for path in MODULES + SCRIPTS if path.stem in VAGUE_NAMES] == []


@cache
def parse(source: str) -> ast.Module:
    return ast.parse(source)


@cache
def blocks(source: str) -> list[ast.Module | ast.ClassDef | Function]:
    """The module, its classes and its functions; no expression is looked at."""
    found: list[Any] = [parse(source)]
    waiting: list[Any] = found.copy()
    while waiting:
        node = waiting.pop()
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            inner = getattr(node, name, [])
            waiting += inner
            found += [one for one in inner if isinstance(one, Function | ast.ClassDef)]
    return found


def written_lines(source: str) -> set[int]:
    """Numbers of the lines that are neither blank nor a comment."""
    return {
        number
        for number, line in enumerate(source.splitlines(), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    }


@cache
def code_lines(source: str) -> set[int]:
    """Numbers of the lines that hold code: no blanks, comments or docstrings."""
    lines = written_lines(source)
    for node in blocks(source):
        if ast.get_docstring(node, clean=False):
            docstring = node.body[0]
            lines -= set(range(docstring.lineno, (docstring.end_lineno or docstring.lineno) + 1))
    return lines


def functions(source: str) -> Iterator[Function]:
    """All functions and methods but constructors, which take what scikit-learn's take."""
    for node in blocks(source):
        if isinstance(node, Function) and node.name != "__init__":
            yield node


def is_long(function: Function, lines: set[int]) -> bool:
    span = range(function.lineno, (function.end_lineno or function.lineno) + 1)
    return len(lines.intersection(span)) > MAX_FUNCTION_LINES


def test_functions_are_short():
    long = [
        f"{where(path)}: {function.name}"
        for path in MODULES
        for lines in [code_lines(read(path))]
        for function in functions(read(path))
        if is_long(function, lines)
    ]
    assert long == []


def n_arguments(function: Function) -> int:
    given = function.args
    names = [argument.arg for argument in given.posonlyargs + given.args + given.kwonlyargs]
    return len([name for name in names if name not in ("self", "cls")])


def test_functions_take_few_arguments():
    greedy = [
        f"{where(path)}: {function.name}"
        for path in MODULES
        for function in functions(read(path))
        # What `fit` of a booster takes, users of other libraries decide.
        if function.name != "fit" and n_arguments(function) > MAX_ARGUMENTS
    ]
    assert greedy == []


def depth(cls: type) -> int:
    """How many of coterie's own classes follow one another, from a class to its root."""
    own = cls.__module__.partition(".")[0] == "coterie"
    return own + max(map(depth, cls.__bases__), default=0)


def test_inheritance_is_shallow():
    """What only some classes of a family share goes into a mixin, not into one more level."""
    names = [".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts) for path in MODULES]
    modules = [importlib.import_module(name) for name in names if not name.endswith("__main__")]
    classes = {cls for module in modules for cls in vars(module).values() if inspect.isclass(cls)}
    deep = {f"{cls.__module__}.{cls.__qualname__}" for cls in classes if depth(cls) > MAX_DEPTH}
    assert deep == set()


def test_depth_counts_the_longest_row_of_own_classes():
    root = type("Root", (sklearn_base.BaseEstimator,), {"__module__": "coterie.base"})
    mixin = type("Mixin", (), {"__module__": "coterie.base"})
    middle = type("Middle", (mixin, root), {"__module__": "coterie.base"})
    leaf = type("Leaf", (sklearn_base.ClassifierMixin, middle), {"__module__": "coterie.base"})
    foreign = type("Foreign", (leaf,), {"__module__": "elsewhere"})
    assert [depth(cls) for cls in (root, middle, leaf, foreign)] == [1, 2, 3, 3]


def test_no_machine_paths():
    roots = "|".join(("home", "root", "work", "Users", "opt"))
    pattern = re.compile(rf"(?<![\w.}}])/(?:{roots})/\w")
    # In a linked work tree .git is a file that says where the repository is.
    texts = [path for path in ROOT.iterdir() if path.is_file() and path.name != ".git"]
    folders = ("native", "src", "tests", "tools", "examples", "docs", "benchmarks", ".ci")
    kinds = {".cpp", ".hpp", ".py", ".pyi", ".md", ".rst", ".toml", ".txt", ".json", ".css"}
    for folder in folders:
        texts += [
            path
            for path in (ROOT / folder).rglob("*")
            if path.suffix in kinds and not GENERATED & set(path.parts)
        ]
    for path in texts:
        found = pattern.search(path.read_text(encoding="utf-8", errors="replace"))
        assert found is None, f"{where(path)}: {found}"


def sections(docstring: str) -> dict[str, str]:
    """Sections of a numpydoc docstring by their titles."""
    parts = re.split(r"^([A-Z][A-Za-z ]+)\n-{3,}\n", docstring, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_public_names_have_examples():
    examples = {
        name: sections(inspect.getdoc(exported) or "").get("Examples", "")
        for name, exported in PUBLIC.items()
    }
    assert [name for name, text in examples.items() if ">>> " not in text] == []


def undocumented(exported: Any) -> set[str]:
    """Parameters that a docstring does not mention."""
    documented = sections(inspect.getdoc(exported) or "").get("Parameters", "")
    # "a, b : int" documents both a and b.
    headings = re.findall(r"^([*\w][\w*, ]*?)(?: ?:.*)?$", documented, flags=re.MULTILINE)
    described = {part.strip(" *") for heading in headings for part in heading.split(",")}
    return set(inspect.signature(exported).parameters) - described


def test_public_names_document_their_parameters():
    missing = {name: undocumented(exported) for name, exported in PUBLIC.items()}
    assert {name: parameters for name, parameters in missing.items() if parameters} == {}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


#: What estimators inherit and must not rely on.
INHERITED = {
    name
    for base in (sklearn_base.BaseEstimator, sklearn_base.ClassifierMixin)
    for name in dir(base)
    if is_private(name) and not name.startswith("_repr_")
}


def private_uses(source: str) -> list[str]:
    """Names of scikit-learn's that start with an underscore and are used here."""
    if not any(word in source for word in ("sklearn", *INHERITED)):
        return []
    tree = parse(source)
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
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and is_private(node.attr):
            start = node.value
            while isinstance(start, ast.Attribute):
                start = start.value
            foreign = isinstance(start, ast.Name) and start.id in local
            if foreign or node.attr in INHERITED:
                found.append(ast.unparse(node))
    return found


@pytest.mark.slow
def test_only_the_public_part_of_scikit_learn_is_used():
    used = {where(path): private_uses(read(path)) for path in MODULES + SCRIPTS}
    assert {path: names for path, names in used.items() if names} == {}


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
