"""Co-forest against the forest it begins as, and against brute force."""

import numpy as np
import pytest

from coterie import CoForestClassifier, RandomForestClassifier
from coterie.data import Table, Target
from coterie.semisupervised import companion_errors
from coterie.semisupervised.co_forest import rows_to_try
from coterie.semisupervised.lessons import Scene


def blobs(n_rows=300, n_known=60, seed=0, apart=1.5):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n_rows)
    X = rng.normal(size=(n_rows, 5)) + apart * np.eye(3, 5)[y]
    return X, y, np.where(np.arange(n_rows) < n_known, y, -1)


def test_without_unlabelled_rows_it_is_a_random_forest():
    X, y, _ = blobs()
    model = CoForestClassifier(n_estimators=7, random_state=3).fit(X, y)
    forest = RandomForestClassifier(7, random_state=3).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), forest.predict_proba(X))


def test_a_threshold_of_one_takes_no_row():
    X, _, known = blobs()
    model = CoForestClassifier(n_estimators=9, threshold=1.0, random_state=3).fit(X, known)
    assert (model.labeled_iter_ == np.where(known >= 0, 0, -1)).all()
    assert model.oob_errors_.tolist() == [0.5] * 9
    assert model.score_ == model.supervised_score_


def test_errors_of_companions_by_brute_force():
    rng = np.random.default_rng(1)
    votes = rng.dirichlet(np.full(3, 0.3), size=(6, 50))
    outside = rng.random((6, 50)) < 0.4
    truth, weight = rng.integers(0, 3, 50), rng.uniform(0.5, 2, 50)
    found = companion_errors(votes, outside, truth, 0.6, weight)
    for tree in range(6):
        wrong = total = 0.0
        for row in range(50):
            said = [votes[t, row] for t in range(6) if t != tree and outside[t, row]]
            if said and np.mean(said, axis=0).max() > 0.6:
                total += weight[row]
                wrong += weight[row] * (np.mean(said, axis=0).argmax() != truth[row])
        assert found[tree] == pytest.approx(wrong / total, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("refit", ["bag", "all"])
def test_lessons_keep_the_noise_down(refit):
    X, y, known = blobs()
    model = CoForestClassifier(refit=refit, random_state=0, n_folds=None).fit(X, known)
    assert (model.labeled_iter_ > 0).any()
    assert (model.pseudo_weight_ >= 0).all()
    taught = model.trace_["taken"] > 0
    assert (model.trace_["e"] < model.trace_["e_before"])[taught].all()
    assert model.score(X, y) > 0.7


def test_two_trees_cannot_judge_the_third():
    X, _, known = blobs()
    with pytest.raises(ValueError, match="at least 3 trees.*got 2"):
        CoForestClassifier(n_estimators=2).fit(X, known)


def first_round(weight=None, threshold=0.75, **params):
    """A scene, its method with trees grown from bags, and what it says in the first round."""
    X, _, known = blobs(apart=2.5)
    scene = Scene(Table.read(X).bin(), Target.labels(known, unlabelled=True), weight, 5)
    model = CoForestClassifier(n_estimators=6, threshold=threshold, **params)
    method = model._method(scene)
    lessons = method.begin(scene)
    members = scene.fit([method.learners[0]] * 6, lessons, scene.seeds(6).tolist())
    return scene, method, members, method.look(scene, members, 1)


@pytest.mark.parametrize("refit", ["bag", "all"])
def test_lessons_are_those_of_the_other_trees(refit):
    """Steps c to f with all other trees asked one by one."""
    weight = np.random.default_rng(0).uniform(0.5, 2, 300)
    scene, method, members, told = first_round(weight, refit=refit)
    votes = np.stack([scene.votes(tree, scene.unlabelled) for tree in members])
    known = np.stack([scene.votes(tree, scene.labelled) for tree in members])
    truth = scene.codes[scene.labelled]
    errors = companion_errors(known, method.outside, truth, 0.75, weight[scene.labelled])
    assert told.lessons
    for i in range(6):
        share = np.delete(votes, i, axis=0).mean(axis=0)
        sure = share.max(axis=1) > 0.75
        before, n = 24.0, len(scene.unlabelled)  # a tenth of the unlabelled rows
        n_tried = n if errors[i] == 0 else int(np.ceil(0.5 * before / errors[i] - 1))
        tried = scene.stream(1, i).permutation(n)[:n_tried]
        taken = tried[sure[tried]]
        mass = share[taken].max(axis=1).sum()
        flagged = errors[i] < 0.5 and before < len(taken) and errors[i] * mass < 0.5 * before
        assert flagged == (i in told.lessons)
        if not flagged:
            continue
        rows, codes, own = told.lessons[i]
        new = scene.unlabelled[taken]
        np.testing.assert_array_equal(rows[60:], new)
        np.testing.assert_array_equal(codes[60:], share[taken].argmax(axis=1))
        np.testing.assert_allclose(own[60:], weight[new] * share[taken].max(axis=1))
        first = method.bags[i].weight if refit == "bag" else weight[scene.labelled]
        np.testing.assert_array_equal(own[:60], first)
        assert method.masses[i] == pytest.approx(mass)


def test_trees_that_were_never_taught_have_no_pseudo_weight():
    X, _, known = blobs(apart=2.0)
    model = CoForestClassifier(n_estimators=6, max_iter=1, random_state=1, n_folds=None)
    trace = model.fit(X, known).trace_
    taught = np.unique(trace["member"][trace["taken"] > 0])
    assert 0 < len(taught) < 6
    assert np.flatnonzero(model.pseudo_weight_).tolist() == taught.tolist()


def test_the_number_of_rows_to_try_is_exact():
    assert np.ceil(0.5 * 15 / (3 / 22) - 1) == 55  # what floating point would say
    assert rows_to_try(0.5, 15.0, 3 / 22) == 54
    assert rows_to_try(0.2, 10.0, 0.1) == 19
