"""Averages of regressors."""

import numpy as np
import pytest
import sklearn.ensemble as peer
from sklearn.datasets import load_diabetes
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.tree import DecisionTreeRegressor

from coterie import VotingRegressor, WeightedAverageRegressor, fusion

X, y = load_diabetes(return_X_y=True)


def members():
    return [
        ("line", LinearRegression()),
        ("tree", DecisionTreeRegressor(max_depth=3, random_state=0)),
        ("ridge", Ridge(0.5)),
    ]


@pytest.mark.parametrize("weights", [None, [1, 2, 5]])
def test_same_as_scikit_learn(weights):
    ours = VotingRegressor(members(), weights=weights).fit(X, y)
    theirs = peer.VotingRegressor(members(), weights=weights).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-12)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-12)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    ours.set_params(tree="drop").fit(X, y)
    theirs.set_params(tree="drop").fit(X, y)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-12)
    assert ours.named_estimators_["tree"] == "drop"


def test_rules():
    model = VotingRegressor(members(), rule="median").fit(X, y)
    np.testing.assert_allclose(model.predict(X), np.median(model.transform(X), axis=1))
    own = VotingRegressor(members(), rule=lambda said: said.max(axis=0)).fit(X, y)
    np.testing.assert_allclose(own.predict(X), own.transform(X).max(axis=1))
    with pytest.raises(ValueError, match="does not use weights"):
        VotingRegressor(members(), rule="median", weights=[1, 1, 1]).fit(X, y)
    with pytest.raises(ValueError, match="should be a regressor"):
        VotingRegressor([("m", peer.RandomForestClassifier())]).fit(X, y)


@pytest.mark.parametrize("rule", ["simplex", "nnls", "covariance", "inverse_error"])
def test_weights_of_unseen_rows(rule):
    model = WeightedAverageRegressor(members(), weights=rule, cv=KFold(4)).fit(X, y)
    Z = np.stack([cross_val_predict(member, X, y, cv=KFold(4)) for _, member in members()])
    C = fusion.error_covariance(Z, y)
    np.testing.assert_allclose(model.covariance_, C, rtol=1e-9)
    expected = {
        "simplex": fusion.simplex_weights(Z, y),
        "nnls": fusion.nnls_weights(Z, y),
        "covariance": fusion.covariance_weights(C),
        "inverse_error": fusion.inverse_error_weights(np.diag(C)),
    }[rule]
    np.testing.assert_allclose(model.weights_, expected, rtol=1e-6, atol=1e-9)
    total = model.transform(X) @ model.weights_
    np.testing.assert_allclose(model.predict(X), total, rtol=1e-9)
    if rule == "simplex":  # on unseen rows it is at least as good as every member
        assert expected @ C @ expected <= np.diag(C).min() * (1 + 1e-9)


def test_members_of_one_and_of_copies():
    alone = WeightedAverageRegressor([("line", LinearRegression())]).fit(X, y)
    np.testing.assert_allclose(alone.predict(X), LinearRegression().fit(X, y).predict(X))
    copies = [("a", Ridge(0.5)), ("b", Ridge(0.5)), ("mean", DummyRegressor())]
    once = [("a", Ridge(0.5)), ("mean", DummyRegressor())]
    twice = WeightedAverageRegressor(copies, cv=4).fit(X, y).predict(X)
    np.testing.assert_allclose(
        twice, WeightedAverageRegressor(once, cv=4).fit(X, y).predict(X), rtol=1e-6
    )


def test_fitted_members():
    fitted = [(name, member.fit(X[:300], y[:300])) for name, member in members()]
    model = WeightedAverageRegressor(fitted, cv="prefit").fit(X[300:], y[300:])
    Z = np.stack([member.predict(X[300:]) for _, member in fitted])
    np.testing.assert_allclose(model.weights_, fusion.simplex_weights(Z, y[300:]), atol=1e-9)
