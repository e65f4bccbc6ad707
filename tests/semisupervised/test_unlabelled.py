"""What all semi-supervised classifiers share."""

import warnings

import numpy as np
import pandas as pd
import pytest

import coterie
from coterie import CoForestClassifier, TriTrainingClassifier
from coterie.data import Table, Target
from coterie.semisupervised.lessons import Scene
from coterie.semisupervised.unlabelled import UnlabelledClassifier, label_folds

EVERY = [
    cls
    for name in coterie.semisupervised.__all__
    if isinstance(cls := getattr(coterie.semisupervised, name), type)
    and issubclass(cls, UnlabelledClassifier)
]
#: Those whose members are forests.
FORESTS = (
    coterie.CoTrainingClassifier,
    coterie.CoTrainingByCommitteeClassifier,
    coterie.SelfTrainingClassifier,
)
every = pytest.mark.parametrize("cls", EVERY)


def small(cls, **params):
    few = {name: 5 for name in ("n_estimators", "max_iter") if hasattr(cls, name)}
    if cls in FORESTS:
        few["estimator"] = coterie.RandomForestClassifier(8)
    return cls(random_state=0, n_folds=None, **few, **params)


def blobs(n_rows=160, n_known=40, n_classes=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_rows)
    X = rng.normal(size=(n_rows, 4)) + 2.5 * np.eye(n_classes, 4)[y]
    return X, y, np.where(np.arange(n_rows) < n_known, y, -1)


@pytest.mark.slow
@every
def test_all_marks_of_unknown_labels_are_alike(cls):
    X, _, known = blobs()
    expected = small(cls).fit(X, known)
    words = np.array(["a", "b", "c"], dtype=object)[known]
    marks = [
        np.where(known < 0, np.nan, known),
        np.where(known < 0, None, known),
        np.where(known < 0, None, words),
        np.where(known < 0, -1, words),
        pd.Series(known).replace(-1, None).astype("Int64"),
    ]
    for y in marks:
        model = small(cls).fit(X, y)
        np.testing.assert_array_equal(model.predict_proba(X), expected.predict_proba(X))
    other = small(cls, unlabeled="?").fit(X, np.where(known < 0, "?", words))
    np.testing.assert_array_equal(other.predict_proba(X), expected.predict_proba(X))
    assert other.classes_.tolist() == ["a", "b", "c"]
    assert other.transduction_[:3].tolist() == words[:3].tolist()


@every
def test_what_is_known_of_rows(cls):
    X, _, known = blobs()
    model = small(cls).fit(X, known)
    given = known >= 0
    assert (model.transduction_[given] == known[given]).all()
    assert (model.transduction_[~given] == model.predict(X[~given])).all()
    assert (model.labeled_iter_[given] == 0).all()
    assert (model.labeled_iter_[~given] != 0).all()
    assert model.termination_condition_ in {
        *("no_change", "max_iter", "all_labeled", "no_candidate", "too_weak", "worse"),
    }


@pytest.mark.slow
@every
def test_workers_and_the_order_of_rows_do_not_matter(cls):
    X, _, known = blobs()
    expected = small(cls).fit(X, known).predict_proba(X)
    together = small(cls, n_jobs=2).fit(X, known).predict_proba(X)
    np.testing.assert_array_equal(together, expected)
    order = np.random.default_rng(0).permutation(len(X))
    shuffled = small(cls).fit(X[order], known[order]).predict_proba(X)
    np.testing.assert_allclose(shuffled, expected, atol=1e-6)


@every
def test_rows_of_weight_zero_are_dropped(cls):
    X, _, known = blobs()
    weight = np.where(np.arange(len(X)) % 3 == 0, 0.0, 1.5)
    kept = weight > 0
    weighted = small(cls).fit(X, known, weight)
    dropped = small(cls).fit(X[kept], known[kept], weight[kept])
    np.testing.assert_array_equal(weighted.predict_proba(X), dropped.predict_proba(X))
    assert (weighted.labeled_iter_[~kept] == -1).all()
    assert (weighted.transduction_[~kept] == -1).all()


@every
def test_files_keep_the_model(cls, tmp_path):
    X, _, known = blobs()
    model = small(cls).fit(X, known)
    coterie.save(model, tmp_path / "model.coterie")
    again = coterie.load(tmp_path / "model.coterie")
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(again.transduction_, model.transduction_)


@every
def test_missing_values_and_categories(cls):
    X, _, known = blobs()
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame.loc[::7, "a"] = np.nan
    frame["e"] = pd.Categorical(np.array(["x", "y"])[np.arange(len(X)) % 2])
    assert small(cls).fit(frame, known).predict(frame).shape == (len(X),)


def test_labels_that_cannot_be_learnt():
    X, _, _ = blobs(6)
    model = TriTrainingClassifier()
    with pytest.raises(ValueError, match="y has no label: all 6 entries are -1 or missing"):
        model.fit(X, [-1] * 6)
    with pytest.raises(ValueError, match="Only class 3 has labels"):
        model.fit(X, [3, 3, -1, -1, -1, -1])
    with pytest.raises(ValueError, match="y contains only -1 and 1"):
        model.fit(X, [1, -1, 1, -1, 1, -1])
    model.set_params(unlabeled=None).fit(X, [1, -1, 1, -1, 1, -1])
    assert model.classes_.tolist() == [-1, 1]
    with pytest.warns(UserWarning, match="No row is marked with unlabeled=9"):
        TriTrainingClassifier(unlabeled=9).fit(X, [1, 0, 1, 0, 1, 0])


@pytest.mark.slow
def test_harm_is_told():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 400)
    X = rng.normal(size=(400, 2))
    X[:200, 0] += 3 * y[:200]
    # The unlabelled rows come from elsewhere, where the classes are the other way round.
    X[200:, 0] += 3 * (1 - y[200:]) + 1.4
    known = np.where(np.arange(400) < 40, y, -1)
    seen = []
    for seed in range(6):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model = CoForestClassifier(n_estimators=5, threshold=0.5, random_state=seed)
            model.fit(X, known)
        told = any("reduce the accuracy" in str(warning.message) for warning in caught)
        assert told == (model.score_ < model.supervised_score_)
        seen.append(told)
    assert any(seen)
    assert not all(seen)


@pytest.mark.slow
def test_scores_are_of_hidden_labels():
    X, y, known = blobs(300, 90)
    model = CoForestClassifier(n_estimators=20, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, known)
    assert abs(model.score_ - model.score(X[90:], y[90:])) < 0.12


def test_folds_have_all_classes():
    X, _, known = blobs(60, 30)
    known[29] = 7
    scene = Scene(Table.read(X).bin(), Target.labels(known, unlabelled=True), None, 0)
    folds = label_folds(scene, 3)
    assert sum(map(len, folds)) == 29  # a lone row is in none
    for rows in folds:
        assert set(scene.codes[rows].tolist()) == {0, 1, 2}


@every
def test_without_unlabelled_rows_nothing_is_taught(cls):
    X, y, _ = blobs(60)
    model = small(cls).fit(X, y)
    assert model.termination_condition_ == "all_labeled"
    assert (model.labeled_iter_ == 0).all()
    np.testing.assert_array_equal(model.transduction_, y)
    # The members are those that would be compared as the supervised ensemble.
    scene = Scene(Table.read(X).bin(), Target.labels(y, unlabelled=True), None, 0)
    taught = small(cls)._teach(scene)
    assert len(taught.first) == len(taught.members)
    for one, other in zip(taught.first, taught.members, strict=True):
        np.testing.assert_array_equal(*(scene.votes(each, scene.labelled) for each in (one, other)))


def test_truth_values_may_be_labels():
    X, y, known = blobs(n_classes=2)
    labels = np.array([None if code < 0 else bool(code) for code in known], dtype=object)
    model = TriTrainingClassifier(random_state=0, n_folds=None).fit(X, labels)
    assert model.classes_.tolist() == [False, True]
    assert model.score(X, y.astype(bool)) > 0.8
