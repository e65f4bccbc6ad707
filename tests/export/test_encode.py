"""Values become plain data and come back as they were."""

import json
import math

import numpy as np
import pytest
from sklearn.utils import Bunch

from coterie.core.pool import Pool
from coterie.core.trace import Trace
from coterie.export.decode import Decoder
from coterie.export.encode import Encoder, state_of
from coterie.export.errors import SaveError
from coterie.selection.methods import by_ola

VALUES = [
    None,
    True,
    3,
    -(2**200),
    0.1,
    -0.0,
    math.inf,
    "text \ud800 ü",
    b"bytes",
    2 - 3j,
    [1, [2, (3, {"a": 4})]],
    {1: "a", (2, 3): None, None: [0.5]},
    {1, 2},
    frozenset({"a"}),
    slice(None, 3, 2),
    range(1, 9, 2),
    np.float32(0.1),
    np.str_("s"),
    np.bool_(False),
    np.dtype("<f4"),
    float,
    np.float32,
    by_ola,
    Bunch(a=1, b=[2]),
]


def there_and_back(value):
    encoder = Encoder()
    root = encoder.value(value, "model")
    root, objects = json.loads(json.dumps([root, encoder.objects], allow_nan=False))
    return Decoder(encoder.blocks, ()).read(objects, root)


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
def test_values_come_back(value):
    again = there_and_back(value)
    assert again == value
    assert type(again) is type(value)
    assert repr(again) == repr(value)  # tells 0.0 from -0.0, and 1 from True inside


def test_arrays_of_objects_hold_text_and_numbers():
    array = np.array([["a", None], [1.5, math.nan]], dtype=object)
    again = there_and_back(array)
    assert again.dtype == object
    assert repr(again.tolist()) == repr(array.tolist())
    with pytest.raises(SaveError, match=r"model\[\.\.\.\] is a dict"):
        there_and_back(np.array([{}, 1], dtype=object))


def test_variable_width_text_comes_back():
    array = np.array(["a", "longer"], dtype=np.dtypes.StringDType())
    again = there_and_back(array)
    assert again.dtype == array.dtype
    assert again.tolist() == array.tolist()


def test_what_appears_twice_is_written_once():
    array = np.arange(5.0)
    encoder = Encoder()
    encoder.value([array, array, array.copy()], "model")
    assert len(encoder.blocks) == 2
    again = there_and_back({"a": array, "b": array})
    assert again["a"] is again["b"]


def test_bound_votes_keep_their_owner():
    from coterie.boosting.adaboost import AdaBoost

    rule = AdaBoost()
    again = there_and_back([rule, rule.vote])
    assert again[1].__self__ is again[0]
    with pytest.raises(SaveError, match="the method"):
        there_and_back(rule.link)


@pytest.mark.parametrize(
    "value",
    [len, math.sin, lambda: 0, np.add, object(), iter(()), int.__add__, Trace],
    ids=range(8),
)
def test_code_has_no_place(value):
    with pytest.raises(SaveError, match=r"^model\['x'\]\[0\] is "):
        Encoder().value({"x": [value]}, "model")


def test_circles_are_refused():
    ring = []
    ring.append(ring)
    with pytest.raises(SaveError, match="contains itself"):
        Encoder().value(ring, "model")
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(SaveError, match="too deeply"):
        Encoder().value(deep, "model")


def test_state_leaves_out_what_is_made_anew():
    pool = Pool((), np.empty(0))
    object.__setattr__(pool, "ballots", "made from the rest")
    assert set(state_of(pool, "Pool")) == {"members", "weights", "width", "cast"}
