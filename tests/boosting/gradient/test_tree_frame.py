"""Trees as a data frame."""

import numpy as np
import pytest

from coterie import GradientBoostingRegressor, HistGradientBoostingClassifier
from tests.boosting.gradient.tables import numbers, three_classes

pandas = pytest.importorskip("pandas")


def test_values_add_up_to_the_scores():
    X, y = three_classes(missing=0.1)
    model = HistGradientBoostingClassifier(max_iter=4).fit(X, y)
    frame = model.trees_to_frame()
    assert frame["tree"].nunique() == 12
    assert set(frame["score"]) == {str(label) for label in model.classes_}
    value = frame.set_index(["round", "score", "node"])["value"]
    leaves = model.apply(X)
    for row in range(5):
        for k, label in enumerate(model.classes_):
            said = sum(value[(t, str(label), leaves[row, t, k])] for t in range(4))
            expected = model.decision_function(X)[row, k] - model.start_[k]
            assert said == pytest.approx(expected, rel=1e-9)


@pytest.mark.slow
def test_a_walk_by_the_frame_is_a_walk_by_the_tree():
    rng = np.random.default_rng(0)
    table = pandas.DataFrame(
        {"size": rng.normal(size=300), "shop": rng.choice(["a", "b", "c", "d"], 300)}
    )
    table.loc[::7, "size"] = np.nan
    y = np.nan_to_num(table["size"]) + (table["shop"] == "c") * 2.0
    model = GradientBoostingRegressor(n_estimators=3).fit(table, y)
    frame = model.trees_to_frame()
    assert {"size", "shop"} == set(frame["column"].dropna())
    leaves = model.apply(table)
    for tree in range(3):
        nodes = frame[frame["tree"] == tree].set_index("node")
        assert nodes.loc[0, "parent"] == -1
        assert nodes.loc[0, "n_samples"] == 300
        for row in range(0, 300, 11):
            at = 0
            while nodes.loc[at, "left"] >= 0:
                node, cell = nodes.loc[at], table.iloc[row][nodes.loc[at, "column"]]
                if pandas.isna(cell):
                    left = node["missing"] == "left"
                elif node["categories"] is not None and isinstance(node["categories"], str):
                    left = cell in node["categories"].split(" | ")
                else:
                    left = cell <= node["threshold"]
                child = int(node["left"] if left else node["right"])
                assert nodes.loc[child, "parent"] == at
                assert nodes.loc[child, "depth"] == node["depth"] + 1
                at = child
            assert at == leaves[row, tree]


def test_gains_and_weights_are_the_importances():
    X, y = numbers()
    model = GradientBoostingRegressor(n_estimators=5).fit(X, y)
    splits = model.trees_to_frame().query("left >= 0")
    by_column = splits.groupby("column")
    for j in range(X.shape[1]):
        part = splits[splits["column"] == f"x{j}"]
        for kind, total in {"split": len(part), "total_gain": part["gain"].sum()}.items():
            assert model.importances(kind)[j] == pytest.approx(total)
    shares = model.importances("total_gain") / model.importances("total_gain").sum()
    np.testing.assert_allclose(shares, model.feature_importances_, rtol=1e-5)
    np.testing.assert_allclose(
        model.importances("gain") * model.importances("split"), model.importances("total_gain")
    )
    np.testing.assert_allclose(
        model.importances("cover") * model.importances("split"), model.importances("total_cover")
    )
    assert by_column["weight"].sum().max() == pytest.approx(model.importances("total_cover").max())
    with pytest.raises(ValueError, match="kind='weight'"):
        model.importances("weight")


@pytest.mark.slow
def test_lightgbm_counts_gains_the_same_way():
    lightgbm = pytest.importorskip("lightgbm")
    X, y = numbers(400)
    X = np.round(X, 1)
    theirs = lightgbm.LGBMRegressor(
        n_estimators=1,
        num_leaves=8,
        min_child_samples=5,
        verbose=-1,
        max_bin=255,
        min_data_in_bin=1,
    ).fit(X, y)
    from coterie import HistGradientBoostingRegressor

    ours = HistGradientBoostingRegressor(max_iter=1, max_leaf_nodes=8, min_samples_leaf=5)
    ours.fit(X, y)
    gains = theirs.booster_.feature_importance("gain")
    np.testing.assert_allclose(ours.importances("total_gain"), gains, rtol=1e-3, atol=1e-3)
    np.testing.assert_array_equal(
        ours.importances("split"), theirs.booster_.feature_importance("split")
    )


@pytest.mark.parametrize("backend", ["polars", "pyarrow"])
def test_other_libraries(backend):
    pytest.importorskip(backend)
    X, y = numbers()
    model = GradientBoostingRegressor(n_estimators=2).fit(X, y)
    frame = model.trees_to_frame(backend)
    assert type(frame).__module__.startswith(backend)
    assert frame.shape == model.trees_to_frame().shape
