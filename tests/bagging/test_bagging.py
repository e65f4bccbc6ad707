import inspect

import numpy as np
import pytest
import sklearn.ensemble
from sklearn import config_context
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron
from sklearn.metrics import accuracy_score, f1_score, log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier as Cart

from coterie import BaggingClassifier, BaggingRegressor, DecisionTreeClassifier
from coterie.bagging.bagging import resolve_columns
from coterie.datasets import load_table

IRIS = load_iris(return_X_y=True)
CANCER = load_breast_cancer(return_X_y=True)


@pytest.mark.parametrize("name", ["BaggingClassifier", "BaggingRegressor"])
def test_constructor_is_that_of_scikit_learn(name):
    theirs = inspect.signature(getattr(sklearn.ensemble, name)).parameters
    ours = inspect.signature({c.__name__: c for c in (BaggingClassifier, BaggingRegressor)}[name])
    # Older versions write 1.0 where newer ones write None for as many rows as there are.
    for parameter in theirs.values():
        assert ours.parameters[parameter.name].kind == parameter.kind
        if parameter.name != "max_samples":
            assert ours.parameters[parameter.name].default == parameter.default
    assert list(ours.parameters)[:2] == ["estimator", "n_estimators"]


@pytest.mark.slow
def test_two_thirds_of_the_rows_are_in_a_bag():
    X, y = CANCER
    model = BaggingClassifier(n_estimators=200, random_state=0).fit(X, y)
    share = [len(np.unique(rows)) / len(y) for rows in model.estimators_samples_]
    assert all(len(rows) == len(y) for rows in model.estimators_samples_)
    assert np.mean(share) == pytest.approx(1 - np.exp(-1), abs=0.005)


@pytest.mark.slow
@pytest.mark.parametrize(("n_draws", "expected"), [(17, 0.110820), (8, 0.291932), (4, 0.424300)])
def test_bagged_nearest_neighbour_has_known_chances(n_draws, expected):
    """The k-th neighbour decides with a known chance: see Breiman's plug-in rule."""
    X, y = load_table("watermelon", return_X_y=True)
    nearest = KNeighborsClassifier(1)
    model = BaggingClassifier(nearest, 500, max_samples=n_draws, random_state=0).fit(X, y)
    assert model.predict_proba([[0.62, 0.20]])[
        0, model.classes_.tolist().index("ripe")
    ] == pytest.approx(expected, abs=0.055)


def test_one_member_is_its_estimator():
    X, y = IRIS
    model = BaggingClassifier(GaussianNB(), 1, bootstrap=False).fit(X, y)
    alone = GaussianNB().fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X), alone.predict_proba(X))
    mean = BaggingRegressor(LinearRegression(), 1, bootstrap=False).fit(X, y)
    np.testing.assert_allclose(mean.predict(X), LinearRegression().fit(X, y).predict(X))


def test_counts_as_weights_are_repeated_rows():
    """A learner that takes weights and the same one without the choice see the same bag."""

    class Unweighted(GaussianNB):
        def fit(self, X, y):
            return super().fit(X, y)

    X, y = IRIS
    weighted = BaggingClassifier(GaussianNB(), 7, random_state=0).fit(X, y)
    repeated = BaggingClassifier(Unweighted(), 7, random_state=0).fit(X, y)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X), atol=1e-9)


@pytest.mark.parametrize("native", [True, False])
def test_members_reproduce_the_ensemble(native):
    X, y = IRIS
    member = DecisionTreeClassifier() if native else Cart()
    model = BaggingClassifier(member, 9, max_features=0.5, random_state=0).fit(X, y)
    parts = zip(model.estimators_, model.estimators_features_, strict=True)
    mean = np.mean([m.predict_proba(X[:, columns]) for m, columns in parts], axis=0)
    np.testing.assert_allclose(model.predict_proba(X), mean)
    assert all(len(columns) == 2 for columns in model.estimators_features_)
    assert len({tuple(columns) for columns in model.estimators_features_}) > 1


@pytest.mark.slow
def test_columns_with_replacement():
    X, y = IRIS
    model = BaggingClassifier(Cart(), 20, bootstrap_features=True, random_state=0).fit(X, y)
    drawn = model.estimators_features_
    assert all(len(columns) == 4 for columns in drawn)
    assert any(len(set(columns)) < 4 for columns in drawn)
    assert [m.n_features_in_ for m in model.estimators_] == [4] * 20
    native = BaggingClassifier(n_estimators=20, bootstrap_features=True, random_state=0).fit(X, y)
    parts = zip(native.estimators_, native.estimators_features_, strict=True)
    mean = np.mean([m.predict_proba(X[:, columns]) for m, columns in parts], axis=0)
    np.testing.assert_allclose(native.predict_proba(X), mean)


def test_hard_and_soft_votes():
    X, y = IRIS
    hard = BaggingClassifier(n_estimators=5, voting="hard", random_state=0).fit(X, y)
    votes = np.array([member.predict(X) for member in hard.estimators_])
    shares = np.stack([(votes == k).mean(axis=0) for k in range(3)], axis=1)
    np.testing.assert_allclose(hard.predict_proba(X), shares)
    without = BaggingClassifier(Perceptron(), 5, random_state=0).fit(X, y)
    votes = np.array([member.predict(X) for member in without.estimators_])
    shares = np.stack([(votes == k).mean(axis=0) for k in range(3)], axis=1)
    np.testing.assert_allclose(without.predict_proba(X), shares)
    with pytest.raises(ValueError, match="predict_proba"):
        BaggingClassifier(Perceptron(), voting="soft").fit(X, y)


def test_decision_function_is_that_of_the_members():
    X, y = IRIS
    model = BaggingClassifier(Perceptron(), 5, random_state=0).fit(X, y)
    mean = np.mean([member.decision_function(X) for member in model.estimators_], axis=0)
    np.testing.assert_allclose(model.decision_function(X), mean)
    two = BaggingClassifier(Perceptron(), 5, random_state=0).fit(X[:100], y[:100])
    assert two.decision_function(X).shape == (150,)
    assert not hasattr(BaggingClassifier(), "decision_function")


@pytest.mark.parametrize("n_rare", [1, 2])
def test_bags_of_one_class_have_scores_too(n_rare):
    X, _ = IRIS
    labels = np.repeat(["often", "rare"], [149, 1])
    labels[: n_rare - 1] = "sad"
    model = BaggingClassifier(Perceptron(), 5, random_state=0).fit(X, labels)
    assert any(isinstance(member, DummyClassifier) for member in model.estimators_)
    scores = model.decision_function(X)
    assert not np.isnan(scores).any()
    often = scores < 0 if n_rare == 1 else scores.argmax(axis=1) == 0
    assert often.mean() > 0.9


def test_pasting_draws_rows_once():
    X, y = IRIS
    model = BaggingClassifier(
        n_estimators=60, bootstrap=False, max_samples=0.5, oob_score=True, random_state=0
    ).fit(X, y)
    assert all(len(set(rows)) == len(rows) == 75 for rows in model.estimators_samples_)
    assert 0.9 < model.oob_score_ < 0.98
    with pytest.raises(ValueError, match="without replacement"):
        BaggingClassifier(bootstrap=False, max_samples=151).fit(X, y)
    with pytest.raises(ValueError, match="bootstrap=True"):
        BaggingClassifier(bootstrap=False, oob_score=True).fit(X, y)


@pytest.mark.slow
def test_pure_noise_is_seen_as_noise():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 4)), rng.integers(0, 2, 300)
    nearest = KNeighborsClassifier(1)
    model = BaggingClassifier(nearest, 30, oob_score=True, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.95
    assert 0.4 < model.oob_score_ < 0.6


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        (True, lambda y, p: accuracy_score(y, p.argmax(axis=1))),
        (f1_score, lambda y, p: f1_score(y, p.argmax(axis=1))),
        ("neg_log_loss", lambda y, p: -log_loss(y, p)),
    ],
    ids=["default", "metric", "scorer"],
)
def test_out_of_bag_score_of_any_metric(metric, expected):
    X, y = CANCER
    model = BaggingClassifier(n_estimators=40, oob_score=metric, random_state=0).fit(X, y)
    assert model.oob_score_ == pytest.approx(expected(y, model.oob_decision_function_))
    assert model.oob_coverage_ == 1


def test_out_of_bag_predictions_by_hand():
    X, y = IRIS
    with pytest.warns(UserWarning, match="do not have OOB scores"):
        model = BaggingClassifier(n_estimators=4, oob_score=True, random_state=0).fit(X, y)
    total, heard = np.zeros((150, 3)), np.zeros(150)
    for member, rows in zip(model.estimators_, model.estimators_samples_, strict=True):
        outside = np.setdiff1d(np.arange(150), rows)
        total[outside] += member.predict_proba(X[outside])
        heard[outside] += 1
    with np.errstate(invalid="ignore"):
        np.testing.assert_allclose(model.oob_decision_function_, total / heard[:, None])
    assert np.isnan(model.oob_decision_function_[heard == 0]).all()
    assert model.oob_coverage_ == pytest.approx((heard > 0).mean())


@pytest.mark.parametrize("kind", ["exponential", "poisson", "gaussian"])
def test_wagging_weighs_all_rows(kind):
    X, y = IRIS
    model = BaggingClassifier(n_estimators=30, wagging=kind, random_state=0).fit(X, y)
    weights = np.array([model.bags_.counts(t) for t in range(30)])
    assert weights.mean() == pytest.approx({"gaussian": 1.4}.get(kind, 1.0), abs=0.1)
    assert (weights == 0).any() == (kind != "exponential")
    assert model.score(X, y) > 0.95


def test_wagging_refusals():
    X, y = IRIS
    with pytest.raises(ValueError, match="sample_weight"):
        BaggingClassifier(KNeighborsClassifier(), wagging="poisson").fit(X, y)
    with pytest.raises(ValueError, match="max_samples"):
        BaggingClassifier(wagging="poisson", max_samples=0.5).fit(X, y)
    with pytest.raises(ValueError, match="every member saw every row"):
        BaggingClassifier(wagging="exponential", oob_score=True).fit(X, y)


@pytest.mark.slow
def test_bayesian_bootstrap_of_a_mean():
    """The mean of means under exponential weights is the sample mean."""
    X, y = np.zeros((3, 1)), np.array([1.0, 2.0, 6.0])
    model = BaggingRegressor(n_estimators=4000, wagging="exponential", random_state=0).fit(X, y)
    members = model.pool_.votes(model._admit(X))[:, 0, 0]
    assert members.mean() == pytest.approx(3.0, abs=0.1)
    # Dirichlet weights: variance of the mean is the population variance over n + 1.
    assert members.var() == pytest.approx(14 / 3 / 4, rel=0.1)


@pytest.mark.slow
def test_missing_class_in_a_bag():
    X = np.arange(12.0)[:, None]
    y = np.array(["a"] * 10 + ["b", "c"])
    for member in (None, GaussianNB(), Perceptron()):
        model = BaggingClassifier(member, 20, max_samples=4, random_state=0).fit(X, y)
        probabilities = model.predict_proba(X)
        assert probabilities.shape == (12, 3)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)


def test_columns_are_refused_beyond_the_table():
    assert resolve_columns(1, 4) == 1
    with pytest.raises(ValueError, match="max_features must be <= n_features"):
        BaggingClassifier(max_features=5).fit(*IRIS)


LABELS = ["sonar", "ionosphere", "vehicle", "soybean", "tic_tac_toe", "german_credit"]
LARGE = ["spambase", "letter", "magic", "adult", "covertype", "nycflights_late15", "mnist"]


@pytest.mark.slow
@pytest.mark.parametrize("name", LABELS + LARGE)
def test_out_of_bag_error_is_that_of_new_rows(real_frame, name):
    """Within what the two samples of rows leave to chance."""
    X, y = real_frame(name, 2400)
    order = np.random.default_rng(0).permutation(len(y))
    old, new = order[::2], order[1::2]
    model = BaggingClassifier(n_estimators=60, oob_score=True, random_state=0)
    model.fit(X.iloc[old], y.iloc[old])
    outside, held = 1 - model.oob_score_, 1 - model.score(X.iloc[new], y.iloc[new])
    noise = np.sqrt(outside * (1 - outside) / len(old) + held * (1 - held) / len(new))
    assert abs(outside - held) < 3 * noise + 0.01


@pytest.mark.parametrize("name", ["abalone", "california_housing", "concrete"])
def test_out_of_bag_error_is_that_of_new_numbers(real_frame, name):
    X, y = real_frame(name, 2400)
    order = np.random.default_rng(0).permutation(len(y))
    old, new = order[::2], order[1::2]
    model = BaggingRegressor(n_estimators=60, oob_score=True, random_state=0)
    model.fit(X.iloc[old], y.iloc[old])
    outside = (model.oob_prediction_ - y.iloc[old]) ** 2
    held = (model.predict(X.iloc[new]) - y.iloc[new]) ** 2
    noise = np.sqrt(outside.var() / len(old) + held.var() / len(new))
    assert abs(outside.mean() - held.mean()) < 3 * noise


class Taking(GaussianNB):
    """Keeps what it was handed."""

    def fit(self, X, y, sample_weight=None, extra=None):
        self.handed_ = X[:, 0], sample_weight, extra
        return super().fit(X, y, sample_weight)


def test_metadata_reach_members_with_the_rows_of_their_bags():
    X, y = IRIS
    X = np.column_stack([np.arange(len(y)), X])
    for weighs in (True, False):
        with sklearn.config_context(enable_metadata_routing=True):
            member = Taking().set_fit_request(extra=True, sample_weight=weighs)
            model = BaggingClassifier(member, 3, random_state=0)
            model.fit(X, y, extra=np.arange(len(y)) + 1000)
        for fitted, bag in zip(model.estimators_, model.estimators_samples_, strict=True):
            rows, weight, extra = fitted.handed_
            assert (extra == rows + 1000).all()
            # A member that requests weights is shown the bag as counts, the other as rows.
            assert (weight is not None) == weighs
            counts = np.bincount(rows.astype(int), weight, len(y))
            assert (counts == np.bincount(bag, minlength=len(y))).all()


def test_metadata_of_rows_without_weight_are_left_out():
    X, y = IRIS
    X = np.column_stack([np.arange(len(y)), X])
    weight = np.arange(len(y)) % 3 * 0.7
    with sklearn.config_context(enable_metadata_routing=True):
        member = Taking().set_fit_request(extra=True, sample_weight=True)
        model = BaggingClassifier(member, 3, random_state=0)
        model.fit(X, y, weight, extra=np.arange(len(y)) + 1000)
    for fitted in model.estimators_:
        rows, own, extra = fitted.handed_
        assert (extra == rows + 1000).all()
        assert (rows % 3 > 0).all()
        assert (own > 0).all()


def test_metadata_that_go_nowhere_are_refused():
    X, y = IRIS
    extra = np.arange(len(y))
    with pytest.raises(ValueError, match="enable_metadata_routing"):
        BaggingClassifier(Taking()).fit(X, y, extra=extra)
    with sklearn.config_context(enable_metadata_routing=True):
        with pytest.raises(UnsetMetadataPassedError, match="extra"):
            BaggingClassifier(Taking()).fit(X, y, extra=extra)
        with pytest.raises(TypeError, match="Native trees do not accept metadata"):
            BaggingClassifier().fit(X, y, extra=extra)
        member = Taking().set_fit_request(extra=True, sample_weight=True)
        with pytest.raises(ValueError, match="oob_use"):
            BaggingClassifier(member, oob_use="stop").fit(X, y, extra=extra)


def test_searches_route_metadata_through_bags():
    X, y = IRIS
    X = np.column_stack([np.arange(len(y)), X])
    with sklearn.config_context(enable_metadata_routing=True):
        member = Taking().set_fit_request(extra=True, sample_weight=False)
        search = GridSearchCV(BaggingClassifier(member, 2, random_state=0), {"n_estimators": [2]})
        search.fit(X, y, extra=np.arange(len(y)) + 1000)
    rows, _, extra = search.best_estimator_.estimators_[0].handed_
    assert (extra == rows + 1000).all()


def test_a_bag_whose_member_requests_weights_need_not_request_them():
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    with config_context(enable_metadata_routing=True):
        member = GaussianNB().set_fit_request(sample_weight=True)
        model = BaggingClassifier(member, 3, random_state=0)
        search = GridSearchCV(model, {"n_estimators": [2]}, cv=2).fit(X, y, sample_weight=weight)
        make_pipeline(model).fit(X, y, sample_weight=weight)
    assert search.best_score_ > 0.8


def test_members_whose_fit_returns_nothing():
    class Quiet(GaussianNB):
        def fit(self, X, y, sample_weight=None):
            super().fit(X, y, sample_weight)

    X, y = load_iris(return_X_y=True)
    model = BaggingClassifier(Quiet(), 3, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9
    assert all(type(member) is Quiet for member in model.estimators_)


def test_bags_of_one_class_go_to_members_that_take_them():
    X, y = load_iris(return_X_y=True)
    weight = (np.arange(len(y)) < 3).astype(float)
    for member, shown in ((GaussianNB(), GaussianNB), (LogisticRegression(), DummyClassifier)):
        model = BaggingClassifier(member, 2, random_state=0).fit(X, y, weight)
        assert [type(one) for one in model.estimators_] == [shown] * 2
        assert model.predict(X[:4]).tolist() == [0] * 4


def test_members_may_be_changed_and_predictions_follow():
    X, y = load_iris(return_X_y=True)
    model = BaggingClassifier(GaussianNB(), 2, random_state=0).fit(X, y)
    said, other = model.predict_proba(X), GaussianNB().fit(X[::2], y[::2])
    model.estimators_.append(other)
    np.testing.assert_allclose(model.predict_proba(X), (2 * said + other.predict_proba(X)) / 3)
    narrow = BaggingClassifier(None, 2, max_features=0.5, random_state=0).fit(X, y)
    with pytest.raises(ValueError, match="own subset of the columns"):
        narrow.estimators_ = narrow.estimators_[:1]
