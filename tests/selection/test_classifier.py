import numpy as np
import pytest
from sklearn.datasets import make_classification, make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

import coterie
from coterie import DynamicSelectionClassifier
from coterie.selection import METHODS, LocalClassAccuracy, knora_u
from coterie.selection.classifier import checked, profile

X, Y = make_classification(600, 6, n_informative=4, n_classes=3, flip_y=0.1, random_state=0)
TRAIN, TEST = slice(0, 400), slice(400, 600)


def pool(n=12, depth=3):
    tree = coterie.DecisionTreeClassifier(max_depth=depth)
    return coterie.BaggingClassifier(tree, n_estimators=n)


def fitted(method, X=X[TRAIN], y=Y[TRAIN], **settings):
    model = DynamicSelectionClassifier(
        settings.pop("of", pool()), method=method, random_state=0, **settings
    )
    return model.fit(X, y)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_on_text_labels(method):
    labels = np.array(["x", "y", "z"])[Y]
    model = fitted(method, y=labels[TRAIN])
    assert model.score(X[TEST], labels[TEST]) > 0.6
    chances = model.predict_proba(X[TEST])
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    np.testing.assert_array_equal(model.classes_[chances.argmax(axis=1)], model.predict(X[TEST]))


@pytest.mark.parametrize("method", METHODS)
def test_noise_teaches_nothing(method):
    """Labels are drawn: whatever is selected, new rows are guessed."""
    rng = np.random.default_rng(1)
    noise, y = rng.normal(size=(1600, 5)), rng.integers(0, 2, 1600)
    model = fitted(method, noise[:600], y[:600], of=pool(10, None))
    assert model.score(noise[600:], y[600:]) == pytest.approx(0.5, abs=0.055)


@pytest.mark.parametrize("method", METHODS)
def test_queries_do_not_depend_on_their_company(method):
    model = fitted(method, ties="random", frienemy_pruning=True)
    together = model.predict(X[TEST])
    some = np.arange(400, 600)[::-3]
    np.testing.assert_array_equal(model.predict(X[some]), together[some - 400])


def test_all_rows_as_neighbours_are_the_best_member():
    model = fitted("ola", n_neighbors=10_000)
    right = (model.verdicts_.labels == model.ground_.encoded).mean(axis=1)
    best = model.estimators_[int(right.argmax())]
    np.testing.assert_array_equal(model.predict(X[TEST]), best.predict(X[TEST]))


def test_all_members_right_are_a_plain_vote():
    """A pool judged by rows it has seen is right about all: everybody votes."""
    forest = coterie.RandomForestClassifier(n_estimators=15, bootstrap=False, random_state=0)
    forest.fit(X[TRAIN], Y[TRAIN])
    said = np.stack([member.predict(X[TEST]) for member in forest.estimators_])
    plain = np.stack([(said == k).mean(axis=0) for k in range(3)], axis=1)
    for method in ("knora_u", "knora_w", "knora_e", "des_p"):
        model = DynamicSelectionClassifier(forest, method=method, prefit=True)
        chances = model.fit(X[TRAIN], Y[TRAIN]).predict_proba(X[TEST])
        np.testing.assert_allclose(chances, plain, err_msg=method)


@pytest.mark.slow
def test_a_member_that_is_always_right_is_followed():
    class Knowing(DecisionTreeClassifier):
        def predict_proba(self, X):
            return np.eye(2)[(X[:, 0] > 0).astype(int)]

    rng = np.random.default_rng(0)
    points = rng.normal(size=(500, 2))
    y = (points[:, 0] > 0).astype(int)
    silly = [
        DecisionTreeClassifier(max_depth=1).fit(points, rng.integers(0, 2, 500)) for _ in range(5)
    ]
    knowing = Knowing().fit(points, y)
    for method in ("ola", "rank", "knora_e", "lca", "a_priori"):
        model = DynamicSelectionClassifier([*silly, knowing], method=method, prefit=True)
        model.fit(points[:250], y[:250])
        assert model.score(points[250:], y[250:]) > 0.98, method


def test_selection_beats_the_pool_where_members_know_places():
    points, y = make_moons(1200, noise=0.15, random_state=0)
    lines = [
        LogisticRegression().fit(points[:400][part], y[:400][part])
        for part in (points[:400, 0] < 0, points[:400, 0] > 1, np.abs(points[:400, 0] - 0.5) < 0.6)
    ]
    model = DynamicSelectionClassifier(lines, method="ola", prefit=True)
    model.fit(points[400:800], y[400:800])
    vote = np.mean([line.predict(points[800:]) for line in lines], axis=0) > 0.5
    assert model.score(points[800:], y[800:]) > (vote == y[800:]).mean() + 0.02
    assert model.oracle_score(points[800:], y[800:]) >= model.score(points[800:], y[800:])


@pytest.mark.parametrize("method", METHODS)
def test_the_shortcut_changes_no_hard_vote(method):
    short, long = fitted(method), fitted(method, agreement_shortcut=False)
    np.testing.assert_allclose(short.predict_proba(X[TEST]), long.predict_proba(X[TEST]))


def test_soft_votes_are_weighted_means():
    model = fitted("knora_u", voting="soft", agreement_shortcut=False)
    weights = model.member_weights(X[TEST])
    said = np.stack([member.predict_proba(X[TEST]) for member in model.estimators_])
    wanted = np.einsum("tq,tqk->qk", weights, said) / weights.sum(axis=0)[:, None]
    np.testing.assert_allclose(model.predict_proba(X[TEST]), wanted)


def tied_pair():
    """Two members that always disagree and are equally good: 0.9 for one class, 0.6 the other."""

    class Says(DecisionTreeClassifier):
        def predict_proba(self, X):
            return np.tile([0.4, 0.6] if self.random_state else [0.9, 0.1], (len(X), 1))

    points, y = np.arange(40.0)[:, None], np.arange(40) % 2
    pair = [Says(random_state=s).fit(points, y) for s in (0, 1)]
    return pair, points, y


def test_ties():
    pair, points, y = tied_pair()

    def answer(ties, pair=pair, seed=0):
        model = DynamicSelectionClassifier(
            pair, method="knora_u", n_neighbors=40, prefit=True, ties=ties, random_state=seed
        )
        return model.fit(points, y).predict(points)

    assert (answer("first") == 0).all()
    assert (answer("confidence") == 0).all()
    assert 5 < answer("random").sum() < 35
    np.testing.assert_array_equal(answer("random"), answer("random"))
    assert (answer("random", seed=1) != answer("random")).any()


@pytest.mark.slow
def test_methods_may_be_functions():
    named = fitted("knora_u").predict_proba(X[TEST])
    own = fitted(lambda region: knora_u(region.hits, region.neighbours)).predict_proba(X[TEST])
    np.testing.assert_array_equal(named, own)
    assert fitted(LocalClassAccuracy(subset="true")).score(X[TEST], Y[TEST]) > 0.6
    wrong = fitted(lambda region: np.zeros(region.said.shape))
    with pytest.raises(ValueError, match="not all of them zero"):
        wrong.predict(X[TEST])
    with pytest.raises(ValueError, match="weights of shape"):
        checked(np.ones((2, 3)), (3, 2))


def test_profiles_have_one_column_of_two_classes():
    chances = np.arange(12.0).reshape(2, 3, 2)
    assert profile(chances).tolist() == [[1, 7], [3, 9], [5, 11]]
    assert profile(np.zeros((2, 3, 4))).shape == (3, 8)


@pytest.mark.slow
def test_members_see_different_columns():
    model = fitted("ola", of=coterie.RandomSubspaceClassifier(n_estimators=10))
    assert model.score(X[TEST], Y[TEST]) > 0.6
    from sklearn.ensemble import BaggingClassifier

    model = fitted("ola", of=BaggingClassifier(max_features=0.5, n_estimators=10))
    assert model.score(X[TEST], Y[TEST]) > 0.6
