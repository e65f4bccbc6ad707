"""Plain data becomes objects only as the list allows."""

import numpy as np
import pytest

import coterie
from coterie.core.trace import Trace
from coterie.data.schema import Schema
from coterie.export.decode import Decoder, revive
from coterie.export.errors import ModelFileError


def read(value, *objects, blocks=()):
    return Decoder(list(blocks), ()).read(list(objects), value)


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"tuple": [], "list": []},
        {"tuple": 3},
        {"eval": "1"},
        {"float": "1e3"},
        {"float": []},
        {"ref": -1},
        {"ref": 0},
        {"ref": True},
        {"ref": "0"},
        {"slice": [1]},
        {"dict": [[1]]},
        {"type": "type"},
        {"dtype": "|O"},
        {"function": "eval"},
        {"method": [1, "bit_length"]},
        {"method": "vote"},
        {"scalar": ["<f8"]},
        {"bytes": 3},
    ],
    ids=repr,
)
def test_values_that_are_none_are_refused(value):
    with pytest.raises(ModelFileError):
        read(value)


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"pickle": "x"},
        {"class": "Trace"},
        {"class": "Trace", "state": []},
        {"class": "Trace", "state": {"append": None}},
        {"class": "Trace", "state": {"names": None}},
        {"class": "Trace", "state": {"__dict__": None}},
        {"class": "Schema", "state": {}},
        {"class": ["Trace"], "state": {}},
        {"array": 0, "dtype": "<f8", "shape": [1]},
        {"texts": [{"tuple": []}], "shape": [1]},
        3,
    ],
    ids=repr,
)
def test_objects_that_are_none_are_refused(entry):
    with pytest.raises(ModelFileError):
        read({"ref": 0}, entry)


def test_objects_see_only_those_before_them():
    early = {"class": "Trace", "state": {"rounds": {"ref": 1}}}
    with pytest.raises(ModelFileError, match="not before it"):
        read({"ref": 0}, early, {"class": "Trace", "state": {}})


def test_no_constructor_runs(monkeypatch):
    def explode(*args, **kwargs):
        raise AssertionError("a constructor was called")

    monkeypatch.setattr(coterie.DecisionTreeClassifier, "__init__", explode)
    model = revive(coterie.DecisionTreeClassifier, {"max_depth": 3})
    assert model.max_depth == 3


def test_what_a_later_version_added_gets_its_default():
    trace = revive(Trace, {"reason": "time"})
    assert trace == Trace(reason="time")
    first, second = revive(Trace, {}), revive(Trace, {})
    assert first.rounds is not second.rounds
    with pytest.raises(ModelFileError, match="has no n_columns"):
        revive(Schema, {"names": None})


def test_mapped_blocks_stay_where_they_are():
    block = np.arange(3.0).view(np.uint8)
    entry = {"array": 0, "dtype": "<f8", "shape": [3]}
    assert np.shares_memory(read({"ref": 0}, entry, blocks=[block]), block)
