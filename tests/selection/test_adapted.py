import numpy as np
import pytest
from sklearn import ensemble
from sklearn.datasets import load_iris
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

import coterie
from coterie.base import Admitted
from coterie.data import DataError, Table, Target
from coterie.selection.adapted import adapt_pool, fit_model, known_classes, members_of

X, CODES = load_iris(return_X_y=True)
CLASSES = np.array([1, 2, 3])  # whose positions are other classes
Y = CLASSES[CODES]

POOLS = [
    ensemble.BaggingClassifier(max_features=0.5, n_estimators=4, random_state=0),
    ensemble.RandomForestClassifier(4, random_state=0),
    ensemble.AdaBoostClassifier(n_estimators=4, random_state=0),
    ensemble.VotingClassifier(
        [("a", LogisticRegression(max_iter=500)), ("b", DecisionTreeClassifier())]
    ),
    coterie.BaggingClassifier(n_estimators=4, random_state=0),
    coterie.BaggingClassifier(LogisticRegression(max_iter=500), n_estimators=4, random_state=0),
    coterie.RandomSubspaceClassifier(n_estimators=4, random_state=0),
    coterie.RandomForestClassifier(n_estimators=4, random_state=0),
    coterie.RotationForestClassifier(n_estimators=4, random_state=0),
    coterie.KNNEnsembleClassifier(n_estimators=4, random_state=0),
    coterie.AdaBoostClassifier(n_estimators=4),
]


@pytest.mark.parametrize(
    "pool", POOLS, ids=lambda pool: f"{type(pool).__module__}.{type(pool).__name__}"
)
@pytest.mark.parametrize("labels", [Y, np.array(["x", "y", "z"])[CODES]], ids=["numbers", "text"])
def test_members_say_what_they_say_by_themselves(pool, labels):
    pool.fit(X, labels)
    classes = np.unique(labels)
    votes = adapt_pool(pool, classes).votes(Table.read(X))
    assert votes.shape == (len(pool.estimators_), 150, 3)
    np.testing.assert_allclose(votes.sum(axis=2), 1)
    accuracy = (classes[votes.argmax(axis=2)] == labels).mean(axis=1)
    assert (accuracy > 0.6).all()  # columns in a wrong order would be worse than guessing
    if isinstance(pool, ensemble.BaggingClassifier | ensemble.RandomForestClassifier):
        np.testing.assert_allclose(votes.mean(axis=0), pool.predict_proba(X))


def test_members_that_missed_a_class():
    models = [DecisionTreeClassifier().fit(X[k != Y], Y[k != Y]) for k in (1, 2)]
    votes = adapt_pool(models, CLASSES).votes(Table.read(X))
    assert (votes[0][:, 0] == 0).all()
    assert (votes[1][:, 1] == 0).all()
    forest = coterie.RandomForestClassifier(n_estimators=2).fit(X[Y > 1], Y[Y > 1])
    assert (adapt_pool(forest, CLASSES).votes(Table.read(X))[:, :, 0] == 0).all()


def test_labels_only_and_names():
    models = [("ridge", RidgeClassifier().fit(X, Y)), ("tree", DecisionTreeClassifier().fit(X, Y))]
    votes = adapt_pool(models, CLASSES).votes(Table.read(X))
    np.testing.assert_array_equal(CLASSES[votes[0].argmax(axis=1)], models[0][1].predict(X))
    assert set(np.unique(votes[0])) == {0, 1}


def test_numbers():
    y = X[:, 0]
    for pool in (
        coterie.RandomForestRegressor(n_estimators=3).fit(X, y),
        ensemble.BaggingRegressor(n_estimators=3).fit(X, y),
        [LinearRegression().fit(X, y)] * 3,
    ):
        votes = adapt_pool(pool, None).votes(Table.read(X))
        assert votes.shape == (3, 150, 1)
        assert np.abs(votes[:, :, 0] - y).mean() < 0.2


def test_frames_go_to_members_as_they_were_shown():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcd"))
    named = [DecisionTreeClassifier().fit(frame, Y)]
    table = Table.read(frame)
    for pool in (*[p.fit(frame, Y) for p in POOLS[:2]], named, POOLS[6].fit(frame, Y)):
        assert (CLASSES[adapt_pool(pool, CLASSES).votes(table)[0].argmax(axis=1)] == Y).mean() > 0.6


def admitted(y=CODES, weight=None):
    return Admitted(Table.read(X), Target.labels(y), weight, None)


def test_seeds_that_are_given_are_kept():
    tree = DecisionTreeClassifier(random_state=7)
    assert fit_model(tree, admitted(), 0).random_state == 7
    states = [fit_model(DecisionTreeClassifier(), admitted(), s).random_state for s in (0, 0, 1)]
    assert states[0] == states[1] != states[2]
    assert not hasattr(tree, "tree_")


def test_weights_reach_every_model():
    weight = np.where(CODES == 2, 3.0, 1.0)
    near = fit_model(KNeighborsClassifier(), admitted(weight=weight), 0)
    assert near.n_samples_fit_ == 250  # repeated
    near = fit_model(KNeighborsClassifier(), admitted(weight=weight / 2), 0)
    assert near.n_samples_fit_ == 150  # drawn
    tree = fit_model(DecisionTreeClassifier(), admitted(weight=weight), 0)
    assert tree.tree_.weighted_n_node_samples[0] == 250


def test_one_class_is_a_constant():
    model = fit_model(LogisticRegression(), admitted(np.full(150, "a")), 0)
    assert set(model.predict(X)) == {"a"}


def test_a_model_alone_is_a_pool_of_one():
    tree = DecisionTreeClassifier().fit(X, Y)
    assert members_of(tree)[0] == [tree]
    assert adapt_pool(tree, CLASSES).n_members == 1


def test_classes_that_are_known():
    tree = DecisionTreeClassifier().fit(X[Y > 1], Y[Y > 1])
    assert known_classes([tree])[0].tolist() == [2, 3]
    assert known_classes(tree)[0].tolist() == [2, 3]


def test_pools_that_cannot_be_are_refused():
    with pytest.raises(DataError, match="has the class 3, which is not one of"):
        adapt_pool([DecisionTreeClassifier().fit(X, Y)], CLASSES[:2])
    with pytest.raises(TypeError, match="several members per round"):
        adapt_pool(ensemble.GradientBoostingClassifier(n_estimators=2).fit(X, Y), CLASSES)
    with pytest.raises(TypeError, match="not a classifier"):
        adapt_pool([LinearRegression().fit(X, Y)], CLASSES)
    with pytest.raises(TypeError, match="no predict"):
        adapt_pool(["tree"], CLASSES)
