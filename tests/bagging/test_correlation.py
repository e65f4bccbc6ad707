"""Negative correlation learning on real tables."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.model_selection import cross_val_score

from coterie.bagging import NegativeCorrelationClassifier, NegativeCorrelationRegressor
from coterie.bagging.correlation import (
    Networks,
    Training,
    effective_penalty,
    penalised_loss,
    pull,
)

SAID = np.array([1.0, 2.0, 6.0]).reshape(3, 1, 1)
TRUE = np.array([[2.0]])


def test_penalty_and_gradients_by_hand():
    spread = penalised_loss(SAID, TRUE, 1.0) - penalised_loss(SAID, TRUE, 0.0)
    np.testing.assert_allclose(spread.ravel(), [-4, -1, -9])
    np.testing.assert_allclose(penalised_loss(SAID, TRUE, 0.5).ravel(), [-1.5, -0.5, 3.5])
    np.testing.assert_allclose(pull(SAID, TRUE, 0.5).ravel(), [0, 0.5, 2.5])
    exact = pull(SAID, TRUE, effective_penalty(0.5, "exact", 3))
    np.testing.assert_allclose(exact.ravel(), [1 / 3, 2 / 3, 2])


def test_mean_loss_at_one_half_is_the_loss_of_the_mean():
    rng = np.random.default_rng(0)
    said, true = rng.normal(size=(7, 20, 3)), rng.normal(size=(20, 3))
    expected = ((said.mean(axis=0) - true) ** 2).sum(axis=1) / 2
    np.testing.assert_allclose(penalised_loss(said, true, 0.5).mean(axis=0), expected)


def test_gradient_mixes_the_errors_of_member_and_mean():
    rng = np.random.default_rng(0)
    said, true = rng.normal(size=(5, 8, 2)), rng.normal(size=(8, 2))
    for penalty in (0.0, 0.3, 1.0):
        expected = (1 - penalty) * (said - true) + penalty * (said.mean(axis=0) - true)
        np.testing.assert_allclose(pull(said, true, penalty), expected)


def test_exact_gradient_is_that_of_the_loss():
    rng = np.random.default_rng(0)
    said, true, step = rng.normal(size=(4, 1, 1)), rng.normal(size=(1, 1)), 1e-6
    found = pull(said, true, effective_penalty(0.4, "exact", 4))
    for member in range(4):
        moved = np.zeros_like(said)
        moved[member] = step
        up = penalised_loss(said + moved, true, 0.4)[member, 0]
        down = penalised_loss(said - moved, true, 0.4)[member, 0]
        assert found[member, 0, 0] == pytest.approx((up - down) / (2 * step), rel=1e-5)


def streams(n):
    return [np.random.default_rng(seed) for seed in range(n)]


@pytest.mark.parametrize("output", ["identity", "softmax"])
@pytest.mark.parametrize("n_hidden", [0, 4])
def test_slopes_are_those_of_the_mean_at_full_penalty(output, n_hidden):
    """At lambda = 1 every weight follows T times the gradient of the loss of the mean."""
    rng = np.random.default_rng(1)
    inputs, truth = rng.normal(size=(6, 3)), rng.normal(size=(6, 2))
    networks = Networks.draw(streams(3), 3, n_hidden, 2, output)

    def loss(crowd):
        return ((crowd(inputs).mean(axis=0) - truth) ** 2).sum() / 2

    hidden = networks.hidden(inputs)
    outputs = networks.answer(hidden)
    slopes = networks.slopes(inputs, hidden, outputs, pull(outputs, truth, 1.0))
    for name, slope in slopes.items():
        numbers = getattr(networks, name)
        for place in np.ndindex(numbers.shape):
            shift = np.zeros_like(numbers)
            shift[place] = 1e-6
            up = loss(replace(networks, **{name: numbers + shift}))
            down = loss(replace(networks, **{name: numbers - shift}))
            assert slope[place] == pytest.approx(3 * (up - down) / 2e-6, rel=1e-4, abs=1e-6)


def linear_problem():
    rng = np.random.default_rng(2)
    inputs = rng.normal(size=(40, 3))
    truth = inputs @ rng.normal(size=(3, 1)) + rng.normal(size=(40, 1)) + 0.5
    design = np.column_stack([inputs, np.ones(40)])
    best = np.linalg.lstsq(design, truth, rcond=None)[0]
    return inputs, truth, best


def trained(penalty, n_epochs=2000, start=None):
    inputs, truth, _ = linear_problem()
    start = start or Networks.draw(streams(4), 3, 0, 1, "identity")
    training = Training(penalty, n_epochs, 64, 0.01)
    return training.run(start, inputs, truth, np.ones(40), np.random.default_rng(0))


def weights_of(networks):
    return np.concatenate([networks.outer[:, :, 0], networks.offset], axis=1)


@pytest.mark.slow
@pytest.mark.parametrize("penalty", [0.0, 0.5])
def test_linear_members_all_become_least_squares(penalty):
    networks, trace = trained(penalty)
    best = linear_problem()[2].ravel()
    np.testing.assert_allclose(weights_of(networks), np.tile(best, (4, 1)), atol=0.02)
    assert trace["ambiguity"][-1] < 1e-3


@pytest.mark.slow
def test_linear_members_keep_their_spread_when_only_the_mean_counts():
    start = Networks.draw(streams(4), 3, 0, 1, "identity")
    networks, _ = trained(1.0, start=start)
    best = linear_problem()[2].ravel()
    np.testing.assert_allclose(weights_of(networks).mean(axis=0), best, atol=0.02)
    before, after = weights_of(start), weights_of(networks)
    np.testing.assert_allclose(after - after.mean(axis=0), before - before.mean(axis=0), atol=1e-9)


def test_without_penalty_members_do_not_know_of_one_another():
    rng = np.random.default_rng(3)
    inputs, truth, weight = rng.normal(size=(30, 2)), rng.normal(size=(30, 1)), np.ones(30)
    training = Training(0.0, 20, 8, 0.05)
    crowd = Networks.draw(streams(3), 2, 4, 1, "identity")
    together, _ = training.run(crowd, inputs, truth, weight, np.random.default_rng(0))
    for member in range(3):
        alone, _ = training.run(
            crowd[member : member + 1], inputs, truth, weight, np.random.default_rng(0)
        )
        np.testing.assert_allclose(alone(inputs)[0], together(inputs)[member])


def test_the_scale_of_the_weights_does_not_matter():
    inputs, truth, _ = linear_problem()
    start = Networks.draw(streams(2), 3, 0, 1, "identity")
    weight, training = np.linspace(1.0, 2.0, 40), Training(0.5, 3, 16, 0.01)
    one, other = (
        training.run(start, inputs, truth, scale * weight, np.random.default_rng(0))[1]
        for scale in (1.0, 100.0)
    )
    np.testing.assert_allclose(other["error"], one["error"])


def test_members_that_begin_alike_stay_alike():
    twins = [np.random.default_rng(7), np.random.default_rng(7)]
    start = Networks.draw(twins, 3, 5, 1, "identity")
    networks, trace = trained(0.9, 50, start)
    np.testing.assert_array_equal(networks.inner[0], networks.inner[1])
    np.testing.assert_array_equal(trace["ambiguity"], 0)


def test_trace_obeys_the_ambiguity_decomposition():
    _, trace = trained(0.5, 30)
    np.testing.assert_allclose(trace["error"], trace["member_error"] - trace["ambiguity"])
    assert trace["error"][-1] < trace["error"][0]


def test_probabilities_are_probabilities():
    networks = Networks.draw(streams(2), 3, 4, 5, "softmax")
    outputs = networks(np.random.default_rng(0).normal(size=(6, 3)) * 100)
    np.testing.assert_allclose(outputs.sum(axis=2), 1)
    assert outputs.shape == (2, 6, 5)


PENALTIES = [0.0, 0.25, 0.5, 0.75, 0.9, 1.0]


def halves():
    X, y = load_diabetes(return_X_y=True)
    return X[::2], y[::2], X[1::2], y[1::2]


def member_answers(model, X):
    return model.pool_.votes(model._admit(X))


def ambiguity(model, X):
    said = member_answers(model, X)
    return float(((said - said.mean(axis=0)) ** 2).sum(axis=2).mean())


@pytest.mark.slow
def test_ambiguity_grows_with_the_penalty():
    X, y, X_new, _ = halves()
    models = [
        NegativeCorrelationRegressor(penalty=p, max_iter=100, random_state=0).fit(X, y)
        for p in PENALTIES
    ]
    assert np.all(np.diff([model.trace_["ambiguity"][-1] for model in models]) > 0)
    assert np.all(np.diff([ambiguity(model, X_new) for model in models]) > 0)


@pytest.mark.slow
def test_ambiguity_of_classifiers_grows_with_the_penalty():
    X, y = load_breast_cancer(return_X_y=True)
    found = [
        ambiguity(
            NegativeCorrelationClassifier(penalty=p, max_iter=40, random_state=0).fit(
                X[::2], y[::2]
            ),
            X[1::2],
        )
        for p in (0.0, 0.5, 1.0)
    ]
    assert found[0] < found[1] < found[2]


def test_prediction_is_the_mean_and_ambiguity_what_it_gains():
    X, y, X_new, y_new = halves()
    model = NegativeCorrelationRegressor(max_iter=30, random_state=0).fit(X, y)
    said = member_answers(model, X_new)[:, :, 0]
    np.testing.assert_allclose(model.predict(X_new), said.mean(axis=0))
    gain = ((said - y_new) ** 2).mean() - ((model.predict(X_new) - y_new) ** 2).mean()
    assert gain == pytest.approx(ambiguity(model, X_new))


@pytest.mark.slow
def test_learns_as_well_as_a_network_should():
    X, y = load_wine(return_X_y=True)
    model = NegativeCorrelationClassifier(random_state=0)
    assert cross_val_score(model, X, y, cv=5).mean() > 0.95
    X, y, X_new, y_new = halves()
    assert NegativeCorrelationRegressor(random_state=0).fit(X, y).score(X_new, y_new) > 0.35


def test_without_penalty_fewer_members_are_the_first_of_more():
    X, y, X_new, _ = halves()
    few, many = (
        NegativeCorrelationRegressor(n_members=n, penalty=0.0, max_iter=10, random_state=0).fit(
            X, y
        )
        for n in (2, 5)
    )
    np.testing.assert_allclose(member_answers(many, X_new)[:2], member_answers(few, X_new))
    joint = NegativeCorrelationRegressor(n_members=2, penalty=0.9, max_iter=10, random_state=0)
    assert not np.allclose(member_answers(joint.fit(X, y), X_new), member_answers(few, X_new))


def test_exact_gradient_is_the_other_with_another_penalty():
    X, y, X_new, _ = halves()
    exact = NegativeCorrelationRegressor(
        n_members=5, gradient="exact", penalty=0.5, max_iter=10, random_state=0
    )
    other = NegativeCorrelationRegressor(n_members=5, penalty=0.8, max_iter=10, random_state=0)
    np.testing.assert_allclose(exact.fit(X, y).predict(X_new), other.fit(X, y).predict(X_new))


@pytest.mark.parametrize(
    ("settings", "limit"),
    [({"penalty": 1.01}, "more than 1 "), ({"penalty": 0.63, "gradient": "exact"}, "0.625")],
)
def test_penalties_that_tear_members_apart_are_refused(settings, limit):
    X, y, *_ = halves()
    model = NegativeCorrelationRegressor(n_members=5, max_iter=1, **settings)
    with pytest.raises(ValueError, match=limit):
        model.fit(X, y)


def test_target_is_back_in_its_own_units():
    X, y, X_new, _ = halves()
    plain = NegativeCorrelationRegressor(max_iter=20, random_state=0).fit(X, y)
    moved = NegativeCorrelationRegressor(max_iter=20, random_state=0).fit(X, 1e6 + 1e3 * y)
    np.testing.assert_allclose(moved.predict(X_new), 1e6 + 1e3 * plain.predict(X_new), rtol=1e-6)


def test_several_numbers_at_once():
    X, y, X_new, _ = halves()
    model = NegativeCorrelationRegressor(max_iter=50, random_state=0)
    both = model.fit(X, np.column_stack([y, -y])).predict(X_new)
    assert both.shape == (len(X_new), 2)
    assert np.corrcoef(both.T)[0, 1] < -0.8


@pytest.mark.slow
def test_categories_and_holes_are_inputs():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], 300)
    x = rng.normal(size=300)
    x[::5] = np.nan
    y = np.where(colour == "red", "yes", np.where(np.isnan(x), "yes", "no"))
    frame = pandas.DataFrame({"x": x, "colour": colour})
    model = NegativeCorrelationClassifier(random_state=0).fit(frame[:200], y[:200])
    assert model.score(frame[200:], y[200:]) > 0.97
    assert len(model.estimators_) == 10
