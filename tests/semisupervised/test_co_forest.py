"""Co-forest against the forest it begins as, and against brute force."""

import numpy as np
import pytest

from coterie import CoForestClassifier, RandomForestClassifier
from coterie.semisupervised import companion_errors


def blobs(n_rows=300, n_known=60, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n_rows)
    X = rng.normal(size=(n_rows, 5)) + 1.5 * np.eye(3, 5)[y]
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
