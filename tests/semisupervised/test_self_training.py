"""Self-training against scikit-learn's, and the supervised ensemble as its limit."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.semi_supervised import SelfTrainingClassifier as Theirs

from coterie import RandomForestClassifier, SelfTrainingClassifier
from coterie.semisupervised import precise_threshold


def blobs(n_rows=300, n_known=60, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    X = rng.normal(size=(n_rows, 4)) + 1.2 * y[:, None]
    return X, y, np.where(np.arange(n_rows) < n_known, y, -1)


def test_with_a_constant_threshold_it_is_scikit_learns():
    X, _, known = blobs(n_known=15)
    member = LogisticRegression()
    ours = SelfTrainingClassifier(
        estimator=member,
        criterion="threshold",
        threshold=0.75,
        forget=False,
        keep="last",
        n_folds=None,
    ).fit(X, known)
    theirs = Theirs(member, threshold=0.75).fit(X, known)
    np.testing.assert_array_equal(ours.labeled_iter_, theirs.labeled_iter_)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X))


def test_an_impossible_precision_is_the_supervised_ensemble():
    X, y, known = blobs()
    settings = {"n_estimators": 20}
    model = SelfTrainingClassifier(
        estimator=RandomForestClassifier(**settings), precision=1.5, random_state=0, n_folds=None
    ).fit(X, known)
    assert model.termination_condition_ == "no_candidate"
    assert (model.labeled_iter_ == np.where(known >= 0, 0, -1)).all()
    assert model.score(X, y) > 0.8
    # Bins are those of all rows: copies of the labelled ones do not change them.
    given, labels = X[known >= 0], known[known >= 0]
    model.fit(np.vstack([given, given]), np.append(labels, np.full(len(labels), -1)))
    alone = clone(model.estimators_[0]).fit(given, labels)
    np.testing.assert_array_equal(model.predict_proba(X), alone.predict_proba(X))


def test_thresholds():
    confidence = np.array([0.9, 0.8, 0.8, 0.7, 0.6, 0.5])
    right = np.array([True, True, False, True, True, False])
    assert precise_threshold(confidence, right, 0.8, 1) == 0.6
    assert precise_threshold(confidence, right, 0.9, 1) == 0.9
    assert precise_threshold(confidence, right, 0.9, 2) == np.inf
    # Rows of equal confidence come together.
    assert precise_threshold(np.array([0.8, 0.8]), np.array([True, False]), 1.0, 1) == np.inf


@pytest.mark.parametrize(
    "member", [RandomForestClassifier(30), LogisticRegression()], ids=["bags", "folds"]
)
def test_rows_are_taken_and_the_best_round_is_kept(member):
    X, y, known = blobs()
    model = SelfTrainingClassifier(estimator=member, precision=0.85, random_state=0, n_folds=None)
    model.fit(X, known)
    accuracy = model.trace_["accuracy"]
    assert (model.trace_["taken"][:1] > 0).all()
    best = int(np.nanargmax(accuracy))
    assert model.labeled_iter_.max() == best  # rows of the rounds before the best one
    assert model.score(X, y) > 0.8


def test_shares_of_classes_are_kept():
    X, _, known = blobs(600, 150)
    model = SelfTrainingClassifier(
        estimator=RandomForestClassifier(30),
        precision=0.8,
        keep="last",
        forget=False,
        max_iter=1,
        random_state=0,
        n_folds=None,
    ).fit(X, known)
    taken = model.transduction_[model.labeled_iter_ == 1]
    share = (known[:150] == 1).mean()
    assert len(taken) > 20
    assert abs((taken == 1).mean() - share) < 0.1


@pytest.mark.parametrize("keep", ["best", "last"])
def test_the_kept_round_is_the_one_that_is_told(keep):
    X, _, known = blobs(n_known=12, seed=3)
    model = SelfTrainingClassifier(
        estimator=LogisticRegression(),
        criterion="threshold",
        threshold=0.6,
        keep=keep,
        max_iter=3,
        n_folds=None,
        random_state=0,
    ).fit(X, known)
    assert model.trace_["taken"][0] > 0
    rows = model.labeled_iter_ >= 0
    again = LogisticRegression().fit(X[rows], model.transduction_[rows])
    np.testing.assert_allclose(model.predict_proba(X), again.predict_proba(X), atol=1e-6)
