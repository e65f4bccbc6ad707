"""Columns that a `ColumnTransformer` names in any way, and scalers, are found again."""

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder, StandardScaler

from coterie.data import Schema
from coterie.export import OnnxError
from coterie.export.onnx_graph import Graph
from coterie.export.onnx_steps import Cells, transformed
from tests.export.runtime import onnxruntime

ROWS = np.random.default_rng(0).normal(size=(20, 4))


def said(step, rows):
    graph = Graph("steps", rows.shape[1])
    cells = transformed(graph, step, Cells("X", tuple(range(rows.shape[1])), {}))
    graph.output(cells.tensor, "Y", [None, cells.width])
    model = graph.model(Schema(rows.shape[1])).SerializeToString()
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    return session.run(None, {"X": rows})[0]


@pytest.mark.parametrize(
    "chosen",
    [[2, 0], slice(1, 3), np.array([True, False, False, True]), [-1], 2],
    ids=["list", "slice", "mask", "negative", "one"],
)
def test_columns_are_chosen_in_any_way(chosen):
    chosen = [chosen] if isinstance(chosen, int) else chosen
    step = ColumnTransformer([("a", StandardScaler(), chosen)], remainder="passthrough").fit(ROWS)
    np.testing.assert_allclose(said(step, ROWS), step.transform(ROWS), rtol=1e-12)


def test_numbers_are_encoded_by_their_values():
    rows = np.array([[3.0], [1.0], [np.nan], [1.0], [7.0]])
    step = OneHotEncoder(sparse_output=False, handle_unknown="ignore").fit(rows[:4])
    np.testing.assert_array_equal(said(step, rows), step.transform(rows))


def test_scaled_columns_are_clipped():
    step = MinMaxScaler((-1, 2), clip=True).fit(ROWS[:5])
    np.testing.assert_allclose(said(step, ROWS), step.transform(ROWS), rtol=1e-12)


def test_rare_categories_are_refused():
    step = OneHotEncoder(min_frequency=2).fit(ROWS.round())
    with pytest.raises(OnnxError, match="min_frequency"):
        said(step, ROWS)
