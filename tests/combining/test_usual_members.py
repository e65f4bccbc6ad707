import numpy as np
import pytest

import coterie
from coterie import StackingClassifier, VotingClassifier, VotingRegressor
from coterie.combining.combiner import Combiner

#: Combiners of several members.
COMBINERS = [
    cls
    for cls in map(coterie.__getattribute__, coterie.__all__)
    if isinstance(cls, type) and issubclass(cls, Combiner) and "estimators" in cls().get_params()
]


@pytest.mark.parametrize("cls", COMBINERS)
def test_better_than_a_tree_by_default(cls, real_table):
    """Two trees, which were the default, are right on 67 to 72 of 100 vehicles."""
    kind = "Regressor" if cls.__name__.endswith("Regressor") else "Classifier"
    X, y = real_table("concrete" if kind == "Regressor" else "vehicle")
    tree = getattr(coterie, f"DecisionTree{kind}")(random_state=0).fit(X[::2], y[::2])
    model = cls(random_state=0).fit(X[::2], y[::2])
    assert model.score(X[1::2], y[1::2]) > tree.score(X[1::2], y[1::2]) + 0.02
    assert list(model.named_estimators_) == ["forest", "extra", "boosting"]


def test_several_outputs_are_left_to_forests():
    X = np.random.default_rng(0).normal(size=(60, 3))
    labels = (X[:, :2] > 0).astype(int)
    model = StackingClassifier(random_state=0).fit(X, labels)
    assert list(model.named_estimators_) == ["forest", "extra"]


@pytest.mark.parametrize("cls", [VotingClassifier, VotingRegressor])
def test_settings_reach_the_members(cls):
    X, y = np.arange(80.0).reshape(40, 2) % 7, np.arange(40) % 2
    model = cls(max_bins=16, categorical_features=[0]).fit(X, y)
    for member in model.estimators_:
        assert member.max_bins == 16
        assert member.categorical_features == [0]
