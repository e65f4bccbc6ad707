"""Several targets of one table."""

import numpy as np
import pytest

import coterie
from coterie import TableClassifier, TableRegressor, fit_table
from coterie.automl import TableModels
from coterie.core import ParameterError
from coterie.data import DataError
from coterie.export import ModelFileError

pandas = pytest.importorskip("pandas")
RNG = np.random.default_rng(0)
FRAME = pandas.DataFrame(RNG.normal(size=(120, 2)), columns=["a", "b"])
FRAME["kind"] = np.where(FRAME["a"] > 0, "up", "down")
FRAME["size"] = FRAME["a"] + 0.1 * FRAME["b"]
FRAME.index = [f"row {k}" for k in range(len(FRAME))]
SEEN = FRAME[["a", "b"]]


@pytest.fixture(scope="module")
def models():
    return fit_table(FRAME, ["kind", "size"], members="fast")


@pytest.mark.slow
def test_each_target_has_the_model_it_would_have_without_the_others(models):
    assert list(models) == ["kind", "size"]
    assert isinstance(models["kind"], TableClassifier)
    assert isinstance(models["size"], TableRegressor)
    alone = fit_table(FRAME.drop(columns="size"), "kind", members="fast")
    np.testing.assert_array_equal(
        models["kind"].predict_proba(SEEN), alone.predict_proba(SEEN), strict=True
    )
    assert list(models["size"].feature_names_in_) == ["a", "b"]


@pytest.mark.slow
def test_predictions_are_frames_of_the_same_library(models):
    said = models.predict(SEEN[:5])
    assert list(said.columns) == ["kind", "size"]
    assert list(said.index) == list(SEEN.index[:5])
    np.testing.assert_array_equal(said["size"], models["size"].predict(SEEN[:5]))
    polars = pytest.importorskip("polars")
    given = polars.DataFrame(SEEN[:5].to_dict(orient="list"))
    assert models.predict(given)["kind"].to_list() == said["kind"].tolist()
    assert list(models.predict_proba(SEEN)) == ["kind"]


@pytest.mark.slow
def test_they_are_saved_in_one_file(models, tmp_path):
    coterie.save(models, tmp_path / "models.coterie")
    again = coterie.load(tmp_path / "models.coterie")
    assert isinstance(again, TableModels)
    pandas.testing.assert_frame_equal(again.predict(SEEN), models.predict(SEEN))


def test_rows_without_names_are_refused():
    with pytest.raises(TypeError, match="X must be a data frame .* not a list"):
        TableModels({}).predict([[1.0, 2.0]])


@pytest.mark.parametrize("wrong", [{}, {"kind": 3}, {"kind": TableModels({})}, [1], None])
def test_a_file_of_anything_else_is_refused(wrong, tmp_path):
    coterie.save(TableModels(wrong), tmp_path / "models.coterie")
    with pytest.raises(ModelFileError, match=r"no model|not a model|is damaged"):
        coterie.load(tmp_path / "models.coterie")


@pytest.mark.slow
def test_rows_without_one_target_are_learnt_from_for_the_others():
    some = FRAME.assign(size=FRAME["size"].where(RNG.random(len(FRAME)) < 0.5))
    models = fit_table(some, ["kind", "size"], members="fast")
    assert len(models["kind"].truth_) == len(FRAME)
    assert len(models["size"].truth_) == some["size"].notna().sum()


def test_the_time_is_shared(monkeypatch):
    limits = []
    monkeypatch.setattr(
        "coterie.automl.table._fit_opened",
        lambda table, target, task, settings, others: limits.append(
            (target, settings["time_limit"], settings["work"], others)
        ),
    )
    fit_table(FRAME, ["kind", "size"], time_limit=30)
    fit_table(FRAME, ("kind",), work=5)
    assert limits == [
        ("kind", 15, None, ["size"]),
        ("size", 15, None, ["kind"]),
        ("kind", 60, 5, []),
    ]


@pytest.mark.parametrize("targets", [[], ["kind", "kind"]])
def test_targets_differ(targets):
    with pytest.raises(ParameterError, match="a list of different names"):
        fit_table(FRAME, targets)


@pytest.mark.parametrize(
    ("settings", "words"),
    [({}, "target column 'kinds' is not in the table"), ({"weight": "kinds"}, "kinds")],
)
def test_targets_are_columns(settings, words):
    with pytest.raises(DataError, match=words):
        fit_table(FRAME, ["size", "kinds"], **settings)


def test_no_target_is_a_weight():
    with pytest.raises(DataError, match="weight is in the target column"):
        fit_table(FRAME, ["kind", "size"], weight="size")
