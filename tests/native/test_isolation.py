import numpy as np
import pytest

from coterie.native import (
    Effort,
    IsolationSamples,
    SlantedForest,
    cell_hashes,
    grow_isolation,
    grow_slanted,
)

THREE = np.array([[0.0], [1.0], [10.0]])
BARE = np.array([0.0, 0.0, 1.0, 0.0])  # what goes on in a leaf of three rows is left out


def samples(X, n_trees=4000, max_depth=2, path=BARE):
    rows = np.tile(np.arange(len(X)), (n_trees, 1))
    columns = np.tile(np.arange(X.shape[1]), (n_trees, 1))
    return IsolationSamples(rows, columns, np.arange(n_trees), max_depth, path)


def mean_paths(forest, X):
    return np.ravel(forest.predict(X)) / len(forest)


def test_axis_cuts_follow_the_law_of_three_rows():
    np.testing.assert_allclose(
        mean_paths(grow_isolation(THREE, samples(THREE)), THREE), [1.9, 2.0, 1.1], atol=0.02
    )


def test_slanted_cuts_follow_the_simulated_law():
    X = np.repeat(THREE, 2, axis=1)
    forest = grow_slanted(X, samples(X, 20_000), width=2, redraw=0)
    np.testing.assert_allclose(mean_paths(forest, X), [2.275, 2.339, 1.286], atol=0.02)


def test_cuts_that_leave_a_side_empty_are_drawn_again():
    X = np.repeat(THREE, 2, axis=1)
    again = mean_paths(grow_slanted(X, samples(X), width=2, redraw=50), X)
    assert again[1] == pytest.approx(2.0, abs=0.01)


def test_threads_do_not_matter():
    X = np.random.default_rng(0).normal(size=(64, 5))
    plan = samples(X, 40, 6, np.zeros(65))
    one, four = (grow_isolation(X, plan, effort=Effort(n)) for n in (1, 4))
    np.testing.assert_array_equal(one.nodes, four.nodes)
    slanted = [grow_slanted(X, plan, width=3, effort=Effort(n)) for n in (1, 4)]
    np.testing.assert_array_equal(slanted[0].slants, slanted[1].slants)
    lengths = [slanted[0].predict(X, n_threads=n) for n in (1, 3)]
    np.testing.assert_array_equal(lengths[0], lengths[1])


def test_the_order_of_the_rows_of_a_tree_does_not_matter():
    X = np.random.default_rng(0).normal(size=(30, 3))
    plan = samples(X, 5, 5, np.zeros(31))
    other = IsolationSamples(plan.rows[:, ::-1], plan.columns, plan.seeds, 5, plan.path)
    np.testing.assert_array_equal(grow_isolation(X, plan).nodes, grow_isolation(X, other).nodes)


def test_huge_and_subnormal_ranges_are_cut_inside():
    for low, high in ((-1.7e308, 1.7e308), (0.0, 5e-324), (1.0, np.nextafter(1.0, 2.0))):
        X = np.array([[low], [high]])
        forest = grow_isolation(X, samples(X, 200, 1, np.zeros(3)))
        thresholds = forest.nodes["threshold"][forest.nodes["left"] >= 0]
        assert len(thresholds) == 200
        assert ((thresholds >= low) & (thresholds < high)).all()


def test_sets_of_levels_part_the_rows_of_a_node():
    X = np.random.default_rng(0).integers(0, 70, size=(200, 1)).astype(float)
    forest = grow_isolation(X, samples(X, 30, 4, np.zeros(201)), levels=np.array([70]))
    sizes = forest.n_samples
    inner = np.flatnonzero(forest.nodes["left"] >= 0)
    left = forest.node_offsets[forest.tree_of_node()[inner]] + forest.nodes["left"][inner]
    np.testing.assert_array_equal(sizes[inner], sizes[left] + sizes[left + 1])
    assert sizes.min() > 0
    leaves = forest.apply(X)
    for tree in range(3):
        counts = np.bincount(leaves[:, tree], minlength=int(np.diff(forest.node_offsets)[tree]))
        own = sizes[forest.node_offsets[tree] : forest.node_offsets[tree + 1]]
        np.testing.assert_array_equal(counts[counts > 0], own[counts > 0])


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("rows", np.array([[0, 9]]), "rows: out of range"),
        ("columns", np.array([[-1]]), "columns: out of range"),
        ("seeds", np.array([1, 2]), "one of each per tree"),
        ("path", np.zeros(1), "path: too short"),
    ],
)
def test_wrong_samples_are_refused(field, value, words):
    given = {"rows": np.array([[0, 1]]), "columns": np.array([[0]]), "seeds": np.array([1])}
    given = given | {"max_depth": 1, "path": np.zeros(3)} | {field: value}
    with pytest.raises(ValueError, match=words):
        grow_isolation(THREE, IsolationSamples(**given))
    with pytest.raises(ValueError, match=words):
        grow_slanted(THREE, IsolationSamples(**given), width=1)


def test_parts_of_slanted_forests():
    X = np.random.default_rng(0).normal(size=(40, 3))
    forest = grow_slanted(X, samples(X, 9, 5, np.zeros(41)), width=2)
    first, rest = forest[:4], forest[4:]
    assert (len(forest), len(first), len(rest)) == (9, 4, 5)
    np.testing.assert_allclose(forest.predict(X), first.predict(X) + rest.predict(X))
    np.testing.assert_array_equal((first + rest).slants, forest.slants)
    with pytest.raises(ValueError, match="in a row"):
        forest[::2]


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("left", lambda a: np.where(a > 0, a + 2, a)),
        ("left", lambda a: np.where(a > 0, 1, a)),
        ("columns", lambda a: a + 7),
        ("slants", lambda a: a[1:]),
        ("starts", lambda a: a + 1),
        ("starts", lambda a: a[:-1]),
        ("offsets", lambda a: a[1:]),
    ],
)
def test_damaged_slanted_forests_are_refused(field, change):
    X = np.random.default_rng(0).normal(size=(40, 3))
    forest = grow_slanted(X, samples(X, 3, 5, np.zeros(41)), width=2)
    arrays = {n: getattr(forest, n) for n in ("left", "offsets", "columns", "slants", "starts")}
    arrays[field] = np.ascontiguousarray(change(arrays[field]))
    with pytest.raises(ValueError, match="damaged forest"):
        SlantedForest(**arrays, n_features=3).predict(X)


def test_hashes_tell_rows_by_what_they_hold():
    X = np.random.default_rng(0).normal(size=(5000, 3)).astype(np.float32)
    hashes = cell_hashes(X)
    assert len(np.unique(hashes)) == 5000
    np.testing.assert_array_equal(hashes, cell_hashes(X.astype(np.float64), n_threads=3))
    np.testing.assert_array_equal(hashes, cell_hashes(np.asfortranarray(X)))
