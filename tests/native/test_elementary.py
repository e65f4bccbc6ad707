"""Exponentials and logarithms are right, and have the same bits everywhere."""

import hashlib

import numpy as np
import pytest
from scipy import special

from coterie.native import elementary

# Multiples of powers of two, so that their bits need no other function.
STEPS = np.arange(-4000, 4001)
WIDE, NEAR = STEPS * 0.25, STEPS / 2**14
POSITIVE = np.concatenate([np.ldexp(1.0 + np.arange(512) / 512, k) for k in range(-1074, 1020, 97)])
EXACT = np.longdouble


def error(found, wanted):
    """The largest error in units of the last place."""
    some = np.isfinite(wanted.astype(float)) & (wanted != 0)
    unit = np.spacing(np.abs(wanted[some].astype(float))).astype(EXACT)
    return float((np.abs(found[some].astype(EXACT) - wanted[some]) / unit).max())


@pytest.mark.skipif(np.finfo(EXACT).eps == np.finfo(float).eps, reason="nothing to compare with")
@pytest.mark.parametrize(
    ("found", "wanted", "x", "most"),
    [
        (elementary.exp, np.exp, np.append(WIDE[np.abs(WIDE) < 708], NEAR), 1.0),
        (elementary.log, np.log, POSITIVE, 2.0),
        (elementary.log, np.log, 1.0 + NEAR[NEAR > -1], 2.0),
        (elementary.log1p, np.log1p, NEAR, 3.0),
        (elementary.expm1, np.expm1, np.append(NEAR, WIDE[np.abs(WIDE) < 100]), 3.0),
        (elementary.expit, lambda x: 1 / (1 + np.exp(-x)), WIDE[np.abs(WIDE) < 700], 3.0),
        (elementary.softplus, lambda x: np.log1p(np.exp(x)), WIDE[np.abs(WIDE) < 700], 3.0),
    ],
)
def test_errors_are_a_few_units_of_the_last_place(found, wanted, x, most):
    assert error(found(x), wanted(x.astype(EXACT))) < most


def test_edges():
    odd = np.array([np.nan, np.inf, -np.inf, 0.0, 5e-324, 1e308, -1e308, 709.7, -745.0])
    with np.errstate(all="ignore"):
        for own, other in (
            (elementary.exp, np.exp),
            (elementary.expm1, np.expm1),
            (elementary.log, np.log),
            (elementary.log1p, np.log1p),
            (elementary.expit, special.expit),
            (elementary.log_expit, special.log_expit),
        ):
            np.testing.assert_allclose(own(odd), other(odd), rtol=1e-12, atol=1e-320)


def test_rows():
    x = NEAR.reshape(-1, 3) * 100
    np.testing.assert_allclose(elementary.softmax(x), special.softmax(x, axis=1), rtol=1e-13)
    np.testing.assert_allclose(elementary.logsumexp(x), special.logsumexp(x, axis=1), rtol=1e-13)
    expected = special.log_softmax(x, axis=1)
    np.testing.assert_allclose(elementary.log_softmax(x), expected, atol=1e-12)
    np.testing.assert_allclose(elementary.logit(np.array([0.25, 0.5])), [-np.log(3), 0.0])


@pytest.mark.parametrize("n", [0, 1, 7, 8, 8001])
def test_dot(n):
    assert elementary.dot(WIDE[:n], NEAR[:n]) == pytest.approx(WIDE[:n] @ NEAR[:n])


def test_shapes_and_places():
    assert isinstance(elementary.exp(0.0), float)
    square = WIDE[:4].reshape(2, 2).T
    np.testing.assert_array_equal(elementary.exp(square), elementary.exp(square.copy()))
    own = square.copy(order="F")
    assert elementary.exp(own, out=own) is own
    np.testing.assert_array_equal(own, elementary.exp(square))


def test_bits_are_the_same_everywhere():
    found = [
        function(x)
        for function in (elementary.exp, elementary.expm1, elementary.expit, elementary.softplus)
        for x in (WIDE, NEAR)
    ]
    found += [elementary.log(POSITIVE), elementary.log1p(np.abs(WIDE))]
    found.append(np.array(elementary.dot(elementary.exp(NEAR), NEAR)))
    digest = hashlib.sha256(b"".join((one + 0.0).tobytes() for one in found)).hexdigest()
    assert digest[:16] == "134abd7e5eb9b8fb"
