"""Stacking: scikit-learn's behaviour, and what goes beyond."""

import numpy as np
import pytest
import sklearn
import sklearn.ensemble as peer
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge, RidgeCV
from sklearn.model_selection import (
    KFold,
    ShuffleSplit,
    TimeSeriesSplit,
    cross_val_predict,
    cross_val_score,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from coterie import RandomForestClassifier, StackingClassifier, StackingRegressor

X, y = load_iris(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
NAMES = np.array(["setosa", "versicolor", "virginica"])
D, t = load_diabetes(return_X_y=True)


def members():
    return [
        ("bayes", GaussianNB()),
        ("tree", DecisionTreeClassifier(max_depth=2, random_state=0)),
    ]


def regressors():
    return [
        ("ridge", Ridge(0.1)),
        ("tree", DecisionTreeRegressor(max_depth=3, random_state=0)),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("cv", [None, 3, KFold(4, shuffle=True, random_state=0)])
@pytest.mark.parametrize("final", [None, GaussianNB()])
def test_classifier_as_scikit_learn(cv, final):
    ours = StackingClassifier(members(), final, cv=cv).fit(X, NAMES[y])
    theirs = peer.StackingClassifier(members(), final, cv=cv).fit(X, NAMES[y])
    assert ours.predict(X).tolist() == theirs.predict(X).tolist()
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-6)
    if final is None:
        np.testing.assert_allclose(
            ours.decision_function(X), theirs.decision_function(X), rtol=1e-5, atol=1e-8
        )


@pytest.mark.parametrize("passthrough", [False, True])
@pytest.mark.parametrize("final", [None, LinearRegression()])
def test_regressor_as_scikit_learn(passthrough, final):
    ours = StackingRegressor(regressors(), final, passthrough=passthrough).fit(D, t)
    theirs = peer.StackingRegressor(regressors(), final, passthrough=passthrough).fit(D, t)
    np.testing.assert_allclose(ours.predict(D), theirs.predict(D), rtol=1e-9)


@pytest.mark.slow
def test_weights_as_scikit_learn():
    weight = np.random.default_rng(0).uniform(0.5, 2, len(t))
    ours = StackingRegressor(regressors()).fit(D, t, sample_weight=weight)
    theirs = peer.StackingRegressor(regressors()).fit(D, t, sample_weight=weight)
    np.testing.assert_allclose(ours.predict(D), theirs.predict(D), rtol=1e-9)


def test_dropped_and_fitted_members():
    model = StackingClassifier(members()).set_params(tree="drop").fit(X, y)
    assert len(model.estimators_) == 1
    assert model.named_estimators_.tree == "drop"
    fitted = [(name, member.fit(X[::2], y[::2])) for name, member in members()]
    ours = StackingClassifier(fitted, cv="prefit").fit(X[1::2], y[1::2])
    theirs = peer.StackingClassifier(fitted, cv="prefit").fit(X[1::2], y[1::2])
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-6)
    assert ours.estimators_[0] is fitted[0][1]


def test_methods_of_the_final_estimator():
    model = StackingClassifier(members(), LinearSVC())
    assert hasattr(model, "decision_function")
    assert not hasattr(model, "predict_proba")
    assert model.fit(X, y).score(X, y) > 0.9
    named = StackingClassifier(members(), "mlr")
    assert hasattr(named, "predict_proba")
    assert not hasattr(named, "decision_function")
    final = GaussianProcessRegressor(alpha=1e4, normalize_y=True, optimizer=None)
    mean, spread = StackingRegressor(regressors(), final).fit(D, t).predict(D, return_std=True)
    assert mean.shape == spread.shape == t.shape
    with pytest.raises(ValueError, match="does not implement the method predict_proba"):
        StackingClassifier([("svm", LinearSVC())], stack_method="predict_proba").fit(X, y)


@pytest.mark.slow
def test_regressors_among_classifiers():
    both = [*members(), ("ridge", Ridge(0.1))]
    ours = StackingClassifier(both).fit(X, y)
    theirs = peer.StackingClassifier(both).fit(X, y)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-9)
    with pytest.raises(ValueError, match="'ridge' is a regressor"):
        StackingClassifier(both, "mlr").fit(X, y)


def test_splits_that_are_no_partition():
    # Time series: scikit-learn refuses, since the first rows are never tested.
    cv = TimeSeriesSplit(4)
    model = StackingRegressor(regressors(), LinearRegression(), cv=cv).fit(D, t)
    Z, rows = [], []
    for train, test in cv.split(D):
        Z.append(
            np.column_stack(
                [clone(m).fit(D[train], t[train]).predict(D[test]) for _, m in regressors()]
            )
        )
        rows.append(test)
    second = LinearRegression().fit(np.vstack(Z), t[np.concatenate(rows)])
    np.testing.assert_allclose(model.final_estimator_.coef_, second.coef_, rtol=1e-8)
    # Blending is a single split.
    (train, test) = next(ShuffleSplit(1, test_size=0.2, random_state=0).split(D))
    blend = StackingRegressor(regressors(), LinearRegression(), cv=[(train, test)]).fit(D, t)
    held = [clone(m).fit(D[train], t[train]).predict(D[test]) for _, m in regressors()]
    by_hand = LinearRegression().fit(np.column_stack(held), t[test])
    np.testing.assert_allclose(blend.final_estimator_.coef_, by_hand.coef_, rtol=1e-8)


def test_one_member_is_only_scaled_and_shifted():
    model = StackingRegressor([("ridge", Ridge(0.1))], LinearRegression()).fit(D, t)
    alone = Ridge(0.1).fit(D, t).predict(D)
    slope, shift = model.final_estimator_.coef_[0], model.final_estimator_.intercept_
    np.testing.assert_allclose(model.predict(D), slope * alone + shift, rtol=1e-9)


def test_models_of_folds():
    model = StackingRegressor(regressors(), LinearRegression(), cv=KFold(3), refit="folds")
    model.fit(D, t)
    assert [len(models) for models in model.estimators_] == [3, 3]
    means = [np.mean([m.predict(D) for m in models], axis=0) for models in model.estimators_]
    np.testing.assert_allclose(model.transform(D), np.column_stack(means), rtol=1e-12)


@pytest.mark.slow
def test_several_levels():
    upper = StackingClassifier([("bayes", GaussianNB()), ("linear", LogisticRegression())])
    model = StackingClassifier(members(), upper).fit(X, NAMES[y])
    assert type(model.final_estimator_).__name__ == "StackingClassifier"
    assert model.score(X, NAMES[y]) > 0.9
    assert "final_estimator__linear__C" in model.get_params()


@pytest.mark.slow
def test_out_of_bag_rows_instead_of_folds():
    forest = ("forest", RandomForestClassifier(60, random_state=0))
    model = StackingClassifier([forest], "mlr", cv="oob").fit(X, y)
    assert model.score(X, y) > 0.9
    assert model.named_estimators_.forest.oob_score_ > 0.9
    mixed = StackingClassifier([forest, members()[0]], cv="oob").fit(X, y)
    assert mixed.score(X, y) > 0.9


@pytest.mark.parametrize("name", ["mlr", "stackingc", "ting_witten", "fwls", "super_learner"])
def test_second_levels_by_name(name):
    model = StackingClassifier(members(), name).fit(X, NAMES[y])
    chances = model.predict_proba(X)
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    assert (model.classes_[chances.argmax(axis=1)] == model.predict(X)).all()
    assert model.score(X, NAMES[y]) > 0.9
    assert set(model.cv_risk_) == {"bayes", "tree", "stack"}


@pytest.mark.slow
def test_super_learner():
    model = StackingRegressor(regressors(), "super_learner", cv=KFold(10)).fit(D, t)
    for name, member in regressors():
        said = cross_val_predict(member, D, t, cv=KFold(10))
        assert model.cv_risk_[name] == pytest.approx(((said - t) ** 2).mean())
    assert model.cv_risk_.stack <= min(model.cv_risk_.ridge, model.cv_risk_.tree)
    # A member that is there twice changes nothing.
    twice = [*regressors(), ("again", Ridge(0.1))]
    again = StackingRegressor(twice, "super_learner", cv=KFold(10)).fit(D, t)
    np.testing.assert_allclose(again.predict(D), model.predict(D), rtol=1e-6)
    best = StackingRegressor(regressors(), "discrete_super_learner").fit(D, t)
    np.testing.assert_allclose(best.predict(D), Ridge(0.1).fit(D, t).predict(D))
    assert isinstance(StackingRegressor(regressors()).fit(D, t).final_estimator_, RidgeCV)


class Taking(GaussianNB):
    """Keeps what it was handed."""

    def fit(self, X, y, sample_weight=None, extra=None):
        assert (extra == X[:, 0] + 1000).all()
        self.handed_ = sample_weight
        return super().fit(X, y, sample_weight)


class Weighed(LogisticRegression):
    """Keeps its weights."""

    def fit(self, X, y, sample_weight=None):
        self.handed_ = sample_weight
        return super().fit(X, y, sample_weight)


def test_the_final_estimator_is_given_the_weights_of_its_rows():
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    model = StackingClassifier([("bayes", GaussianNB())], Weighed(), cv=3).fit(X, y, weight)
    np.testing.assert_array_equal(model.final_estimator_.handed_, weight)


def test_members_without_weights_need_not_be_routed_any():
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        pairs = [("bayes", GaussianNB().set_fit_request(sample_weight=True))]
        pairs.append(("near", KNeighborsClassifier()))
        final = LogisticRegression().set_fit_request(sample_weight=True)
        model = StackingClassifier(pairs, final, cv=3).fit(X, y, sample_weight=weight)
    assert model.score(X, y) > 0.9
    with pytest.raises(TypeError, match="does not support sample weights"):
        StackingClassifier([("near", KNeighborsClassifier())]).fit(X, y, weight)


class Asking(LogisticRegression):
    """Is told how to predict."""

    def predict(self, X, shift=0):
        return super().predict(X) + shift


def test_metadata_reach_members_in_folds_and_the_final_estimator():
    numbered = np.column_stack([np.arange(len(y)), X])
    weight = np.arange(len(y)) % 3 * 0.7
    with sklearn.config_context(enable_metadata_routing=True):
        member = Taking().set_fit_request(extra=True, sample_weight=True)
        final = Asking().set_predict_request(shift=True)
        model = StackingClassifier([("m", member)], final, cv=KFold(3, shuffle=True))
        model.fit(numbered, y, weight, extra=np.arange(len(y)) + 1000)
        plain = model.predict(numbered)
        assert (model.predict(numbered, shift=5) == plain + 5).all()
        with pytest.raises(TypeError, match="nonsense"):
            model.predict(numbered, nonsense=5)
    assert model.estimators_[0].handed_.tolist() == weight[weight > 0].tolist()


@pytest.mark.slow
def test_searches_route_metadata_through_stacks():
    numbered = np.column_stack([np.arange(len(y)), X])
    with sklearn.config_context(enable_metadata_routing=True):
        member = Taking().set_fit_request(extra=True, sample_weight=False)
        stack = StackingClassifier([("m", member)], cv=3)
        scores = cross_val_score(stack, numbered, y, params={"extra": np.arange(len(y)) + 1000})
    assert scores.mean() > 0.9


LABELS = np.column_stack([y == 0, y == 1, X[:, 0] > 0]).astype(int)


@pytest.mark.slow
@pytest.mark.parametrize("method", ["auto", "predict"])
def test_several_labels_as_scikit_learn(method):
    pairs = [("near", KNeighborsClassifier()), ("tree", DecisionTreeClassifier(max_depth=2))]
    for _, member in pairs[1:]:
        member.random_state = 0
    final = KNeighborsClassifier(3)
    ours = StackingClassifier(pairs, final, cv=KFold(3, shuffle=True, random_state=0))
    theirs = peer.StackingClassifier(pairs, final, cv=ours.cv, stack_method=method)
    ours.set_params(stack_method=method).fit(X, LABELS)
    theirs.fit(X, LABELS)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X))
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    assert ours.score(X, LABELS) == theirs.score(X, LABELS)
    chances = ours.predict_proba(X)
    assert [part.shape for part in chances] == [(150, 2)] * 3
    assert [len(classes) for classes in ours.classes_] == [2, 2, 2]


@pytest.mark.slow
def test_several_labels_of_native_members():
    pairs = [
        ("forest", RandomForestClassifier(10, random_state=0)),
        ("near", KNeighborsClassifier()),
    ]
    folds = KFold(3, shuffle=True, random_state=0)
    model = StackingClassifier(pairs, cv=folds).fit(X, LABELS)
    assert model.transform(X).shape == (150, 6)
    assert model.score(X, LABELS) > 0.9
    # Without shuffling, folds miss labels that are sorted: no chance, and still a column.
    assert np.isfinite(StackingClassifier(pairs, cv=KFold(3)).fit(X, LABELS).transform(X)).all()


def test_several_labels_are_zeros_and_ones():
    pairs = [("near", KNeighborsClassifier())]
    for other in (LABELS + 1, LABELS.astype(str)):
        with pytest.raises(ValueError, match="zeros and ones"):
            StackingClassifier(pairs).fit(X, other)
    for settings in ({"cv": "oob"}, {"final_estimator": "super_learner"}):
        with pytest.raises(ValueError, match="a single label per row"):
            StackingClassifier(pairs, **settings).fit(X, LABELS)
