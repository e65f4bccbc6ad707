import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression

import coterie
from coterie import DecisionTreeClassifier, RandomForestRegressor, extract_rules
from coterie.interpretation.rules import different


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 3)), columns=list("abc"))
    return X.assign(kind=pd.Categorical(rng.choice(["ash", "elm", "oak", "yew"], 200)))


@pytest.fixture(scope="module")
def labels(frame):
    return (
        (frame["a"] * frame["b"] + frame["kind"].isin(["ash", "oak"]) > 0.4).to_numpy().astype(int)
    )


@pytest.mark.parametrize(
    "name",
    [
        "AdaBoostClassifier",
        "BaggingClassifier",
        "DecisionTreeClassifier",
        "ExtraTreesClassifier",
        "HistGradientBoostingClassifier",
        "RandomForestClassifier",
    ],
)
def test_rules_hold_where_rows_pass_their_node(name, frame, labels):
    model = getattr(coterie, name)(random_state=0)
    for limit in ("n_estimators", "max_iter"):
        if hasattr(model, limit):
            model.set_params(**{limit: 5})
    model.fit(frame, labels)
    rules = extract_rules(model)
    passed = model.pool_.paths(model._admit(frame)).toarray() > 0
    roots = np.zeros(passed.shape[1], dtype=bool)
    roots[model.pool_.forest.node_offsets[:-1]] = True
    np.testing.assert_array_equal(rules(frame), passed[:, ~roots])
    # A tree of u leaves has 2 (u - 1) rules.
    assert len(rules) == 2 * (model.pool_.forest.leaf_counts() - 1).sum()


def test_rules_are_read(frame, labels):
    X = pd.DataFrame({"alcohol": [9.0, 10.0, 12.0, 13.0], "kind": ["b", "a", "c", "c"]})
    tree = DecisionTreeClassifier().fit(X, [0, 1, 1, 1])
    assert sorted(extract_rules(tree).text()) == ["alcohol <= 9.5", "alcohol > 9.5"]
    tree = DecisionTreeClassifier().fit(X[["kind"]].astype("category"), [0, 1, 0, 0])
    assert sorted(extract_rules(tree).text()) == ["kind in {a}", "kind not in {a}"]
    deep = DecisionTreeClassifier().fit(np.arange(4.0)[:, None], [0, 1, 0, 0])
    assert sorted(extract_rules(deep).text()) == [
        "0.5 < x0 <= 1.5",
        "x0 <= 0.5",
        "x0 <= 1.5",
        "x0 > 1.5",
    ]


def test_missing_values_meet_no_condition():
    X = np.array([[1.0], [2.0], [3.0], [np.nan]])
    tree = DecisionTreeClassifier().fit(X, [0, 0, 1, 1])
    held = extract_rules(tree)(X)
    assert held[:3].sum() == 3
    assert not held[3].any()


def test_some_of_the_rules(frame, labels):
    forest = coterie.RandomForestClassifier(8, random_state=0).fit(frame, labels)
    rules = extract_rules(forest)
    part = rules[[7, 2, 11]]
    np.testing.assert_array_equal(part(frame), rules(frame)[:, [7, 2, 11]])
    assert part.text() == [rules.text()[place] for place in (7, 2, 11)]
    assert part.keys()[0] == rules[7:8].keys()[0]
    short = extract_rules(forest, max_conditions=2)
    assert short.lengths.max() <= 2
    assert set(short.text()) <= set(rules.text())


def test_equal_rules_of_different_trees_have_equal_keys(frame, labels):
    forest = coterie.RandomForestClassifier(30, max_depth=1, random_state=0).fit(frame, labels)
    rules = extract_rules(forest)
    texts, keys = rules.text(), rules.keys()
    assert len(set(keys)) < len(keys)
    assert len({(key, text) for key, text in zip(keys, texts, strict=True)}) == len(set(keys))


def test_sparse_rows_and_blocks(labels):
    X = np.random.default_rng(0).normal(size=(200, 4)) * (np.arange(4) % 2)
    forest = RandomForestRegressor(20, random_state=0).fit(X, labels)
    rules = extract_rules(forest)
    np.testing.assert_array_equal(rules(sparse.csr_array(X)), rules(X))
    one_by_one = np.concatenate([rules(X[i : i + 1]) for i in range(20)])
    np.testing.assert_array_equal(rules(X[:20]), one_by_one)


def test_a_tree_without_splits_has_no_rules():
    rules = extract_rules(DecisionTreeClassifier().fit(np.zeros((4, 2)), [0, 1, 0, 1]))
    assert len(rules) == 0
    assert rules.text() == []
    assert rules(np.zeros((3, 2))).shape == (3, 0)


def test_different_rules():
    first = np.array([1, 1, 0, 0], dtype=bool)
    second = np.array([1, 0, 1, 0], dtype=bool)
    held = np.column_stack([first, ~first, second, first, np.ones(4, bool), np.zeros(4, bool)])
    # The fourth is the shortest of the three that tell the same rows apart.
    lengths = np.array([3, 2, 2, 1, 1, 1])
    assert different(held, lengths).tolist() == [2, 3]
    assert different(held, lengths, opposites=False).tolist() == [1, 2, 3]


def test_only_native_trees_have_rules(frame, labels):
    with pytest.raises(TypeError, match="no native trees"):
        extract_rules(LogisticRegression().fit(frame[["a"]], labels))


@pytest.mark.slow
def test_rules_of_very_deep_trees_are_refused_with_a_cure():
    X = np.arange(12_000.0)[:, None]
    chain = DecisionTreeClassifier(max_depth=6000).fit(X, X[:, 0] % 2)  # a level for every row
    with pytest.raises(ValueError, match="up to 6000 levels deep.*Set max_conditions"):
        extract_rules(chain)
    assert len(extract_rules(chain, max_conditions=3)) == 6
