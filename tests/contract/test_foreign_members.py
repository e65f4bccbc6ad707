"""Members of other packages, in every ensemble that takes them."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, is_classifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import ExtraTreeClassifier, ExtraTreeRegressor

from coterie import (
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    DynamicSelectionClassifier,
    MixtureOfExpertsClassifier,
    StackingClassifier,
    VotingRegressor,
)
from tests.contract.exported import make, outputs, problem, same_bits


class Fails:
    def fit(self, X, y, sample_weight=None):
        raise ValueError("column 3 is odd")

    def predict(self, X):
        return np.zeros(len(X))

    def predict_proba(self, X):
        return np.zeros((len(X), 2))


class FailingClassifier(Fails, ClassifierMixin, BaseEstimator):
    pass


class FailingRegressor(Fails, RegressorMixin, BaseEstimator):
    pass


TAKERS = [
    AdaBoostClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    StackingClassifier,
    DynamicSelectionClassifier,
    MixtureOfExpertsClassifier,
    VotingRegressor,
]


def taking(cls, member):
    made = make(cls)
    if hasattr(made, "estimators"):
        return made.set_params(estimators=[("one", member), ("two", member)])
    return made.set_params(estimator=member)


@pytest.mark.parametrize("cls", TAKERS)
def test_an_error_names_the_member_and_keeps_its_type_and_cause(cls):
    X, y = problem(cls)
    member = FailingClassifier() if is_classifier(cls()) else FailingRegressor()
    with pytest.raises(
        ValueError, match=r"The member .*Failing.* failed: column 3 is odd"
    ) as caught:
        taking(cls, member).fit(X, y)
    assert isinstance(caught.value.__cause__, ValueError)


# Experts need weights, which a pipeline does not take.
@pytest.mark.parametrize("cls", [c for c in TAKERS if c is not MixtureOfExpertsClassifier])
def test_seeds_reach_the_steps_of_a_pipeline(cls):
    X, y = problem(cls)
    tree = ExtraTreeClassifier if is_classifier(cls()) else ExtraTreeRegressor
    member = make_pipeline(StandardScaler(), tree(max_depth=3))
    first, second = (outputs(taking(cls, member).fit(X, y), X) for _ in range(2))
    assert same_bits(first, second)
