"""The pass: every combiner's view of unseen rows."""

import joblib
import numpy as np
import pytest
from sklearn.ensemble import RandomForestClassifier as PeerForest
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold, RepeatedKFold, TimeSeriesSplit, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from coterie import BaggingRegressor, RandomForestClassifier
from coterie.base import JoblibExecutor
from coterie.combining.folds import Pass, Rowset, takes_oob
from coterie.combining.named_members import FoldMember, Named
from coterie.combining.splits import make_splits
from coterie.data import Table, Target

rng = np.random.default_rng(0)
X = rng.normal(size=(120, 4))
y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)


def run(member, target, cv, method="predict_proba", **how):
    rows = Rowset(Table.read(X), target)
    splits = make_splits(cv, rows.table, target)
    way = Pass(JoblibExecutor(None), **how)
    return way.run(rows, [Named("member", member)], [method], splits)


def test_leaving_one_out_of_least_squares():
    # Least squares leave one out in closed form: (fit - h y) / (1 - h).
    table = Table.read(np.arange(5.0)[:, None])
    target = Target.numbers([1.0, 3.0, 2.0, 5.0, 4.0])
    splits = make_splits("loo", table, target)
    way = Pass(JoblibExecutor(None))
    _, unseen = way.run(
        Rowset(table, target), [Named("line", LinearRegression())], ["predict"], splits
    )
    np.testing.assert_allclose(
        unseen.profile[0, :, 0], [2, 1.857143, 3.25, 3.285714, 5.5], atol=1e-6
    )


def test_same_as_cross_val_predict():
    _, unseen = run(GaussianNB(), Target.labels(y), KFold(4))
    expected = cross_val_predict(GaussianNB(), X, y, cv=KFold(4), method="predict_proba")
    np.testing.assert_allclose(unseen.profile[0], expected, rtol=1e-12)


def test_answers_know_nothing_of_the_row():
    # One nearest neighbour on labels without meaning: by heart on rows seen, chance on others.
    noise = np.random.default_rng(1).integers(0, 2, 120)
    seats, unseen = run(KNeighborsClassifier(1), Target.labels(noise), 5)
    assert (seats[0].predict(Table.read(X)).argmax(axis=1) == noise).all()
    assert 0.35 < (unseen.profile[0].argmax(axis=1) == noise).mean() < 0.65


def test_rows_tested_several_times_or_never():
    cv = RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)
    _, unseen = run(GaussianNB(), Target.labels(y), cv)
    by_hand = np.zeros((120, 2))
    for train, test in cv.split(X):
        by_hand[test] += GaussianNB().fit(X[train], y[train]).predict_proba(X[test]) / 2
    np.testing.assert_allclose(unseen.profile[0], by_hand, rtol=1e-12)
    _, unseen = run(GaussianNB(), Target.labels(y), TimeSeriesSplit(4))
    assert unseen.covered.tolist() == [False] * 24 + [True] * 96
    assert np.isnan(unseen.values[0][:24]).all()
    assert unseen.profile.shape == (1, 96, 2)


def test_models_of_folds_are_kept():
    seats, _ = run(GaussianNB(), Target.labels(y), KFold(3), refit="folds")
    assert isinstance(seats[0], FoldMember)
    assert len(seats[0].seats) == 3
    parts = [
        GaussianNB().fit(X[train], y[train]).predict_proba(X) for train, _ in KFold(3).split(X)
    ]
    np.testing.assert_allclose(seats[0].predict(Table.read(X)), np.mean(parts, axis=0), rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("forest", [RandomForestClassifier, PeerForest])
def test_out_of_bag_answers(forest):
    member = forest(60, random_state=0)
    _, unseen = run(member, Target.labels(np.array(["n", "y"])[y]), 5, oob=True)
    alone = forest(60, random_state=0, oob_score=True).fit(X, y)
    np.testing.assert_allclose(unseen.profile[0], alone.oob_decision_function_, rtol=1e-9)
    assert takes_oob(member)
    assert not takes_oob(forest(bootstrap=False))
    assert not takes_oob(GaussianNB())


def test_out_of_bag_numbers():
    target = Target.numbers(X[:, 0])
    _, unseen = run(
        BaggingRegressor(n_estimators=40, random_state=0), target, 5, "predict", oob=True
    )
    assert np.corrcoef(unseen.profile[0, :, 0], X[unseen.covered, 0])[0, 1] > 0.9


class Counting(GaussianNB):
    fits = 0

    def fit(self, X, y):
        Counting.fits += 1
        return super().fit(X, y)


@pytest.mark.slow
def test_fits_are_kept_on_disk(tmp_path):
    memory = joblib.Memory(str(tmp_path), verbose=0)
    Counting.fits = 0
    first = run(Counting(), Target.labels(y), KFold(3), memory=memory)[1]
    assert Counting.fits == 4
    again = run(Counting(), Target.labels(y), KFold(3), memory=str(tmp_path))[1]
    assert Counting.fits == 4
    np.testing.assert_array_equal(first.profile, again.profile)
    run(Counting(), Target.labels(1 - y), KFold(3), memory=memory)
    assert Counting.fits == 8


def test_nothing_to_hold_out():
    table, target = Table.read(X[:1]), Target.labels(y[:1])
    way = Pass(JoblibExecutor(None))
    with pytest.warns(UserWarning, match="predict their own training rows"):
        way.run(Rowset(table, target), [Named("m", GaussianNB())], ["predict_proba"], [])
