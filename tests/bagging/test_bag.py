import pickle

import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_diabetes, load_iris, make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeRegressor as Cart

from coterie import (
    BaggingClassifier,
    BaggingRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
)
from coterie.bagging.bag import OneVote
from coterie.native import Forest

IRIS = load_iris(return_X_y=True)
DIABETES = load_diabetes(return_X_y=True)


def test_native_members_live_in_one_forest_and_share_the_table():
    model = BaggingClassifier(n_estimators=5, max_features=2, random_state=0).fit(*IRIS)
    assert isinstance(model.pool_.members, Forest)
    assert model.pool_.forest.n_features == 4
    for number, columns in enumerate(model.estimators_features_):
        tree = model.pool_.member(number)
        used = tree.features[tree.nodes["left"] >= 0]
        assert set(used.tolist()) <= set(columns.tolist())


def test_members_are_seeded_apart():
    model = BaggingClassifier(n_estimators=5, bootstrap=False, max_samples=None, random_state=0)
    model.set_params(estimator=DecisionTreeClassifier(max_features=1)).fit(*IRIS)
    assert len({pickle.dumps(model.pool_.member(t)) for t in range(5)}) == 5


@pytest.mark.slow
@pytest.mark.parametrize("voting", ["auto", "hard"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_any_estimator_votes_the_same_in_parallel(voting, n_jobs):
    X, y = IRIS
    member = make_pipeline(StandardScaler(), LogisticRegression())
    model = BaggingClassifier(member, 9, voting=voting, n_jobs=n_jobs, random_state=0).fit(X, y)
    each = np.array([m.predict_proba(X) for m in model.estimators_])
    if voting == "hard":
        each = np.eye(3)[each.argmax(axis=2)]
    np.testing.assert_allclose(model.predict_proba(X), each.mean(axis=0))
    assert len({m[-1].coef_.tobytes() for m in model.estimators_}) == 9


@pytest.mark.slow
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_pipelines_see_frames_as_frames(library):
    frames = pytest.importorskip(library)
    X, y = IRIS
    colour = np.array(["red", "blue"])[y % 2]
    frame = frames.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "colour": colour})
    shape = make_column_transformer(
        (OneHotEncoder(sparse_output=False), ["colour"]), remainder="passthrough"
    )
    model = BaggingClassifier(
        make_pipeline(shape, LogisticRegression(max_iter=500)), 5, random_state=0
    )
    model.set_params(oob_score=False, n_estimators=5).fit(frame, y)
    assert model.score(frame, y) > 0.9
    assert model.estimators_[0].feature_names_in_.tolist() == ["a", "b", "c", "colour"]
    some = BaggingClassifier(
        LogisticRegression(max_iter=500), 5, max_features=2, bootstrap_features=True, random_state=0
    ).fit(frame[["a", "b", "c"]], y)
    for member, columns in zip(some.estimators_, some.estimators_features_, strict=True):
        assert member.feature_names_in_.tolist() == [list("abc")[j] for j in np.unique(columns)]
    some.predict(frame[["a", "b", "c"]])


def test_trees_on_frames_know_their_columns():
    frames = pytest.importorskip("pandas")
    X, y = IRIS
    frame = frames.DataFrame(X, columns=list("abcd"))
    model = BaggingClassifier(n_estimators=4, max_features=2, random_state=0).fit(frame, y)
    for tree, columns in zip(model.estimators_, model.estimators_features_, strict=True):
        assert tree.feature_names_in_.tolist() == [list("abcd")[j] for j in columns]
        tree.predict(frame.iloc[:, columns])


def test_parameters_of_the_native_tree_count():
    X, y = IRIS
    model = BaggingClassifier(DecisionTreeClassifier(max_depth=1), 5, random_state=0).fit(X, y)
    assert (model.pool_.forest.leaf_counts() == 2).all()
    rare = np.r_[0:50, 50:55]
    plain = BaggingClassifier(DecisionTreeClassifier(max_depth=1), 9, random_state=0)
    even = BaggingClassifier(
        DecisionTreeClassifier(max_depth=1, class_weight="balanced"), 9, random_state=0
    )
    Z = np.random.default_rng(0).normal(size=(55, 2))
    shares = [m.fit(Z, y[rare]).predict_proba(Z)[:, 1].mean() for m in (plain, even)]
    assert shares[0] < 0.2 < 0.3 < shares[1]
    with pytest.raises(ValueError, match="Use a DecisionTreeClassifier"):
        BaggingClassifier(DecisionTreeRegressor()).fit(X, y)
    with pytest.raises(ValueError, match="max_depth"):
        BaggingClassifier(DecisionTreeClassifier(max_depth=-1)).fit(X, y)


def test_several_outputs():
    X, y = DIABETES
    Y = np.column_stack([y, -y])
    for member in (None, Cart()):
        model = BaggingRegressor(member, 5, random_state=0).fit(X, Y)
        assert model.predict(X).shape == Y.shape
        np.testing.assert_allclose(model.predict(X)[:, 0], -model.predict(X)[:, 1])


def test_members_by_number():
    model = BaggingClassifier(n_estimators=4, random_state=0).fit(*IRIS)
    assert len(model) == len(model.estimators_) == 4
    assert isinstance(model[0], DecisionTreeClassifier)
    assert repr(model.estimators_) == "<4 fitted DecisionTreeClassifier>"


def test_one_vote():
    votes = OneVote((2, 3))(np.array([[0.4, 0.6, 0.2, 0.4, 0.4], [0.5, 0.5, 1.0, 0.0, 0.0]]))
    np.testing.assert_array_equal(votes, [[0, 1, 0, 1, 0], [1, 0, 1, 0, 0]])


@pytest.mark.slow
def test_memory_holds_no_copies_of_the_table():
    """A bag is weights of rows: what is kept does not grow with the rows but by a few bytes."""
    rng = np.random.default_rng(0)
    sizes = []
    for n_rows in (2000, 20_000):
        X, y = rng.normal(size=(n_rows, 30)), rng.integers(0, 2, n_rows)
        stump = DecisionTreeClassifier(max_depth=1)
        sizes.append(len(pickle.dumps(BaggingClassifier(stump, 50, random_state=0).fit(X, y))))
    assert sizes[1] - sizes[0] < 18_000 * 5


def test_importances_of_native_trees():
    X, y = IRIS
    noisy = np.column_stack([np.random.default_rng(0).normal(size=150), X])
    model = BaggingClassifier(n_estimators=20, random_state=0).fit(noisy, y)
    importances = model.feature_importances_
    assert importances.sum() == pytest.approx(1)
    assert importances[0] < 0.1 < importances[3:].min()
    linear = BaggingClassifier(LogisticRegression(max_iter=500), 2).fit(X, y)
    assert not hasattr(linear, "feature_importances_")


def test_fitted_trees_have_no_decision_function_whatever_the_parameters_say_now():
    X, y = make_classification(60, random_state=0)
    bag = BaggingClassifier(n_estimators=3, random_state=0).fit(X, y)
    bag.set_params(estimator=LinearSVC())
    assert not hasattr(bag, "decision_function")


def test_a_class_that_a_member_never_saw_has_the_lowest_score():
    X, y = IRIS[0][:101:5], np.append(IRIS[1][:100:5], 2)
    model = BaggingClassifier(LogisticRegression(), 10, random_state=0).fit(X, y)
    assert any(len(member.classes_) < 3 for member in model.estimators_)
    score = model.decision_function(X)
    assert np.isneginf(score[:, 2]).all()
    assert np.isfinite(score[:, :2]).all()
