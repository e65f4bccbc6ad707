import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes

from coterie import DecisionTreeClassifier, DecisionTreeRegressor
from coterie.bagging.branches import (
    cut_at,
    losses_as_leaves,
    node_posteriors,
    node_sums,
    parents,
    prune_branches,
    prune_by_price,
    tree_loss,
    with_posteriors,
)
from coterie.data import Table, Target


def stump():
    """Leaves 0 (left) and 1 (right) under a root whose majority is 0."""
    X = np.array([0.0, 0, 0, 1, 1])[:, None]
    return DecisionTreeClassifier(max_depth=1).fit(X, [0, 0, 0, 1, 1]).pool_.forest


def rows(left, right):
    X = np.array([0.0] * len(left) + [1.0] * len(right))[:, None]
    # Both classes are known, whichever of them the rows show.
    return Table.read(X), Target("labels", np.array([[*left, *right]], np.int32).T, CLASSES)


CLASSES = (np.array([0, 1]),)


def test_a_branch_is_cut_by_hand():
    table, target = rows([0, 0], [0, 0, 1])
    np.testing.assert_array_equal(losses_as_leaves(stump(), table, target), [1, 0, 2])
    assert len(prune_branches(stump(), table, target).nodes) == 1
    table, target = rows([0, 0], [1, 1, 0])
    np.testing.assert_array_equal(losses_as_leaves(stump(), table, target), [2, 0, 1])
    assert len(prune_branches(stump(), table, target).nodes) == 3
    table, target = rows([0], [1, 0])  # a tie makes the tree smaller
    assert len(prune_branches(stump(), table, target).nodes) == 1


def test_pruned_root_says_the_mean_of_the_bag():
    pruned = prune_branches(stump(), *rows([0, 0], [0, 0, 1]))
    np.testing.assert_allclose(pruned.predict(np.array([[0.0], [1.0]])), [[0.6, 0.4]] * 2)


def problems():
    X, y = load_breast_cancer(return_X_y=True)
    yield DecisionTreeClassifier().fit(X[:300], y[:300]), X, Target.labels(y), y
    X, y = load_diabetes(return_X_y=True)
    yield DecisionTreeRegressor().fit(X[:300], y[:300]), X, Target.numbers(y), y


@pytest.mark.parametrize(("tree", "X", "target", "y"), list(problems()), ids=["labels", "numbers"])
def test_loss_falls_and_so_does_size(tree, X, target, y):
    forest, new = tree.pool_.forest, slice(300, None)
    table, held = Table.read(X[new]), target.take(new)
    pruned = prune_branches(forest, table, held)

    def loss(one):
        votes = one.predict(X[new])
        if held.kind == "labels":
            return (votes.argmax(axis=1) != y[new]).sum()
        return ((votes[:, 0] - y[new]) ** 2).sum()

    assert loss(pruned) <= loss(forest)
    assert pruned.leaf_counts()[0] < forest.leaf_counts()[0]
    assert loss(pruned) == pytest.approx(_best_loss(forest, table, held))
    kept = prune_branches(forest, table, held, empty="keep")
    assert pruned.leaf_counts()[0] <= kept.leaf_counts()[0] <= forest.leaf_counts()[0]


def _best_loss(forest, table, held):
    """The smallest loss of all prunings, from the root down."""
    alone, left = losses_as_leaves(forest, table, held), forest.nodes["left"]

    def best(node):
        if left[node] < 0:
            return alone[node]
        return min(alone[node], best(left[node]) + best(left[node] + 1))

    return best(0)


@pytest.mark.parametrize(("tree", "X", "target", "y"), list(problems()), ids=["labels", "numbers"])
def test_the_best_price_is_found(tree, X, target, y):
    forest, new = tree.pool_.forest, slice(300, None)
    table, held = Table.read(X[new]), target.take(new)
    pruned = prune_by_price(forest, table, held, n_prices=10_000)
    every = [forest.prune(float(price)) for price in forest.pruning_path()[0]]
    losses = [tree_loss(one, table, held) for one in every]
    assert tree_loss(pruned, table, held) == pytest.approx(min(losses))
    equal = [
        one.leaf_counts()[0] for one, loss in zip(every, losses, strict=True) if loss == min(losses)
    ]
    assert pruned.leaf_counts()[0] == min(equal)
    few = prune_by_price(forest, table, held, n_prices=5)
    assert tree_loss(few, table, held) <= tree_loss(forest, table, held)
    assert tree_loss(forest, table, held) == pytest.approx(
        losses_as_leaves(forest, table, held)[forest.nodes["left"] < 0].sum()
    )


def test_sums_follow_the_paths():
    X, y = load_breast_cancer(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=4).fit(X, y)
    sums = node_sums(tree.pool_.forest, Table.read(X), np.eye(2)[y])
    paths = tree.pool_.paths(Table.read(X))
    np.testing.assert_array_equal(sums, paths.T @ np.eye(2)[y])
    above = parents(tree.pool_.forest)
    assert above[0] == -1
    assert (above[1:] < np.arange(1, len(above))).all()


def test_cutting_nothing_changes_nothing():
    X, y = load_diabetes(return_X_y=True)
    forest = DecisionTreeRegressor(max_depth=5).fit(X, y).pool_.forest
    same = cut_at(forest, forest.nodes["left"] < 0)
    np.testing.assert_allclose(same.predict(X), forest.predict(X))
    shallow = cut_at(forest, forest.nodes["left"] == forest.nodes["left"])
    np.testing.assert_allclose(shallow.predict(X), y.mean())


def test_posteriors_by_hand():
    # A parent of .6/.4: a node without rows holds the same, one row of class 0 moves it.
    prior = np.array([0.6, 0.4])
    X = np.array([0.0])[:, None]
    target = Target("labels", np.array([[0]], np.int32), CLASSES)
    posterior = node_posteriors(stump(), Table.read(X), target, prior, strength=2.0)
    root = (1 + 2 * 0.6) / 3
    np.testing.assert_allclose(posterior[0], [root, 1 - root])
    assert root == pytest.approx(0.733333, abs=1e-6)
    np.testing.assert_allclose(posterior[1], [(1 + 2 * root) / 3, 2 * (1 - root) / 3])
    np.testing.assert_allclose(posterior[2], posterior[0])
    np.testing.assert_allclose(posterior.sum(axis=1), 1)
    # Without strength a node is what its rows are, or its parent.
    bare = node_posteriors(stump(), Table.read(X), target, prior, strength=0.0)
    np.testing.assert_allclose(bare, [[1, 0]] * 3)


def test_posteriors_of_the_bag_alone_shrink_its_own_values():
    table, target = rows([0], [1])
    prior = np.array([0.6, 0.4])
    bag = node_posteriors(stump(), table, target, prior, strength=0.0, source="inbag")
    np.testing.assert_allclose(bag, stump().node_values())
    both = node_posteriors(stump(), table, target, prior, strength=0.0, source="both")
    np.testing.assert_allclose(both[0], [4 / 7, 3 / 7])


def test_posteriors_of_numbers():
    X, y = load_diabetes(return_X_y=True)
    forest = DecisionTreeRegressor(max_depth=3).fit(X[:300], y[:300]).pool_.forest
    table, target = Table.read(X[300:]), Target.numbers(y[300:])
    values = node_posteriors(forest, table, target, np.array([y[:300].mean()]), strength=0.0)
    leaves = forest.apply(X[300:])[:, 0]
    turned = with_posteriors(forest, values).predict(X[300:])[:, 0]
    means = np.array([y[300:][leaves == leaf].mean() for leaf in leaves])
    np.testing.assert_allclose(turned, means)
