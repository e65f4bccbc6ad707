import io
import re

import numpy as np
import pandas as pd
import pytest
from sklearn import tree as sklearn_tree
from sklearn.datasets import load_iris

from coterie import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    RandomForestClassifier,
    export_graphviz,
    plot_tree,
)

X, y = load_iris(return_X_y=True)
NAMES = ["a", "b", "c"]


@pytest.fixture(scope="module")
def coloured():
    rng = np.random.default_rng(0)
    colour = rng.choice(["blue", "red", 'dark "navy"', "green"], 400)
    frame = pd.DataFrame({"colour": pd.Categorical(colour), "size": rng.random(400)})
    target = np.isin(colour, ["blue", "green"]) + 0.1 * (colour == "red")
    return DecisionTreeRegressor(max_depth=2).fit(frame, target)


@pytest.mark.parametrize(
    "options",
    [
        {"feature_names": NAMES, "class_names": ["s", "e", "i"], "filled": True},
        {"max_depth": 0, "special_characters": True, "proportion": True, "rotate": True},
    ],
)
def test_graphviz_of_numbers_is_scikit_learns(options):
    without = X[:, :3]  # the fourth column splits the root as well as the third
    ours = DecisionTreeClassifier(max_depth=1).fit(without, y)
    theirs = sklearn_tree.DecisionTreeClassifier(max_depth=1).fit(without, y)
    found = export_graphviz(ours, **options).splitlines()
    wanted = sklearn_tree.export_graphviz(theirs, None, **options).splitlines()
    # Three equal classes at the root: means of its leaves, which may differ in their last digit.
    differ = [(a, b) for a, b in zip(found, wanted, strict=True) if a != b]
    assert all(a.split("samples")[0] == b.split("samples")[0] for a, b in differ)
    assert len(differ) <= 1


def test_categories_are_named(coloured):
    text = export_graphviz(coloured, feature_names=["colour", "size"])
    assert r'label="colour in {dark \"navy\", red}' in text
    assert "nan" not in text
    assert export_graphviz(coloured, max_depth=0).count(" in {") == 1


def test_names_of_categories_are_escaped(coloured):
    both = [export_graphviz(coloured, special_characters=special) for special in (False, True)]
    assert '\\"navy\\"' in both[0]
    assert "&quot;navy&quot;" in both[1]


def test_where_it_is_written(coloured, tmp_path):
    text = export_graphviz(coloured)
    file = io.StringIO()
    assert export_graphviz(coloured, file) is None
    assert export_graphviz(coloured, tmp_path / "tree.dot") is None
    assert file.getvalue() == text == (tmp_path / "tree.dot").read_text(encoding="utf-8")


def test_pictures_of_trees_and_members(coloured):
    pytest.importorskip("matplotlib").use("Agg")
    from matplotlib import pyplot as plt

    boxes = [box.get_text() for box in plot_tree(coloured, feature_names=["colour", "size"])]
    assert boxes[0].startswith('colour in {dark "navy", red}')
    assert not any("nan" in box for box in boxes)
    member = RandomForestClassifier(2, max_depth=2, random_state=0).fit(X, y).estimators_[1]
    assert len(plot_tree(member, filled=True)) == member.tree_.node_count + 2  # True and False
    plt.close("all")


def test_long_sets_are_cut_short():
    rng = np.random.default_rng(0)
    letters = rng.choice(list("abcdefghijkl"), 500)
    frame = pd.DataFrame({"letter": pd.Categorical(letters)})
    tree = DecisionTreeRegressor(max_depth=1).fit(frame, (letters > "g").astype(float))
    assert "in {a, b, c, d, 3 more}" in export_graphviz(tree)
    # "1 more" would be no shorter than the category itself.
    tree = DecisionTreeRegressor(max_depth=1).fit(frame, (letters > "e").astype(float))
    assert "in {a, b, c, d, e}" in export_graphviz(tree)


@pytest.mark.parametrize("max_depth", [None, 1])
def test_every_set_stands_at_its_node(max_depth):
    rng = np.random.default_rng(0)
    cells = rng.choice(list("abcd"), (600, 3))
    frame = pd.DataFrame(cells, columns=NAMES).astype("category")
    target = np.unique(cells, return_inverse=True)[1].reshape(cells.shape) @ [1.0, 4.2, 9.7]
    fitted = DecisionTreeRegressor(max_depth=3).fit(frame, target + rng.normal(size=600))
    tree, labels = fitted.tree_, fitted.schema_.labels
    text = export_graphviz(fitted, feature_names=NAMES, max_depth=max_depth)
    seen = dict(re.findall(r'^(\d+) \[label="(\w in {.*?})', text, flags=re.MULTILINE))
    assert len(seen) == (3 if max_depth else 7)
    for node, words in seen.items():
        column = tree.feature[int(node)]
        left = [str(labels[column][code]) for code in tree.categories_left(int(node))]
        assert words == f"{NAMES[column]} in {{{', '.join(left)}}}"


def test_trees_too_deep_to_be_drawn():
    X = np.arange(1200.0)[:, None]
    chain = DecisionTreeClassifier().fit(X, X[:, 0] % 2)  # a level for every row
    with pytest.raises(ValueError, match="1199 levels deep.*Set max_depth"):
        export_graphviz(chain)
    assert "(...)" in export_graphviz(chain, max_depth=2)
