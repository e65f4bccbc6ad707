"""Graphs are put together operator by operator."""

import builtins
import json

import numpy as np
import pytest

from coterie.data.schema import Schema
from coterie.export.onnx_graph import Graph, onnx_package

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")


def test_a_graph_computes_what_was_added():
    graph = Graph("sum", 2)
    doubled = graph.add("Mul", "X", graph.number(2.0))
    moved = graph.add("Add", doubled, graph.constant(np.array([[1.0, -1.0]])))
    graph.output(moved, "Y", [None, 2])
    words = graph.constant(np.array(["a", "b"]))
    graph.output(words, "words", [2], like=np.array(["a"]))
    made = graph.model(Schema(2, ("u", "v"), {1: np.array(["x", "y"])}))
    session = onnxruntime.InferenceSession(made.SerializeToString())
    moved, words = session.run(None, {"X": np.array([[1.0, 2.0]])})
    np.testing.assert_array_equal(moved, [[3.0, 3.0]])
    assert words.tolist() == ["a", "b"]
    facts = {fact.key: json.loads(fact.value) for fact in made.metadata_props}
    assert facts == {"names": ["u", "v"], "categories": {"1": ["x", "y"]}}
    assert made.producer_name == "coterie"


def test_a_missing_package_is_named(monkeypatch):
    importing = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "onnx":
            raise ImportError(name)
        return importing(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"coterie\[export\]"):
        onnx_package()
