import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.neighbors import KNeighborsClassifier

from coterie import BaggingClassifier, BaggingRegressor, RandomForestClassifier

X, y = load_breast_cancer(return_X_y=True)
MODELS = {
    "bagging": BaggingClassifier(n_estimators=40, oob_score=True, random_state=0),
    "neighbours": BaggingClassifier(
        KNeighborsClassifier(), 40, oob_score=True, random_state=0, max_features=0.5
    ),
    "forest": RandomForestClassifier(40, oob_score=True, random_state=0),
}
every_model = pytest.mark.parametrize("name", MODELS)


@pytest.fixture(scope="module")
def fitted():
    return {name: model.fit(X, y) for name, model in MODELS.items()}


@every_model
def test_votes_on_unseen_rows_only(fitted, name):
    model = fitted[name]
    votes = model.oob_votes(X)
    assert votes.shape == (40, len(y), 2)
    for vote, rows in zip(votes, model.oob_samples(), strict=True):
        assert np.isnan(vote).any(axis=1).sum() == len(y) - len(rows)
        np.testing.assert_allclose(vote[rows].sum(axis=1), 1)
    np.testing.assert_allclose(np.nanmean(votes, axis=0), model.oob_decision_function_)


@every_model
def test_features_for_a_second_level(fitted, name):
    features = fitted[name].oob_features(X)
    np.testing.assert_allclose(features, fitted[name].oob_decision_function_)
    second = LogisticRegression().fit(features, y)
    # Had the members seen the rows, this would be a perfect score and no estimate.
    assert 0.9 < second.score(features, y) < 0.99


@pytest.mark.slow
@every_model
def test_any_metric_after_the_fit(fitted, name):
    model = fitted[name]
    p = model.oob_decision_function_
    assert model.oob_metric("roc_auc", X, y) == pytest.approx(roc_auc_score(y, p[:, 1]))
    assert model.oob_metric("neg_log_loss", X, y) == pytest.approx(-log_loss(y, p))
    assert model.oob_metric(True, X, y) == pytest.approx(model.oob_score_)


@pytest.mark.slow
@every_model
def test_curves_by_number_of_members(fitted, name):
    model = fitted[name]
    curve = model.oob_curve(X, y, metric="accuracy")
    np.testing.assert_allclose(curve.error, model.oob_curve_.error)
    np.testing.assert_allclose(curve.scores, 1 - curve.error)
    np.testing.assert_array_equal(curve.n_members, np.arange(1, 41))
    short = model.shortened(10)
    assert short.oob_curve(X, y).error[-1] == pytest.approx(curve.error[9])
    assert len(short.pool_) == len(short.bags_) == 10
    assert not hasattr(short, "oob_score_")
    enough = curve.enough(0.1)
    assert curve.error[enough - 1] <= 1.1 * curve.error[-1]
    assert (curve.error[enough - 1 :] <= 1.1 * curve.error[-1]).all()


@every_model
def test_some_members_only(fitted, name):
    model = fitted[name]
    some = model.pruned([7, 2, 30])
    votes = model.oob_votes(X)[[2, 7, 30]]
    np.testing.assert_array_equal(some.oob_votes(X), votes)
    assert not hasattr(some, "oob_score_")
    assert len(model.pool_) == 40
    with pytest.raises(ValueError, match="from 0 to 39"):
        model.pruned([40])


@pytest.mark.slow
@every_model
def test_weights_for_members(fitted, name):
    model = fitted[name]
    weights = model.oob_weights(X, y)
    assert weights.sum() == pytest.approx(1)
    by_hand = []
    votes = model.oob_votes(X)
    for vote, rows in zip(votes, model.oob_samples(), strict=True):
        by_hand.append((vote[rows].argmax(axis=1) == y[rows]).mean() - 0.5)
    np.testing.assert_allclose(weights, np.array(by_hand) / np.sum(by_hand))
    heavy = model.reweighted(weights)
    expected = np.average(model.pool_.votes(model._admit(X[:9])), axis=0, weights=weights)
    np.testing.assert_allclose(heavy.predict_proba(X[:9]), expected)
    heard = ~np.isnan(votes[:, :, 0])
    mass = (heard * weights[:, None]).sum(axis=0)[:, None]
    mean = np.nansum(votes * weights[:, None, None], axis=0) / mass
    np.testing.assert_allclose(heavy.oob_features(X), mean)
    guess = heavy.oob_metric("accuracy", X, y)
    assert guess == pytest.approx((mean.argmax(axis=1) == y).mean())
    stacked = model.oob_weights(X, y, method="stack")
    assert stacked.sum() == pytest.approx(1)
    assert (stacked >= 0).all()


@pytest.mark.slow
def test_rows_of_weight_zero():
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    weight[::5] = 0
    bad = X.copy()
    bad[::5] = np.inf
    model = BaggingClassifier(n_estimators=40, oob_score=True, random_state=0)
    model.fit(bad, y, weight)
    features = model.oob_features(bad)
    np.testing.assert_allclose(features, model.oob_decision_function_)
    assert np.isnan(features[::5]).all()
    assert np.isfinite(np.delete(features, np.s_[::5], axis=0)).all()
    assert model.oob_weights(bad, y, weight).shape == (40,)
    assert model.oob_curve(bad, y, weight).error[-1] == model.oob_curve_.error[-1]


@pytest.mark.slow
def test_numbers():
    Z, target = load_diabetes(return_X_y=True)
    model = BaggingRegressor(n_estimators=40, oob_score=True, random_state=0).fit(Z, target)
    np.testing.assert_allclose(model.oob_features(Z)[:, 0], model.oob_prediction_)
    error = ((model.oob_prediction_ - target) ** 2).mean()
    assert model.oob_metric("neg_mean_squared_error", Z, target) == pytest.approx(-error)
    assert model.reweighted(model.oob_weights(Z, target)).predict(Z).shape == target.shape


def test_refusals(fitted):
    model = fitted["bagging"]
    with pytest.raises(ValueError, match="pass the training data again"):
        model.oob_features(X[:9])
    with pytest.raises(ValueError, match="different classes .*Pass the training data again"):
        model.oob_metric("accuracy", X, y + 5)
    with pytest.raises(ValueError, match="there are 40 members"):
        model.reweighted(np.ones(3))
    with pytest.raises(ValueError, match="from 1 to 40"):
        model.shortened(0)
    blind = BaggingClassifier(bootstrap=False).fit(X, y)
    with pytest.raises(ValueError, match="every member saw every row"):
        blind.oob_votes(X)


@pytest.mark.slow
def test_groups_make_honest_judges():
    """Copies of a row are no strangers to one another unless they are a group."""
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 2, 60)
    rows, copies = np.repeat(rng.normal(size=(60, 3)), 5, axis=0), np.repeat(noise, 5)
    groups = np.repeat(np.arange(60), 5)
    model = RandomForestClassifier(60, oob_score=True, random_state=0)
    assert model.fit(rows, copies).oob_score_ > 0.9
    assert model.fit(rows, copies, groups=groups).oob_score_ < 0.7
    bag = BaggingClassifier(n_estimators=60, oob_score=True, random_state=0)
    assert bag.fit(rows, copies, groups=groups).oob_score_ < 0.7
    inside = np.array([bag.bags_.counts(t) for t in range(60)]).reshape(60, 60, 5)
    assert (inside == inside[:, :, :1]).all()
    assert np.mean(inside[:, :, 0] > 0) == pytest.approx(0.632, abs=0.02)
