"""SemiBoost on a case worked out by hand, and its bound."""

import numpy as np
import pytest

from coterie import AdaBoostClassifier, DecisionTreeClassifier, SemiBoostClassifier
from coterie.data import Table, Target
from coterie.semisupervised import semi_boost_pull, semi_boost_weight
from coterie.semisupervised.lessons import Scene
from coterie.semisupervised.semi_boost import similarities

POINTS = np.array([1.0, 2.0, 3.5])
S = np.exp(-((POINTS[:, None] - POINTS) ** 2) / 4)
TO = np.exp(-((POINTS[:, None] - [0.0, 4.0]) ** 2) / 4)
C = 2 / 3


def cost(scores):
    return (
        TO[:, 1] @ np.exp(-2 * scores)
        + TO[:, 0] @ np.exp(2 * scores)
        + C * np.sum(S * np.exp(scores[:, None] - scores))
    )


def test_two_rounds_by_hand():
    scores = np.zeros(3)
    pull = semi_boost_pull(TO, S, scores, C)
    np.testing.assert_allclose(pull.p, [0.768203, 1.150741, 1.532544], atol=1e-6)
    np.testing.assert_allclose(pull.q, [1.441605, 1.150741, 0.639902], atol=1e-6)
    assert cost(scores) == pytest.approx(6.683736, abs=1e-6)
    said = np.where(POINTS > 1.5, 1.0, -1.0)
    alpha = semi_boost_weight(pull, said)
    assert alpha == pytest.approx(0.119371, abs=1e-6)
    scores = scores + alpha * said
    assert cost(scores) == pytest.approx(6.418656, abs=1e-6)
    pull = semi_boost_pull(TO, S, scores, C)
    np.testing.assert_allclose(pull.p, [0.885466, 1.017476, 1.318191], atol=1e-6)
    np.testing.assert_allclose(pull.q, [1.206228, 1.319941, 0.671354], atol=1e-6)
    said = np.where(POINTS > 2.75, 1.0, -1.0)
    alpha = semi_boost_weight(pull, said)
    assert alpha == pytest.approx(0.100258, abs=1e-6)
    assert cost(scores + alpha * said) == pytest.approx(6.229861, abs=1e-6)


def test_the_sums_are_the_cost_and_the_bound_holds():
    rng = np.random.default_rng(0)
    for _ in range(20):
        scores, said = rng.normal(size=3), rng.choice([-1.0, 1.0], 3)
        pull = semi_boost_pull(TO, S, scores, C)
        assert (pull.p + pull.q).sum() == pytest.approx(cost(scores))
        alpha = rng.uniform(0, 1)
        bound = np.sum(np.exp(-2 * alpha * said) * pull.p + np.exp(2 * alpha * said) * pull.q)
        assert bound >= cost(scores + alpha * said) - 1e-9


def moons(n_rows=300, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    angle = rng.uniform(0, np.pi, n_rows)
    X = np.column_stack([np.cos(angle) + y, np.sin(angle) * (1 - 2 * y) + 0.4 * y])
    X += rng.normal(scale=0.08, size=X.shape)
    return X, y, np.where(np.arange(n_rows) < 12, y, -1)


def test_the_cost_never_rises():
    X, _, known = moons()
    trace = SemiBoostClassifier(random_state=0, n_folds=None).fit(X, known).trace_
    assert (np.diff(trace["cost"]) <= 1e-9).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", ["rbf", "knn", "proximity", lambda X: np.exp(-((X[:, None] - X) ** 2).sum(2))]
)
def test_similarities_of_all_kinds(kind):
    X, y, known = moons()
    model = SemiBoostClassifier(similarity=kind, sigma=0.3, random_state=0, n_folds=None).fit(
        X, known
    )
    alone = AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=20)
    alone.fit(X[known >= 0], known[known >= 0])
    assert model.score(X, y) > alone.score(X, y)


def test_near_neighbours_have_the_kernels_similarity():
    X, _, known = moons(60)
    scene = Scene(Table.read(X).bin(), Target.labels(known, unlabelled=True), None, 0)
    few, all_pairs = (similarities(scene, kind, 0.5) for kind in ("knn", "rbf"))
    dense = few.among.toarray()
    np.testing.assert_allclose(dense, dense.T)
    np.testing.assert_allclose(dense[dense > 0], all_pairs.among[dense > 0])


@pytest.mark.slow
def test_three_classes():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 300)
    X = rng.normal(size=(300, 2)) + 3 * np.array([[0, 0], [1, 0], [0, 1]])[y]
    known = np.where(np.arange(300) < 30, y, -1)
    model = SemiBoostClassifier(random_state=0, n_folds=None).fit(X, known)
    assert model.score(X, y) > 0.85
    assert set(model.member_classes_.tolist()) == {0, 1, 2}
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_rows_like_no_others_are_never_chosen():
    X, _, known = moons(60)
    lone = np.array([20, 40])

    def alike(rows):
        similar = np.exp(-((rows[:, None] - rows) ** 2).sum(2))
        odd = (rows[:, None] == X[lone]).all(axis=2).any(axis=1)
        similar[odd], similar[:, odd] = 0.0, 0.0
        return similar

    model = SemiBoostClassifier(similarity=alike, sample=1.0, random_state=0, n_folds=None)
    rounds = model.fit(X, known).labeled_iter_
    assert (rounds[lone] == -1).all()
    assert (np.delete(rounds, lone)[12:] > 0).all()


def test_the_surest_share_of_rows_is_taken():
    X, _, known = moons(112)
    model = SemiBoostClassifier(n_estimators=1, random_state=0, n_folds=None).fit(X, known)
    assert model.trace_["taken"].tolist() == [10]
    assert (model.labeled_iter_ == 1).sum() == 10


def test_without_unlabelled_rows_it_is_adaboost():
    X, y, _ = moons(80)
    model = SemiBoostClassifier(max_bins=255, random_state=0).fit(X, y)
    booster = AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=20)
    booster.set_params(random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict_proba(X), booster.predict_proba(X))
