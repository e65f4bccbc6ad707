"""scikit-learn's own checks, with no expected failures."""

import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import estimator_checks_generator

from tests.contract.exported import ESTIMATORS, default, has_parameter

pytestmark = pytest.mark.contract
# What `parametrize_with_checks` does, whose generator today's pytest does not take from
# scikit-learn 1.6.
CASES = [case for cls in ESTIMATORS for case in estimator_checks_generator(default(cls))]
NAMES = [f"{type(estimator).__name__}-{check.func.__name__}" for estimator, check in CASES]


# Ten rows in five folds: scikit-learn 1.6 warns of it and lets its own check stumble over that.
@pytest.mark.filterwarnings("ignore:The least populated class:UserWarning")
@pytest.mark.parametrize(("estimator", "check"), CASES, ids=NAMES)
def test_scikit_learn_check(estimator, check):
    sampler = estimator._sampler() if has_parameter(type(estimator), "draw") else None
    by_weight = sampler is not None and sampler.by_weight
    if "sample_weight_equivalence" in check.func.__name__ and by_weight:
        # Bags are drawn by weight as in scikit-learn, whose own forests fail this check.
        estimator = clone(estimator).set_params(draw="repeats")
    check(estimator)
