"""What a fit cannot have made is refused."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import coterie
from coterie.core.pool import Pool
from coterie.core.stages import StagedPool
from coterie.data.schema import Schema
from coterie.export.checks import BUILDERS, check, check_numbers
from coterie.export.encode import state_of
from coterie.export.errors import ModelFileError
from coterie.learners import ConstantMember

X = np.random.default_rng(0).normal(size=(40, 3))
Y = X[:, 0] > 0
MEMBER = ConstantMember(np.ones(1))


def test_healthy_forests_are_built_again():
    forest = coterie.RandomForestClassifier(3, random_state=0).fit(X, Y).pool_.forest
    again = BUILDERS["Forest"](state_of(forest, "Forest"))
    np.testing.assert_array_equal(again.predict(X), forest.predict(X))


@pytest.mark.parametrize("name", ["nodes", "values", "leaf_offsets", "categories", "n_features"])
def test_forests_need_all_their_parts(name):
    forest = coterie.DecisionTreeClassifier().fit(X, Y).pool_.forest
    state = state_of(forest, "Forest")
    for bad in (state | {name: None}, {k: v for k, v in state.items() if k != name}):
        with pytest.raises(ModelFileError, match="damaged"):
            BUILDERS["Forest"](bad)


POOLS = [
    Pool((MEMBER,), np.ones(2)),
    Pool((MEMBER,), np.array([np.nan])),
    Pool((MEMBER,), [1.0]),
    Pool((MEMBER,), np.ones(1), width=0),
    Pool((MEMBER,), np.ones(1), width=3),
    Pool((MEMBER,), np.ones(1), cast=3),
    Pool((3,), np.ones(1)),
    Pool([MEMBER], np.ones(1)),
]


@pytest.mark.parametrize("pool", POOLS, ids=range(len(POOLS)))
def test_pools_add_up(pool):
    check("Pool", Pool((MEMBER,), np.ones(1)))
    with pytest.raises(ModelFileError, match="damaged"):
        check("Pool", pool)


def test_staged_pools_have_weights_for_every_stage():
    pool = StagedPool((MEMBER, MEMBER), np.ones(2), stages=np.ones(3))
    check("StagedPool", pool)
    with pytest.raises(ModelFileError, match="stages"):
        check("StagedPool", replace(pool, stages=np.ones(4)))


@pytest.mark.parametrize(
    "schema",
    [
        Schema(0),
        Schema("2"),
        Schema(2, ("a",)),
        Schema(2, ("a", 3)),
        Schema(2, None, []),
        Schema(2, None, {2: np.array(["x"])}),
        Schema(2, None, {0: ["x"]}),
        Schema(2, moments=[]),
        Schema(2, moments={2: "dates"}),
        Schema(2, moments={0: 1}),
    ],
    ids=repr,
)
def test_schemas_name_their_columns(schema):
    check("Schema", Schema(2, ("a", "b"), {1: np.array(["x"])}, {0: "dates"}))
    with pytest.raises(ModelFileError, match="damaged"):
        check("Schema", schema)


@pytest.mark.parametrize(
    "change",
    [
        {"rows": np.array([40])},
        {"rows": np.array([-1])},
        {"rows": np.array([0.0])},
        {"scales": np.ones(2)},
        {"scales": np.array([1.0, np.nan, 1.0])},
        {"n_neighbors": 0},
        {"n_neighbors": 41},
        {"home": SimpleNamespace(points=np.full((4, 3), np.nan))},
        {"home": SimpleNamespace(points=np.ones(3))},
    ],
    ids=repr,
)
def test_neighbours_are_there(change):
    model = coterie.KNNEnsembleClassifier(n_estimators=1, random_state=0).fit(X, Y)
    member = model.pool_.members[0]
    check("Neighbours", member)
    for name, value in change.items():
        object.__setattr__(member, name, value)
    with pytest.raises(ModelFileError, match="damaged"):
        check("Neighbours", member)


def test_others_need_no_check():
    check("Trace", object())


# ----------------------------------------------------- parts against the model that has them


def refused(model, tmp_path, problem):
    """Save what was damaged, and see it refused for the reason given."""
    coterie.save(model, tmp_path / "model")
    with pytest.raises(ModelFileError, match=problem):
        coterie.load(tmp_path / "model")


def test_origins_are_columns(tmp_path):
    """Importances are counted by them, in compiled code that trusts them."""
    model = coterie.HistGradientBoostingClassifier(max_iter=2).fit(X, Y)
    for bad in ([0, 1, 2**63 - 1], [0, 1, -1], [0, 1], [[0], [1], [2]]):
        model.origin_ = np.array(bad)
        refused(model, tmp_path, "origin_ refers to columns")


def test_trees_vote_for_the_classes_of_their_model(tmp_path):
    model = coterie.RandomForestClassifier(2, random_state=0).fit(X, Y)
    three = coterie.RandomForestClassifier(2, random_state=0).fit(X, np.digitize(X[:, 0], [0, 1]))
    model.pool_ = three.pool_
    refused(model, tmp_path, "classes_ do not match")


def test_classes_are_those_of_the_target(tmp_path):
    model = coterie.VotingClassifier([("a", coterie.DecisionTreeClassifier())]).fit(X, Y)
    model.classes_ = model.classes_[:1]
    refused(model, tmp_path, "classes_ and target_ do not match")


def test_bags_hold_shares(tmp_path):
    model = coterie.BaggingClassifier(n_estimators=2, random_state=0).fit(X, Y)
    model.pool_.forest.values[0] = [0.5, 0.6]
    refused(model, tmp_path, "not probabilities")


def test_a_tree_is_one_tree(tmp_path):
    model = coterie.DecisionTreeClassifier().fit(X, Y)
    model.pool_ = coterie.RandomForestClassifier(2, random_state=0).fit(X, Y).pool_
    refused(model, tmp_path, "consists of several trees")


@pytest.mark.parametrize("n_labels", [3, 64, 70, 128])
def test_categories_are_labels_of_their_columns(n_labels, tmp_path):
    codes = np.arange(4 * n_labels) % n_labels
    model = coterie.DecisionTreeRegressor(categorical_features=[0])
    model.fit(np.column_stack([codes, codes]), (codes % 3 == 0) + 0.01 * codes)
    coterie.save(model, tmp_path / "model")
    coterie.load(tmp_path / "model")
    labels = model.schema_.labels[0][: n_labels // 2]
    model.schema_ = replace(model.schema_, labels={0: labels})
    refused(model, tmp_path, "categories that their columns do not have")


def test_scores_start_somewhere(tmp_path):
    model = coterie.AdaBoostClassifier(n_estimators=2).fit(X, Y)
    for bad in (model.start_[None], np.full_like(model.start_, np.inf)):
        model.start_ = bad
        refused(model, tmp_path, "start_ are (not|too large)")


def test_fitted_models_know_their_columns(tmp_path):
    model = coterie.RandomForestClassifier(2, random_state=0).fit(X, Y)
    del model.schema_
    refused(model, tmp_path, "does not know its columns")


def test_members_say_labels_of_their_committee(tmp_path):
    pytest.importorskip("skops")
    model = coterie.VotingClassifier([("a", GaussianNB())]).fit(X, np.where(Y, "yes", "no"))
    model.estimators_[0].classes_ = np.array(["no", "zebra"])
    refused(model, tmp_path, "zebra")


def test_importances_are_finite(tmp_path):
    model = coterie.RuleFitRegressor(random_state=0).fit(X, X[:, 0])
    model.feature_importances_ = np.array([0.5, np.nan, 0.5])
    refused(model, tmp_path, "feature_importances_ are too large or not finite")


def test_neighbours_are_of_classes(tmp_path):
    model = coterie.KNNEnsembleClassifier(n_estimators=2, random_state=0).fit(X, Y)
    home = model.pool_.members[0].home
    object.__setattr__(home, "n_classes", 2**31)
    refused(model, tmp_path, "more classes than nearest neighbours")
    object.__setattr__(home, "n_classes", 1)
    refused(model, tmp_path, "codes without a class")


def test_numbers_that_would_overflow_are_refused(tmp_path):
    model = coterie.NegativeCorrelationRegressor(max_iter=2, random_state=0).fit(X, X[:, 0])
    networks = next(
        part for part in vars(model.pool_.members[0]).values() if hasattr(part, "outer")
    )
    for bad in (1e300, np.inf):
        networks.outer[...] = bad
        refused(model, tmp_path, "outer of a Networks is too large")


def test_mean_votes_need_weight():
    model = coterie.RandomForestClassifier(2, random_state=0).fit(X, Y)
    check("RandomForestClassifier", model)
    model.pool_ = replace(model.pool_, weights=np.zeros(2))
    with pytest.raises(ModelFileError, match="add up to zero"):
        check("RandomForestClassifier", model)


# ------------------------------------------------- found by hostile files, see tests/export/hostile


def survival_forest():
    return coterie.RandomSurvivalForest(3, random_state=0).fit(X, np.arange(1.0, 41.0))


@pytest.mark.parametrize(
    ("part", "edit"),
    [
        ("offsets", lambda a: a - 1),
        ("offsets", lambda a: a[::-1]),
        ("offsets", lambda a: a + 2**40),
        ("offsets", lambda a: a.astype(float)),
        ("offsets", lambda a: a[:0]),
        ("steps", lambda a: -a),
        ("steps", lambda a: a[1:]),
        ("times", lambda a: a * np.nan),
    ],
)
def test_hazards_of_leaves_that_are_not_there(part, edit):
    hazards = survival_forest().hazards_
    check("LeafHazards", hazards)
    with pytest.raises(ModelFileError, match="damaged"):
        check("LeafHazards", replace(hazards, **{part: edit(getattr(hazards, part))}))


def test_hazards_of_other_leaves():
    model = survival_forest()
    check("RandomSurvivalForest", model)
    model.hazards_ = model.hazards_ + model.hazards_
    with pytest.raises(ModelFileError, match="do not match the leaves"):
        check("RandomSurvivalForest", model)


@pytest.mark.parametrize(
    "wrong",
    [
        {"draw": 3},
        {"choice": 3},
        {"seeds": np.ones(3)},
        {"kept": np.array([99])},
        {"kept": np.array([0.5])},
    ],
    ids=str,
)
def test_bags_of_nothing(wrong):
    bags = coterie.RandomForestClassifier(3, random_state=0).fit(X, Y).bags_
    check("Bags", bags)
    with pytest.raises(ModelFileError, match="damaged"):
        check("Bags", replace(bags, **wrong))


def test_columns_of_rankers_are_those_of_the_table():
    model = coterie.LambdaMARTRanker(max_iter=2, min_samples_leaf=2)
    model.fit(X, Y.astype(int), qid=np.arange(40) // 8)
    check("LambdaMARTRanker", model)
    model.origin_ = model.origin_[:, None]
    with pytest.raises(ModelFileError, match="origin_"):
        check("LambdaMARTRanker", model)


def test_models_have_outputs():
    model = coterie.DecisionTreeRegressor().fit(X, Y.astype(float))
    model.n_outputs_ = 0
    with pytest.raises(ModelFileError, match="no outputs"):
        check("DecisionTreeRegressor", model)


@pytest.mark.parametrize(
    ("tag", "name"), [("Histogram", "log_density"), ("MixtureOfExpertsRegressor", "gate_coef_")]
)
def test_sums_of_no_number_are_refused(tag, name):
    check_numbers(tag, {name: np.array([0.5])})
    with pytest.raises(ModelFileError, match=name):
        check_numbers(tag, {name: np.array([0.5, np.nan])})


def test_detectors_know_their_columns():
    model = coterie.IsolationForest(n_estimators=5).fit(X)
    del model.schema_, model.pool_
    with pytest.raises(ModelFileError, match="does not know its columns"):
        check("IsolationForest", model)


def test_votes_are_not_subtracted(tmp_path):
    model = coterie.BaggingClassifier(n_estimators=3, random_state=0).fit(X, Y)
    model.pool_.weights[0] = -1.0
    refused(model, tmp_path, "negative")
