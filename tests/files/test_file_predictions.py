from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from coterie.files import ReadOptions
from coterie.files.errors import CommandError
from coterie.files.file_predictions import chances_or_numbers, gather_answers, truth_codes
from coterie.files.models import Fitted, load_model


def knowing(classes):
    return Fitted(SimpleNamespace(classes_=np.array(classes)), Path("m"))


@pytest.mark.parametrize(
    ("classes", "cells", "codes"),
    [
        (["b", "a", "c"], ["a", "c", "b"], [1, 2, 0]),
        ([3, 1], [1, 3, 3], [1, 0, 0]),
        (["1", "2"], [2, 1], [1, 0]),
        ([0, 1], [1.0, 0.0], [1, 0]),
        ([False, True], [True, False], [1, 0]),
    ],
)
def test_truth_as_codes_of_the_classes(classes, cells, codes):
    assert truth_codes(knowing(classes), pa.array(cells), Path("a")).tolist() == codes


def test_unknown_classes_are_listed():
    with pytest.raises(CommandError, match="2 rows have classes .*: d, z"):
        truth_codes(knowing(["a", "b"]), pa.array(["a", "z", "d"]), Path("a"))


def test_numbers_cannot_be_words():
    with pytest.raises(CommandError, match="numbers"):
        truth_codes(Fitted(SimpleNamespace(), Path("m")), pa.array(["x"]), Path("a"))


def test_a_classifier_without_probabilities_is_sure():
    model = SimpleNamespace(
        classes_=np.array(["a", "b"]),
        feature_names_in_=np.array(["x"]),
        predict=lambda rows: ["b"] * len(rows),
    )
    said = chances_or_numbers(Fitted(model, Path("m")), pa.table({"x": [1, 2]}))
    assert said.tolist() == [[0.0, 1.0], [0.0, 1.0]]


@pytest.mark.slow
def test_rows_without_truth_are_left_out_and_told(credit, write):
    header, *lines = credit.test.read_text().splitlines()
    path = write("a.csv", "\n".join([header, *lines[:9], "<0,1,2,own,?"]))
    answers = gather_answers(load_model(credit.model), path, None, ReadOptions())
    assert answers.said.shape == (9, 2)
    assert answers.notes == ["1 row without a target value is ignored"]
