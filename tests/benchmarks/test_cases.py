"""Suites, tables and the spelling of models."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks import tables
from benchmarks.cases import Case, build, select
from benchmarks.contenders import CONTENDERS, Model


@pytest.mark.parametrize("suite", ["quick", "default", "full", "boosting", "forests", "gradient"])
def test_names_within_a_suite_are_distinct(suite: str) -> None:
    names = [case.name for case in build(suite)]  # type: ignore[arg-type]
    assert len(names) == len(set(names))


def test_full_suite_grows_whole_forests_and_leaves_nobody_out() -> None:
    cases = [c for c in build("full") if c.family == "forest"]
    assert {c.trees for c in cases} == {100}
    rivals = [name for name, c in CONTENDERS.items() if "forest" in c.families]
    assert rivals == ["coterie", "scikit-learn", "LightGBM", "XGBoost"]
    assert all(c.trees_for(name, full=True) for c in cases for name in rivals)


def test_rows_and_trees_can_be_chosen() -> None:
    cases = select(build("default", sizes=[300], trees=7), ["forest/higgs"])
    assert cases == [Case("forest", "higgs", 300, 7)]


def test_forests_are_measured_at_every_size_on_equal_terms() -> None:
    cases = build("forests")
    sizes = {c.rows for c in cases if c.table == "normal"}
    assert sizes == {10_000, 100_000, 1_000_000}
    assert {c.family for c in cases} == {"forest", "extra", "bagging"}
    for case in cases:
        assert case.trees_for("coterie") == case.trees_for("scikit-learn") == case.trees


def test_boosting_is_compared_with_scikit_learn_where_that_takes_minutes() -> None:
    asked = {c.name: {n: c.trees_for(n) for n in CONTENDERS} for c in build("boosting")}
    others = dict.fromkeys(("LightGBM", "LightGBM quantised", "XGBoost", "CatBoost"), 0)
    assert asked == {
        "stumps/higgs/100k": {"coterie": 100, "scikit-learn": 100, **others},
        "depth3/higgs/100k": {"coterie": 50, "scikit-learn": 50, **others},
        "stumps/higgs/1M": {"coterie": 1000, "scikit-learn": 0, **others},
    }


@pytest.mark.parametrize("size", ["quick", "default", "full"])
def test_gradient_boosting_asks_the_same_rounds_of_all(size: str) -> None:
    for case in build("gradient", size=size):  # type: ignore[arg-type]
        assert {case.trees_for(name) for name in CONTENDERS} == {case.trees}
    rows = {c.table: c.rows for c in build("gradient", size=size)}  # type: ignore[arg-type]
    assert size == "quick" or rows.keys() == {"higgs", "energy"} | tables.REAL.keys()
    assert rows["higgs"] == (10_000 if size == "quick" else 1_000_000)


@pytest.mark.parametrize("name", ["coterie", "scikit-learn"])
def test_members_are_trees_of_the_same_library(name: str) -> None:
    model = Model("depth3", "classification", 7, 1000, 28, 2)
    booster = CONTENDERS[name].build(model, 1, 0)
    assert booster.n_estimators == 7
    assert booster.estimator.max_depth == 3
    package = {"coterie": "coterie", "scikit-learn": "sklearn"}[name]
    for part in (booster, booster.estimator):
        assert type(part).__module__.split(".")[0] == package


@pytest.mark.parametrize("table", sorted(tables.SYNTHETIC))
def test_synthetic_tables_repeat_and_are_float32(table: str) -> None:
    first, again = tables.make(table, 200), tables.make(table, 200)
    assert first.X_train.shape == (200, 28)
    assert first.X_train.dtype == np.float32
    assert np.isfinite(first.X_train).all()
    assert all(np.array_equal(a, b) for a, b in zip(first, again, strict=True))


def test_columns_beyond_the_usual_ones_are_noise() -> None:
    wide, usual = tables.make("higgs-40", 200), tables.make("higgs", 200)
    assert wide.X_train.shape == (200, 40)
    assert wide.X_train.dtype == np.float32
    assert np.array_equal(wide.X_train[:, :28], usual.X_train)
    assert np.array_equal(wide.y_test, usual.y_test)


@pytest.mark.slow
@pytest.mark.parametrize("table", sorted(set(tables.REAL) - {"mnist"}))
def test_real_tables_have_the_size_they_are_named_by(table: str) -> None:
    if not tables.available(table):
        pytest.skip("the table is not here")
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    split = tables.make(table, None)
    real = tables.REAL[table]
    assert len(split.y_train) == real.rows
    assert real.task == "regression" or split.y_train.max() + 1 == real.classes


def test_absent_tables_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COTERIE_DATA", str(tmp_path))
    assert tables.available("higgs")
    assert not tables.available("covertype")


@pytest.mark.parametrize("columns", [8, 16, 28, 54])
def test_share_of_columns_is_a_whole_number_of_them(columns: int) -> None:
    model = Model("forest", "classification", 10, 1000, columns, 2)
    assert int(np.float32(model.share) * columns) == int(columns**0.5)
