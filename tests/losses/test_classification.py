"""Losses of classes: values, probabilities, starts and leaves."""

import numpy as np
import pytest
from scipy import special
from sklearn.metrics import log_loss

from coterie.losses import ExponentialLoss, LogLoss, MultinomialLoss
from coterie.losses.classification import softmax

ONE = np.zeros(4, dtype=np.int32)


def test_log_loss_is_the_usual_one():
    rng = np.random.default_rng(0)
    y, raw = rng.integers(0, 2, 30).astype(float), rng.normal(size=(30, 1))
    assert LogLoss().value(y, raw).mean() == pytest.approx(log_loss(y, LogLoss().link(raw)))
    many, scores = rng.integers(0, 3, 30).astype(float), rng.normal(size=(30, 3))
    loss = MultinomialLoss(3)
    assert loss.value(many, scores).mean() == pytest.approx(log_loss(many, loss.link(scores)))


def test_two_classes_are_a_special_case_of_many():
    rng = np.random.default_rng(1)
    y, raw = rng.integers(0, 2, 30).astype(float), rng.normal(size=(30, 1))
    both = np.column_stack([np.zeros(30), raw[:, 0]])
    many = MultinomialLoss(2)
    np.testing.assert_allclose(many.value(y, both), LogLoss().value(y, raw), rtol=1e-12)
    np.testing.assert_allclose(many.gradient(y, both)[:, 1:], LogLoss().gradient(y, raw))


def test_probabilities_add_up_to_one():
    raw = np.array([[-40.0], [0.0], [40.0]])
    for loss in (LogLoss(), ExponentialLoss()):
        found = loss.link(raw)
        np.testing.assert_allclose(found.sum(axis=1), 1.0)
        assert found[0, 1] > 0 < found[2, 0]  # tails do not round to nothing


def test_links_are_where_the_expected_loss_is_least():
    y, weight = np.array([0.0, 1.0]), np.array([0.7, 0.3])
    for loss in (LogLoss(), ExponentialLoss(), MultinomialLoss(2)):
        start = loss.start(y, weight)[np.newaxis]
        np.testing.assert_allclose(loss.link(start)[0], [0.7, 0.3], rtol=1e-12)


def test_a_single_class_has_a_finite_start():
    for loss in (LogLoss(), ExponentialLoss(), MultinomialLoss(3)):
        start = loss.start(np.zeros(5), np.ones(5))
        assert np.isfinite(start).all()
        assert loss.link(start[np.newaxis])[0, 0] > 0.999


def test_exponential_leaves_of_one_class_take_a_step_of_one():
    y, raw = np.array([1.0, 1.0, 0.0, 0.0]), np.array([[3.0], [-2.0], [0.5], [0.0]])
    found = ExponentialLoss().leaf(y, raw, np.ones(4), np.array([0, 0, 1, 1]), 3)
    assert found.tolist() == [1.0, -1.0, 0.0]


def test_exponential_leaf_by_hand():
    y = np.array([1.0, 1.0, 1.0, 0.0])
    found = ExponentialLoss().leaf(y, np.zeros((4, 1)), np.ones(4), ONE, 1)
    assert found == pytest.approx(0.5 * np.log(3))


def test_multinomial_leaf_by_hand():
    y, raw = np.array([0.0, 0.0, 1.0, 2.0]), np.zeros((4, 3))
    loss = MultinomialLoss(3)
    # residuals of class 0 are 2/3, 2/3, -1/3, -1/3; p(1 - p) is 2/9 in every row
    assert loss.leaf(y, raw, np.ones(4), ONE, 1, 0) == pytest.approx((2 / 3) * (2 / 3) / (8 / 9))


@pytest.mark.parametrize("n_classes", [2, 5, 40])
def test_softmax_is_scipys(n_classes):
    raw = np.random.default_rng(2).normal(scale=30, size=(20, n_classes))
    np.testing.assert_allclose(softmax(raw), special.softmax(raw, axis=1), rtol=1e-13)
    y = np.arange(20.0) % n_classes
    expected = -special.log_softmax(raw, axis=1)[np.arange(20), y.astype(int)]
    np.testing.assert_allclose(MultinomialLoss(n_classes).value(y, raw), expected, atol=1e-13)


def test_newton_steps_need_the_slopes_only():
    rng = np.random.default_rng(3)
    y, raw, weight = rng.integers(0, 3, 30).astype(float), rng.normal(size=(30, 3)), np.ones(30)
    loss, leaves = MultinomialLoss(3), np.arange(30) % 4
    assert loss.takes_newton_steps
    assert LogLoss().takes_newton_steps
    assert not ExponentialLoss().takes_newton_steps
    gradient, hessian = loss.slopes(y, raw)
    found = loss.newton(gradient[:, 1], hessian[:, 1], weight, leaves, 4)
    np.testing.assert_array_equal(found, loss.leaf(y, raw, weight, leaves, 4, 1))


@pytest.mark.parametrize(
    ("loss", "bad"),
    [
        (LogLoss(), [0.0, 2.0]),
        (ExponentialLoss(), [-1.0, 1.0]),
        (MultinomialLoss(3), [0.0, 3.0]),
        (MultinomialLoss(3), [-1.0, 1.0]),
        (MultinomialLoss(3), [0.5, 1.0]),
    ],
)
def test_domains(loss, bad):
    loss.check(np.array([0.0, 1.0]))
    with pytest.raises(ValueError, match="0 and 1|codes from 0"):
        loss.check(np.array(bad))
