import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes, load_iris

from coterie import (
    AdaBoostClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    VotingRegressor,
    shap_trees,
    shap_values,
)

IRIS, DIABETES = load_iris(return_X_y=True), load_diabetes(return_X_y=True)
MODELS = [
    (DecisionTreeClassifier(max_depth=3), IRIS),
    (RandomForestClassifier(5, random_state=0), IRIS),
    (AdaBoostClassifier(n_estimators=5, random_state=0), IRIS),
    (HistGradientBoostingClassifier(max_iter=3), IRIS),
    (HistGradientBoostingRegressor(max_iter=5), DIABETES),
]


def walk(given, X):
    """What the dictionary says of rows, by the rules of the explainer."""
    total = np.zeros((len(X), given["trees"][0]["values"].shape[1])) + given["base_offset"]
    for tree in given["trees"]:
        for row, cells in enumerate(X):
            node = 0
            while tree["children_left"][node] >= 0:
                cell = cells[tree["features"][node]]
                if np.isnan(cell):
                    node = tree["children_default"][node]
                elif cell <= tree["thresholds"][node]:
                    node = tree["children_left"][node]
                else:
                    node = tree["children_right"][node]
            total[row] += tree["values"][node]
    return total


@pytest.mark.parametrize(("model", "data"), MODELS)
def test_trees_add_up_to_what_is_explained(model, data):
    X, y = data
    X = X.copy()
    X[::7, 0] = np.nan
    model.fit(X, y)
    found = shap_values(model, X[:20])
    wanted = found.values.sum(axis=1) + found.base_values
    assert np.allclose(walk(shap_trees(model), X[:20]), wanted.reshape(20, -1), rtol=1e-9)


@pytest.mark.parametrize(("model", "data"), MODELS)
def test_the_package_finds_the_same_values(model, data):
    shap = pytest.importorskip("shap")
    X, y = data
    explained = shap.TreeExplainer(shap_trees(model.fit(X, y))).shap_values(X[:20])
    assert np.allclose(explained, shap_values(model, X[:20]).values, atol=1e-6)


def test_what_it_cannot_express():
    frame = pd.DataFrame({"a": pd.Categorical(["x", "y", "z", "x"] * 10)})
    tree = DecisionTreeRegressor().fit(frame, [0.0, 1.0, 0.0, 0.0] * 10)
    with pytest.raises(ValueError, match="sets of categories"):
        shap_trees(tree)
    vote = VotingRegressor([("a", DecisionTreeRegressor())]).fit(*DIABETES)
    with pytest.raises(TypeError, match="not VotingRegressor"):
        shap_trees(vote)
