"""The same model in every library's words."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

from benchmarks.contenders import CONTENDERS, Model
from benchmarks.gradient_models import DEFAULTS, SPELLS, default, equal
from benchmarks.runner import installed

TASKS = [("classification", 2), ("classification", 3), ("regression", 0)]


def rows(classes: int) -> tuple[Any, Any]:
    """A table with something to learn."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3)).astype(np.float32)
    score = X[:, 0] + X[:, 1] * X[:, 2]
    return X, np.digitize(score, [-0.5, 0.5][: classes - 1]) if classes else score


def present(name: str) -> str:
    """The name of an installed contender."""
    if name not in installed():
        pytest.skip(f"{name} is not installed")
    return name


@pytest.mark.parametrize(("task", "classes"), TASKS)
@pytest.mark.parametrize("name", sorted(SPELLS))
def test_every_library_understands_its_settings(name: str, task: Any, classes: int) -> None:
    X, y = rows(classes)
    model = CONTENDERS[present(name)].build(Model("gradient", task, 3, 400, 3, classes), 1, 0)
    model.fit(X, y)
    output = model.predict_proba(X) if classes else model.predict(X)
    assert output.shape == ((400, classes) if classes else (400,))
    learnt = np.mean(output.argmax(axis=1) == y) if classes else np.corrcoef(output, y)[0, 1]
    assert learnt > 0.7


@pytest.mark.parametrize("name", sorted(DEFAULTS))
def test_defaults_are_left_alone(name: str) -> None:
    class_name, given = default(name, "regression", threads=2, seed=1)
    quiet = {"verbosity", "verbose", "allow_writing_files", "enable_categorical"}
    assert given.keys() <= quiet | {"random_state", "n_jobs", "thread_count"}
    assert given["random_state"] == 1
    CONTENDERS[present(name)].find(class_name)(**given)


def test_ours_takes_every_setting_of_scikit_learn() -> None:
    theirs = equal("scikit-learn", "classification", 7, 2, threads=1, seed=0)[1]
    ours = equal("coterie", "classification", 7, 2, threads=1, seed=0)[1]
    assert ours == theirs | {"min_child_weight": 1e-3, "n_jobs": 1}


def test_rounds_leaves_and_rate_are_the_same_for_all() -> None:
    words = {
        "rounds": ("max_iter", "n_estimators", "iterations"),
        "leaves": ("max_leaf_nodes", "num_leaves", "max_leaves"),
        "rate": ("learning_rate",),
        "ridge": ("l2_regularization", "reg_lambda", "l2_leaf_reg"),
    }
    for name in SPELLS:
        given = equal(name, "classification", 17, 2, threads=1, seed=0)[1]
        found = {k: [given[w] for w in v if w in given] for k, v in words.items()}
        assert found == {"rounds": [17], "leaves": [31], "rate": [0.1], "ridge": [1.0]}


def test_the_module_says_what_differs() -> None:
    import benchmarks.gradient_models as module

    assert all(isinstance(words, str) for words in module.UNEQUAL)
    assert "UNEQUAL" in (inspect.getdoc(module) or "")
