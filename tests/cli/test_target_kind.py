"""What is to be predicted, and whether that was found or said."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from coterie.cli.target_kind import kinds_of, streamed_task, task_line
from coterie.files.errors import CommandError

READ = SimpleNamespace(shortage="")


def options(task="auto"):
    return {"task": task, "target": "sold"}


def test_what_was_found_can_be_overridden():
    line = task_line("classification", np.array(["b", "a"]), Path("t.csv"), options(), READ)
    assert line.startswith('target "sold": classification, 2 classes: a, b (detected')
    assert "--task regression" in line
    told = task_line("regression", np.arange(9), Path("t.csv"), options("regression"), READ)
    assert told == 'target "sold": regression, numbers'


@pytest.mark.parametrize("shortage", ["", "Half of the file was read."])
def test_a_single_class_is_an_error(shortage):
    read = SimpleNamespace(shortage=shortage)
    with pytest.raises(CommandError, match="only one class, 'a'") as found:
        task_line("classification", np.array(["a"]), Path("t.csv"), options(), read)
    assert ("longer --time" if shortage else "another --target") in str(found.value.cure)


def test_targets_of_streams():
    words = SimpleNamespace(classes=np.array(["a", "b"]), y=np.array([0, 1]))
    numbers = SimpleNamespace(classes=None, y=np.linspace(0, 1, 50))
    assert streamed_task(words, options()) == "classification"
    assert streamed_task(numbers, options()) == "regression"
    assert streamed_task(numbers, options("classification")) == "classification"
    with pytest.raises(CommandError, match="contains text"):
        streamed_task(words, options("regression"))
    assert kinds_of(words).tolist() == ["a", "b"]
    assert kinds_of(SimpleNamespace(classes=None, y=np.array([3, 1, 3]))).tolist() == [1, 3]
