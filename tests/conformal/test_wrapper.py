import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import coterie
from coterie import ConformalClassifier, ConformalRegressor
from coterie.conformal.wrapper import threshold

X, y = load_diabetes(return_X_y=True)
CLASSES = (y > 140).astype(int)


def small(cls, **params):
    forest = {
        ConformalClassifier: coterie.RandomForestClassifier(n_estimators=10),
        ConformalRegressor: coterie.RandomForestRegressor(n_estimators=10),
    }[cls]
    return cls(**({"estimator": forest, "random_state": 0} | params))


def sets_of(model, rows):
    if isinstance(model, ConformalClassifier):
        return model.predict_set(rows, [0.1, 0.3])
    return model.predict_interval(rows, [0.1, 0.3])


@pytest.mark.parametrize("cls", [ConformalClassifier, ConformalRegressor])
class TestBoth:
    def target(self, cls):
        return CLASSES if cls is ConformalClassifier else y

    def test_the_same_seed_gives_the_same_sets(self, cls):
        first, second = (small(cls).fit(X, self.target(cls)) for _ in range(2))
        np.testing.assert_array_equal(sets_of(first, X), sets_of(second, X))

    def test_models_survive_files(self, cls, tmp_path):
        model = small(cls).fit(X, self.target(cls))
        coterie.save(model, tmp_path / "model")
        again = coterie.load(tmp_path / "model")
        np.testing.assert_array_equal(sets_of(again, X[:50]), sets_of(model, X[:50]))

    @pytest.mark.slow
    def test_a_fit_on_named_columns(self, cls):
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame(X, columns=list("abcdefghij"))
        named = small(cls).fit(frame, self.target(cls))
        plain = small(cls).fit(X, self.target(cls))
        np.testing.assert_array_equal(sets_of(named, frame), sets_of(plain, X))
        assert named.feature_names_in_.tolist() == list("abcdefghij")

    def test_members_without_weights_are_named(self, cls):
        model = cls(make_pipeline(StandardScaler(), KNeighborsRegressor()))
        with pytest.raises(ValueError, match="Pipeline does not accept sample_weight"):
            model.fit(X, self.target(cls), np.ones(len(X)))

    def test_fitted_models_are_calibrated(self, cls):
        fitted = small(cls).estimator.fit(X[:200], self.target(cls)[:200])
        model = cls(fitted, prefit=True).calibrate(X[200:300], self.target(cls)[200:300])
        assert model.n_calibration_ == 100
        np.testing.assert_array_equal(model.predict(X), fitted.predict(X))
        with pytest.raises(ValueError, match="Call calibrate"):
            model.fit(X, y)

    def test_levels_are_checked(self, cls):
        model = small(cls).fit(X, self.target(cls))
        with pytest.raises(ValueError, match="alpha=2.0 is not allowed"):
            (model.predict_set if cls is ConformalClassifier else model.predict_interval)(X, 2.0)


def test_too_few_rows_are_told():
    with pytest.warns(UserWarning, match="8 calibration rows cannot give 90% coverage; 9 are"):
        assert threshold(np.arange(8.0), 0.1) == np.inf


def test_groups_are_in_one_fold():
    groups = np.repeat(np.arange(34), 13)
    model = ConformalRegressor(LinearRegression(), cv=4, random_state=0).fit(X, y, groups=groups)
    assert all(len(set(model.folds_[groups == g])) == 1 for g in range(34))


def test_folds_may_be_given():
    halves = [(np.arange(221, 442), np.arange(221)), (np.arange(221), np.arange(221, 442))]
    model = ConformalRegressor(LinearRegression(), cv=halves).fit(X, y)
    assert model.folds_.tolist() == [0] * 221 + [1] * 221
    split = ConformalRegressor(LinearRegression(), cv=KFold(2)).fit(X, y)
    np.testing.assert_array_equal(split.folds_, model.folds_)
    weight = np.r_[0.0, np.ones(441)]
    assert ConformalRegressor(LinearRegression(), cv=halves).fit(X, y, weight).n_calibration_ == 441
    with pytest.raises(ValueError, match="every row into one test set"):
        ConformalRegressor(LinearRegression(), cv=halves[:1]).fit(X, y)


@pytest.mark.parametrize("share", [0.1, 0.25, 0.3, 0.4, 0.75])
def test_as_many_rows_are_held_out_as_asked(share):
    model = ConformalRegressor(LinearRegression(), method="split", holdout=share, random_state=0)
    assert abs(model.fit(X, y).n_calibration_ - share * len(X)) < 1
    groups = np.repeat(np.arange(34), 13)
    held = model._held_out(model._admit_fit(X, y, None), groups, np.random.default_rng(0))
    assert all(len(set(held[groups == g])) == 1 for g in range(34))
    assert abs(held.mean() - share) < 1 / 34
    sets = ConformalClassifier(
        small(ConformalClassifier).estimator, source="split", holdout=share, random_state=0
    ).fit(X, CLASSES)
    assert abs(sets.codes_.mean() - CLASSES.mean()) < 0.02  # classes in their shares
    with pytest.raises(ValueError, match="1 groups are too few to hold some out"):
        model.fit(X, y, groups=np.zeros(len(X)))
