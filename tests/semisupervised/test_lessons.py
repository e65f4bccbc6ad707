"""The scene and the loop of lessons."""

import numpy as np
import pytest

from coterie import DecisionTreeClassifier, RandomForestClassifier
from coterie.core import Pool
from coterie.data import Table, Target
from coterie.semisupervised.lessons import BinnedLearner, Lesson, Round, Scene, teach


def make_scene(weight=None, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3))
    y = np.where(np.arange(40) < 20, X[:, 0] > 0, -1)
    return Scene(Table.read(X).bin(), Target.labels(y, unlabelled=True), weight, 7)


def test_rows_with_and_without_labels():
    scene = make_scene()
    assert scene.labelled.tolist() == list(range(20))
    assert sorted(scene.unlabelled.tolist()) == list(range(20, 40))
    hidden = scene.hide(np.arange(5))
    assert len(hidden.labelled) == 15
    assert len(scene.labelled) == 20


def test_unlabelled_rows_have_an_order_of_their_own():
    scene = make_scene()
    order = np.random.default_rng(1).permutation(40)
    shuffled = Scene(Table.read(scene.table.values[order]).bin(), scene.target.take(order), None, 7)
    np.testing.assert_array_equal(
        shuffled.table.values[shuffled.unlabelled], scene.table.values[scene.unlabelled]
    )


def test_lessons_behind_one_another():
    first = Lesson(np.array([1]), np.array([0], dtype=np.int32))
    second = Lesson(np.array([4]), np.array([1], dtype=np.int32), np.array([0.5]))
    rows, codes, weight = second.after(first)
    assert (rows.tolist(), codes.tolist(), weight.tolist()) == ([1, 4], [0, 1], [1.0, 0.5])
    assert first.after(first).weight is None


def test_weights_are_those_of_the_rows_times_a_factor():
    rows, factor = np.array([3, 5]), np.array([0.5, 2.0])
    assert make_scene().weighing(rows) is None
    assert make_scene().weighing(rows, factor).tolist() == [0.5, 2.0]
    weighted = make_scene(np.arange(40.0))
    assert weighted.weighing(rows).tolist() == [3.0, 5.0]
    assert weighted.weighing(rows, factor).tolist() == [1.5, 10.0]


def test_bags_leave_rows_out():
    lesson, outside = make_scene().bag(3)
    assert lesson.weight.sum() == 20
    np.testing.assert_array_equal(outside, lesson.weight == 0)


def test_ensembles_share_the_bins():
    scene = make_scene()
    learner = scene.learner(None, RandomForestClassifier(5))
    assert isinstance(learner, BinnedLearner)
    (member,) = scene.fit([learner], [scene.given()], [3])
    assert member.estimator.schema_ is scene.table.schema
    some = scene.learner(None, RandomForestClassifier(5), np.array([0, 2]))
    (narrow,) = scene.fit([some], [scene.given()], [3])
    assert narrow.estimator.n_features_in_ == 2
    assert scene.votes(narrow, scene.unlabelled).shape == (20, 2)


class OneMore:
    """Teaches the first unlabelled rows, one more in every round."""

    def __init__(self, learner, stop=""):
        self.learners, self.stop = [learner], stop

    def begin(self, scene):
        return [scene.given()]

    def look(self, scene, members, number):
        if self.stop and number == 3:
            return Round({}, scene.unlabelled[:0], [], self.stop)
        rows = scene.unlabelled[:number]
        new = Lesson(rows, np.ones(number, dtype=np.int32))
        return Round({0: new.after(scene.given())}, rows, [{"taken": number}])

    def end(self, scene, taught):
        return taught


@pytest.mark.parametrize(
    ("stop", "reason", "n_rounds"), [("", "max_iter", 5), ("tired", "tired", 3)]
)
def test_the_loop(stop, reason, n_rounds):
    scene = make_scene()

    class Owner:
        task = "classification"

    learner = scene.learner(Owner, DecisionTreeClassifier())
    taught = teach(scene, OneMore(learner, stop), 5)
    assert (taught.reason, taught.n_rounds) == (reason, n_rounds)
    last = 5 if not stop else 2
    assert taught.rounds[scene.unlabelled[:last]].tolist() == [last] * last
    assert (taught.rounds[scene.unlabelled[last:]] == -1).all()
    assert taught.trace["taken"].tolist() == list(range(1, last + 1))
    said = Pool.of(taught.members).raw(scene.take(scene.unlabelled[:last]))
    assert said.argmax(axis=1).tolist() == [1] * last
    assert taught.first[0] is not taught.members[0]
