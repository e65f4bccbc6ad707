"""What a fit cannot have made is refused."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import coterie
from coterie.core.pool import Pool
from coterie.core.stages import StagedPool
from coterie.data.schema import Schema
from coterie.export.checks import BUILDERS, check
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
    ],
    ids=repr,
)
def test_schemas_name_their_columns(schema):
    check("Schema", Schema(2, ("a", "b"), {1: np.array(["x"])}))
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
