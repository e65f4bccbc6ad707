"""A model that cannot answer is not handed out; one that may refuse a row for good reasons is."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LinearRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import coterie
from coterie.data.schema import Schema
from coterie.export import ModelFileError, UntrustedTypesError
from coterie.export.rehearsal import rehearse
from tests.export.goldens import FOLDER

X = np.random.default_rng(0).normal(size=(40, 3))
Y = X[:, 0] > 0


def through_a_file(model, tmp_path, **options):
    coterie.save(model, tmp_path / "model")
    return coterie.load(tmp_path / "model", **options)


def test_arrays_of_another_shape_are_refused(tmp_path):
    model = coterie.KNNEnsembleClassifier(n_estimators=2, random_state=0).fit(X, Y)
    through_a_file(model, tmp_path)
    home = model.pool_.members[0].home
    object.__setattr__(home.coordinates, "mean", home.coordinates.mean[:-1])
    with pytest.raises(ModelFileError, match="fails to predict: ValueError"):
        through_a_file(model, tmp_path)


def test_predictions_that_are_no_numbers_are_refused():
    nothing = SimpleNamespace(schema_=Schema(2), predict=lambda rows: np.full(11, np.nan))
    with pytest.raises(ModelFileError, match="predicts NaN"):
        rehearse(nothing)


def test_probabilities_add_up():
    def says(share):
        plain = {"predict": lambda rows: np.zeros(11), "predict_proba": lambda rows: share}
        return SimpleNamespace(schema_=Schema(2), classes_=[0, 1], **plain)

    rehearse(says(np.full((11, 2), 0.5)))
    for share in (
        np.full((11, 2), 0.6),
        np.tile([1.5, -0.5], (11, 1)),
        np.full((11, 2), np.nan),
        np.ones((11, 1)),
    ):
        with pytest.raises(ModelFileError, match="add up to one"):
            rehearse(says(share))


def test_rows_with_several_labels_come_back(tmp_path):
    labels = (X > 0).astype(int)
    model = coterie.AdaBoostMHClassifier(n_estimators=2, random_state=0).fit(X, labels)
    again = through_a_file(model, tmp_path)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_one_row_is_not_enough():
    """Arrays of one row stretch to any number of rows."""
    answers = SimpleNamespace(schema_=Schema(2), predict=lambda rows: np.zeros(1))
    with pytest.raises(ModelFileError, match=r"shape \(1,\) for 11 rows"):
        rehearse(answers)


def fail(rows):
    raise ValueError("not these rows")


def test_models_that_are_not_fitted_or_read_dates_are_left_alone(tmp_path):
    through_a_file(coterie.VotingClassifier([("a", coterie.DecisionTreeClassifier())]), tmp_path)
    dates = SimpleNamespace(names=("day",))
    rehearse(SimpleNamespace(schema_=Schema(1), preparation_=dates, predict=fail))
    with pytest.raises(ModelFileError, match="not these rows"):
        rehearse(SimpleNamespace(schema_=Schema(1), predict=fail))


@pytest.mark.parametrize("named", [False, True])
def test_encoders_may_refuse_what_they_have_not_seen(named, tmp_path):
    pytest.importorskip("skops")
    cells = np.repeat([[10.0, 1.0], [20.0, 2.0]], 10, axis=0)
    encoder = OneHotEncoder(handle_unknown="ignore" if named else "error")
    if named:
        cells = pytest.importorskip("pandas").DataFrame(cells, columns=["a", "b"])
        encoder = make_column_transformer((encoder, ["a"]))
    member = make_pipeline(encoder, LinearRegression())
    model = coterie.VotingRegressor([("a", member)]).fit(cells, np.arange(20.0))
    again = through_a_file(model, tmp_path)
    np.testing.assert_array_equal(again.predict(cells), model.predict(cells))


def test_labels_are_those_of_the_columns(tmp_path):
    cells = np.array([["a", 1.0], ["b", 2.0], ["c", 3.0]] * 5, dtype=object)
    model = coterie.DecisionTreeRegressor().fit(cells, np.arange(15.0))
    again = through_a_file(model, tmp_path)
    np.testing.assert_array_equal(again.predict(cells), model.predict(cells))


class Choosy(RegressorMixin, BaseEstimator):
    """Takes long rows only."""

    def fit(self, X, y):
        self.mean_ = float(np.mean(y))
        return self

    def predict(self, X):
        if len(X) < 10:
            fail(X)
        return np.full(len(X), self.mean_)


def test_what_the_caller_vouches_for_is_not_asked(tmp_path):
    pytest.importorskip("skops")
    model = coterie.VotingRegressor([("a", Choosy())]).fit(X, X[:, 0])
    with pytest.raises(UntrustedTypesError) as caught:
        through_a_file(model, tmp_path)
    through_a_file(model, tmp_path, trusted=caught.value.types)


def test_models_stay_as_they_are(tmp_path):
    for path in FOLDER.glob("*.coterie"):
        model = coterie.load(path)
        coterie.save(model, tmp_path / "before")
        rehearse(model)
        coterie.save(model, tmp_path / "after")
        assert (tmp_path / "after").read_bytes() == (tmp_path / "before").read_bytes()


def test_prediction_sets_are_tried(tmp_path):
    forest = coterie.RandomForestClassifier(5, random_state=0)
    model = coterie.ConformalClassifier(forest, random_state=0).fit(X, Y)
    through_a_file(model, tmp_path)
    model.codes_ = np.full_like(model.codes_, -(2**31))
    with pytest.raises(ModelFileError, match="fails to predict: IndexError"):
        through_a_file(model, tmp_path)


def test_prediction_intervals_are_tried(tmp_path):
    forest = coterie.RandomForestRegressor(20, random_state=0)
    model = coterie.ConformalRegressor(forest, random_state=0).fit(X, X[:, 1])
    through_a_file(model, tmp_path)
    model.plus_._model = np.zeros(3)
    with pytest.raises(ModelFileError, match="_model of a JackknifePlusIntervals is a ndarray"):
        through_a_file(model, tmp_path)
