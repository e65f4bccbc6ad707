import json
from dataclasses import dataclass

import numpy as np

from coterie.report.plain import cut, plain, rounded, thinned


@dataclass
class Point:
    x: float
    name: str


def test_plain_data_can_be_written_as_json():
    data = {
        1: np.float32(0.5),
        "a": [np.int64(3), np.bool_(True), None, float("nan"), np.inf],
        "b": Point(1 / 3, "p"),
        "c": np.array([[1.0, np.nan]]),
        "d": {"x"},
        "e": object,
    }
    found = plain(data, 3)
    json.dumps(found, allow_nan=False)
    assert found["1"] == 0.5
    assert found["a"] == [3, True, None, None, None]
    assert found["b"] == {"x": 0.333, "name": "p"}
    assert found["c"] == [[1.0, None]]
    assert found["d"] == ["x"]
    assert isinstance(found["e"], str)


def test_booleans_and_integers_keep_their_kind():
    assert [type(value) for value in plain([True, 2, 2.0])] == [bool, int, float]


def test_numbers_keep_significant_digits():
    assert rounded(123456.789, 3) == 123000.0
    assert rounded(0.000123456, 3) == 0.000123


def test_long_text_is_cut():
    assert cut("abcdef", 4) == "abc…"
    assert cut("abcd", 4) == "abcd"
    assert len(plain("x" * 5000)) == 200


def test_thinning_keeps_both_ends():
    assert thinned(5, 10) == [0, 1, 2, 3, 4]
    kept = thinned(1000, 20)
    assert (len(kept), kept[0], kept[-1]) == (20, 0, 999)
