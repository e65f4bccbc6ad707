"""
A first comparison with scikit-learn
====================================

Trees and forests of coterie and of scikit-learn are trained on one public data set with equal
settings and numbers of threads, and the results are printed side by side. The data set is MAGIC:
the shapes of 19,020 light flashes in a Cherenkov telescope, simulated by its physicists, each made
by a gamma ray (``g``) or by a hadron (``h``).
"""

import time

import sklearn.ensemble
import sklearn.tree
from sklearn.model_selection import train_test_split

import coterie
from coterie.datasets import load_table

FOREST = {"n_estimators": 100, "bootstrap": True, "oob_score": True, "n_jobs": -1}
CONTENDERS = [
    ("DecisionTreeClassifier", sklearn.tree, {}),
    ("RandomForestClassifier", sklearn.ensemble, FOREST),
    ("ExtraTreesClassifier", sklearn.ensemble, FOREST),
]


def measure(model, train, test):
    """Accuracy on the test rows, out-of-bag accuracy, and seconds to fit."""
    start = time.perf_counter()
    model.fit(*train)
    seconds = time.perf_counter() - start
    return model.score(*test), getattr(model, "oob_score_", None), seconds


def row(name, library, accuracy, oob, seconds, ratio):
    """One aligned line of the comparison."""
    oob = "" if oob is None else f"{oob:.4f}"
    return f"{name:<24}{library:<14}{accuracy:>8.4f}{oob:>12}{seconds:>10.3f}{ratio:>14}"


def main():
    """Print the comparison."""
    X, y = load_table("magic", return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(
        X, y, test_size=0.3, stratify=y, random_state=0
    )
    train, test = (X_train, y_train), (X_test, y_test)
    print(f"magic: {len(X_train):,} rows to train on, {len(X_test):,} to test on\n")
    print(f"{'model':<24}{'library':<14}{'accuracy':>8}{'out-of-bag':>12}{'seconds':>10}", end="")
    print(f"{'times faster':>14}")
    for name, theirs, settings in CONTENDERS:
        ours = measure(getattr(coterie, name)(random_state=0, **settings), train, test)
        peer = measure(getattr(theirs, name)(random_state=0, **settings), train, test)
        print(row(name, "coterie", *ours, f"{peer[2] / ours[2]:.1f}"))
        print(row("", "scikit-learn", *peer, ""))


if __name__ == "__main__":
    main()
