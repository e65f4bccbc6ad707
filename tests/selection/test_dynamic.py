"""The pool and the rows it is judged by, whatever is predicted."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.tree import DecisionTreeClassifier

import coterie
from coterie import DynamicSelectionClassifier, DynamicSelectionRegressor

X, Y = make_classification(400, 6, n_informative=4, n_classes=3, random_state=0)


class Recorder(DecisionTreeClassifier):
    """Remembers the rows it was fitted on."""

    def fit(self, X, y, sample_weight=None):
        self.seen_ = X.copy()
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("share", [0.3, 0.5])
def test_members_do_not_see_the_rows_they_are_judged_by(share):
    model = DynamicSelectionClassifier([Recorder(), Recorder()], dsel_size=share, random_state=0)
    model.fit(X, Y)
    seen = {tuple(row) for row in model.estimators_[0].seen_}
    mean, deviation = model.ground_.coordinates.mean, model.ground_.coordinates.deviation
    largest = model.ground_.coordinates.largest
    judged = (model.ground_.points * deviation + mean) * largest
    apart = [min(np.abs(row - np.array(other)).max() for other in seen) for row in judged[:20]]
    assert min(apart) > 1e-6
    assert len(judged) == pytest.approx(share * 400, abs=2)
    assert len(seen) + len(judged) == 400


def test_a_fitted_pool_is_not_fitted_again():
    forest = coterie.RandomForestClassifier(n_estimators=10, random_state=0).fit(X[:200], Y[:200])
    model = DynamicSelectionClassifier(forest, prefit=True).fit(X[200:], Y[200:])
    assert model.ensemble_ is forest
    assert len(model.ground_.points) == 200
    assert len(model.estimators_) == 10


def test_a_fitted_pool_may_know_more_classes():
    forest = coterie.RandomForestClassifier(n_estimators=10, random_state=0).fit(X[:200], Y[:200])
    some = np.flatnonzero(Y[200:] > 0) + 200
    model = DynamicSelectionClassifier(forest, prefit=True).fit(X[some], Y[some])
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict_proba(X).shape == (400, 3)
    assert (model.predict(X) == 0).any()


def test_pools_that_are_not_fitted_are_refused():
    with pytest.raises(NotFittedError):
        DynamicSelectionClassifier([GaussianNB()], prefit=True).fit(X, Y)
    with pytest.raises(ValueError, match="fitted pool"):
        DynamicSelectionClassifier(prefit=True).fit(X, Y)
    with pytest.raises(ValueError, match="no model"):
        DynamicSelectionClassifier([]).fit(X, Y)
    with pytest.raises(TypeError, match="Pass estimators"):
        DynamicSelectionClassifier(["tree"]).fit(X, Y)


def test_one_member_is_that_member():
    one = DynamicSelectionClassifier([GaussianNB()], random_state=0).fit(X, Y)
    np.testing.assert_array_equal(one.predict(X), one.estimators_[0].predict(X))
    number = DynamicSelectionRegressor([LinearRegression()], random_state=0).fit(X, X[:, 0])
    np.testing.assert_allclose(number.predict(X), number.estimators_[0].predict(X))


@pytest.mark.slow
def test_members_without_weights_take_repeated_rows():
    weight = np.random.default_rng(0).integers(1, 4, 400)
    pool = [KNeighborsClassifier(5), LogisticRegression(max_iter=500)]
    weighted = DynamicSelectionClassifier(pool, random_state=0).fit(X, Y, weight)
    repeated = DynamicSelectionClassifier(pool, random_state=0)
    repeated.fit(np.repeat(X, weight, axis=0), np.repeat(Y, weight))
    np.testing.assert_array_equal(weighted.predict(X), repeated.predict(X))


@pytest.mark.parametrize("method", ["knora_u", "meta_des", "rrc", "knop", "des_mi", "a_priori"])
def test_weights_are_repetitions_for_methods(method):
    weight = np.random.default_rng(0).integers(1, 4, 120)
    pool = coterie.RandomForestClassifier(n_estimators=8, draw="repeats")
    weighted = DynamicSelectionClassifier(pool, method=method, random_state=0)
    repeated = DynamicSelectionClassifier(pool, method=method, random_state=0)
    weighted.fit(X[:120], Y[:120], weight)
    repeated.fit(np.repeat(X[:120], weight, axis=0), np.repeat(Y[:120], weight))
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), rtol=1e-6)


@pytest.mark.slow
def test_neighbours_of_all_kinds():
    pool = coterie.RandomForestClassifier(n_estimators=20, max_depth=3)
    found = {}
    for search in ("exact", "approximate", NearestNeighbors()):
        model = DynamicSelectionClassifier(pool, neighbors=search, random_state=0).fit(X, Y)
        found[str(search)] = model.predict(X)
    np.testing.assert_array_equal(found["exact"], found["NearestNeighbors()"])
    assert (found["exact"] == found["approximate"]).mean() > 0.9


def test_more_neighbours_than_rows_are_all_rows():
    pool = coterie.RandomForestClassifier(n_estimators=5)
    many = DynamicSelectionClassifier(pool, n_neighbors=10**6, method="ola", random_state=0)
    exact = DynamicSelectionClassifier(pool, n_neighbors=200, method="ola", random_state=0)
    np.testing.assert_array_equal(many.fit(X, Y).predict(X), exact.fit(X, Y).predict(X))


def test_seeds_decide_who_judges():
    pool = [GaussianNB(), DecisionTreeClassifier(max_depth=2)]
    one, two = (DynamicSelectionClassifier(pool, random_state=s).fit(X, Y) for s in (0, 1))
    assert not np.array_equal(one.ground_.points[:5], two.ground_.points[:5])
