import numpy as np
import pytest

from coterie.export import OnnxError
from coterie.export.c_graph import CGraph


def test_a_single_number_goes_with_all_columns():
    graph = CGraph(3)
    total = graph.add("Sub", graph.number(1.0), "X")
    assert graph.values[total].width == 3
    assert "1.0 - X[i]" in graph.statements[-1]


def test_numbers_keep_every_digit():
    graph = CGraph(1)
    graph.constant(np.array([0.1 + 0.2, -np.inf, np.nan, 1e-300]))
    (table,) = graph.tables
    assert "0.30000000000000004, -INFINITY, NAN, 1e-300" in table


def test_unknown_operators_are_refused():
    with pytest.raises(OnnxError, match="Erf"):
        CGraph(1).add("Erf", "X")
