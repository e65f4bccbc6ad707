import numpy as np
import pytest

from coterie.core.params import (
    ParameterError,
    a_function,
    a_list,
    at_least,
    between,
    check_params,
    fraction,
    has,
    instance_of,
    one_of,
)

NAN = float("nan")


@pytest.mark.parametrize(
    ("word", "good", "bad"),
    [
        (at_least(1), [1, 7, np.int32(3)], [0, 1.0, "1", None, True, NAN]),
        (at_least(0.0), [0, 0.5, np.float32(2), float("inf")], [-1e-9, "0", NAN, True]),
        (between(0.0, 1.0), [0, 1, 0.5], [-0.1, 1.1, NAN, "x"]),
        (between(0.0, 1.0, "left"), [0.0, 0.9], [1.0]),
        (between(0.0, 1.0, "neither"), [0.5], [0.0, 1.0]),
        (between(2, 9), [2, 9], [1, 10, 2.5]),
        (fraction(), [0.1, 1.0, np.float64(0.5)], [1, 0.0, 1.5]),
        (one_of("a", None), ["a", None], ["b", 1, [], {}, np.ones(2)]),
        (one_of(True, False), [True, np.True_], ["True", None, NAN]),
        (has("fit", "predict"), [type("E", (), {"fit": print, "predict": print})()], [3, dict]),
        (instance_of(dict, list), [{}, []], [(), "x"]),
        (a_function, [print, len], [3, "x"]),
        (a_list, [[1], (1,), np.ones(2)], ["text", {1: 2}, 3]),
    ],
    ids=lambda w: getattr(w, "wording", ""),
)
def test_words(word, good, bad):
    assert all(word.admits(value) for value in good)
    assert not any(word.admits(value) for value in bad)


def test_words_combine():
    word = at_least(1) | fraction() | one_of(None)
    assert word.wording == "an int in the range [1, inf), a float in the range (0.0, 1.0] or None"
    assert all(map(word.admits, (3, 0.5, None)))
    assert not word.admits("sqrt")


def test_error_names_parameter_value_and_cure():
    allowed = {"depth": at_least(1), "rate": between(0.0, 1.0)}
    check_params("Tree", {"depth": 2, "rate": 0.5, "other": object()}, allowed)
    with pytest.raises(
        ParameterError, match=r"The 'rate' parameter of Tree must be a float in the range"
    ):
        check_params("Tree", {"depth": 2, "rate": "x"}, allowed)
    assert issubclass(ParameterError, ValueError)
    assert issubclass(ParameterError, TypeError)
