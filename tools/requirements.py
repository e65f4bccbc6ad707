"""Print requirements named in pyproject.toml, one a line, for `pip install -r`.

Usage: requirements.py GROUP..., where a group is "build", "run" or an extra.
"""

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
# CMake and Ninja are no build requirements of the package (a system's own will do);
# here they come from PyPI so that nothing but a compiler need be installed.
TOOLS = ["cmake>=3.26", "ninja"]


def expand(group: str, config: dict[str, Any]) -> Iterator[str]:
    """Requirements of one group, with `coterie[extra]` replaced by what it means."""
    project = config["project"]
    if group == "build":
        yield from config["build-system"]["requires"] + TOOLS
        return
    if group == "run":
        yield from project["dependencies"]
        return
    extras = project["optional-dependencies"]
    if group not in extras:
        raise SystemExit(f"pyproject.toml has no extra {group!r}; it has {', '.join(extras)}")
    for requirement in extras[group]:
        own = re.fullmatch(rf"{project['name']}\[(.+)\]", requirement)
        if own is None:
            yield requirement
        else:
            for name in own[1].split(","):
                yield from expand(name.strip(), config)


def main(groups: list[str]) -> None:
    """Print the requirements of all groups, each once."""
    config = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))
    print("\n".join(dict.fromkeys(line for group in groups for line in expand(group, config))))


if __name__ == "__main__":
    main(sys.argv[1:])
