"""Golden model files: written once for each version of the format, and read for ever after.

``python -m tests.export.goldens`` writes those of the present version. Do it when the format gets a
new version, never to make a test pass.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import coterie
from coterie.export.container import FORMAT

FOLDER = Path(__file__).with_name("golden")


def table() -> tuple[pd.DataFrame, np.ndarray, np.ndarray]:
    """Rows that need no random numbers, classes and numbers."""
    n = np.arange(60)
    frame = pd.DataFrame(
        {
            "size": np.where(n % 7 == 3, np.nan, np.round(np.sin(n) * 3, 3)),
            "colour": np.array(["red", "blue", "green"])[n * n % 3],
            "count": (n * 37 % 11).astype(float),
        }
    )
    score = np.nan_to_num(frame["size"].to_numpy()) + (frame["colour"] == "blue") - n % 5 / 2
    return frame, np.array(["low", "middle", "high"])[np.digitize(score, [-1.5, 0.5])], score


def models() -> dict[str, Any]:
    """Some of every kind, small."""
    tree = coterie.DecisionTreeClassifier(max_depth=2)
    return {
        "forest": coterie.RandomForestClassifier(3, max_depth=3, random_state=0),
        "gradient": coterie.HistGradientBoostingRegressor(max_iter=4, min_samples_leaf=4),
        "gradient-classes": coterie.HistGradientBoostingClassifier(max_iter=3, min_samples_leaf=4),
        "adaboost": coterie.AdaBoostClassifier(tree, n_estimators=3, random_state=0),
        "bagging": coterie.BaggingRegressor(
            n_estimators=3, random_state=np.random.RandomState(7), max_samples=0.5
        ),
        "stacking": coterie.StackingClassifier(
            [("tree", tree), ("extra", coterie.ExtraTreeClassifier(max_depth=2, random_state=0))],
            final_estimator="mlr",
            cv=coterie.RowFolds(3),
        ),
        "neighbours": coterie.KNNEnsembleClassifier(n_estimators=2, random_state=0),
    }


def answers(model: Any, frame: pd.DataFrame) -> list[Any]:
    """What a model says, as JSON can hold it."""
    ask = model.predict_proba if hasattr(model, "predict_proba") else model.predict
    said: list[Any] = np.asarray(ask(frame)).tolist()
    return said


def write() -> None:
    """Write the files and what their models say."""
    frame, labels, numbers = table()
    expected = {}
    for name, model in models().items():
        y = labels if hasattr(model, "predict_proba") else numbers
        path = FOLDER / f"v{FORMAT}-{name}.coterie"
        coterie.save(model.fit(frame, y), path)
        expected[path.name] = answers(model, frame)
    (FOLDER / f"v{FORMAT}.json").write_text(json.dumps(expected), encoding="utf-8")


if __name__ == "__main__":
    write()
