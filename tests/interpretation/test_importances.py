import numpy as np
import pandas as pd
import pytest
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor as PeerTree

from coterie import (
    AdaBoostClassifier,
    BaggingClassifier,
    BaggingRegressor,
    ExtraTreesClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    RandomPatchesClassifier,
    oob_importances,
    permutation_importances,
)
from coterie.interpretation.importances import Importances


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(250, 3)), columns=["strong", "weak", "noise"])
    X["fixed"] = 1.0
    X["kind"] = pd.Categorical(rng.choice(["a", "b"], 250))
    return X


@pytest.fixture(scope="module")
def numbers(frame):
    return (2 * frame["strong"] + 0.7 * frame["weak"] + (frame["kind"] == "a")).to_numpy()


@pytest.mark.parametrize(
    "model",
    [
        RandomForestRegressor(40, random_state=0),
        BaggingRegressor(n_estimators=30, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_columns_are_ranked(model, frame, numbers):
    found = oob_importances(model.fit(frame, numbers), frame, numbers, random_state=0)
    assert [name for name, _ in found.ranking()[:2]] == ["strong", "weak"]
    assert found.mean[3] == 0.0  # no tree can ask for a constant
    assert found.z[0] > 5
    assert abs(found.mean[2]) < 0.05 * found.mean[0]
    assert found.values.shape == (5, len(model.estimators_))


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(30, random_state=0),
        ExtraTreesClassifier(30, bootstrap=True, random_state=0),
        BaggingClassifier(n_estimators=20, random_state=0),
        RandomPatchesClassifier(n_estimators=30, random_state=0),
    ],
    ids=lambda model: type(model).__name__,
)
def test_classifiers(model, frame, numbers):
    y = np.where(numbers > 0, "yes", "no")
    found = oob_importances(model.fit(frame, y), frame, y, random_state=0)
    assert found.ranking()[0][0] == "strong"
    assert found.mean[3] == 0.0


def test_by_hand(frame, numbers):
    """The definition, member by member, for a column that is shuffled in the same way."""
    X = frame[["strong", "weak"]].to_numpy()
    forest = RandomForestRegressor(5, random_state=0).fit(X, numbers)
    found = oob_importances(forest, X, numbers, random_state=1).values
    rng_free = []
    for tree, rows in zip(forest.estimators_, forest.oob_samples(), strict=True):
        before = np.mean((tree.predict(X[rows]) - numbers[rows]) ** 2)
        after = []
        for seed in range(60):
            mixed = X[rows].copy()
            mixed[:, 0] = np.random.default_rng(seed).permutation(mixed[:, 0])
            after.append(np.mean((tree.predict(mixed) - numbers[rows]) ** 2))
        rng_free.append((np.mean(after) - before, np.std(after)))
    for value, (mean, spread) in zip(found[0], rng_free, strict=True):
        assert abs(value - mean) < 5 * spread


@pytest.mark.slow
def test_members_of_other_kinds(frame, numbers):
    X = frame[["strong", "noise", "fixed"]]
    bag = BaggingRegressor(PeerTree(max_depth=4), n_estimators=8, random_state=0).fit(X, numbers)
    found = oob_importances(bag, X, numbers, random_state=0)
    assert found.ranking()[0][0] == "strong"


def test_weights_zero_are_absent(frame, numbers):
    weight = np.where(np.arange(250) < 200, 1.0, 0.0)
    bad = numbers.copy()
    bad[200:] = 1e6
    forest = RandomForestRegressor(10, random_state=0).fit(frame, bad, weight)
    found = oob_importances(forest, frame, bad, weight, random_state=0)
    few = RandomForestRegressor(10, random_state=0).fit(frame[:200], numbers[:200])
    same = oob_importances(few, frame[:200], numbers[:200], random_state=0)
    np.testing.assert_allclose(found.mean, same.mean)


def test_who_has_no_bags(frame, numbers):
    y = numbers > 0
    with pytest.raises(TypeError, match="has no out-of-bag rows"):
        oob_importances(AdaBoostClassifier(n_estimators=3).fit(frame, y), frame, y)
    forest = RandomForestClassifier(5, bootstrap=False).fit(frame, y)
    with pytest.raises(ValueError, match="bootstrap=True"):
        oob_importances(forest, frame, y)


def test_permutation_is_that_of_scikit_learn(frame, numbers):
    X = frame[["strong", "weak", "noise"]]
    model = LinearRegression().fit(X, numbers)
    found = permutation_importances(model, X, numbers, random_state=0, n_repeats=3)
    wanted = permutation_importance(model, X, numbers, n_repeats=3, random_state=0)
    assert found.values.shape == wanted.importances.shape
    np.testing.assert_allclose(found.mean, wanted.importances_mean, rtol=0.2, atol=1e-3)
    assert found.feature_names == ["strong", "weak", "noise"]
    plain = permutation_importances(
        LinearRegression().fit(X.to_numpy(), numbers), X.to_numpy(), numbers, random_state=0
    )
    assert plain.feature_names == ["x0", "x1", "x2"]


def test_means_and_errors():
    found = Importances.of(np.array([[1.0, 3.0, np.nan], [0.0, 0.0, 0.0]]), ["a", "b"])
    assert found.mean.tolist() == [2.0, 0.0]
    assert found.std[0] == pytest.approx(np.sqrt(2))
    assert found.z.tolist() == pytest.approx([2.0, 0.0])
