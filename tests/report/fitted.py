"""Objects with the attributes of a fitted search, made of honest predictions of a few models."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from coterie import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from coterie.automl.metrics import find_metric
from coterie.automl.records import (
    Column,
    Contribution,
    Effect,
    Entry,
    Finding,
    LearningCurve,
    Subgroup,
    TableMember,
)

BEHIND = {"behind": 0.02, "behind_low": -0.01, "behind_high": 0.05}
WEIGHTS = (0.4, 0.3, 0.2, 0.1, 0.0)


def candidates(numbers: bool) -> dict[str, tuple[str, Any]]:
    """A few models of different families, by name."""
    if numbers:
        return {
            "gradient boosting": ("boosting", HistGradientBoostingRegressor(max_iter=30)),
            "random forest": ("forest", RandomForestRegressor(30, random_state=0)),
            "linear": ("linear", make_pipeline(StandardScaler(), Ridge())),
            "extra trees": ("forest", ExtraTreesRegressor(30, random_state=0)),
            "neighbours": ("neighbours", make_pipeline(StandardScaler(), KNeighborsRegressor())),
        }
    return {
        "gradient boosting": ("boosting", HistGradientBoostingClassifier(max_iter=30)),
        "random forest": ("forest", RandomForestClassifier(30, random_state=0)),
        "logistic": ("linear", make_pipeline(StandardScaler(), LogisticRegression())),
        "extra trees": ("forest", ExtraTreesClassifier(30, random_state=0)),
        "neighbours": ("neighbours", make_pipeline(StandardScaler(), KNeighborsClassifier())),
    }


def fitted(X: Any, y: Any, task: str, names: list[str], target: str = "target") -> SimpleNamespace:
    """What a search that chose four of five candidates would leave behind."""
    numbers = task == "regression"
    classes, truth = (None, np.asarray(y, float)) if numbers else np.unique(y, return_inverse=True)
    tried = candidates(numbers)
    method = "predict" if numbers else "predict_proba"
    votes = np.stack(
        [cross_val_predict(model, X, truth, cv=3, method=method) for _, model in tried.values()]
    ).reshape(len(tried), len(truth), -1)
    weights = np.array(WEIGHTS)
    final = np.tensordot(weights, votes, axes=1)
    metric = find_metric("auto", "regression" if numbers else "classification")
    shape = (lambda votes: votes[:, 0]) if numbers else (lambda votes: votes)
    scores = [metric(truth, shape(vote)) for vote in votes]
    entries = [
        Entry(name, family, "member", score, *metric.interval(truth, shape(vote)), *(1.25, 0.05))
        for (name, (family, _)), score, vote in zip(tried.items(), scores, votes, strict=True)
    ]
    entries = [
        Entry(**vars(entry) | {"weight": weight, "chosen": weight > 0, **BEHIND})
        for entry, weight in zip(entries, WEIGHTS, strict=True)
    ]
    ends = metric.interval(truth, shape(final))
    whole = Entry("ensemble", "weighted mean", "ensemble", metric(truth, shape(final)), *ends, 5, 1)
    entries.append(Entry(**vars(whole) | {"weight": 1.0, "chosen": True}))
    return SimpleNamespace(
        task_=task,
        n_features_in_=len(names),
        metric_=metric.name,
        greater_is_better_=metric.greater_is_better,
        target_name_=target,
        feature_names_in_=np.array(names, dtype=object),
        classes_=classes,
        leaderboard_=sorted(entries, key=lambda entry: entry.score),
        members_=[
            TableMember(name, family, weight, [model])
            for (name, (family, model)), weight in zip(tried.items(), WEIGHTS, strict=True)
            if weight > 0
        ],
        out_of_fold_=shape(final),
        member_out_of_fold_=votes[:4],
        truth_=truth,
        **_story(names, metric, scores, votes, weights, truth, shape),
    )


def insights(names: list[str], n_outputs: int) -> dict[str, Any]:
    """Effects, contributions, groups and a learning curve, made up."""
    outputs = [0] if n_outputs == 1 else [1] if n_outputs == 2 else [2, 0, 1]
    curve = np.linspace(0.2, 0.8, 5)
    rows = [(curve + shift).tolist() for shift in (-0.1, 0.1)]
    means = [(curve / (k + 1)).tolist() for k in range(len(outputs))]
    rng = np.random.default_rng(0)
    return {
        "effects_": [
            Effect(names[0], [1.0, 2.0, 3.5, 4.0, 9.0], outputs, means, rows),
            Effect(names[1], list("abcde"), outputs, means, rows),
        ],
        "contributions_": [
            Contribution(name, outputs[0], rng.normal(0, 0.1 * (i + 1), 40).tolist(), [level] * 40)
            for i, (name, level) in enumerate(zip(names[:2], (0.5, np.nan), strict=True))
        ],
        "subgroups_": [Subgroup(names[1], "bad", 60, 99.0, 98.0, 100.0)]
        + [Subgroup(names[1], f"like the rest {i}", 60, 0.0, -1e9, 1e9) for i in range(3)],
        "learning_curve_": LearningCurve(
            "gradient boosting", [100, 200, 400], [0.9, 0.7, 0.6], 0.1, 0.01
        ),
    }


def _story(names, metric, scores, votes, weights, truth, shape) -> dict[str, Any]:
    """What a search says about the table and about itself."""
    prefixes = [weights[: m + 1] / weights[: m + 1].sum() for m in range(4)]
    best = np.minimum.accumulate(scores)
    return {
        "findings_": [
            Finding("missing", "info", [names[0]], f"{names[0]} lacks values.", "Nothing to do."),
            Finding("leak", "danger", [names[1]], f"{names[1]} gives the target away.", "Drop it."),
        ],
        "columns_": [Column(name, "number", 0.01 * i, 100 + i) for i, name in enumerate(names)],
        "history_": [
            {
                "name": f"candidate {i}",
                "seconds": 1.5,
                "elapsed": 1.5 * (i + 1),
                "score": s,
                "best": b,
            }
            for i, (s, b) in enumerate(zip(scores, best, strict=True))
        ],
        "importances_": {name: (0.1 / (i + 1), 0.01) for i, name in enumerate(names)},
        "size_curve_": [
            (m + 1, metric(truth, shape(np.tensordot(prefix, votes[: m + 1], axes=1))))
            for m, prefix in enumerate(prefixes)
        ],
        **insights(names, votes.shape[2]),
        "made_": {
            "versions": {"coterie": "0.1.0", "numpy": np.__version__},
            "seed": 0,
            "fingerprint": "ab" * 32,
            "rows": len(truth),
            "columns": len(names),
            "seconds": 12.5,
            "settings": {"time_limit": 60.0, "members": "auto"},
            "date": "2026-11-16",
        },
        "stopped_": "time",
    }
