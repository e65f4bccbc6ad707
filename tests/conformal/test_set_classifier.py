import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

import coterie
from coterie import ConformalClassifier
from coterie.conformal import class_scores
from coterie.theory import ranks_of

X, y = load_digits(n_class=6, return_X_y=True)
X_fit, y_fit, X_new, y_new = X[:600], y[:600], X[600:], y[600:]
FOREST = coterie.RandomForestClassifier(n_estimators=40, random_state=0)


class Given(ClassifierMixin, BaseEstimator):
    """Rows are their own probabilities."""

    def fit(self, X, y):
        self.classes_ = np.arange(np.shape(X)[1])
        return self

    def predict_proba(self, X):
        return np.asarray(X)

    def predict(self, X):
        return np.asarray(X).argmax(axis=1)


def dirichlet(rng, n, k=4):
    p = rng.dirichlet(np.ones(k), n)
    return p, np.array([rng.choice(k, p=row) for row in p])


@pytest.mark.slow
@pytest.mark.parametrize("method", ["lac", "aps", "raps"])
@pytest.mark.parametrize("source", ["split", "oob", "cv+"])
def test_sets_cover_about_as_often_as_asked(method, source):
    model = ConformalClassifier(FOREST, method=method, source=source, cv=3, random_state=0)
    report = model.fit(X_fit, y_fit).coverage_report(X_new, y_new, alpha=0.2)
    assert model.source_ == source
    assert 0.7 < report.coverage < 0.97
    assert {row.kind for row in report.rows} == {"all", "class", "size", "bin"}


@pytest.mark.slow
@pytest.mark.parametrize("method", ["lac", "aps", "raps"])
def test_coverage_of_held_out_rows_is_that_of_the_rank(method):
    rng = np.random.default_rng(0)
    hits, n = [], 19
    for seed in range(500):
        p, truth = dirichlet(rng, n + 1)
        model = ConformalClassifier(
            Given().fit(p, truth), method=method, prefit=True, random_state=seed
        )
        model.calibrate(p[:n], truth[:n])
        hits.append(model.predict_set(p[n:], 0.2)[0, truth[n]])
    expected = ranks_of(n, 0.2)[1] / (n + 1)
    assert abs(np.mean(hits) - expected) < 3.5 * np.sqrt(expected * (1 - expected) / 500)


def test_sets_are_the_classes_of_small_scores():
    p, truth = dirichlet(np.random.default_rng(1), 200)
    model = ConformalClassifier(Given().fit(p, truth), method="lac", prefit=True)
    model.calibrate(p, truth)
    scores = class_scores(p, "lac")
    limit = np.sort(scores[np.arange(200), truth])[ranks_of(200, 0.3)[1] - 1]
    np.testing.assert_array_equal(model.predict_set(p, 0.3), scores <= limit)
    both = model.predict_set(p, [0.3, 0.1])
    assert both.shape == (200, 4, 2)
    assert (both[:, :, 0] <= both[:, :, 1]).all()


@pytest.mark.slow
def test_out_of_bag_votes_calibrate():
    model = ConformalClassifier(FOREST, method="lac", random_state=0).fit(X_fit, y_fit)
    assert model.source_ == "oob"
    votes = model.estimator_._oob(X_fit, y_fit, None)[0].mean
    known = ~np.isnan(votes).any(axis=1)
    expected = 1.0 - votes[known, y_fit[known]]
    np.testing.assert_allclose(model.conformity_scores_, expected)


@pytest.mark.slow
def test_folds_keep_classes_that_few_rows_speak_against():
    """By hand: y stays if fewer than (1 - alpha)(n + 1) rows have scores below it."""
    model = ConformalClassifier(
        LogisticRegression(max_iter=300), method="lac", cv=3, random_state=0
    ).fit(X_fit[:90], y_fit[:90])
    assert model.source_ == "cv+"
    sets = model.predict_set(X_new[:20], 0.15)
    above = np.zeros(sets.shape, dtype=int)
    for i, fold in enumerate(model.folds_):
        scores = 1.0 - model.models_[fold].predict_proba(X_new[:20])
        above += model.conformity_scores_[i] < scores
    np.testing.assert_array_equal(sets, above < 0.85 * 91)


@pytest.mark.slow
def test_a_row_always_has_the_same_set():
    model = ConformalClassifier(FOREST, random_state=0).fit(X_fit, y_fit)
    whole = model.predict_set(X_new, 0.1)
    np.testing.assert_array_equal(model.predict_set(X_new[5:8], 0.1), whole[5:8])


def test_sets_without_chance():
    p, truth = dirichlet(np.random.default_rng(2), 500)
    model = ConformalClassifier(Given().fit(p, truth), method="aps", prefit=True, randomized=False)
    sets = model.calibrate(p, truth).predict_set(p, 0.1)
    scores = class_scores(p, "aps")
    limit = np.sort(scores[np.arange(500), truth])[ranks_of(500, 0.1)[1] - 1]
    np.testing.assert_array_equal(sets, scores <= limit)


def test_empty_sets_can_be_filled():
    p, truth = dirichlet(np.random.default_rng(3), 300)
    model = ConformalClassifier(Given().fit(p, truth), method="lac", prefit=True)
    bare = model.calibrate(p, truth).predict_set(p, 0.6)
    assert (bare.sum(axis=1) == 0).any()
    filled = model.set_params(empty="top").predict_set(p, 0.6)
    assert (filled.sum(axis=1) > 0).all()
    assert (filled >= bare).all()


@pytest.mark.slow
def test_every_class_is_covered_by_class():
    rng = np.random.default_rng(4)
    p, truth = dirichlet(rng, 6000, 3)
    p[:, 0] *= 0.3  # the first class looks less probable than it is
    p /= p.sum(axis=1, keepdims=True)
    found = {}
    for by in (None, "class"):
        model = ConformalClassifier(Given().fit(p, truth), method="lac", prefit=True, by=by)
        report = model.calibrate(p[:3000], truth[:3000]).coverage_report(p[3000:], truth[3000:])
        found[by] = {row.value: row.coverage for row in report.rows if row.kind == "class"}
    assert found[None][0] < 0.86
    assert all(abs(share - 0.9) < 0.03 for share in found["class"].values())


def test_rare_classes_are_always_in_the_set():
    p, truth = dirichlet(np.random.default_rng(5), 200, 3)
    truth[truth == 2] = 0
    truth[:4] = 2
    model = ConformalClassifier(Given().fit(p, truth), prefit=True, by="class").calibrate(p, truth)
    with pytest.warns(UserWarning, match="too few calibration rows: 2. A class needs 9"):
        assert model.predict_set(p, 0.1)[:, 2].all()


@pytest.mark.slow
def test_groups_have_limits_of_their_own():
    rng = np.random.default_rng(6)
    p, truth = dirichlet(rng, 4000, 3)
    group = rng.integers(0, 2, 4000)
    truth[group == 1] = rng.integers(0, 3, (group == 1).sum())
    rows = np.c_[p, group]

    class First(Given):
        def fit(self, X, y):
            self.classes_ = np.arange(3)
            return self

        def predict_proba(self, X):
            return np.asarray(X)[:, :3]

    model = ConformalClassifier(First().fit(rows, truth), method="lac", prefit=True, by=3)
    model.calibrate(rows[:2000], truth[:2000])
    sets, rest = model.predict_set(rows[2000:], 0.1), np.arange(2000, 4000)
    hits = sets[np.arange(2000), truth[rest]]
    assert all(abs(hits[group[rest] == g].mean() - 0.9) < 0.035 for g in (0, 1))


@pytest.mark.slow
def test_fines_can_be_chosen():
    p, truth = dirichlet(np.random.default_rng(7), 1000, 8)
    model = ConformalClassifier(
        Given().fit(p, truth), prefit=True, penalty="auto", k_reg="auto"
    ).calibrate(p[:500], truth[:500])
    report = model.coverage_report(p[500:], truth[500:], 0.1)
    assert 0.85 < report.coverage < 0.95
    half = model.set_params(penalty=0.05).coverage_report(p[500:], truth[500:], 0.1)
    assert 0.85 < half.coverage < 0.95


def test_two_classes_of_lac_are_a_threshold():
    p, truth = dirichlet(np.random.default_rng(8), 300, 2)
    model = ConformalClassifier(Given().fit(p, truth), method="lac", prefit=True)
    sets = model.calibrate(p, truth).predict_set(p, 0.2)
    limit = p[sets].min()
    np.testing.assert_array_equal(sets, p >= limit)


def test_weights_of_calibration_stand_for_shift():
    p, truth = dirichlet(np.random.default_rng(9), 100)
    model = ConformalClassifier(Given().fit(p, truth), method="lac", prefit=True)
    plain = model.calibrate(p, truth).predict_set(p, 0.2)
    model.calibrate(p, truth, np.full(100, 3.0))
    np.testing.assert_array_equal(model.predict_set(p, 0.2, np.full(100, 3.0)), plain)
    assert model.predict_set(p, 0.2).shape == plain.shape


@pytest.mark.slow
def test_labels_may_be_text():
    names = np.array(list("abcdef"))
    model = ConformalClassifier(FOREST, random_state=0).fit(X_fit, names[y_fit])
    assert model.classes_.tolist() == list("abcdef")
    assert set(model.predict(X_new)) <= set("abcdef")
    assert model.coverage_report(X_new, names[y_new]).coverage > 0.7


@pytest.mark.slow
def test_wrong_sources_are_refused():
    with pytest.raises(ValueError, match="Use source='cv.'"):
        ConformalClassifier(LogisticRegression(), source="oob").fit(X_fit, y_fit)
    with pytest.raises(ValueError, match="keeps no out-of-fold"):
        ConformalClassifier(FOREST, source="oof").fit(X_fit, y_fit)
    with pytest.raises(ValueError, match="no predict_proba.*CalibratedClassifierCV"):
        ConformalClassifier(LinearSVC(), source="split").fit(X_fit, y_fit)


def test_classes_that_the_model_does_not_know_are_named():
    p, truth = dirichlet(np.random.default_rng(10), 50, 3)
    model = ConformalClassifier(Given().fit(p, truth), prefit=True)
    with pytest.raises(ValueError, match="y contains the class 7, which the model does not know"):
        model.calibrate(p, np.where(truth == 1, 7, truth))
    with pytest.raises(ValueError, match="y contains the class 7"):
        model.calibrate(p, truth).coverage_report(p, np.r_[7, truth[1:]])


def test_equal_scores_of_folds_do_not_speak_against_a_class():
    p = np.random.default_rng(11).integers(1, 5, (60, 3)) / 4.0  # many ties
    p /= p.sum(axis=1, keepdims=True)
    truth = np.arange(60) % 3
    model = ConformalClassifier(Given(), method="lac", source="cv+", cv=3).fit(p, truth)
    own = 1.0 - p[np.arange(60), truth]
    below = (own[:, None, None] < 1.0 - p).sum(axis=0)
    np.testing.assert_array_equal(model.predict_set(p, 0.3), below < 0.7 * 61)
