"""Members that learn from bins share one binned table."""

import pickle
from functools import partial

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.base import clone
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB

import coterie
from coterie import (
    BaggingClassifier,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    StackingClassifier,
    StackingRegressor,
    VotingClassifier,
)
from coterie.base import JoblibExecutor
from coterie.combining import folds
from coterie.combining.named_members import Named
from coterie.combining.shared_bins import share_bins, takes_bins
from coterie.core import ParameterError
from coterie.data import Table, Target, table

rng = np.random.default_rng(0)
X = rng.integers(0, 12, size=(300, 4)).astype(float)  # every value is in every fold
X[rng.random(X.shape) < 0.1] = np.nan
filled = np.nan_to_num(X)
y = (filled[:, 0] + 2 * filled[:, 1] + rng.normal(size=300) * 5 > 15).astype(int)
FRAME = pd.DataFrame(X, columns=["a", "b", "c", "d"]).assign(
    kind=np.array(["x", "y", "z"])[rng.integers(0, 3, 300)]
)


def labels():
    return [
        ("tree", DecisionTreeClassifier(max_depth=4, random_state=0)),
        ("forest", RandomForestClassifier(8, random_state=0)),
        ("extra", ExtraTreesClassifier(8, random_state=0)),
        ("boosted", HistGradientBoostingClassifier(max_iter=8, random_state=0)),
        (
            "stopped",
            HistGradientBoostingClassifier(max_iter=8, early_stopping=True, random_state=0),
        ),
    ]


def numbers():
    return [
        ("tree", DecisionTreeRegressor(max_depth=4, random_state=0)),
        ("forest", RandomForestRegressor(8, random_state=0)),
        ("extra", ExtraTreesRegressor(8, random_state=0)),
        ("boosted", HistGradientBoostingRegressor(max_iter=8, random_state=0)),
    ]


@pytest.fixture
def searches(monkeypatch):
    """How often edges are looked for, and by how many rows."""
    seen, plain = [], table.find_bins

    def counted(values, **settings):
        seen.append(len(values))
        return plain(values, **settings)

    monkeypatch.setattr(table, "find_bins", counted)
    return seen


@pytest.fixture
def apart(monkeypatch):
    """A switch that makes members read the rows themselves."""
    return lambda: monkeypatch.setattr(folds, "share_bins", lambda *given, **settings: {})


@pytest.mark.slow
@pytest.mark.parametrize("refit", ["full", "folds"])
@pytest.mark.parametrize("given", [X, FRAME], ids=["array", "frame"])
def test_same_answers_where_bins_hold_one_value_each(given, refit, apart):
    def fitted():
        one = StackingClassifier(labels(), GaussianNB(), cv=3, refit=refit).fit(given, y)
        other = StackingRegressor(numbers(), LinearRegression(), cv=3, refit=refit)
        return one, other.fit(given, filled[:, 1] + y)

    shared = fitted()
    apart()
    for one, other in zip(shared, fitted(), strict=True):
        np.testing.assert_array_equal(one.transform(given), other.transform(given))
        np.testing.assert_array_equal(one.predict(given), other.predict(given))
    # What the second levels were shown is what members said of unseen rows.
    final, plain = shared[0].final_estimator_, fitted()[0].final_estimator_
    np.testing.assert_array_equal(final.theta_, plain.theta_)
    np.testing.assert_array_equal(final.var_, plain.var_)


def test_refits_are_the_same_whatever_the_bins(apart):
    # Edges of all rows are those that a member finds when it is fitted to all rows.
    many = np.random.default_rng(1).normal(size=(400, 3))
    target = (many[:, 0] > 0).astype(int)
    members = [(name, member.set_params(max_bins=16)) for name, member in labels()[:-1]]
    one = VotingClassifier(members, voting="soft").fit(many, target)
    apart()
    other = VotingClassifier(members, voting="soft").fit(many, target)
    np.testing.assert_array_equal(one.transform(many), other.transform(many))


@pytest.mark.slow
def test_bins_are_found_once(searches, apart):
    members = labels()[:4]
    stack = StackingClassifier(members, GaussianNB(), cv=3).fit(FRAME, y)
    assert searches == [300, 300]  # for trees, and for boosting with its fewer bins
    assert all(m.feature_names_in_.tolist() == list(FRAME) for m in stack.estimators_)
    assert stack.estimators_[1].schema_.labels[4].tolist() == ["x", "y", "z"]
    searches.clear()
    members[0] = ("tree", DecisionTreeClassifier(max_bins=8))
    StackingClassifier(members, GaussianNB(), cv=3).fit(X, y)
    assert searches == [300, 300, 300]
    searches.clear()
    apart()
    StackingClassifier(members, GaussianNB(), cv=3).fit(X, y)
    assert len(searches) == 4 * 4


def test_weights_move_quantiles(searches):
    members = [("tree", DecisionTreeClassifier()), ("forest", RandomForestClassifier(3))]
    StackingClassifier(members, GaussianNB(), cv=3).fit(X, y, sample_weight=np.linspace(1, 2, 300))
    assert len(searches) == 2 * 4
    searches.clear()
    boosted = HistGradientBoostingClassifier(max_iter=2, class_weight="balanced")
    StackingClassifier([("boosted", boosted)], GaussianNB(), cv=3).fit(X, y)
    assert len(searches) == 4


def test_routed_weights_move_them_too(searches):
    with config_context(enable_metadata_routing=True):
        weighed = DecisionTreeClassifier().set_fit_request(sample_weight="care")
        members = [("weighed", weighed), ("also", clone(weighed))]
        members += [("plain", DecisionTreeClassifier()), ("stump", DecisionTreeClassifier())]
        VotingClassifier(members).fit(X, y, care=np.linspace(1, 2, 300))
    assert len(searches) == 3  # those without weights share


@pytest.mark.parametrize(
    "member",
    [
        GaussianNB(),
        BaggingClassifier(),
        HistGradientBoostingClassifier(init=GaussianNB()),
        HistGradientBoostingClassifier(high_cardinality="ordered"),
        HistGradientBoostingClassifier(scoring="accuracy"),
        HistGradientBoostingClassifier(scoring=["loss"]),
        HistGradientBoostingClassifier(class_weight="balanced"),
        GradientBoostingClassifier(max_bins=None),
        DecisionTreeClassifier(categorical_features=[0]),
        DecisionTreeClassifier(categorical_features="kind"),
        DecisionTreeClassifier(max_bins="many"),
    ],
    ids=repr,
)
def test_members_that_want_the_rows(member):
    assert not takes_bins(member)
    assert share_bins(Table.read(X), [Named("member", member)] * 3) == {}


def test_who_learns_from_bins():
    # A new name here must ask for nothing but bins in its fit, and have max_bins.
    kinds = [getattr(coterie, name) for name in coterie.__all__]
    kinds = [kind for kind in kinds if isinstance(kind, type) and hasattr(kind, "learns_from_bins")]
    families = (
        *("DecisionTree", "ExtraTree", "RandomForest", "BalancedRandom"),
        *("RandomTrees", "RandomSurvival"),
        *("GradientBoosting", "HistGradientBoosting"),
    )
    for kind in kinds:
        try:
            member = kind()
        except TypeError:  # a parameter without default
            continue
        assert member.learns_from_bins == kind.__name__.startswith(families), kind
        if member.learns_from_bins:
            assert takes_bins(member)


def test_nothing_to_share():
    fits = [Named("tree", DecisionTreeClassifier())]
    assert share_bins(Table.read(X), fits) == {}
    assert share_bins(Table.read(sparse.csr_array(filled)), fits * 2) == {}
    assert list(share_bins(Table.read(X), fits, fewest=1)) == ["tree"]


def test_combiners_own_categories_are_not_the_members(apart):
    # categorical_features of a combiner is for its default members.
    def fitted():
        pair = [("tree", DecisionTreeClassifier()), ("stump", DecisionTreeClassifier(max_depth=1))]
        return VotingClassifier(pair, categorical_features=[0]).fit(X, y)

    one = fitted()
    assert one.estimators_[0].schema_.labels == {}
    apart()
    np.testing.assert_array_equal(one.transform(X), fitted().transform(X))


def test_members_complain_for_themselves():
    members = [("tree", DecisionTreeClassifier(max_bins=1)), ("other", DecisionTreeClassifier())]
    with pytest.raises(ParameterError, match="DecisionTreeClassifier.*max_bins"):
        VotingClassifier(members).fit(X, y)


def test_folds_of_one_class_make_constants():
    cv = [(np.arange(100), np.arange(200, 300)), (np.arange(100, 300), np.arange(100))]
    sorted_y = np.repeat([0, 1, 1], 100)
    sorted_y[150] = 0
    stack = StackingClassifier(
        [("tree", DecisionTreeClassifier())], GaussianNB(), cv=cv, refit="folds"
    ).fit(FRAME, sorted_y)
    constant, tree = stack.estimators_[0]
    assert constant.feature_names_in_.tolist() == tree.feature_names_in_.tolist()
    assert len(stack.predict(FRAME)) == 300


def test_bins_travel_to_other_processes():
    # There members are fitted on a copy of the rows, and asked about that copy.
    named, split = Named("tree", DecisionTreeClassifier()), (np.arange(200), np.arange(200, 300))
    chore = folds.Chore(named, "predict_proba", split)
    executor = JoblibExecutor(None)
    rows = folds.Rowset(Table.read(FRAME), Target.labels(y)).sharing([chore], executor, 1)
    task = partial(folds._do, folds._carry_out, rows)
    assert rows.binned["tree"].shape == FRAME.shape
    _, said = pickle.loads(pickle.dumps(task))(chore)
    np.testing.assert_array_equal(said, task(chore)[1])


@pytest.mark.slow
def test_fits_are_found_on_disk(tmp_path):
    def stack(**settings):
        final = LogisticRegression()
        return StackingClassifier(labels()[:2], final, cv=2, **settings).fit(FRAME, y)

    plain = stack().transform(FRAME)
    memory = joblib.Memory(str(tmp_path), verbose=0)
    np.testing.assert_array_equal(stack(memory=memory).transform(FRAME), plain)
    kept = sorted(path.name for path in tmp_path.rglob("output.pkl"))
    np.testing.assert_array_equal(stack(memory=memory).transform(FRAME), plain)
    assert sorted(path.name for path in tmp_path.rglob("output.pkl")) == kept
    assert len(kept) == 6
