"""Arrays of scikit-learn's estimators fit the estimators that hold them."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier

from coterie.export.errors import ModelFileError
from coterie.export.foreign_types import check_estimator
from tests.export.kinds import CLASSIFIERS, REGRESSORS

X = np.random.default_rng(0).normal(size=(60, 3))
Y = np.digitize(X[:, 0], [-0.5, 0.5])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_healthy_estimators_pass():
    for member in [*CLASSIFIERS, *REGRESSORS]:
        check_estimator(clone(member).fit(X, Y))
    check_estimator(OneHotEncoder(min_frequency=5, max_categories=2).fit(np.round(X)))


def test_trees_are_as_wide_as_their_estimator():
    """The tree asks for a column that it knows and its estimator does not."""
    tree = DecisionTreeClassifier().fit(X, Y)
    tree.n_features_in_ = 1
    with pytest.raises(ModelFileError, match="tree_ does not match"):
        check_estimator(tree)


@pytest.mark.parametrize("model", [SVC(), SVR()], ids=["SVC", "SVR"])
@pytest.mark.parametrize(
    ("name", "edit"),
    [
        ("_dual_coef_", lambda array: array[:, :0]),
        ("_n_support", lambda array: array + 5),
        ("_intercept_", lambda array: array[:0]),
        ("support_vectors_", lambda array: array[:, :2]),
        ("_probA", lambda array: np.ones(2)),
        ("kernel", lambda kernel: "precomputed"),
        ("_sparse", lambda sparse: True),
    ],
)
def test_support_vectors_fit_their_counts(model, name, edit):
    fitted = clone(model).fit(X, Y)
    setattr(fitted, name, edit(getattr(fitted, name)))
    with pytest.raises(ModelFileError, match=f"{name.lstrip('_')} does not match"):
        check_estimator(fitted)


def test_codes_have_columns():
    encoder = OneHotEncoder().fit(np.round(X))
    encoder._n_features_outs = [1, 1, 1]
    with pytest.raises(ModelFileError, match="_n_features_outs"):
        check_estimator(encoder)
