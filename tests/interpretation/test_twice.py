import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, make_moons
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsClassifier

from coterie import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    TwiceLearningClassifier,
    TwiceLearningRegressor,
    shap_values,
)
from coterie.interpretation.twice import soft_rows


@pytest.mark.slow
@pytest.mark.parametrize("data", ["cancer", "moons"])
def test_noisy_labels_teach_a_better_tree(data):
    """A fifth of the training labels is wrong: the student gains more than .05, as NeC4.5 does."""
    if data == "cancer":
        X, y = load_breast_cancer(return_X_y=True)
    else:
        X, y = make_moons(600, noise=0.2, random_state=0)
    gains = []
    for seed in range(2):
        rng = np.random.default_rng(seed)
        order = rng.permutation(len(y))
        train, test = order[: len(y) // 2], order[len(y) // 2 :]
        noisy = np.where(rng.random(len(train)) < 0.2, 1 - y[train], y[train])
        alone = DecisionTreeClassifier(random_state=0).fit(X[train], noisy)
        taught = TwiceLearningClassifier(mix=1.0, random_state=seed).fit(X[train], noisy)
        gains.append(taught.score(X[test], y[test]) - alone.score(X[test], y[test]))
    assert np.mean(gains) > 0.05


def test_nothing_to_learn_from_a_teacher_that_knows_all_by_heart():
    """Without virtual rows, a teacher that interpolates leaves the ordinary tree."""
    X, y = make_moons(100, noise=0.3, random_state=0)
    model = TwiceLearningClassifier(
        KNeighborsClassifier(1), mu=0, unseen=False, soft=False, pruning=0, random_state=0
    ).fit(X, y)
    alone = DecisionTreeClassifier(random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.student_.tree_.threshold, alone.tree_.threshold)
    assert model.fidelity_ == 1.0
    assert model.n_virtual_ == 0


def test_a_tree_teaches_itself():
    """A teacher that the student can represent is found again, given enough virtual rows."""
    rng = np.random.default_rng(0)
    X = rng.uniform(size=(200, 3))
    y = (X[:, 0] > 0.5).astype(int) + (X[:, 1] > 0.3)
    teacher = DecisionTreeClassifier(max_depth=2).fit(X, y)
    model = TwiceLearningClassifier(
        teacher, prefit=True, mu=20.0, mix=1.0, generator="uniform", soft=False, random_state=0
    ).fit(X, y)
    assert model.fidelity_ > 0.99
    assert model.n_virtual_ == 4000


def test_probabilities_are_learnt_as_weights():
    """A tree on soft labels is the regression tree on the probabilities."""
    X, y = make_moons(120, noise=0.3, random_state=0)
    chances = np.clip(0.2 + 0.6 * y + 0.1 * X[:, 0], 0.05, 0.95)
    rows, classes, weight = soft_rows(np.column_stack([1 - chances, chances]))
    assert len(rows) == 240
    soft = DecisionTreeClassifier(max_leaf_nodes=5).fit(X[rows], classes, weight)
    plain = DecisionTreeRegressor(max_leaf_nodes=5).fit(X, chances)
    np.testing.assert_allclose(soft.predict_proba(X)[:, 1], plain.predict(X))


def test_students_of_other_kinds():
    X, y = make_moons(100, noise=0.3, random_state=0)
    with pytest.raises(TypeError, match="does not accept weights"):
        TwiceLearningClassifier(student=KNeighborsClassifier()).fit(X, y)
    model = TwiceLearningClassifier(student=KNeighborsClassifier(), soft=False, random_state=0)
    assert model.fit(X, y).score(X, y) > 0.8
    assert isinstance(model.student_, KNeighborsClassifier)


@pytest.mark.slow
def test_limits_of_the_default_student():
    X, y = make_moons(200, noise=0.3, random_state=0)
    model = TwiceLearningClassifier(max_leaf_nodes=4, random_state=0).fit(X, y)
    assert model.student_.get_n_leaves() <= 4
    whole = TwiceLearningClassifier(pruning=0, random_state=0).fit(X, y)
    pruned = TwiceLearningClassifier(pruning=0.01, random_state=0).fit(X, y)
    assert pruned.student_.get_n_leaves() < whole.student_.get_n_leaves()


def test_a_regression_tree_follows_its_teacher():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = X[:, 0] + 0.5 * rng.normal(size=300)
    model = TwiceLearningRegressor(LinearRegression(), mu=10, mix=1.0, random_state=0).fit(X, y)
    alone = DecisionTreeRegressor(random_state=0).fit(X, y)
    new = rng.normal(size=(300, 2))
    assert model.score(new, new[:, 0]) > alone.score(new, new[:, 0]) + 0.05
    assert model.fidelity_ > 0.95


def test_the_student_is_explained():
    X, y = make_moons(100, noise=0.3, random_state=0)
    model = TwiceLearningClassifier(random_state=0).fit(X, y)
    explanation = shap_values(model, X)
    total = explanation.base_values + explanation.values.sum(axis=1)
    np.testing.assert_allclose(total, model.predict_proba(X), atol=1e-9)
