import numpy as np
import pytest
from sklearn.neighbors import LocalOutlierFactor
from sklearn.svm import OneClassSVM

from coterie import FeatureBaggingDetector, IsolationForest, OutlierEnsemble
from coterie.outliers import breadth_first


def spoilt(n=150, d=5, seed=0):
    X = np.random.default_rng(seed).normal(size=(n, d))
    X[0] = 6.0
    return X


@pytest.mark.slow
def test_members_see_half_of_the_columns_or_more():
    X = spoilt()
    model = FeatureBaggingDetector(n_estimators=30, random_state=0).fit(X)
    sizes = {len(columns) for columns in model.members_features_}
    assert sizes == {3, 4}
    assert model.score_samples(X).argmin() == 0
    assert (model.predict(X) == -1).sum() == 15


def test_one_member_of_one_column_is_the_detector():
    X = spoilt(d=1)
    with pytest.warns(UserWarning, match="only one column"):
        model = FeatureBaggingDetector(n_estimators=1, standardize="none").fit(X)
    plain = LocalOutlierFactor(n_neighbors=20, novelty=True).fit(X)
    np.testing.assert_allclose(model.score_samples(X), plain.score_samples(X))


def test_breadth_first_orders_training_rows_as_the_function_does():
    X = spoilt()
    model = FeatureBaggingDetector(n_estimators=4, combination="breadth_first", random_state=0).fit(
        X
    )
    expected = breadth_first(model._strangeness(model._admit(X)))
    np.testing.assert_array_equal(
        np.argsort(-expected, kind="stable"), np.argsort(model.score_samples(X), kind="stable")
    )


def test_any_detector_can_be_a_member():
    X = spoilt()
    bagged = FeatureBaggingDetector(estimator=OneClassSVM(), random_state=0).fit(X)
    assert bagged.score_samples(X).shape == (150,)
    members = [("forest", IsolationForest(n_estimators=10)), ("svm", OneClassSVM())]
    both = OutlierEnsemble(estimators=members, combination="moa", groups=2, random_state=0).fit(X)
    assert [type(member).__name__ for member in both.members_] == ["IsolationForest", "OneClassSVM"]
    assert both.score_samples(X).argmin() == 0
    chances = both.outlier_probability(X)
    assert chances.argmax() == 0
    assert 0.0 <= chances.min() <= chances.max() <= 1.0
    with pytest.raises(ValueError, match="estimators is empty"):
        OutlierEnsemble(estimators=[]).fit(X)


@pytest.mark.slow
@pytest.mark.parametrize("calibration", ["gaussian", "gamma"])
def test_probabilities_are_calibrated_on_the_training_rows(calibration):
    X = spoilt()
    model = OutlierEnsemble(calibration=calibration, random_state=0).fit(X)
    assert model.outlier_probability(X[:1])[0] == model.outlier_probability(X)[0]


@pytest.mark.parametrize("cls", [FeatureBaggingDetector, OutlierEnsemble])
def test_words_have_no_distances(cls):
    words = np.array([["a", 1.0], ["b", 2.0], ["a", 3.0]] * 5, dtype=object)
    with pytest.raises(ValueError, match="column 0 is categorical. Encode it"):
        cls().fit(words)
