import numpy as np
import pytest
from sklearn import ensemble
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_diabetes, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import coterie
from coterie.data import DataError
from coterie.diagnosis.ensemble_predictions import answers_of, outcome_of

TREES = [("a", DecisionTreeClassifier(max_depth=2)), ("b", DecisionTreeClassifier(max_depth=4))]
NUMBERS = [("a", DecisionTreeRegressor(max_depth=2)), ("b", LinearRegression())]
MEMBERS = [
    ensemble.RandomForestClassifier(6),
    ensemble.ExtraTreesRegressor(6),
    ensemble.BaggingClassifier(n_estimators=6),
    ensemble.BaggingRegressor(n_estimators=6),
    ensemble.AdaBoostClassifier(n_estimators=6),
    ensemble.AdaBoostRegressor(n_estimators=6),
    ensemble.VotingClassifier(TREES),
    ensemble.VotingClassifier(TREES, voting="soft", weights=[1, 3]),
    ensemble.VotingRegressor(NUMBERS),
    coterie.RandomForestClassifier(6),
    coterie.BaggingRegressor(n_estimators=6),
    coterie.AdaBoostClassifier(n_estimators=6),
    coterie.NegativeCorrelationRegressor(n_members=3),
]
ROUNDS = [
    ensemble.GradientBoostingClassifier(n_estimators=6),
    ensemble.GradientBoostingRegressor(n_estimators=6),
    ensemble.HistGradientBoostingClassifier(max_iter=6),
    ensemble.HistGradientBoostingRegressor(max_iter=6),
    coterie.HistGradientBoostingClassifier(max_iter=6),
    coterie.HistGradientBoostingRegressor(max_iter=6),
    coterie.LogitBoostClassifier(n_estimators=6),
    coterie.FunctionalGradientBoostingRegressor(n_estimators=6),
    coterie.FunctionalGradientBoostingClassifier(n_estimators=6),
]


def _rows(model):
    if not is_classifier(model):
        return load_diabetes(return_X_y=True)
    X, y = load_wine(return_X_y=True)
    return X, np.array(["red", "rose", "white"])[y]


def _fitted(model):
    X, y = _rows(model)
    model = clone(model)
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    return model.fit(X[::2], y[::2]), X[1::2], y[1::2]


def _same(said, expected):
    if said.dtype.kind in "fc":
        np.testing.assert_allclose(said, expected)
    else:
        assert said.tolist() == expected.tolist()


@pytest.mark.parametrize("model", MEMBERS, ids=lambda model: repr(model)[:40])
def test_members(model):
    fitted, X, _ = _fitted(model)
    found = answers_of(fitted, X)
    assert found.unit == "member"
    assert found.n_parts == len(found.ballot.said) == len(fitted.estimators_)
    assert found.stages.sizes.tolist() == list(range(1, found.n_parts + 1))
    _same(found.vote, fitted.predict(X))
    _same(found.stages.said[-1], fitted.predict(X))
    if hasattr(fitted, "predict_proba"):
        np.testing.assert_allclose(found.chances, fitted.predict_proba(X))


@pytest.mark.parametrize("model", ROUNDS, ids=lambda model: repr(model)[:40])
def test_rounds(model):
    fitted, X, _ = _fitted(model)
    found = answers_of(fitted, X)
    assert (found.unit, found.n_parts, found.ballot) == ("round", 6, None)
    for said, expected in zip(found.stages.said, fitted.staged_predict(X), strict=True):
        _same(said, np.asarray(expected))


@pytest.mark.parametrize(
    "model",
    [
        ensemble.StackingClassifier(TREES, cv=2),
        ensemble.StackingRegressor(NUMBERS, cv=2),
        coterie.DynamicSelectionClassifier(ensemble.BaggingClassifier(n_estimators=5)),
    ],
    ids=lambda model: type(model).__name__,
)
def test_combined_in_a_way_of_their_own(model):
    fitted, X, _ = _fitted(model)
    found = answers_of(fitted, X)
    assert (found.unit, found.stages) == ("member", None)
    assert "cannot be used in part" in found.why
    assert len(found.ballot.said) == found.n_parts > 1


@pytest.mark.slow
def test_many_rounds_are_thinned():
    fitted, X, _ = _fitted(ensemble.GradientBoostingRegressor(n_estimators=250, max_depth=1))
    found = answers_of(fitted, X)
    assert (found.n_parts, len(found.stages.sizes)) == (250, 100)
    expected = list(fitted.staged_predict(X))
    for size, said in zip(found.stages.sizes, found.stages.said, strict=True):
        _same(said, expected[size - 1])


def test_single_models_have_no_members():
    fitted, X, _ = _fitted(DecisionTreeClassifier())
    found = answers_of(fitted, X)
    assert (found.unit, found.n_parts, found.ballot) == ("", 1, None)


def test_lists_vote():
    X, y = load_wine(return_X_y=True)
    models = [DecisionTreeClassifier(max_depth=d).fit(X[::2], y[::2]) for d in (1, 2, 3)]
    found = answers_of(models, X[1::2])
    votes = np.stack([model.predict(X[1::2]) for model in models])
    expected = [np.bincount(column).argmax() for column in votes.T]
    assert found.vote.tolist() == expected
    chances = np.mean([model.predict_proba(X[1::2]) for model in models], axis=0)
    np.testing.assert_allclose(found.chances, chances)
    assert answers_of([("x", models[0])], X).unit == ""


@pytest.mark.slow
def test_the_end_of_a_pipeline_and_of_a_search():
    X, y = load_wine(return_X_y=True)
    forest = ensemble.RandomForestClassifier(5, random_state=0)
    piped = make_pipeline(StandardScaler(), forest).fit(X, y)
    found = answers_of(piped, X)
    assert (found.name, found.n_parts) == ("RandomForestClassifier", 5)
    assert found.vote.tolist() == piped.predict(X).tolist()
    search = GridSearchCV(piped, {"randomforestclassifier__max_depth": [2]}, cv=2).fit(X, y)
    assert answers_of(search, X).n_parts == 5


@pytest.mark.slow
def test_tables():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + np.sin(3 * X[:, 1]) + rng.normal(size=300) > 0).astype(int)
    kinds = [
        ("line", LogisticRegression()),
        ("near", KNeighborsClassifier(15)),
        ("tree", coterie.RandomForestClassifier(20, random_state=0)),
    ]
    model = coterie.TableClassifier(members=kinds).fit(X[:200], y[:200])
    found = answers_of(model, X[200:])
    assert found.n_parts == np.count_nonzero(model.blend_.weights) > 1
    assert found.stages.said[-1].tolist() == model.predict(X[200:]).tolist()
    assert found.ballot.weights.tolist() == sorted(model.blend_.weights, reverse=True)
    assert found.stages.said[0].tolist() == found.ballot.labels[0].tolist()
    np.testing.assert_allclose(found.chances, model.predict_proba(X[200:]))


def test_bad_models_and_rows():
    X, y = load_wine(return_X_y=True)
    forest = ensemble.RandomForestClassifier(3)
    with pytest.raises(NotFittedError):
        answers_of(forest, X)
    with pytest.raises(NotFittedError):
        answers_of([DecisionTreeClassifier()], X)
    forest.fit(X, y)
    with pytest.raises(DataError, match="X has 4 columns, but the model was fitted on 13"):
        answers_of(forest, X[:, :4])
    with pytest.raises(DataError, match="X has 4 columns"):
        answers_of([forest, forest], X[:, :4])
    with pytest.raises(DataError, match="rows and columns"):
        answers_of(forest, X[0])
    with pytest.raises(TypeError, match="cannot predict"):
        answers_of("forest", X)
    with pytest.raises(ValueError, match="list is empty"):
        answers_of([], X)
    two = DecisionTreeRegressor().fit(X, np.column_stack((y, y)))
    with pytest.raises(DataError, match="several targets"):
        outcome_of(two, X)
