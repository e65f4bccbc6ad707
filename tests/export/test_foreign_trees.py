"""Trees of scikit-learn are looked through."""

import pickle

import numpy as np
import pytest
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors
from sklearn.tree import DecisionTreeClassifier

from coterie.export.errors import ModelFileError
from coterie.export.foreign_trees import check_trees

X = np.random.default_rng(0).normal(size=(60, 3))
Y = X[:, 0] > 0.3 * X[:, 1]


def with_state(tree, **changes):
    """A tree of scikit-learn with another state."""
    kind, arguments, state = tree.__reduce__()
    nodes = state["nodes"].copy()
    for name, value in changes.items():
        if name in nodes.dtype.names:
            nodes[name][0] = value
    made = kind(*arguments)
    made.__setstate__({**state, "nodes": nodes, **{k: v for k, v in changes.items() if k in state}})
    return made


@pytest.mark.parametrize(
    "change",
    [
        {"left_child": 10_000},
        {"right_child": 0},
        {"left_child": -1},
        {"feature": 3},
        {"feature": -5},
        {"max_depth": 0},
    ],
    ids=repr,
)
def test_trees_out_of_range_are_refused(change):
    tree = DecisionTreeClassifier(random_state=0).fit(X, Y).tree_
    check_trees({"a": [tree]})
    with pytest.raises(ModelFileError, match="scikit-learn"):
        check_trees({"a": [with_state(tree, **change)]})


def test_trees_are_found_wherever_they_are():
    boosted = GradientBoostingClassifier(n_estimators=2, random_state=0).fit(X, Y)
    check_trees(boosted)
    tree = boosted.estimators_[1, 0]
    tree.tree_ = with_state(tree.tree_, feature=99)
    with pytest.raises(ModelFileError, match="columns"):
        check_trees((boosted,))


@pytest.mark.parametrize("kind", ["kd_tree", "ball_tree"])
def test_searches_out_of_range_are_refused(kind):
    search = NearestNeighbors(algorithm=kind, leaf_size=5).fit(X)
    check_trees(search)
    tree = search._tree
    state = list(tree.__getstate__())
    for number, change in ((1, lambda a: a + 1), (2, lambda a: _beyond(a))):
        bad = pickle.loads(pickle.dumps(tree))
        bad.__setstate__(
            tuple(change(np.array(part)) if i == number else part for i, part in enumerate(state))
        )
        search._tree = bad
        with pytest.raises(ModelFileError, match="neighbour search"):
            check_trees(search)


def _beyond(nodes):
    nodes["idx_end"][0] = 10_000
    return nodes


def test_healthy_estimators_pass():
    check_trees(KNeighborsClassifier().fit(X, Y))
