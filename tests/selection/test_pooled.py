import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from coterie import DynamicSelectionClassifier, PrunedEnsembleClassifier

X = np.random.default_rng(0).normal(size=(60, 3))
Y = (X[:, 0] > 0).astype(int)


@pytest.mark.slow
def test_lists_are_fitted_by_whoever_is_made_of_them():
    pool = [("tree", DecisionTreeClassifier(max_features=1)), ("bayes", GaussianNB())]
    for cls in (DynamicSelectionClassifier, PrunedEnsembleClassifier):
        first, again = (cls(pool, random_state=0).fit(X, Y) for _ in range(2))
        assert not hasattr(pool[1][1], "classes_")  # clones are
        np.testing.assert_array_equal(first.predict_proba(X), again.predict_proba(X))
        assert first.estimator_ is pool
