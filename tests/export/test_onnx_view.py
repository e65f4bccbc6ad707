"""What models inside of models see of the input."""

import numpy as np
import pytest

from coterie.data.schema import Schema
from coterie.export import OnnxError
from coterie.export.onnx_view import View

WORDS = np.array(["b", "a", "c"])


def plain(codes):
    return {j: known.tolist() for j, known in codes.items()}


def test_the_outermost_model_has_the_codes_of_the_input():
    schema = Schema(3, labels={1: WORDS})
    assert plain(View.whole(schema).codes(schema)) == {1: [0, 1, 2]}


def test_categories_are_told_by_their_labels():
    view = View.whole(Schema(3, labels={1: WORDS}))
    assert plain(view.codes(Schema(3, labels={1: np.array(["c", "b"])}))) == {1: [1, -1, 0]}


def test_some_columns():
    view = View.whole(Schema(4, labels={1: WORDS, 3: np.array([7, 9])})).take(np.array([3, 0]))
    assert view.columns.tolist() == [3, 0]
    assert plain(view.codes(Schema(2, labels={0: np.array([9.0])}))) == {0: [-1, 0]}


def test_members_of_a_table_see_codes():
    schema = Schema(2, labels={1: WORDS})
    cells = View.whole(schema).cells(schema)
    # A fold without the second category, and a member that takes codes for numbers.
    assert plain(cells.codes(Schema(2, labels={1: np.array([0.0, 2.0])}))) == {1: [0, -1, 1]}
    assert cells.codes(Schema(2)) == {}


def test_a_table_inside_that_knows_fewer_categories():
    view = View.whole(Schema(1, labels={0: WORDS}))
    cells = view.cells(Schema(1, labels={0: np.array(["c", "b"])}))
    # b is 1, c is 0, and a is not known; of the two a fold saw b only.
    assert plain(cells.codes(Schema(1, labels={0: np.array([1.0])}))) == {0: [0, -1, -1]}
    with pytest.raises(OnnxError, match="is numeric for a member"):
        cells.codes(Schema(1))


def test_categories_and_numbers_must_be_the_same_everywhere():
    with pytest.raises(OnnxError, match="'size' is categorical for a member"):
        View.whole(Schema(1)).codes(Schema(1, ("size",), {0: np.array([1, 2])}))
    with pytest.raises(OnnxError, match="is numeric for a member"):
        View.whole(Schema(1, labels={0: WORDS})).codes(Schema(1))
