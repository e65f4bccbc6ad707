"""What all combiners share; above all, that none of them learns from rows members have seen."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils import get_tags

import coterie
from coterie.combining.combiner import seed_member, wider
from coterie.combining.named_members import Named
from coterie.data import Target

CLASSIFIERS = {
    "mean": coterie.VotingClassifier(voting="soft"),
    "log odds": coterie.VotingClassifier(weights="log_odds"),
    "log loss": coterie.VotingClassifier(voting="soft", weights="log_loss"),
    "stack": coterie.StackingClassifier(),
    "stack of labels": coterie.StackingClassifier(stack_method="predict"),
    "mlr": coterie.StackingClassifier(final_estimator="mlr"),
    "fwls": coterie.StackingClassifier(final_estimator="fwls", meta_features=[0]),
    "super": coterie.StackingClassifier(final_estimator="super_learner"),
    "folds": coterie.StackingClassifier(refit="folds"),
    "oob": coterie.StackingClassifier(cv="oob"),
    "levels": coterie.StackingClassifier(
        final_estimator=coterie.StackingClassifier(
            [("by heart", KNeighborsClassifier(1)), ("bayes", GaussianNB())]
        )
    ),
    "stackingc": coterie.StackingCClassifier(),
    "selection": coterie.EnsembleSelectionClassifier(),
    "bagged selection": coterie.EnsembleSelectionClassifier(n_bags=5, random_state=0),
    "bayes": coterie.BayesianModelAveragingClassifier(),
    "combination": coterie.BayesianModelAveragingClassifier(method="combination"),
    "evidence": coterie.DempsterShaferClassifier(),
    "templates": coterie.DecisionTemplatesClassifier(),
}


def library():
    return [
        ("by heart", KNeighborsClassifier(1)),
        ("tree", DecisionTreeClassifier(random_state=0)),
        ("forest", RandomForestClassifier(30, random_state=0)),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("kind", CLASSIFIERS)
def test_labels_without_meaning_give_chance(kind):
    """Members know their rows by heart, so any leak would show as skill or as trust."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(900, 4)), rng.integers(0, 2, 900)
    model = CLASSIFIERS[kind].set_params(estimators=library())
    if kind == "oob":
        model.set_params(estimators=library()[2:])
    model.fit(X[:300], y[:300])
    score = model.score(X[300:], y[300:])
    assert 0.5 - 0.07 < score < 0.5 + 0.07  # three deviations of 600 coins
    risk = getattr(model, "cv_risk_", {})
    if kind == "super":  # nothing is better than saying one half, and members say one or zero
        assert risk.stack > 0.69


@pytest.mark.slow
def test_numbers_without_meaning_give_no_skill():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(900, 4)), rng.normal(size=900)
    members = [
        ("by heart", KNeighborsRegressor(1)),
        ("tree", DecisionTreeRegressor(random_state=0)),
    ]
    for model in (
        coterie.StackingRegressor(members),
        coterie.StackingRegressor(members, "mlr"),
        coterie.WeightedAverageRegressor(members, weights="nnls"),
    ):
        # A leak would trust the members, whose squared error is twice the variance.
        assert -0.1 < model.fit(X[:300], y[:300]).score(X[300:], y[300:]) < 0.05


def test_groups_reach_the_splitter():
    X, y = load_iris(return_X_y=True)
    groups = np.arange(150) // 2
    model = coterie.StackingClassifier([("m", GaussianNB())], cv=GroupKFold(3))
    assert model.fit(X, y, groups=groups).score(X, y) > 0.9
    with pytest.raises(ValueError, match="groups"):
        model.fit(X, y)
    with pytest.raises(ValueError, match=r"groups has shape \(3,\)"):
        model.fit(X, y, groups=[1, 2, 3])


def test_seeds_only_where_there_are_none():
    named = Named("m", DecisionTreeClassifier())
    first, second = (seed_member(named, 5).estimator.random_state for _ in range(2))
    assert first == second is not None
    own = Named("m", DecisionTreeClassifier(random_state=7))
    assert seed_member(own, 5).estimator.random_state == 7
    assert seed_member(Named("m", "drop"), 5).estimator == "drop"


def test_classes_of_fitted_members_are_known():
    member = Named("m", GaussianNB().fit([[0.0], [1.0], [2.0]], ["a", "b", "c"]))
    target = wider(Target.labels(["b", "c"]), [member])
    assert target.classes[0].tolist() == ["a", "b", "c"]
    assert target.codes.ravel().tolist() == [1, 2]


def test_members_are_shown_frames():
    pandas = pytest.importorskip("pandas")
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = coterie.StackingClassifier([("bayes", GaussianNB())]).fit(X, y)
    assert model.feature_names_in_.tolist() == X.columns.tolist()
    assert model.estimators_[0].feature_names_in_.tolist() == X.columns.tolist()
    assert isinstance(model.set_output(transform="pandas").transform(X), pandas.DataFrame)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [list, np.array, pd.Series])
@pytest.mark.parametrize("cls", [coterie.VotingClassifier, coterie.StackingClassifier])
def test_members_may_take_texts(cls, kind):
    words = np.random.default_rng(0).choice(["red", "green", "blue", "warm"], size=(60, 4))
    texts, y = [" ".join(row) for row in words], (words == "red").any(axis=1)
    members = [
        ("counts", make_pipeline(CountVectorizer(), LogisticRegression(C=100))),
        ("shares", make_pipeline(TfidfVectorizer(), LogisticRegression(C=100))),
    ]
    model = cls(members, random_state=0).fit(kind(texts), y)
    assert model.predict(kind(["red red warm new", "green blue warm one"])).tolist() == [1, 0]
    with pytest.raises(TypeError, match="Underlying estimator Pipeline does not support sample"):
        cls(members).fit(kind(texts), y, np.arange(60) % 3)
    with pytest.raises(ValueError, match=r"The member 'tree' .*2D array"):
        cls([*members, ("tree", coterie.DecisionTreeClassifier())]).fit(kind(texts), y)
    with pytest.raises((ValueError, AttributeError), match="The member 'counts'"):
        cls(members).fit(list(range(60)), y)


class Weighing(ClassifierMixin, BaseEstimator):
    """Takes anything and guesses by how large it is."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.X_ = X
        return self

    def predict(self, X):
        return self.classes_[[int(np.sum(row) > 1) for row in X]]


@pytest.mark.slow
@pytest.mark.parametrize("cls", [coterie.VotingClassifier, coterie.StackingClassifier])
def test_members_get_rows_that_are_no_table(cls):
    y = np.arange(40) % 2
    cubes = y[:, None, None] + np.zeros((40, 2, 3))
    model = cls([("any", Weighing())]).fit(cubes, y)
    assert model.score(cubes, y) == 1
    assert model.estimators_[0].X_.shape == (40, 2, 3)
    endless = np.where(y[:, None] == 1, np.inf, 0.0)
    assert cls([("any", Weighing())]).fit(endless, y).score(endless, y) == 1
    words = [{"word": "yes" if code else "no"} for code in y]
    named = make_pipeline(DictVectorizer(), LogisticRegression())
    assert cls([("named", named)]).fit(words, y).score(words, y) == 1
    frame = pd.DataFrame({"lists": [[code] for code in y]})
    first = make_pipeline(
        FunctionTransformer(lambda frame: np.array(frame["lists"].tolist())), LogisticRegression()
    )
    model = cls([("first", first)]).fit(frame, y)
    assert model.score(frame, y) == 1
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.rename(columns={"lists": "other"}))
    with pytest.raises(ValueError, match=r"The member 'tree' .*infinity"):
        cls([("tree", coterie.DecisionTreeClassifier())]).fit(endless, y)


def test_what_may_be_given_is_what_members_take():
    for member, nan in ((GaussianNB(), False), (coterie.DecisionTreeClassifier(), True)):
        tags = get_tags(coterie.VotingClassifier([("member", member)])).input_tags
        assert (tags.allow_nan, tags.sparse) == (nan, nan)
        tags = get_tags(coterie.BaggingClassifier(member)).input_tags
        assert (tags.allow_nan, tags.sparse) == (nan, nan)
    assert get_tags(coterie.AdaBoostClassifier(GaussianNB())).input_tags.allow_nan is False
