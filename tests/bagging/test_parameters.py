import pickle

import numpy as np
import pytest
from scipy.stats import loguniform, randint
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from coterie import (
    DecisionTreeClassifier,
    RandomParametersClassifier,
    RandomParametersRegressor,
)
from coterie.bagging.parameters import draw_parameters
from coterie.core import View, growing_stream
from coterie.data import Table, Target

IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)


def test_draws_come_from_lists_and_distributions():
    rng = np.random.default_rng(0)
    spread = {"a": [1, None, "x"], "b": randint(3, 5), "c": loguniform(0.1, 10)}
    drawn = [draw_parameters(spread, rng) for _ in range(200)]
    assert {one["a"] for one in drawn} == {1, None, "x"}
    assert {one["b"] for one in drawn} == {3, 4}
    assert all(type(one["b"]) is int and 0.1 <= one["c"] <= 10 for one in drawn)


def test_a_point_and_a_deterministic_learner_make_equal_members():
    X, y = IRIS
    model = RandomParametersClassifier(
        GaussianNB(), 5, distributions={"var_smoothing": [1e-6]}, random_state=0
    ).fit(X, y)
    alone = GaussianNB(var_smoothing=1e-6).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), alone.predict_proba(X))


def test_members_have_the_parameters_they_drew():
    X, y = DIABETES
    model = RandomParametersRegressor(
        Ridge(), 8, distributions={"alpha": loguniform(1e-3, 1e3)}, random_state=0
    ).fit(X, y)
    alphas = [member.alpha for member in model.estimators_]
    assert len(set(alphas)) == 8
    mean = np.mean([Ridge(alpha=a).fit(X, y).predict(X) for a in alphas], axis=0)
    np.testing.assert_allclose(model.predict(X), mean)


def test_native_trees_show_what_they_drew():
    X, y = IRIS
    spread = {"max_depth": [1, 3], "criterion": ["gini", "entropy"]}
    model = RandomParametersClassifier(
        DecisionTreeClassifier(), 12, distributions=spread, random_state=0
    ).fit(X, y)
    depths = [tree.max_depth for tree in model.estimators_]
    assert set(depths) == {1, 3}
    assert [tree.get_depth() for tree in model.estimators_] == depths
    assert {tree.criterion for tree in model.estimators_} == {"gini", "entropy"}
    default = RandomParametersClassifier(n_estimators=12, random_state=0).fit(X, y)
    assert len({str(tree.get_params()) for tree in default.estimators_}) == 12


def test_useless_draws_are_made_again():
    X, y = IRIS
    spread = {"n_neighbors": [-1, 3]}
    model = RandomParametersClassifier(
        KNeighborsClassifier(), 6, distributions=spread, random_state=0
    ).fit(X, y)
    assert [member.n_neighbors for member in model.estimators_] == [3] * 6
    native = RandomParametersClassifier(
        n_estimators=6, distributions={"max_depth": [-1, 2]}, random_state=0
    ).fit(X, y)
    assert [tree.max_depth for tree in native.estimators_] == [2] * 6
    with pytest.raises(ValueError, match="could not be fitted"):
        RandomParametersClassifier(distributions={"max_depth": [-1]}).fit(X, y)


def test_refusals():
    X, y = IRIS
    for spread, message in (
        ({"depth": [1]}, "not a parameter of DecisionTreeClassifier"),
        ({"max_depth": []}, "list of values"),
        ({"max_depth": "deep"}, "list of values"),
    ):
        with pytest.raises(ValueError, match=message):
            RandomParametersClassifier(distributions=spread).fit(X, y)
    with pytest.raises(ValueError, match="which parameters of GaussianNB"):
        RandomParametersClassifier(GaussianNB()).fit(X, y)
    with pytest.raises(ValueError, match="bootstrap=True"):
        RandomParametersClassifier(weights="score").fit(X, y)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["score", "stack"])
def test_weights_by_rows_outside(method):
    """Of good and useless members, the useless ones lose their say."""
    X, y = DIABETES
    spread = {"alpha": [0.01, 1e9]}
    model = RandomParametersRegressor(
        Ridge(), 24, distributions=spread, bootstrap=True, weights=method, random_state=0
    )
    model.fit(X, y)
    useless = np.array([member.alpha > 1 for member in model.estimators_])
    weights = model.pool_.weights
    assert weights.sum() == pytest.approx(1)
    assert weights[useless].mean() < 0.7 * weights[~useless].mean()
    even = model.reweighted(np.ones(24))
    assert model.oob_metric("r2", X, y) > even.oob_metric("r2", X, y)


def test_what_is_drawn_travels_to_other_processes():
    X, y = IRIS
    model = RandomParametersClassifier(n_estimators=1, random_state=0).fit(X, y)
    view = View(Table.read(X).bin(), Target.labels(y))
    learner = model._learner(model._member(), view, None, 1, np.zeros(1, np.uint8))
    seed = model.bags_.seed(0)
    member = pickle.loads(pickle.dumps(learner)).fit(
        view.table, view.target, None, growing_stream(seed)
    )
    np.testing.assert_array_equal(member.predict(X), model.predict_proba(X))
