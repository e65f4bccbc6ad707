"""Models come back from files as they were."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import coterie
from coterie.export import ModelFileError, SaveError, describe
from tests.contract.exported import ESTIMATORS, make, outputs, problem, same_bits, shallow
from tests.export.mutations import pack, unpack

# A search by the clock is not the same twice; it has a test of its own.
TIMED = (coterie.TableClassifier, coterie.TableRegressor)
UNTIMED = [cls for cls in ESTIMATORS if cls not in TIMED]
every = pytest.mark.parametrize("cls", UNTIMED)


def saved(model, tmp_path, **options):
    coterie.save(model, tmp_path / "model.coterie")
    return coterie.load(tmp_path / "model.coterie", **options)


def same_params(first, second):
    return repr(first.get_params()) == repr(second.get_params())


@every
def test_every_estimator_comes_back(cls, tmp_path):
    X, y = problem(cls)
    fitted = make(cls).fit(X, y)
    said = outputs(fitted, X)
    again = saved(fitted, tmp_path)
    assert type(again) is cls
    assert same_params(again, fitted)
    assert same_bits(outputs(again, X), said)
    assert same_bits(outputs(pickle.loads(pickle.dumps(again)), X), said)
    once = (tmp_path / "model.coterie").read_bytes()
    assert same_bits(outputs(saved(again, tmp_path, mmap=True), X), said)
    assert (tmp_path / "model.coterie").read_bytes() == once
    assert same_bits(outputs(clone(again).fit(X, y), X), said)


@every
def test_unfitted_estimators_come_back(cls, tmp_path):
    again = saved(make(cls), tmp_path)
    assert same_params(again, make(cls))


@pytest.mark.slow
@pytest.mark.parametrize("cls", TIMED)
def test_searched_models_come_back(cls, tmp_path):
    X, y = problem(cls)
    members = ["extra trees", "linear", "neighbours"]
    fitted = cls(members=members, time_limit=30, random_state=0).fit(X, y)
    again = saved(fitted, tmp_path)
    assert same_params(again, fitted)
    assert same_bits(outputs(again, X), outputs(fitted, X))
    assert again.leaderboard_ == fitted.leaderboard_
    assert [member.name for member in again.members_] == [m.name for m in fitted.members_]


# These keep training rows, or what members said of them, because they predict from them.
KEEPERS = (
    coterie.KNNEnsembleClassifier,
    coterie.DynamicSelectionClassifier,
    coterie.DynamicSelectionRegressor,
)


@pytest.mark.contract
@pytest.mark.parametrize(
    "cls",
    # Rules are many, and learning them from many rows takes long.
    [cls for cls in UNTIMED if cls not in KEEPERS and "Rule" not in cls.__name__],
)
def test_files_hold_no_training_rows(cls, tmp_path):
    X, y = problem(cls, 2000)
    fitted = make(cls, **shallow(cls)).fit(X, y)
    coterie.save(fitted, tmp_path / "model")
    assert (tmp_path / "model").stat().st_size < 1.1 * len(pickle.dumps(fitted)) + 60_000


FRAME = pd.DataFrame(
    {
        "size": np.tile([1.5, np.nan, 3.0, 4.0], 20),
        "colour": np.tile(["red", "blue", None, "green", "blue"], 16),
        "shape": pd.Categorical(np.tile(["round", "flat"], 40)),
    }
)
LABELS = np.where(FRAME["colour"].eq("blue") ^ (FRAME["size"] > 3), "yes", "no")


@pytest.mark.parametrize(
    "model",
    [
        coterie.RandomForestClassifier(5, random_state=0),
        coterie.HistGradientBoostingClassifier(max_iter=5),
        coterie.AdaBoostClassifier(coterie.DecisionTreeClassifier(max_depth=2), n_estimators=5),
    ],
    ids=lambda model: type(model).__name__,
)
def test_frames_with_names_and_categories(model, tmp_path):
    fitted = clone(model).fit(FRAME, LABELS)
    again = saved(fitted, tmp_path)
    np.testing.assert_array_equal(again.predict_proba(FRAME), fitted.predict_proba(FRAME))
    np.testing.assert_array_equal(again.feature_names_in_, fitted.feature_names_in_)
    with pytest.raises(ValueError, match="feature names"):
        again.predict(FRAME.rename(columns={"size": "weight"}))
    assert describe(tmp_path / "model.coterie")["features"] == ["size", "colour", "shape"]


@pytest.mark.parametrize(
    "params",
    [
        {"boosting": "dart"},
        {"monotonic_cst": [1, 0, -1]},
        {"loss": "huber"},
        {"loss": "poisson"},
    ],
    ids=repr,
)
def test_gradient_boosting_of_all_kinds(params, tmp_path):
    X, y = np.random.default_rng(0).uniform(size=(60, 3)), np.arange(60.0) % 7
    fitted = coterie.HistGradientBoostingRegressor(max_iter=5, **params).fit(X, y)
    again = saved(fitted, tmp_path)
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))


def test_several_outputs_and_odd_labels(tmp_path):
    X = np.random.default_rng(0).normal(size=(40, 2))
    y = np.stack([np.where(X[:, 0] > 0, "a", "b"), np.where(X[:, 1] > 0, "c", "d")], axis=1)
    for target in (y, y[:, 0].astype(object), X[:, 0] > 0, np.arange(40) % 3 - 7.0):
        fitted = coterie.RandomForestClassifier(3, random_state=0).fit(X, target)
        again = saved(fitted, tmp_path)
        np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
        assert again.predict(X).dtype == fitted.predict(X).dtype


@pytest.mark.parametrize(
    "seed", [None, 3, np.int64(3), np.random.RandomState(0), np.random.default_rng(0)], ids=range(5)
)
def test_seeds_of_all_kinds(seed, tmp_path):
    X, y = problem(coterie.RandomForestClassifier)
    again = saved(coterie.RandomForestClassifier(3, random_state=seed).fit(X, y), tmp_path)
    assert type(again.random_state) is type(seed)
    again.fit(X, y)


def test_shared_parts_stay_shared(tmp_path):
    X, y = problem(coterie.KNNEnsembleClassifier)
    again = saved(coterie.KNNEnsembleClassifier(random_state=0).fit(X, y), tmp_path)
    assert len({id(member.home) for member in again.pool_.members}) == 1


def test_mapped_arrays_are_read_only_views_of_the_file(tmp_path):
    X, y = problem(coterie.RandomForestClassifier)
    forest = saved(coterie.RandomForestClassifier(3).fit(X, y), tmp_path, mmap=True).pool_.forest
    assert not forest.nodes.flags.writeable
    assert forest.nodes.ctypes.data % 64 == 0
    plain = saved(coterie.RandomForestClassifier(3).fit(X, y), tmp_path).pool_.forest
    assert plain.nodes.flags.writeable


@pytest.mark.parametrize(
    ("model", "path"),
    [
        (
            coterie.HistGradientBoostingClassifier(max_iter=2, callbacks=[print]),
            "model.callbacks[0]",
        ),
        (
            coterie.EnsembleSelectionClassifier(
                [("a", coterie.DecisionTreeClassifier())], loss=lambda y, p: 0.0
            ),
            "model.loss",
        ),
        (coterie.BaggingClassifier(estimator=object()), "model.estimator"),
        (
            coterie.VotingClassifier([("a", coterie.BaggingClassifier(n_jobs=iter(())))]),
            "model.estimators[0][1].n_jobs",
        ),
    ],
    ids=["callback", "function", "object", "nested"],
)
def test_what_has_no_place_in_a_file_is_named(model, path, tmp_path):
    with pytest.raises(SaveError) as caught:
        coterie.save(model, tmp_path / "model")
    assert caught.value.path == path
    assert str(caught.value).startswith(path)
    assert list(tmp_path.iterdir()) == []


def test_a_model_that_holds_itself_is_refused(tmp_path):
    model = coterie.BaggingClassifier()
    model.estimator = model
    with pytest.raises(SaveError, match="contains itself"):
        coterie.save(model, tmp_path / "model")


def test_a_failing_save_keeps_the_old_model(tmp_path):
    path = tmp_path / "model"
    coterie.save(coterie.DecisionTreeClassifier(max_depth=3), path)
    with pytest.raises(SaveError):
        coterie.save(coterie.BaggingClassifier(estimator=object()), path)
    assert coterie.load(path).max_depth == 3


def test_other_files_are_refused(tmp_path):
    for content in (b"", b"PK\x03\x04", pickle.dumps(3), b"\x93COTERIE"):
        (tmp_path / "model").write_bytes(content)
        for read in (coterie.load, describe):
            with pytest.raises(ModelFileError):
                read(tmp_path / "model")
    with pytest.raises(FileNotFoundError):
        coterie.load(tmp_path / "nothing")
    with pytest.raises(TypeError, match=r"trusted=\['acme.Model'\]"):
        coterie.load(tmp_path / "model", trusted="acme.Model")


def test_description(tmp_path):
    X, y = problem(coterie.RandomForestClassifier)
    coterie.save(coterie.RandomForestClassifier(4).fit(X, y), tmp_path / "model")
    told = describe(tmp_path / "model")
    assert told["model"] == "RandomForestClassifier"
    assert told["format"] == 1
    assert told["params"]["n_estimators"] == 4
    assert told["n_features"] == 6
    assert told["features"] is None
    assert told["foreign"] == []
    assert told["made_with"]["coterie"] == coterie.__version__
    assert told["bytes"] == (tmp_path / "model").stat().st_size


@pytest.mark.parametrize(
    ("name", "value"),
    [("made_with", {"python": {"a": []}}), ("made_with", 3), ("model", [1]), ("format", "1")],
)
def test_headers_that_say_something_else_are_refused(name, value, tmp_path):
    path = tmp_path / "model"
    coterie.save(coterie.DecisionTreeRegressor(), path)
    header, blocks = unpack(path)
    path.write_bytes(pack(header | {name: value}, blocks))
    with pytest.raises(ModelFileError, match=name):
        describe(path)
