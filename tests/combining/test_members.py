"""Seats: answers in the classes of the committee."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from coterie.combining.members import (
    FoldSeat,
    Named,
    Seat,
    class_places,
    fit_one,
    pick_method,
    read_members,
)
from coterie.data import Table, Target

rng = np.random.default_rng(0)
X = rng.normal(size=(90, 2)) + np.repeat(np.eye(3, 2) * 4, 30, axis=0)
y = np.repeat(["a", "b", "c"], 30)
ALL = np.array(["a", "b", "c"])


def test_a_class_that_was_not_seen():
    some = y != "b"
    for model, method, nothing in (
        (GaussianNB(), "predict_proba", 0.0),
        (LinearSVC(), "decision_function", np.finfo(float).min),
    ):
        fitted = model.fit(X[some], y[some])
        said = Seat(fitted, ALL, method).ask(X)
        assert said.shape == (90, 3)
        assert (said[:, 1] == nothing).all()
        assert ALL[said.argmax(axis=1)].tolist() == fitted.predict(X).tolist()
    labels = Seat(GaussianNB().fit(X[some], y[some]), ALL).ask(X)
    assert set(labels.ravel()) == {0.0, 1.0}
    assert (labels[:, 1] == 0).all()


def test_numbers_and_folds():
    values = X[:, 0] * 2
    first, second = Ridge(1e-9).fit(X, values), Ridge(1e-9).fit(X, -values)
    seat = FoldSeat((Seat(first, None), Seat(second, None)))
    np.testing.assert_allclose(seat.predict(Table.read(X)), np.zeros((90, 1)), atol=1e-6)
    assert seat.estimator == [first, second]


def test_strange_labels_are_refused():
    assert class_places(ALL, ["b"]).tolist() == [1]
    with pytest.raises(ValueError, match="'z', which is not one of the classes"):
        class_places(ALL, ["a", "z"])


def test_fits():
    target = Target.labels(y)
    fitted = fit_one(GaussianNB(), X, target, None, {})
    assert fitted.classes_.tolist() == ["a", "b", "c"]
    constant = fit_one(LogisticRegression(), X, Target.labels(["a"] * 90), np.ones(90), {})
    assert set(constant.predict(X)) == {"a"}


def test_methods():
    member = Named("svm", LinearSVC())
    assert pick_method(member, "auto") == "decision_function"
    assert pick_method(Named("bayes", GaussianNB()), "auto") == "predict_proba"
    with pytest.raises(ValueError, match="estimator svm does not implement the method predict_p"):
        pick_method(member, "predict_proba")
    estimator = LinearSVC()
    assert read_members([["svm", estimator]], "Owner", ["cv"], "any") == [Named("svm", estimator)]


def test_of_several_labels_those_never_seen_have_no_chance():
    labels = np.column_stack([np.arange(6) % 2, np.zeros(6), np.ones(6)]).astype(int)
    tree = DecisionTreeClassifier().fit(np.arange(6.0)[:, None], labels)
    said = Seat(tree, None, "predict_proba").ask(np.arange(6.0)[:, None])
    np.testing.assert_array_equal(said, labels)
