"""What several files say about the package must agree."""

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
RECIPE = (ROOT / "conda" / "meta.yaml").read_text(encoding="utf-8")


def recipe_list(name: str) -> list[str]:
    """The items of one list of the conda recipe."""
    items = re.search(rf"^  {name}:\n((?:    - .*\n)+)", RECIPE, re.MULTILINE)
    assert items is not None
    return re.findall(r"- ([^#\n]*[^#\s])", items[1])


def test_the_conda_recipe_needs_what_the_package_needs():
    needed = {str(Requirement(line)) for line in PROJECT["dependencies"]}
    needed.add(f"python{PROJECT['requires-python']}")
    assert {item.replace(" ", "") for item in recipe_list("run")} == needed


def test_every_file_has_the_same_version():
    version = PROJECT["version"]
    assert f'set version = "{version}"' in RECIPE
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: \"?([^\"\n]+)", citation, re.MULTILINE)[1] == version
    assert f"\n## {version} " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def test_the_oldest_versions_tested_are_the_lower_bounds():
    lines = (ROOT / "tests" / "oldest.txt").read_text(encoding="utf-8").splitlines()
    tested = [Requirement(line) for line in lines if line.strip() and not line.startswith("#")]
    oldest_python = {"python_version": PROJECT["requires-python"].removeprefix(">=")}
    pinned = {
        one.name: str(one.specifier)
        for one in tested
        if one.marker is None or one.marker.evaluate(oldest_python)
    }
    for line in PROJECT["dependencies"]:
        requirement = Requirement(line)
        (bound,) = requirement.specifier
        assert bound.operator == ">=", line
        assert pinned[requirement.name] == f"=={bound.version}.*", line
