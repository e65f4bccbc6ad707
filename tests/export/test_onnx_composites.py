"""Ensembles of native ensembles say the same in ONNX."""

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.tree import DecisionTreeClassifier as ForeignTree

import coterie
from coterie.automl.combine import Blend
from coterie.export import OnnxError
from tests.export.runtime import NUMBERS, THREE, TWO, N, X, agree, run

CATEGORIES = {"categorical_features": [3, 4]}


def classifiers():
    return [
        ("forest", coterie.RandomForestClassifier(4, max_depth=4, random_state=0, **CATEGORIES)),
        ("boost", coterie.HistGradientBoostingClassifier(max_iter=4, **CATEGORIES)),
        ("tree", coterie.DecisionTreeClassifier(max_depth=3, **CATEGORIES)),
    ]


def regressors():
    return [
        ("forest", coterie.ExtraTreesRegressor(4, random_state=0, **CATEGORIES)),
        ("boost", coterie.HistGradientBoostingRegressor(max_iter=4, loss="gamma", **CATEGORIES)),
    ]


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize(
    "make",
    [
        lambda: coterie.VotingClassifier(classifiers(), voting="soft", **CATEGORIES),
        lambda: coterie.VotingClassifier(
            classifiers(), voting="soft", weights=[3, 1, 0], **CATEGORIES
        ),
        lambda: coterie.VotingClassifier(
            classifiers(), voting="soft", weights="simplex", cv=3, refit="folds", **CATEGORIES
        ),
        lambda: coterie.EnsembleSelectionClassifier(classifiers(), cv=3, **CATEGORIES),
        lambda: coterie.PrunedEnsembleClassifier(
            coterie.RandomForestClassifier(9, max_depth=4, **CATEGORIES),
            size=4,
            random_state=0,
            **CATEGORIES,
        ),
        lambda: coterie.PrunedEnsembleClassifier(
            coterie.AdaBoostClassifier(
                coterie.DecisionTreeClassifier(max_depth=2), n_estimators=9, **CATEGORIES
            ),
            size=4,
            random_state=0,
            **CATEGORIES,
        ),
        lambda: coterie.TableClassifier(members="fast", **CATEGORIES),
    ],
)
def test_classifiers(make, y, tmp_path):
    agree(make().fit(X, y), tmp_path)


@pytest.mark.parametrize(
    "make",
    [
        lambda: coterie.VotingRegressor(regressors(), weights=[1, 2], **CATEGORIES),
        lambda: coterie.WeightedAverageRegressor(regressors(), weights="nnls", cv=3, **CATEGORIES),
        lambda: coterie.WeightedAverageRegressor(regressors(), cv=3, **CATEGORIES),
        lambda: coterie.EnsembleSelectionRegressor(regressors(), cv=3, **CATEGORIES),
        lambda: coterie.PrunedEnsembleRegressor(
            coterie.RandomForestRegressor(9, **CATEGORIES), size=3, random_state=0, **CATEGORIES
        ),
        lambda: coterie.TableRegressor(members="fast", **CATEGORIES),
    ],
)
def test_regressors(make, tmp_path):
    agree(make().fit(X, NUMBERS), tmp_path)


@pytest.mark.parametrize("strategy", ["prior", "most_frequent"])
def test_constant_members(strategy, tmp_path):
    constant = ("constant", DummyClassifier(strategy=strategy))
    members = [*classifiers(), constant]
    agree(coterie.VotingClassifier(members, voting="soft", **CATEGORIES).fit(X, THREE), tmp_path)


def test_constant_numbers_beside_missing_cells(tmp_path):
    members = [*regressors(), ("constant", DummyRegressor(strategy="median"))]
    agree(coterie.VotingRegressor(members, **CATEGORIES).fit(X, NUMBERS), tmp_path)


def test_votes_of_votes(tmp_path):
    inner = coterie.VotingClassifier(classifiers()[:2], voting="soft", **CATEGORIES)
    outer = [("two", inner), ("tree", classifiers()[2][1])]
    agree(coterie.VotingClassifier(outer, voting="soft", **CATEGORIES).fit(X, THREE), tmp_path)


def test_a_pruned_list_whose_members_know_some_classes(tmp_path):
    few = THREE != 20
    models = [
        coterie.DecisionTreeClassifier(max_depth=4).fit(X[rows], THREE[rows])
        for rows in (few, slice(None), slice(60, None))
    ]
    model = coterie.PrunedEnsembleClassifier(models, prefit=True, size=3).fit(X, THREE)
    agree(model, tmp_path)


BLENDS = [
    Blend("mean", np.array([0.7, 0.3])),
    Blend("sum", np.array([2.0, 0.5])),
    Blend("one", np.array([0.0, 1.0])),
    Blend("calibrated", np.array([0.7, 0.3]), tau=1.7),
    Blend("doubtful", np.array([0.7, 0.3]), tau=0.5, floor=0.05, least=0.02),
    Blend("stacking", np.array([0.9, 0.4]), logs=True, least=0.05),
    Blend("stacking", np.array([0.9, 0.4]), logs=True, shift=np.array([0.3, -0.2, 0.0])),
]


@pytest.mark.slow
@pytest.mark.parametrize("blend", BLENDS, ids=lambda blend: blend.name)
def test_all_ways_to_blend(blend, tmp_path):
    model, other = (
        coterie.TableClassifier(members=[pair]).fit(X[:, :3], THREE)
        for pair in [
            ("trees", coterie.ExtraTreesClassifier(4, random_state=0)),
            ("boost", coterie.HistGradientBoostingClassifier(max_iter=4)),
        ]
    )
    model.members_ += other.members_
    model.pool_ += other.pool_
    model.blend_ = blend
    said = run(model, X[:, :3], tmp_path)
    np.testing.assert_allclose(
        said["probabilities"], model.predict_proba(X[:, :3]), rtol=1e-10, atol=1e-12
    )


def frame():
    words = np.where(np.isnan(X[:, 3]), None, np.char.add("k", np.nan_to_num(X[:, 3]).astype(str)))
    return pd.DataFrame(
        {
            "number": X[:, 0],
            "row": np.arange(N) + 1000,  # left out, as an identifier
            "word": words,
            "rare": np.where(np.arange(N) == 3, "once", np.where(X[:, 1] > 0, "b", "a")),
            "other": X[:, 2],
        }
    )


def coded(model, table):
    columns = []
    for j, name in enumerate(model.schema_.names):
        labels = model.schema_.labels.get(j)
        cells = table[name]
        if labels is not None:
            place = {label: float(code) for code, label in enumerate(labels.tolist())}
            cells = [place.get(cell, np.nan) for cell in cells]
        columns.append(np.asarray(cells, dtype=np.float64))
    return np.column_stack(columns)


@pytest.mark.slow
@pytest.mark.parametrize("y", [TWO, THREE, NUMBERS], ids=["two", "three", "numbers"])
def test_tables_with_words_and_columns_left_out(y, tmp_path):
    table = frame()
    task = "Regressor" if y is NUMBERS else "Classifier"
    own = {"categorical_features": [1, 2]}  # of those that members see
    members = [
        ("boost", getattr(coterie, f"HistGradientBoosting{task}")(max_iter=9, **own)),
        ("trees", getattr(coterie, f"ExtraTrees{task}")(5, random_state=0, **own)),
    ]
    model = coterie.fit_table(table.assign(y=y), "y", members=members)
    known = {len(one.schema_.labels[2]) for member in model.members_ for one in member.models}
    assert known == {2, 3}, "some folds have not seen the rare label"
    assert [column.name for column in model.columns_ if not column.used] == ["row"]
    table.loc[5, "word"] = "never seen"
    said = run(model, coded(model, table), tmp_path)
    if y is NUMBERS:
        np.testing.assert_allclose(said["prediction"], model.predict(table), rtol=1e-12)
        return
    expected = model.predict_proba(table)
    np.testing.assert_allclose(said["probabilities"], expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(said["label"], model.predict(table))


@pytest.mark.slow
def test_a_member_that_takes_codes_for_numbers(tmp_path):
    table = frame().drop(columns="row")
    members = [("mine", coterie.RandomForestClassifier(3, random_state=0))]
    model = coterie.TableClassifier(members=members).fit(table, THREE)
    said = run(model, coded(model, table), tmp_path)
    np.testing.assert_allclose(said["probabilities"], model.predict_proba(table), atol=1e-12)


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (coterie.VotingClassifier(classifiers()), "voting='hard'"),
        (coterie.VotingClassifier(classifiers(), voting="soft", reject=True), "reject"),
        (coterie.VotingClassifier(classifiers(), voting="soft", ties="random"), "ties='random'"),
        (coterie.VotingClassifier(classifiers(), voting="median"), "voting='median'"),
        (
            coterie.VotingClassifier([*classifiers(), ("theirs", ForeignTree())], voting="soft"),
            r"theirs \(DecisionTreeClassifier\)",
        ),
        (
            coterie.VotingClassifier(classifiers(), voting="soft"),
            "forest: .*is categorical for a member",
        ),
        (
            coterie.PrunedEnsembleClassifier([ForeignTree().fit(np.nan_to_num(X), TWO)]),
            "DecisionTreeClassifier",
        ),
        (
            coterie.VotingClassifier(
                [("random", DummyClassifier(strategy="uniform"))], voting="soft"
            ),
            "predicts at random",
        ),
        (
            coterie.TableClassifier(members=["neighbours"]),
            r'neighbours \(Pipeline\)\. Fit with members="native" \(coterie fit --members native\)',
        ),
    ],
)
def test_what_cannot_be_expressed_is_refused(model, why):
    if isinstance(model, coterie.PrunedEnsembleClassifier):
        model.prefit = True
    with pytest.raises(OnnxError, match=why):
        coterie.to_onnx(model.fit(np.nan_to_num(X), TWO))


@pytest.mark.slow
def test_dates_are_refused():
    table = frame().assign(day=pd.date_range("2024-01-01", periods=N))
    model = coterie.TableClassifier(members="fast").fit(table, TWO)
    with pytest.raises(OnnxError, match=r"reads dates \(day\)"):
        coterie.to_onnx(model)
