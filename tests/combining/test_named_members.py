"""Members of combiners: read, asked, and put together."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from coterie.combining.named_members import (
    FoldMember,
    Named,
    adapt_member,
    pick_method,
    read_members,
)
from coterie.data import Table
from coterie.learners import ForeignMember

rng = np.random.default_rng(0)
X = rng.normal(size=(90, 2)) + np.repeat(np.eye(3, 2) * 4, 30, axis=0)
y = np.repeat(["a", "b", "c"], 30)
ALL = np.array(["a", "b", "c"])


def test_numbers_and_folds():
    values = X[:, 0] * 2
    first, second = Ridge(1e-9).fit(X, values), Ridge(1e-9).fit(X, -values)
    seat = FoldMember((ForeignMember(first), ForeignMember(second)))
    np.testing.assert_allclose(seat.predict(Table.read(X)), np.zeros((90, 1)), atol=1e-6)
    assert seat.estimator == [first, second]


def test_regressors_say_numbers_of_classes_too():
    linear = Ridge().fit(X, np.arange(90))
    member = adapt_member(linear, (ALL,), "predict", "linear")
    assert member.classes == ()
    assert member.ask(X).shape == (90, 1)
    bayes = adapt_member(GaussianNB().fit(X, y), (ALL,), "predict_proba")
    assert bayes.ask(X).shape == (90, 3)


def test_methods():
    member = Named("svm", LinearSVC())
    assert pick_method(member, "auto") == "decision_function"
    assert pick_method(Named("bayes", GaussianNB()), "auto") == "predict_proba"
    with pytest.raises(ValueError, match="estimator svm does not implement the method predict_p"):
        pick_method(member, "predict_proba")
    estimator = LinearSVC()
    assert read_members([["svm", estimator]], "Owner", ["cv"], "any") == [Named("svm", estimator)]
