"""Self-training against scikit-learn's, and the supervised ensemble as its limit."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.semi_supervised import SelfTrainingClassifier as Theirs

from coterie import RandomForestClassifier, SelfTrainingClassifier
from coterie.data import Table, Target
from coterie.semisupervised import precise_threshold
from coterie.semisupervised.lessons import Lesson, Scene


def blobs(n_rows=300, n_known=60, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    X = rng.normal(size=(n_rows, 4)) + 1.2 * y[:, None]
    return X, y, np.where(np.arange(n_rows) < n_known, y, -1)


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
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


def looking(X, known, member=None, **params):
    """A scene and the method at its start."""
    scene = Scene(Table.read(X).bin(), Target.labels(known, unlabelled=True), None, 0)
    model = SelfTrainingClassifier(estimator=member, **params)
    method = model._method(scene)
    method.begin(scene)
    return scene, method


@pytest.mark.parametrize(
    "member", [RandomForestClassifier(20), LogisticRegression()], ids=["bags", "folds"]
)
def test_rows_of_earlier_rounds_are_judged_again(member):
    """By those that have not seen them: a wrong pseudo-label is taken back."""
    X, y, known = blobs(160, 60)
    scene, method = looking(X, known, member, precision=0.8, max_share=0.1)
    given, new, wrong = scene.given(), scene.unlabelled[:60], scene.unlabelled[:12]
    codes = np.where(np.isin(new, wrong), 1 - y[new], y[new]).astype(np.int32)
    method.lesson = Lesson(new, codes, np.ones(60)).after(given)
    (fitted,) = scene.fit(method.learners, [method.lesson], [1])
    rows, codes, weight = method.look(scene, [fitted], 2).lessons[0]
    assert rows[:60].tolist() == given.rows.tolist()
    again = np.isin(rows, wrong)
    assert np.isin(new, rows).sum() > 30
    assert (codes[again] != y[rows[again]]).sum() < 5
    assert 0 < (~np.isin(rows[60:], new)).sum() <= 11  # a tenth at most, and one for rounding
    assert 0.5 < weight[60:].min() <= weight[60:].max() <= 1.0


@pytest.mark.slow
def test_rounds_add_up_and_wrong_rows_can_be_forgotten():
    X, _, known = blobs(200, 50)
    model = SelfTrainingClassifier(
        estimator=RandomForestClassifier(20),
        precision=0.7,
        keep="last",
        max_iter=4,
        random_state=0,
        n_folds=None,
    ).fit(X, known)
    taken = model.trace_["taken"]
    assert taken[0] <= 32  # a fifth of 150, and two for rounding
    assert taken[2] > 50


def test_thresholds_are_those_of_classes_that_have_enough_rows():
    rng = np.random.default_rng(0)
    known = np.repeat([0, 1], 25)
    X = rng.normal(size=(52, 2))
    for n_known, apart in ((25, True), (19, False)):
        y = np.r_[known[:25], known[25 : 25 + n_known], [-1] * (27 - n_known)]
        scene, method = looking(X, y, precision=0.9, min_rows=2)
        own = scene.codes[scene.labelled]
        honest = np.zeros((len(own), 2))
        # Of the first class all are right above .6, of the second only above .8.
        sure = np.where(own == 0, 0.6, np.where(np.arange(len(own)) % 2, 0.8, 0.7))
        said = np.where((own == 1) & (sure == 0.7), 0, own)
        honest[np.arange(len(own)), said] = sure
        honest[np.arange(len(own)), 1 - said] = 1 - sure
        limits = method._limits(scene, honest, np.arange(len(own)))
        first = honest[said == 0].max(axis=1), own[said == 0] == 0
        pooled = precise_threshold(honest.max(axis=1), said == own, 0.9, 2)
        expected = [precise_threshold(*first, 0.9, 2), 0.8] if apart else [pooled] * 2
        assert limits.tolist() == expected


def test_a_loss_of_accuracy_ends_it():
    X, _, known = blobs(120, 40)
    scene, method = looking(X, known, RandomForestClassifier(10))
    (fitted,) = scene.fit(method.learners, [scene.given()], [1])
    method.best = (1.1, None, None)
    assert method.look(scene, [fitted], 2).stop == "worse"
    accuracy = method._judge(scene, fitted)[0]
    method.best = (accuracy + 0.05, None, None)
    assert method.look(scene, [fitted], 2).stop != "worse"  # as much as .05 is borne
