"""Audit what coterie depends on for known vulnerabilities, and write a bill of materials.

Every distribution that coterie needs, with all extras for users, is listed in dist/sbom.json
(CycloneDX). `--offline` lists them without asking for vulnerabilities.
"""

import argparse
import json
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"
OWN = "coterie"
EXTRAS = ("all",)


def canonical(name: str) -> str:
    """The one way to write a distribution's name."""
    return re.sub(r"[-_.]+", "-", name).lower()


def needed(name: str, extras: tuple[str, ...], found: dict[str, set[str]]) -> None:
    """Follow the requirements of an installed distribution; note who needs whom."""
    requirements = distribution(name).requires or []
    on = found.setdefault(canonical(name), set())
    for line in requirements:
        requirement = Requirement(line)
        wanted = (
            requirement.marker.evaluate({"extra": extra}) if requirement.marker else True
            for extra in extras or ("",)
        )
        if not any(wanted):
            continue
        other = canonical(requirement.name)
        if other != canonical(name):
            on.add(other)
        fresh = other not in found or other == OWN
        if fresh and (other != OWN or requirement.extras):
            try:
                needed(other, tuple(requirement.extras), found)
            except PackageNotFoundError:
                on.discard(other)
                print(f"{requirement.name}: not installed, left out", file=sys.stderr)


def component(name: str) -> dict[str, object]:
    """One distribution, as CycloneDX describes it."""
    about = distribution(name).metadata.json
    licence = about.get("license_expression") or str(about.get("license", "")).split("\n")[0]
    described: dict[str, object] = {
        "type": "library",
        "bom-ref": name,
        "name": about["name"],
        "version": about["version"],
        "purl": f"pkg:pypi/{name}@{about['version']}",
    }
    if licence and len(licence) < 80:
        described["licenses"] = [{"license": {"name": licence}}]
    return described


def bill() -> dict[str, object]:
    """The bill of materials of the environment this runs in."""
    found: dict[str, set[str]] = {}
    needed(OWN, EXTRAS, found)
    own = component(OWN) | {"type": "library"}
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": own},
        "components": [component(name) for name in sorted(found) if name != OWN],
        "dependencies": [
            {"ref": name, "dependsOn": sorted(others & found.keys())}
            for name, others in sorted(found.items())
        ],
    }


def audit(listed: dict[str, object]) -> int:
    """Ask pip-audit about these very versions."""
    components = listed["components"]
    assert isinstance(components, list)
    pins = DIST / "requirements.txt"
    lines = (f"{one['name']}=={one['version']}\n" for one in components)
    pins.write_text("".join(lines), encoding="utf-8")
    # Strict: what could not be asked about is not clean.
    options = ["--no-deps", "--disable-pip", "--strict", "--progress-spinner", "off"]
    command = [sys.executable, "-m", "pip_audit", *options, "-r", str(pins)]
    return subprocess.run(command, check=False).returncode


def main() -> int:
    """List, then audit."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--offline", action="store_true", help="do not ask for vulnerabilities")
    offline = parser.parse_args().offline
    listed = bill()
    DIST.mkdir(exist_ok=True)
    out = DIST / "sbom.json"
    out.write_text(json.dumps(listed, indent=1) + "\n", encoding="utf-8")
    print(f"{out.relative_to(ROOT)}: {len(listed['components'])} distributions")  # type: ignore[arg-type]
    return 0 if offline else audit(listed)


if __name__ == "__main__":
    sys.exit(main())
