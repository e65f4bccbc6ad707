"""What the second level is shown."""

import numpy as np
import pytest
import sklearn.ensemble as peer
from scipy import sparse
from sklearn.datasets import load_diabetes, load_iris
from sklearn.linear_model import LogisticRegression, Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from coterie import StackingClassifier, StackingRegressor

X, y = load_iris(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)


def members():
    return [
        ("bayes", GaussianNB()),
        ("ridge", RidgeClassifier()),
        ("tree", DecisionTreeClassifier(max_depth=2, random_state=0)),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("passthrough", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("method", ["auto", "predict"])
def test_features_are_those_of_scikit_learn(passthrough, n_classes, method):
    rows, labels = X[y < n_classes], y[y < n_classes]
    both = [
        kind(members(), stack_method=method, passthrough=passthrough).fit(rows, labels)
        for kind in (StackingClassifier, peer.StackingClassifier)
    ]
    np.testing.assert_allclose(both[0].transform(rows), both[1].transform(rows), rtol=1e-9)
    assert both[0].stack_method_ == both[1].stack_method_
    names = [model.get_feature_names_out().tolist() for model in both]
    assert names[0] == names[1]


def test_sparse_rows_are_passed_through():
    model = StackingClassifier([("linear", LogisticRegression())], passthrough=True, cv=3).fit(
        sparse.csr_array(X), y
    )
    out = model.transform(sparse.csr_array(X))
    assert sparse.issparse(out)
    assert out.shape == (150, 7)


@pytest.mark.slow
def test_meta_features():
    rows, values = load_diabetes(return_X_y=True)
    pair = [("a", Ridge(0.1)), ("b", Ridge(10))]
    plain = StackingRegressor(pair, "fwls").fit(rows, values)
    assert plain.final_estimator_.coef.shape == (1, 2)
    by_column = StackingRegressor(pair, "fwls", meta_features=[0, 2]).fit(rows, values)
    assert by_column.final_estimator_.coef.shape == (1, 6)

    def standardised(rows):
        mean, spread = DIABETES.mean(axis=0), DIABETES.std(axis=0)
        return ((rows - mean) / spread)[:, [0, 2]]

    by_function = StackingRegressor(pair, "fwls", meta_features=standardised).fit(rows, values)
    np.testing.assert_allclose(by_function.predict(rows), by_column.predict(rows), rtol=1e-6)
    bad = np.where(rows > 0.1, np.nan, rows)
    with pytest.raises(ValueError, match="without missing values"):
        StackingRegressor(None, "fwls", meta_features=[0]).fit(bad, values)


DIABETES = load_diabetes().data
