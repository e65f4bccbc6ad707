import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


def test_the_example_runs_and_prints(capsys):
    pytest.importorskip("pandas")
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(example, README.name, "exec"), {})
    printed = re.fullmatch(r"out-of-bag (0\.\d+), test (0\.\d+)\n", capsys.readouterr().out)
    assert printed is not None
    # Calling every customer good would give 0.700.
    assert all(float(accuracy) > 0.71 for accuracy in printed.groups())


def test_the_files_it_points_at_exist():
    targets = re.findall(r"\]\((?!http)([^)#]+)\)", README.read_text(encoding="utf-8"))
    assert targets
    assert [path for path in targets if not (README.parent / path).exists()] == []
