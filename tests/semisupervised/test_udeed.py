"""UDEED: loss and gradient by hand, by differences, and without a penalty."""

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from sklearn.linear_model import LogisticRegression

from coterie import UDEEDClassifier
from coterie.semisupervised.udeed import Points, diversity_loss, probabilities


def one(values):
    return np.column_stack([values, np.ones(len(values))])


BY_HAND = Points(one([-1.0, 2.0]), np.eye(2), np.full(2, 0.5), one([0.0, 1.0]))
COEF = np.array([[[1.0], [0.0]], [[0.5], [-0.5]]])


@pytest.mark.parametrize(
    ("gamma", "slope"),
    [
        (0.0, [-0.126837, 0.037435, -0.256006, -0.027150]),
        (1.0, [-0.126837, -0.023795, -0.140476, 0.088379]),
    ],
)
def test_loss_and_gradient_by_hand(gamma, slope):
    answers = 2 * probabilities(BY_HAND.others @ COEF)[:, :, 1] - 1
    np.testing.assert_allclose(answers, [[0, 0.462117], [-0.244919, 0]], atol=1e-6)
    value, found = diversity_loss(COEF, BY_HAND, gamma)
    assert value == pytest.approx(0.306882, abs=1e-6)
    np.testing.assert_allclose(found.ravel(), slope, atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_gradient_by_differences(n_classes):
    rng = np.random.default_rng(0)
    codes = rng.integers(0, n_classes, 12)
    share = rng.dirichlet(np.ones(12))
    points = Points(
        one(rng.normal(size=(12, 2))), np.eye(n_classes)[codes], share, one(rng.normal(size=(9, 2)))
    )
    coef = rng.normal(size=(4, 3, 1 if n_classes == 2 else n_classes))
    _, slope = diversity_loss(coef, points, 0.7)
    numeric = approx_fprime(
        coef.ravel(), lambda flat: diversity_loss(flat.reshape(coef.shape), points, 0.7)[0], 1e-7
    )
    np.testing.assert_allclose(slope.ravel(), numeric, atol=1e-5)


def test_equal_certain_answers_have_product_one():
    sure = np.array([[[50.0, 0, 0], [0, 0, 0]]] * 2)
    points = Points(one([1.0]), np.eye(3)[:1], np.ones(1), one([1.0]))
    assert diversity_loss(sure, points, 1.0)[0] == pytest.approx(1.0)


def problem(seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 300)
    X = rng.normal(size=(300, 4)) + 0.8 * y[:, None]
    return X, y, np.where(np.arange(300) < 40, y, -1)


def test_without_a_price_members_coincide():
    X, _, known = problem()
    model = UDEEDClassifier(gamma=0.0, n_estimators=3, max_iter=2000, random_state=0, n_folds=None)
    coef = model.fit(X, known).coef_
    np.testing.assert_allclose(coef, np.broadcast_to(coef[0], coef.shape), atol=1e-2)
    plain = LogisticRegression(C=np.inf).fit(X[:40], known[:40])
    np.testing.assert_allclose(model.predict_proba(X), plain.predict_proba(X), atol=5e-3)


@pytest.mark.slow
def test_a_price_makes_them_differ():
    X, y, known = problem()
    settings = {"n_estimators": 5, "random_state": 0, "n_folds": None}
    free, priced = (UDEEDClassifier(gamma=g, **settings).fit(X, known) for g in (0.0, 0.05))
    assert priced.diversity_ < free.diversity_
    assert priced.score(X, y) > 0.7
    assert (np.diff(priced.loss_curve_) <= 1e-9).all()


def test_too_high_a_price_is_told():
    X, _, known = problem()
    with pytest.warns(UserWarning, match="gamma=50.0 makes the members so different"):
        UDEEDClassifier(gamma=50.0, n_estimators=5, random_state=0, n_folds=None).fit(X, known)


@pytest.mark.slow
def test_members_may_be_pushed_apart_on_labelled_rows():
    X, _, known = problem()
    settings = {"n_estimators": 4, "random_state": 0, "n_folds": None, "gamma": 0.05}
    elsewhere, here = (
        UDEEDClassifier(diversity_on=rows, **settings).fit(X, known)
        for rows in ("unlabeled", "labeled")
    )
    assert elsewhere.diversity_ < here.diversity_
