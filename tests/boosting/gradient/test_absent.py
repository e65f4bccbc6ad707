"""A number that stands for a missing value."""

import numpy as np
import pytest
from scipy import sparse

import coterie
from coterie import GradientBoostingClassifier, HistGradientBoostingRegressor
from coterie.core import ParameterError
from tests.boosting.gradient.tables import numbers, two_classes


def spoilt(X):
    return np.where(np.isnan(X), -999.0, X)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("cls", "table"),
    [(HistGradientBoostingRegressor, numbers), (GradientBoostingClassifier, two_classes)],
)
def test_it_is_as_good_as_nan(cls, table, tmp_path):
    X, y = table(missing=0.2)
    plain = cls(random_state=0).fit(X, y, eval_set=[(X[:50], y[:50])])
    held = spoilt(X[:50]), y[:50]
    marked = cls(random_state=0, missing=-999).fit(spoilt(X), y, eval_set=[held])
    np.testing.assert_array_equal(plain.predict(X), marked.predict(spoilt(X)))
    np.testing.assert_array_equal(plain.predict(X), marked.predict(X))
    np.testing.assert_array_equal(
        plain.evals_result_["validation"]["loss"], marked.evals_result_["validation"]["loss"]
    )
    coterie.save(marked, tmp_path / "model")
    again = coterie.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(spoilt(X)), plain.predict(X))
    unmarked = cls(random_state=0).fit(spoilt(X), y)
    assert unmarked.n_features_in_ == X.shape[1]


@pytest.mark.slow
def test_categories_are_left_alone():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({"a": rng.normal(size=200), "b": rng.choice(["0", "1"], 200)})
    frame.loc[::5, "a"] = 0.0
    y = frame["a"] + (frame["b"] == "0")
    marked = HistGradientBoostingRegressor(missing=0.0).fit(frame, y)
    plain = HistGradientBoostingRegressor().fit(frame.replace({"a": {0.0: np.nan}}), y)
    np.testing.assert_array_equal(
        marked.predict(frame), plain.predict(frame.replace({"a": {0.0: np.nan}}))
    )


def test_where_it_cannot_be():
    X, y = numbers()
    with pytest.raises(ParameterError, match="dense array"):
        HistGradientBoostingRegressor(missing=0).fit(sparse.csr_array(X), y)
    model = HistGradientBoostingRegressor(missing=-999, max_iter=2).fit(X, y)
    with pytest.raises(ValueError, match="a number for missing"):
        model.fast_predictor()
