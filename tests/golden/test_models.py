"""Models of every family are what they were."""

import numpy as np
import pytest

from tests.contract.exported import ESTIMATORS, RANKERS
from tests.golden.cases import CLOSE, EXACT
from tests.golden.record import PARTS, fingerprint, read, sample

KEPT = read()
RENEW = 'if they are meant to: python -m tests.golden.record "why"'


def test_every_estimator_is_on_the_list():
    listed = {type(case.model()) for case in (EXACT | CLOSE).values()}
    # What searches find depends on the time they are given.
    searches = {"TableClassifier", "TableRegressor"}
    assert {cls.__name__ for cls in (*ESTIMATORS, *RANKERS)} - {
        cls.__name__ for cls in listed
    } == searches


def test_grades_are_kept_apart():
    assert not EXACT.keys() & CLOSE.keys()
    assert EXACT.keys() == KEPT["exact"].keys()
    assert CLOSE.keys() == KEPT["close"].keys()


@pytest.mark.every_case
@pytest.mark.parametrize("name", EXACT)
def test_exact_models_have_the_same_bits(name):
    """On every processor, with every BLAS."""
    found, kept = fingerprint(EXACT[name]).split(), KEPT["exact"][name].split()
    other = [part for part, a, b in zip(PARTS, found, kept, strict=True) if a != b]
    assert not other, f"other bits in the {', '.join(other)} of {name}; {RENEW}"


@pytest.mark.slow("ERLPBoost", "LPBoost", "SoftBoost", "RobustBoost")
@pytest.mark.every_case
@pytest.mark.parametrize("name", CLOSE)
def test_close_models_have_the_same_digits(name):
    """Where BLAS, LAPACK, libm or a solver had a say."""
    case = CLOSE[name]
    np.testing.assert_allclose(
        sample(case), KEPT["close"][name], rtol=case.rtol, atol=case.rtol, err_msg=RENEW
    )
