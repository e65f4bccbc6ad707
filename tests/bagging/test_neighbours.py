"""Nearest neighbours that differ: equality with one kNN at a limit, gains on real tables."""

import pickle

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from coterie import BaggingClassifier
from coterie.bagging import KNNEnsembleClassifier, neighbours
from coterie.bagging.neighbours import nearness
from coterie.datasets import load_table

SAME = {"n_estimators": 3, "max_features": 1.0, "scale_range": (1.0, 1.0)}


@pytest.mark.parametrize("load", [load_wine, load_digits])
@pytest.mark.parametrize("weights", ["distance", "uniform"])
@pytest.mark.parametrize("p", [1, 2])
def test_without_differences_it_is_one_knn(load, weights, p):
    X, y = load(return_X_y=True)
    X, y = X[::3], y[::3]
    model = KNNEnsembleClassifier(**SAME, n_neighbors=(5,), p=(p,), weights=weights).fit(X, y)
    one = KNeighborsClassifier(5, weights=weights, p=p)
    one = make_pipeline(StandardScaler(), one).fit(X, y)
    new = load().data[1::3]
    # A search of all points as matrix products rounds, and equal distances may swap.
    gap = np.abs(model.predict_proba(new) - one.predict_proba(new)).max(axis=1)
    assert np.mean(gap < 1e-6) > 0.99


def noisy(X, y, n_columns):
    noise = np.random.default_rng(0).normal(size=(len(X), n_columns))
    return np.hstack([X, noise]), y


def real_tables():
    X, y = load_digits(return_X_y=True)
    magic, kind = load_table("magic", return_X_y=True)
    return {
        "wine": load_wine(return_X_y=True),
        "wine and noise": noisy(*load_wine(return_X_y=True), 26),
        "breast cancer": load_breast_cancer(return_X_y=True),
        "digits": (X[:400], y[:400]),
        "magic": (magic[::40], kind[::40]),
    }


def error(model, X, y):
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    return 1 - cross_val_score(model, X, y, cv=cv).mean()


@pytest.mark.slow
def test_beats_one_knn_on_real_tables():
    gains = []
    for X, y in real_tables().values():
        ours = error(KNNEnsembleClassifier(n_estimators=30, random_state=0), X, y)
        one, five = (
            error(make_pipeline(StandardScaler(), KNeighborsClassifier(k)), X, y) for k in (1, 5)
        )
        assert ours < one
        gains.append((five - ours) / five)
    assert np.mean(gains) > 0.1
    assert np.mean(np.array(gains) > 0) >= 0.8


def disagreement(said):
    return np.mean([np.mean(a != b) for i, a in enumerate(said) for b in said[:i]])


def test_members_differ_more_than_those_of_bagging():
    X, y = noisy(*load_wine(return_X_y=True), 26)
    ours = KNNEnsembleClassifier(n_estimators=10, random_state=0).fit(X[::2], y[::2])
    new = ours._admit(X[1::2])
    said = [member.predict(new).argmax(axis=1) for member in ours.estimators_]
    scaled = StandardScaler().fit_transform(X)
    bag = BaggingClassifier(KNeighborsClassifier(5), random_state=0).fit(scaled[::2], y[::2])
    bagged = [member.predict(scaled[1::2]) for member in bag.estimators_]
    assert disagreement(said) > 1.5 * disagreement(bagged)


def test_no_distance_has_all_the_say():
    found = nearness(np.array([[2.0, 4.0], [0.0, 1e-300], [0.0, 0.0], [5e-324, 1.0]]))
    np.testing.assert_allclose(found, [[1, 0.5], [1, 0], [1, 1], [1, 0]], atol=1e-12)
    X, y = np.array([[0.0], [0.0], [0.0], [1.0], [2.0]]), np.array([0, 0, 1, 1, 1])
    model = KNNEnsembleClassifier(**SAME, n_neighbors=(5,), p=(2,)).fit(X, y)
    np.testing.assert_allclose(model.predict_proba([[0.0]]), [[2 / 3, 1 / 3]])


@pytest.mark.slow
def test_searching_all_points_finds_the_same(monkeypatch):
    X, y = load_wine(return_X_y=True)
    with_trees = KNNEnsembleClassifier(random_state=0).fit(X[::2], y[::2]).predict_proba(X)
    monkeypatch.setattr(neighbours, "_FLAT", 0)
    without = KNNEnsembleClassifier(random_state=0).fit(X[::2], y[::2]).predict_proba(X)
    np.testing.assert_allclose(with_trees, without, atol=1e-9)


def test_members_draw_from_what_was_given():
    X, y = load_wine(return_X_y=True)
    model = KNNEnsembleClassifier(
        n_estimators=40,
        max_features=4,
        scale_range=(0.5, 0.6),
        n_neighbors=(2, 4),
        p=(1,),
        max_samples=0.25,
        random_state=0,
    ).fit(X, y)
    for member in model.estimators_:
        used = member.scales[member.scales != 0]
        assert len(used) == 4
        assert np.all((used >= 0.5) & (used <= 0.6))
        assert len(member.rows) == len(np.unique(member.rows)) == 45
        assert member.p == 1
    assert {member.n_neighbors for member in model.estimators_} == {2, 4}


def test_more_neighbours_than_rows_are_all_rows():
    X, y = np.arange(4.0)[:, None], np.array([0, 0, 0, 1])
    model = KNNEnsembleClassifier(**SAME, n_neighbors=(99,), weights="uniform").fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), [[0.75, 0.25]] * 4)


def test_weights_that_are_no_counts_weigh_votes():
    X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0, 1, 1])
    model = KNNEnsembleClassifier(**SAME, n_neighbors=(3,), weights="uniform")
    model.fit(X, y, sample_weight=[2.5, 1.0, 1.5])
    np.testing.assert_allclose(model.predict_proba(X), [[0.5, 0.5]] * 3)


def test_pickles_keep_the_rows_once():
    X, y = load_digits(return_X_y=True)
    few, many = (
        len(pickle.dumps(KNNEnsembleClassifier(n_estimators=n, random_state=0).fit(X, y)))
        for n in (2, 20)
    )
    assert many < 1.1 * few


@pytest.mark.parametrize(
    "bad",
    [
        {"n_neighbors": 5},
        {"n_neighbors": ()},
        {"n_neighbors": (0,)},
        {"p": (3,)},
        {"scale_range": (0.0, 1.0)},
        {"scale_range": (2.0, 1.0)},
        {"max_samples": 1.5},
    ],
)
def test_bad_parameters_are_refused(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        KNNEnsembleClassifier(**bad).fit(*load_wine(return_X_y=True))
