"""How each library spells the same gradient boosting, and its own defaults.

`equal` gives every library the same rounds, leaves, bins, rate and regularisation as far as
it has them; `UNEQUAL` says what could not be made equal. `default` changes nothing but what
keeps a library quiet, reproducible and on the given number of threads.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.tables import Task

Parameters = dict[str, Any]

RATE = 0.1
LEAVES = 31
BINS = 255
ROWS = 20  # fewest in a leaf
WEIGHT = 1e-3  # least sum of hessians in a leaf
RIDGE = 1.0  # added to the sum of hessians

UNEQUAL = (
    "scikit-learn has no setting for the least sum of hessians in a leaf: it is 0.001 always.",
    "XGBoost cannot ask for a number of rows in a leaf. With squared error every row's hessian is "
    "1, and min_child_weight=20 asks for the same; with classes it is left at its default, 1.",
    "All grow leaf by leaf. CatBoost's own symmetric trees are another model, so it is given "
    "grow_policy='Lossguide', whose depth is at most 16, no noise, no bootstrap and one Newton "
    "step per leaf; the splits are chosen by gradients alone (score_function='L2').",
    "With three classes or more the hessian of a class is p (1 - p) for coterie and scikit-learn, "
    "twice that for XGBoost and c / (c - 1) times that for LightGBM with c classes: their steps "
    "are shorter. CatBoost grows one tree per round with a value for every class in its leaves, "
    "the others one tree per class.",
    "LightGBM quantised rounds slopes to few levels (use_quantized_grad, everything else as "
    "LightGBM has it).",
    "CatBoost's binary log loss is given boost_from_average=True, which is its default elsewhere.",
    "Every contender gets the table as C-ordered float32; scikit-learn makes a float64 copy of it.",
    "Threads of LightGBM, XGBoost and scikit-learn (OpenMP) spin while they wait, which counts as "
    "CPU time: on a busy machine their CPU seconds on several cores are inflated.",
)


def _kind(task: Task) -> str:
    return "Classifier" if task == "classification" else "Regressor"


def _histogram(task: Task, rounds: int) -> tuple[str, Parameters]:
    return f"HistGradientBoosting{_kind(task)}", {
        "max_iter": rounds,
        "learning_rate": RATE,
        "max_leaf_nodes": LEAVES,
        "max_bins": BINS,
        "min_samples_leaf": ROWS,
        "l2_regularization": RIDGE,
        "early_stopping": False,
    }


def _coterie(task: Task, rounds: int, classes: int) -> tuple[str, Parameters]:
    return f"HistGradientBoosting{_kind(task)}", {
        **_histogram(task, rounds)[1],
        "min_child_weight": WEIGHT,
    }


def _scikit_learn(task: Task, rounds: int, classes: int) -> tuple[str, Parameters]:
    return _histogram(task, rounds)


def _lightgbm(task: Task, rounds: int, classes: int) -> tuple[str, Parameters]:
    return f"LGBM{_kind(task)}", {
        "n_estimators": rounds,
        "learning_rate": RATE,
        "num_leaves": LEAVES,
        "max_bin": BINS,
        "min_data_in_bin": 1,  # as all others have it: small tables would get a third of the bins
        "min_child_samples": ROWS,
        "min_child_weight": WEIGHT,
        "reg_lambda": RIDGE,
        "verbosity": -1,
    }


def _quantised(task: Task, rounds: int, classes: int) -> tuple[str, Parameters]:
    name, given = _lightgbm(task, rounds, classes)
    return name, {**given, "use_quantized_grad": True}


def _xgboost(task: Task, rounds: int, classes: int) -> tuple[str, Parameters]:
    return f"XGB{_kind(task)}", {
        "n_estimators": rounds,
        "learning_rate": RATE,
        "grow_policy": "lossguide",
        "max_leaves": LEAVES,
        "max_depth": 0,
        "max_bin": BINS,
        "min_child_weight": float(ROWS) if task == "regression" else 1.0,
        "reg_lambda": RIDGE,
        "tree_method": "hist",
    }


def _catboost(task: Task, rounds: int, classes: int) -> tuple[str, Parameters]:
    average = {"boost_from_average": True} if classes == 2 else {}
    return f"CatBoost{_kind(task)}", {
        "iterations": rounds,
        "learning_rate": RATE,
        "grow_policy": "Lossguide",
        "max_leaves": LEAVES,
        "depth": 16,
        "border_count": BINS - 1,
        "min_data_in_leaf": ROWS,
        "l2_leaf_reg": RIDGE,
        "bootstrap_type": "No",
        "random_strength": 0.0,
        "leaf_estimation_method": "Newton",
        "leaf_estimation_iterations": 1,
        "boosting_type": "Plain",
        "score_function": "L2",
        "verbose": False,
        "allow_writing_files": False,
        **average,
    }


Spell = Callable[[Task, int, int], tuple[str, Parameters]]
SPELLS: dict[str, Spell] = {
    "coterie": _coterie,
    "LightGBM": _lightgbm,
    "LightGBM quantised": _quantised,
    "XGBoost": _xgboost,
    "CatBoost": _catboost,
    "scikit-learn": _scikit_learn,
}
QUIET: dict[str, Parameters] = {
    "LightGBM": {"verbosity": -1},
    "XGBoost": {"enable_categorical": True},  # it refuses categories otherwise
    "CatBoost": {"verbose": False, "allow_writing_files": False},
}
# Quantised gradients are no library's default.
DEFAULTS = tuple(name for name in SPELLS if name != "LightGBM quantised")


def _running(contender: str, threads: int, seed: int) -> Parameters:
    """Threads and seed; scikit-learn takes its threads from the environment."""
    word = {"CatBoost": "thread_count", "scikit-learn": None}.get(contender, "n_jobs")
    return {"random_state": seed} | ({} if word is None else {word: threads})


def equal(
    contender: str, task: Task, rounds: int, classes: int, *, threads: int, seed: int
) -> tuple[str, Parameters]:
    """Name of the class and its settings for the common model; ``classes`` is 0 for numbers.

    >>> equal("XGBoost", "regression", 50, 0, threads=1, seed=0)[1]["min_child_weight"]
    20.0
    """
    name, given = SPELLS[contender](task, rounds, classes)
    return name, given | _running(contender, threads, seed)


def default(contender: str, task: Task, *, threads: int, seed: int) -> tuple[str, Parameters]:
    """Name of the class, with the library's own defaults.

    >>> default("LightGBM", "regression", threads=2, seed=0)
    ('LGBMRegressor', {'verbosity': -1, 'random_state': 0, 'n_jobs': 2})
    """
    name, _ = SPELLS[contender](task, 1, 2)
    return name, QUIET.get(contender, {}) | _running(contender, threads, seed)
