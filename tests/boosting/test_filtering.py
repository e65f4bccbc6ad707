"""Boosting by filtering on real tables."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier as Reference

from coterie import DecisionTreeClassifier
from coterie.boosting.filtering import BoostByFilteringClassifier

STUMP = DecisionTreeClassifier(max_depth=1)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("depth", [1, 2])
def test_error_of_three_follows_the_formula(depth, weighted):
    X, y = load_breast_cancer(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y)) if weighted else np.ones(len(y))
    tree = DecisionTreeClassifier(max_depth=depth)
    model = BoostByFilteringClassifier(tree, random_state=0).fit(X, y, weight)
    assert (model.stop_reason_, len(model.estimators_)) == ("levels", 3)
    weight /= weight.sum()
    codes = [member.predict(X) for member in model.estimators_]
    first, second, third = (one != y for one in codes)
    e1 = weight[first].sum()
    balanced = np.where(first, weight / (2 * e1), weight / (2 * (1 - e1)))
    assert balanced[first].sum() == pytest.approx(0.5)
    e2 = balanced[second].sum()
    differ = first != second
    e3 = weight[differ & third].sum() / weight[differ].sum()
    both = weight[first & second].sum()
    found = weight[model.predict(X) != y].sum()
    assert found == pytest.approx(both * (1 - e3 / e1) + e3 * (2 * e2 * (1 - e1) + e1))
    np.testing.assert_array_equal(
        model.predict(X), np.where(codes[0] == codes[1], codes[0], codes[2])
    )
    np.testing.assert_allclose(model.decision_function(X), 2 * np.mean(codes, axis=0) - 1)


def test_members_are_fitted_to_what_the_filters_let_pass():
    X, y = load_breast_cancer(return_X_y=True)
    model = BoostByFilteringClassifier(STUMP, max_bins=60_000, random_state=0).fit(X, y)
    first, second, third = (member.predict(X) for member in model.estimators_)
    wrong = first != y
    balanced = np.where(wrong, 0.5 / wrong.sum(), 0.5 / (~wrong).sum())
    np.testing.assert_array_equal(Reference(max_depth=1).fit(X, y, balanced).predict(X), second)
    differ = first != second
    alone = Reference(max_depth=1).fit(X[differ], y[differ])
    np.testing.assert_array_equal(alone.predict(X[differ]), third[differ])


def test_no_levels_is_the_lone_member():
    X, y = load_iris(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=2)
    for sampling in ("reweight", "partition", "replacement"):
        model = BoostByFilteringClassifier(tree, levels=0, sampling=sampling).fit(X, y)
        assert len(model.estimators_) == 1
        np.testing.assert_allclose(model.predict_proba(X), tree.fit(X, y).predict_proba(X))


def test_one_level_lowers_the_training_error_of_weak_members():
    X, y = load_breast_cancer(return_X_y=True)
    lone, three = (BoostByFilteringClassifier(STUMP, levels=k).fit(X, y) for k in (0, 1))
    assert three.score(X, y) > lone.score(X, y)


@pytest.mark.parametrize("sampling", ["reweight", "partition", "replacement"])
@pytest.mark.parametrize("levels", [1, 2, 3])
@pytest.mark.parametrize("load", [load_breast_cancer, load_digits])
def test_answers_agree_with_one_another(load, levels, sampling):
    X, y = load(return_X_y=True)
    model = BoostByFilteringClassifier(
        DecisionTreeClassifier(max_depth=6, max_features=3),
        levels=levels,
        sampling=sampling,
        random_state=0,
    ).fit(X[::2], y[::2])
    assert 1 <= len(model.estimators_) <= 3**levels
    X = X[1::2]
    predicted, proba, score = model.predict(X), model.predict_proba(X), model.decision_function(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[proba.argmax(axis=1)], predicted)
    decided = score > 0 if score.ndim == 1 else score.argmax(axis=1)
    np.testing.assert_array_equal(model.classes_[decided.astype(int)], predicted)
    assert np.abs(score).max() <= 1
    again = model.fit(load(return_X_y=True)[0][::2], y[::2])
    np.testing.assert_array_equal(again.predict(X), predicted)


def members(part):
    """Positions of all members of a part."""
    return [part.member] if not part.parts else [m for one in part.parts for m in members(one)]


@pytest.mark.parametrize("sampling", ["reweight", "partition", "replacement"])
def test_every_member_has_its_place(sampling):
    X, y = load_breast_cancer(return_X_y=True)
    model = BoostByFilteringClassifier(STUMP, levels=3, sampling=sampling, random_state=1)
    model.set_params(min_samples=1).fit(X, y)
    assert members(model.hierarchy_) == list(range(len(model.estimators_)))


@pytest.mark.parametrize(
    "member",
    [
        KNeighborsClassifier(),  # no sample weights
        make_pipeline(StandardScaler(), LogisticRegression()),
        LinearSVC(max_iter=20_000, tol=0.1),  # no probabilities
        Reference(max_depth=2),
    ],
    ids=lambda member: type(member).__name__,
)
def test_any_member(member):
    X, y = load_iris(return_X_y=True)
    model = BoostByFilteringClassifier(member, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9
    assert isinstance(model.estimators_[0], type(member))


def test_first_alone():
    X, y = load_digits(return_X_y=True)
    model = BoostByFilteringClassifier(STUMP).fit(X, y)
    assert (model.stop_reason_, len(model.estimators_)) == ("too_weak", 1)
    model = BoostByFilteringClassifier(DecisionTreeClassifier(), levels=3).fit(X, y)
    assert (model.stop_reason_, len(model.estimators_)) == ("perfect", 1)
    model = BoostByFilteringClassifier(STUMP, sampling="partition").fit(X[:20], y[:20])
    assert (model.stop_reason_, len(model.estimators_)) == ("few_rows", 1)


def test_missing_values_and_categories():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({"colour": rng.choice(["red", "green", "blue"], 200)})
    frame["size"] = np.where(rng.uniform(size=200) < 0.2, np.nan, rng.normal(size=200))
    y = (frame["colour"] == "red") ^ (frame["size"] > 1) ^ (rng.uniform(size=200) < 0.05)
    frame["colour"] = frame["colour"].astype("category")
    lone, three = (BoostByFilteringClassifier(STUMP, levels=k).fit(frame, y) for k in (0, 1))
    assert three.stop_reason_ == "levels"
    assert three.score(frame, y) > lone.score(frame, y)


@pytest.mark.parametrize("bad", [{"levels": 4}, {"sampling": "draw"}, {"min_samples": 0}])
def test_bad_parameters(bad):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match=next(iter(bad))):
        BoostByFilteringClassifier(**bad).fit(X, y)


def test_balance_is_what_the_second_learns_from():
    X, y = load_breast_cancer(return_X_y=True)
    stump = DecisionTreeClassifier(max_depth=1)
    first = stump.fit(X, y)
    wrong = first.predict(X) != y
    for balance in (0.3, 0.5):
        model = BoostByFilteringClassifier(stump, balance=balance).fit(X, y)
        weight = np.where(wrong, balance / wrong.mean(), (1 - balance) / (~wrong).mean())
        second = DecisionTreeClassifier(max_depth=1).fit(X, y, weight)
        np.testing.assert_array_equal(model.estimators_[1].predict(X), second.predict(X))
    for bad in (0.0, 1.0, 1, "half"):
        with pytest.raises(ValueError, match="balance"):
            BoostByFilteringClassifier(balance=bad).fit(X, y)
