"""Ensembles of all kinds, and whether a picture shows something."""

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import ensemble
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import coterie

NAMED = [
    ("Bayes", GaussianNB()),
    ("stump", DecisionTreeClassifier(max_depth=1)),
    ("logistic", LogisticRegression(max_iter=2000)),
]
CLASSIFIERS: dict[str, Any] = {
    "forest of scikit-learn": ensemble.RandomForestClassifier(5, max_depth=3, random_state=0),
    "bagging of scikit-learn": ensemble.BaggingClassifier(
        DecisionTreeClassifier(max_depth=2), 5, max_features=0.5, random_state=0
    ),
    "AdaBoost of scikit-learn": ensemble.AdaBoostClassifier(n_estimators=5, random_state=0),
    "gradient boosting of scikit-learn": ensemble.GradientBoostingClassifier(
        n_estimators=5, random_state=0
    ),
    "histograms of scikit-learn": ensemble.HistGradientBoostingClassifier(
        max_iter=5, random_state=0
    ),
    "votes of scikit-learn": ensemble.VotingClassifier(NAMED),
    "probabilities of scikit-learn": ensemble.VotingClassifier(
        NAMED, voting="soft", weights=[1, 2, 2]
    ),
    "stack of scikit-learn": ensemble.StackingClassifier(NAMED),
    "forest": coterie.RandomForestClassifier(5, max_depth=3, random_state=0),
    "bagging": coterie.BaggingClassifier(n_estimators=5, random_state=0),
    "subspaces": coterie.RandomSubspaceClassifier(n_estimators=5, random_state=0),
    "AdaBoost": coterie.AdaBoostClassifier(n_estimators=5),
    "gradient boosting": coterie.HistGradientBoostingClassifier(max_iter=5, random_state=0),
    "votes": coterie.VotingClassifier(NAMED),
    "stack": coterie.StackingClassifier(NAMED),
    "list": [model for _, model in NAMED],
    "named list": NAMED,
}


def rows(part: str) -> tuple[Any, Any]:
    """Two columns of the irises, by names: rows to train on, or others."""
    X, y = load_iris(return_X_y=True)
    X, y = X[:, :2] + np.arange(150)[:, None] * 1e-4, np.array(["se", "ve", "vi"])[y]
    chosen = np.arange(150) % 2 == (part == "test")
    return X[chosen], y[chosen]


@cache
def fitted(name: str) -> Any:
    """One of the ensembles, trained once."""
    from sklearn.base import clone

    model, train = CLASSIFIERS[name], rows("train")
    if not isinstance(model, list):
        return clone(model).fit(*train)
    if isinstance(model[0], tuple):
        return [(called, clone(member).fit(*train)) for called, member in model]
    return [clone(member).fit(*train) for member in model]


def check_picture(figure: Any) -> NDArray[np.uint8]:
    """Draw it: it is not empty, and axes with data say what they show."""
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[:, :, :3]
    assert pixels.std() > 5, "an empty picture"
    main = [ax for ax in figure.axes if ax.get_label() != "<colorbar>"]
    shown = [ax for ax in main if ax.has_data()]
    assert shown, "nothing is drawn"
    assert any(ax.get_title() for ax in shown)
    assert any(ax.get_xlabel() for ax in shown)
    assert any(ax.get_ylabel() for ax in shown)
    return pixels


def texts(ax: Any) -> str:
    """All words of a picture."""
    legend = ax.get_legend()
    words = [ax.get_title(), ax.get_xlabel(), ax.get_ylabel()]
    words += [text.get_text() for text in legend.get_texts()] if legend else []
    return " | ".join(words)
