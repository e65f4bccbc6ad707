"""ASSEMBLE on a case worked out by hand, and AdaBoost as its limit."""

import numpy as np
import pytest

from coterie import AdaBoostClassifier, AssembleClassifier, DecisionTreeClassifier
from coterie.data import Table, Target
from coterie.semisupervised.assemble import Assemble, nearest_labelled, start_classes, start_weights
from coterie.semisupervised.lessons import Scene

X = np.array([[0.0], [4.0], [5.0], [1.0], [2.0], [3.5]])
Y = np.array([0, 1, 0, -1, -1, -1])


def scene():
    return Scene(Table.read(X).bin(), Target.labels(Y, unlabelled=True), None, 0)


def test_the_start_by_hand():
    codes = start_classes(scene(), "1nn")
    assert codes[[0, 1, 2, 3, 5]].tolist() == [0, 1, 0, 0, 1]
    assert codes[4] == 0  # a tie, for the lower class
    assert (nearest_labelled(scene()) >= 0).all()
    np.testing.assert_allclose(start_weights(scene(), 0.9), [0.3] * 3 + [1 / 30] * 3)
    assert start_classes(scene(), "majority")[3:].tolist() == [0, 0, 0]


@pytest.mark.parametrize(
    ("forgetful", "expected"),
    [
        (False, [0.214286, 0.214286, 0.5, 0.02381, 0.02381, 0.02381]),
        (True, [0.136364, 0.136364, 0.318182, 0.136364, 0.136364, 0.136364]),
    ],
)
def test_a_round_by_hand(forgetful, expected):
    rule = Assemble(free=Y < 0, forgetful=forgetful)
    codes = start_classes(scene(), "1nn")
    target = Target("labels", codes[:, None], (np.array([0, 1]),))
    state = rule.begin(target, start_weights(scene(), 0.9))
    vote = np.where(X > 2.75, 1.0, -1.0)
    step = rule.tell(state, vote, np.random.default_rng(0))
    assert step.facts["error"] == pytest.approx(0.3)
    assert step.alpha == pytest.approx(0.423649, abs=1e-6)
    np.testing.assert_allclose(state.weight, expected, atol=1e-5)


def test_pseudo_classes_follow_the_ensemble():
    rule = Assemble(free=Y < 0)
    target = Target(
        "labels", np.array([0, 1, 0, 1, 0, 1], dtype=np.int32)[:, None], (np.arange(2),)
    )
    state = rule.begin(target, np.full(6, 1 / 6))
    rule.tell(state, np.where(X > 2.75, 1.0, -1.0), np.random.default_rng(0))
    assert state.codes.tolist() == [0, 1, 0, 0, 0, 1]


def test_without_unlabelled_rows_it_is_adaboost():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(200, 4))
    for n_classes in (2, 3):
        y = np.digitize(rows[:, 0] + rng.normal(size=200), np.linspace(-1, 1, n_classes + 1)[1:-1])
        common = {"estimator": DecisionTreeClassifier(max_depth=1), "n_estimators": 9}
        model = AssembleClassifier(**common, max_bins=255, random_state=0).fit(rows, y)
        booster = AdaBoostClassifier(**common, random_state=0).fit(rows, y)
        np.testing.assert_array_equal(model.predict_proba(rows), booster.predict_proba(rows))


@pytest.mark.parametrize("start", ["1nn", "majority", "forest"])
@pytest.mark.parametrize("weighting", ["reweight", "resample"])
def test_ways_to_begin(start, weighting):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 3))
    y = (rows[:, 0] > 0).astype(int)
    known = np.where(np.arange(300) < 40, y, -1)
    model = AssembleClassifier(start=start, weighting=weighting, n_estimators=20, n_folds=None)
    assert model.set_params(random_state=0).fit(rows, known).score(rows, y) > 0.85


def test_ties_of_nearest_rows_do_not_depend_on_the_order_of_rows():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 3, (90, 3)).astype(float)
    known = np.where(np.arange(90) < 20, rng.integers(0, 3, 90), -1)

    def start(order):
        own = Target.labels(known[order], unlabelled=True)
        found = np.empty(90, dtype=int)
        found[order] = start_classes(Scene(Table.read(rows[order]).bin(), own, None, 0), "1nn")
        return found

    expected = start(np.arange(90))
    for _ in range(3):
        np.testing.assert_array_equal(start(rng.permutation(90)), expected)


def test_why_it_ended_in_the_words_of_all():
    rows = np.arange(8.0)[:, None]
    known = np.array([0, 0, 1, 1, -1, -1, -1, -1])
    settings = {"n_folds": None, "random_state": 0}
    model = AssembleClassifier(n_estimators=3, **settings).fit(rows, known)
    assert model.termination_condition_ == "no_change"  # no mistake is left
    noise = np.random.default_rng(0).integers(0, 2, 60)
    rows = np.random.default_rng(1).normal(size=(60, 2))
    model = AssembleClassifier(n_estimators=3, **settings).fit(rows, np.r_[noise[:40], [-1] * 20])
    assert (model.termination_condition_, model.n_iter_) == ("max_iter", 3)
    flat = AssembleClassifier(**settings).fit(np.ones((9, 1)), [0, 1, 0, 1] + [-1] * 5)
    assert flat.termination_condition_ == "too_weak"  # a half is wrong
