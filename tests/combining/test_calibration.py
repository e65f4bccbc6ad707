import numpy as np
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

import coterie
from coterie import CalibratedEnsembleClassifier, fusion
from coterie.combining.calibration import METHODS, ClassMaps

RNG = np.random.default_rng(0)
CHANCES = RNG.dirichlet(np.ones(3), 500)
CODES = np.array([RNG.choice(3, p=p) for p in CHANCES**2 / (CHANCES**2).sum(axis=1)[:, None]])
ONES = np.ones(500)


def learn(said, codes, method, n_classes, scores=False):
    return ClassMaps.learn(said, codes, np.ones(len(codes)), method, n_classes, scores=scores)


@pytest.mark.parametrize("method", METHODS)
def test_probabilities_add_up_and_fit_better(method):
    maps = learn(CHANCES, CODES, method, 3)
    mapped = maps(CHANCES)
    np.testing.assert_allclose(mapped.sum(axis=1), 1)
    rows = np.arange(500)
    assert np.log(mapped[rows, CODES] + 1e-9).mean() > np.log(CHANCES[rows, CODES]).mean()


def test_two_classes_have_one_map():
    p, codes = CHANCES[:, 0], (CODES == 0).astype(int)
    maps = learn(np.column_stack([1 - p, p]), codes, "isotonic", 2)
    assert len(maps.maps) == 1
    wanted = fusion.isotonic(np.clip(p, *maps.bounds), codes)(np.clip(p, *maps.bounds))
    np.testing.assert_allclose(maps(np.column_stack([1 - p, p]))[:, 1], wanted)


def test_scores_are_mapped_as_they_are():
    f = np.array([-2, -1, -0.5, 0.5, 1, 2])[:, None]
    codes = np.array([0, 0, 1, 0, 1, 1])
    maps = learn(f, codes, "platt", 2, scores=True)
    assert maps(f)[:, 1] == pytest.approx(
        [0.220831, 0.347416, 0.421844, 0.578156, 0.652584, 0.779169], abs=1e-6
    )
    for method in METHODS:
        mapped = learn(f, codes, method, 2, scores=True)(f)
        assert mapped.shape == (6, 2)
        assert (np.diff(mapped[:, 1]) >= -1e-12).all()


def test_a_class_that_a_fold_has_not_seen():
    scores = RNG.normal(size=(500, 3))
    scores[:50, 2] = np.finfo(np.float64).min
    maps = learn(scores, CODES, "platt", 3, scores=True)
    assert np.isfinite(maps(scores)).all()
    assert maps.bounds[0] > -10


def test_sure_votes_have_finite_log_odds():
    votes = np.eye(3)[CODES]
    votes[:50] = np.roll(votes[:50], 1, axis=1)  # a tenth is wrong
    mapped = learn(votes, CODES, "platt", 3)(votes)
    assert mapped.max(axis=1).mean() == pytest.approx(0.9, abs=0.02)


def test_nothing_likely_is_anything():
    class Never:
        def __call__(self, said):
            return np.zeros(len(said))

    maps = ClassMaps("isotonic", (Never(),) * 3, 3, False, (0.0, 1.0))
    assert maps(CHANCES) == pytest.approx(1 / 3)


def test_one_class_changes_nothing():
    with pytest.warns(UserWarning, match="one class"):
        maps = learn(CHANCES, np.zeros(500, dtype=int), "platt", 3)
    np.testing.assert_array_equal(maps(CHANCES), CHANCES)
    with pytest.warns(UserWarning, match="one class"):
        squashed = learn(np.array([[0.0], [3.0]]), np.zeros(2, dtype=int), "platt", 2, scores=True)
    assert squashed(np.array([[0.0]])).tolist() == [[0.5, 0.5]]


def test_temperature_keeps_the_order():
    mapped = learn(CHANCES, CODES, "temperature", 3)(CHANCES)
    np.testing.assert_array_equal(mapped.argmax(axis=1), CHANCES.argmax(axis=1))


X, Y = make_classification(
    1200, 12, n_informative=5, n_redundant=5, n_classes=3, flip_y=0.1, random_state=0
)
TRAIN, TEST = slice(0, 600), slice(600, 1200)
BAYES, TREE = ("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(random_state=0))
FOREST = ("forest", coterie.RandomForestClassifier(60, random_state=0))


@pytest.mark.slow
@pytest.mark.parametrize("calibrate", ["ensemble", "members"])
@pytest.mark.parametrize("method", METHODS)
def test_sure_members_become_honest(method, calibrate):
    model = CalibratedEnsembleClassifier([BAYES, TREE], method=method, calibrate=calibrate)
    chances = model.fit(X[TRAIN], Y[TRAIN]).predict_proba(X[TEST])
    np.testing.assert_allclose(chances.sum(axis=1), 1)
    plain = [clone(m).fit(X[TRAIN], Y[TRAIN]).predict_proba(X[TEST]) for _, m in (BAYES, TREE)]
    raw = np.mean(plain, axis=0)
    assert log_loss(Y[TEST], chances) < log_loss(Y[TEST], raw)
    if calibrate == "ensemble":
        assert fusion.calibration_error(chances, Y[TEST]) < fusion.calibration_error(raw, Y[TEST])


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("calibrate", ["ensemble", "members"])
@pytest.mark.parametrize("cv", [None, "oob"])
def test_noise_is_not_believed(method, calibrate, cv):
    """Full trees are sure of noise they have learnt by heart; calibrated ones are not."""
    rng = np.random.default_rng(0)
    noise, y = rng.normal(size=(1500, 4)), rng.integers(0, 2, 1500)
    members = [FOREST, TREE]
    model = CalibratedEnsembleClassifier(members, method=method, calibrate=calibrate, cv=cv)
    chances = model.fit(noise[:500], y[:500]).predict_proba(noise[500:])
    assert model.score(noise[500:], y[500:]) == pytest.approx(0.5, abs=0.05)
    assert chances.max(axis=1).mean() < 0.62
    # As good as knowing nothing, up to what few rows cost.
    assert log_loss(y[500:], chances) < np.log(2) + 0.03
    raw = clone(TREE[1]).fit(noise[:500], y[:500]).predict_proba(noise[500:])
    assert raw.max(axis=1).mean() == 1


def test_maps_are_learnt_from_folds():
    folds = StratifiedKFold(4, shuffle=True, random_state=0)
    two = Y < 2
    A, b = X[two], Y[two]
    model = CalibratedEnsembleClassifier([BAYES], method="isotonic", cv=folds).fit(A, b)
    said = cross_val_predict(GaussianNB(), A, b, cv=folds, method="predict_proba")
    maps = model.calibrators_[0]
    wanted = fusion.isotonic(np.clip(said[:, 1], *maps.bounds), b)
    grid = np.linspace(0.05, 0.95, 20)
    np.testing.assert_allclose(maps.maps[0](grid), wanted(grid))


@pytest.mark.slow
def test_maps_are_learnt_out_of_bag():
    forest = coterie.RandomForestClassifier(40, random_state=0, oob_score=True).fit(
        X[TRAIN], Y[TRAIN]
    )
    model = CalibratedEnsembleClassifier([("f", clone(forest))], method="temperature", cv="oob")
    model.fit(X[TRAIN], Y[TRAIN])
    low, high = model.calibrators_[0].bounds
    said = np.clip(forest.oob_decision_function_, low, high)
    assert model.calibrators_[0].maps[0].tau == pytest.approx(
        fusion.temperature(np.log(said), Y[TRAIN]).tau, rel=1e-3
    )
    np.testing.assert_array_equal(model.predict(X[TEST]), forest.predict(X[TEST]))


def test_fitted_members_are_calibrated_on_the_rows_given():
    tree = DecisionTreeClassifier(random_state=0).fit(X[TRAIN], Y[TRAIN])
    model = CalibratedEnsembleClassifier([("t", tree)], cv="prefit").fit(X[600:900], Y[600:900])
    assert model.estimators_[0] is tree
    assert log_loss(Y[900:], model.predict_proba(X[900:])) < log_loss(
        Y[900:], tree.predict_proba(X[900:])
    )


def test_members_without_probabilities():
    two = Y < 2
    A, b = X[two], Y[two]
    svm = ("svm", LinearSVC(random_state=0))
    model = CalibratedEnsembleClassifier([svm], calibrate="members").fit(A[::2], b[::2])
    assert model.calibrators_[0].scores
    theirs = CalibratedClassifierCV(svm[1], ensemble=False).fit(A[::2], b[::2])
    ours, others = model.predict_proba(A[1::2]), theirs.predict_proba(A[1::2])
    assert np.abs(ours - others).mean() < 0.02
    votes = CalibratedEnsembleClassifier([svm]).fit(A[::2], b[::2])
    assert len(np.unique(votes.predict_proba(A[1::2])[:, 1].round(9))) == 2


@pytest.mark.slow
def test_members_are_mapped_one_by_one():
    model = CalibratedEnsembleClassifier([BAYES, TREE], calibrate="members").fit(X[TRAIN], Y[TRAIN])
    parts = [
        maps(member.predict_proba(X[TEST]))
        for maps, member in zip(model.calibrators_, model.estimators_, strict=True)
    ]
    np.testing.assert_allclose(model.predict_proba(X[TEST]), np.mean(parts, axis=0))


def test_models_of_folds_can_be_kept():
    model = CalibratedEnsembleClassifier([BAYES], refit="folds").fit(X[TRAIN], Y[TRAIN])
    assert len(model.estimators_[0]) == 5
    assert model.predict_proba(X[TEST]).shape == (600, 3)
