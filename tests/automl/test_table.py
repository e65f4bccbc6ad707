"""From a frame and the name of its target."""

import time

import narwhals as nw
import numpy as np
import pytest

from coterie import TableClassifier, TableRegressor, fit_table
from coterie.automl.table import guess_task

pandas = pytest.importorskip("pandas")
RNG = np.random.default_rng(0)
FRAME = pandas.DataFrame(RNG.normal(size=(120, 2)), columns=["a", "b"])
FRAME["kind"] = np.where(FRAME["a"] > 0, "up", "down")
FRAME["size"] = FRAME["a"] + 0.1 * FRAME["b"]


@pytest.mark.slow
def test_the_same_model_as_the_estimator():
    model = fit_table(FRAME, "kind", members="fast")
    assert isinstance(model, TableClassifier)
    assert model.target_name_ == "kind"
    X = FRAME.drop(columns="kind")
    same = TableClassifier(members="fast").fit(X, FRAME["kind"])
    np.testing.assert_array_equal(model.predict_proba(X), same.predict_proba(X))
    assert isinstance(fit_table(FRAME, "size", members="fast"), TableRegressor)


@pytest.mark.slow
@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_frames_of_other_libraries(library):
    pytest.importorskip(library)
    import polars

    frame = polars.DataFrame(FRAME.to_dict(orient="list"))
    native = frame.to_arrow() if library == "pyarrow" else frame
    model = fit_table(native, "kind", members="fast")
    expected = fit_table(FRAME, "kind", members="fast").predict(FRAME.drop(columns="kind"))
    rest = native.drop(["kind"]) if library == "pyarrow" else native.drop("kind")
    np.testing.assert_array_equal(model.predict(rest), expected)


@pytest.mark.parametrize(
    ("values", "task"),
    [
        (["a", "b"] * 20, "classification"),
        ([True, False] * 20, "classification"),
        ([0, 1, 2, 3] * 10, "classification"),
        ([0.0, 1.0] * 20, "classification"),
        (list(range(40)), "regression"),
        ([1.0, 2.0, 3.0, 4.0] * 10, "regression"),
        ([0.5, 1.0] * 20, "regression"),
    ],
)
def test_what_a_target_is_taken_for(values, task):
    assert guess_task(nw.from_native(pandas.Series(values), series_only=True)) == task


@pytest.mark.slow
def test_rows_without_a_target_are_left_out():
    gaps = FRAME.copy()
    gaps.loc[::4, "size"] = np.nan
    model = fit_table(gaps, "size", members="fast")
    assert model.made_["rows"] == 90
    kept = fit_table(gaps.dropna(), "size", members="fast")
    X = FRAME.drop(columns="size")
    np.testing.assert_array_equal(model.predict(X), kept.predict(X))


@pytest.mark.slow
def test_groups_may_be_a_column():
    frame = FRAME.assign(person=np.repeat(np.arange(30), 4))
    model = fit_table(frame, "kind", groups="person", members="fast")
    assert model.feature_names_in_.tolist() == ["a", "b", "size"]


BAD = {
    "no such target": (FRAME, "knid", {}, "Did you mean 'kind'"),
    "another case": (FRAME, "KIND", {}, "Did you mean 'kind'"),
    "groups that are the target": (FRAME, "kind", {"groups": "kind"}, "in the target column"),
    "no such groups": (FRAME, "kind", {"groups": "persons"}, "groups column 'persons'"),
    "one class": (FRAME.assign(kind="up"), "kind", {}, "only one class"),
    "few rows": (FRAME[:9], "kind", {}, "at least 10"),
    "nothing but the target": (FRAME[["kind"]], "kind", {}, "no columns other than"),
    "text as numbers": (FRAME, "kind", {"task": "regression"}, "not numbers"),
    "task": (FRAME, "kind", {"task": "guess"}, "task='guess'"),
    "metric": (FRAME, "kind", {"metric": "rmse"}, "metric"),
    "no frame": (FRAME.to_numpy(), "kind", {}, "data frame"),
    "weights of text": (FRAME, "size", {"weight": "kind"}, "must contain a number"),
    "no such column to drop": (FRAME, "kind", {"drop": ["sizes"]}, "Did you mean 'size'"),
    "a column both ways": (FRAME, "kind", {"drop": ["size"], "weight": "size"}, "another role"),
    "costs of numbers": (FRAME, "kind", {"cost": {"fp": 1}}, "cost"),
    "no such setting": (FRAME, "kind", {"budget": 3}, "budget"),
}


@pytest.mark.parametrize("name", BAD)
def test_mistakes_are_named(name):
    table, target, settings, message = BAD[name]
    with pytest.raises((ValueError, TypeError), match=message):
        fit_table(table, target, **settings)


@pytest.mark.slow
def test_a_limit_that_allows_for_little_is_kept_and_told():
    """Fifty times the limit: only what heeds no clock at all takes that long."""
    frame = pandas.DataFrame(RNG.normal(size=(3000, 4)), columns=list("abcd"))
    frame["kind"] = [f"k{k}" for k in RNG.integers(0, 300, 3000)]
    began = time.monotonic()
    model = fit_table(frame, "kind", time_limit=0.5)
    assert time.monotonic() - began < 25.0
    assert model.stopped_ == "time"
    assert "no time" in [finding.kind for finding in model.findings_]
    assert model.predict_proba(frame.drop(columns="kind")[:5]).shape == (5, 300)


@pytest.mark.slow
def test_columns_that_are_left_out():
    model = fit_table(FRAME, "kind", drop=["size"], members="fast")
    assert model.feature_names_in_.tolist() == ["a", "b"]


@pytest.mark.slow
def test_weights_may_be_a_column():
    """Rows of weight zero are as good as absent."""
    frame = FRAME.assign(w=np.arange(120) % 4 != 0).astype({"w": float})
    model = fit_table(frame, "kind", weight="w", members="fast")
    kept = fit_table(frame[frame["w"] > 0].drop(columns="w"), "kind", members="fast")
    X = FRAME.drop(columns="kind")
    np.testing.assert_allclose(model.predict_proba(X), kept.predict_proba(X), atol=0.2)
    assert model.made_["rows"] == 90


@pytest.mark.slow
def test_a_column_of_time_makes_blocks():
    when = pandas.date_range("2024-01-01", periods=120).strftime("%d.%m.%Y").to_numpy()
    order = np.random.default_rng(0).permutation(120)
    frame = FRAME.assign(when=when)
    model = fit_table(frame.iloc[order], "kind", time_column="when", members="fast")
    assert "blocks" in model.made_["splits"]


@pytest.mark.slow
def test_costs_move_the_threshold():
    X = FRAME.drop(columns="kind")
    careful = fit_table(FRAME, "kind", cost={"fp": 1, "fn": 50}, members="fast")
    plain = fit_table(FRAME, "kind", members="fast")
    np.testing.assert_array_equal(careful.predict_proba(X), plain.predict_proba(X))
    assert careful.threshold_ < 0.5
    second = careful.classes_[1]
    assert (careful.predict(X) == second).sum() >= (plain.predict(X) == second).sum()
