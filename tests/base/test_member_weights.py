import numpy as np
import pytest
from scipy.optimize import minimize

from coterie.base import member_weights
from coterie.base.member_weights import (
    drawn_together,
    error_products,
    one_hot,
    project,
    simplex_least_squares,
    weigh,
)
from coterie.data import Target

NAN = np.nan


def test_scores_of_labels_by_hand():
    target = Target.labels([0, 1, 0, 1])
    right, wrong = [[1, 0], [0, 1]], [[0, 1], [1, 0]]
    votes = np.array(
        [
            [*right, [NAN, NAN], [NAN, NAN]],  # right on both it was asked
            [right[0], wrong[1], [NAN, NAN], [NAN, NAN]],  # by chance
            [right[0], right[1], right[0], wrong[1]],  # 3 of 4
            [[NAN, NAN]] * 4,  # never asked: the mean of the others
        ],
        dtype=float,
    )
    expected = np.array([0.5, 0.0, 0.25, 0.25])
    np.testing.assert_allclose(weigh(votes, target, None, "score"), expected / expected.sum())


def test_scores_of_numbers_and_weights():
    target = Target.numbers([0.0, 0.0])
    votes = np.array([[[1.0], [2.0]], [[2.0], [1.0]]])
    np.testing.assert_allclose(weigh(votes, target, None, "score"), [0.5, 0.5])
    found = weigh(votes, target, np.array([3.0, 1.0]), "score")
    np.testing.assert_allclose(found, np.array([1 / 7, 1 / 13]) / (1 / 7 + 1 / 13))


def test_nobody_is_better_than_chance():
    votes = np.array([[[0.0, 1.0]], [[0.0, 1.0]]])
    np.testing.assert_allclose(weigh(votes, Target.labels([0]).take([0]), None, "score"), 0.5)


def test_stacking_finds_the_member_that_knows():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=300)
    votes = truth + rng.normal(size=(4, 300)) * np.array([0.1, 1.0, 1.0, 3.0])[:, None]
    weights = weigh(votes[..., None], Target.numbers(truth), None, "stack")
    assert weights[0] > 0.7
    votes[:, ::2] = np.where(rng.random((4, 150)) < 0.5, NAN, votes[:, ::2])
    weights = weigh(votes[..., None], Target.numbers(truth), None, "stack")
    assert weights[0] == weights.max()
    assert weights.sum() == pytest.approx(1)


def test_error_products_by_hand(monkeypatch):
    monkeypatch.setattr(member_weights, "drawn_together", lambda values, noise: values)
    errors = np.array([[1.0, 2.0, NAN], [3.0, NAN, 4.0]])[..., None]
    np.testing.assert_allclose(error_products(errors, np.ones(3)), [[2.5, 3.0], [3.0, 12.5]])
    weighted = error_products(errors, np.array([3.0, 1.0, 1.0]))
    np.testing.assert_allclose(weighted, [[7 / 4, 3.0], [3.0, 43 / 4]])


def test_noise_is_drawn_together():
    values = np.array([1.0, 2.0, NAN, 6.0])
    np.testing.assert_allclose(drawn_together(values, np.full(4, 99.0)), 3.0)
    np.testing.assert_allclose(drawn_together(values, np.zeros(4)), [1, 2, 3, 6])
    np.testing.assert_allclose(drawn_together(np.full(2, NAN), np.full(2, NAN)), 0)


def test_members_that_are_alike_weigh_alike():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=400)
    votes = truth + rng.normal(size=(20, 400))
    votes[rng.random((20, 400)) < 0.63] = NAN
    weights = weigh(votes[..., None], Target.numbers(truth), None, "stack")
    assert weights.max() < 0.12


def test_simplex_least_squares_is_the_least():
    rng = np.random.default_rng(1)
    A, b = rng.normal(size=(30, 5)), rng.normal(size=30)
    weights = simplex_least_squares(A.T @ A, A.T @ b)
    reference = minimize(
        lambda w: ((A @ w - b) ** 2).sum(),
        np.full(5, 0.2),
        bounds=[(0, 1)] * 5,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
    ).x
    np.testing.assert_allclose(weights, reference, atol=1e-5)


def test_projection():
    np.testing.assert_allclose(project(np.array([0.2, 0.3, 0.5])), [0.2, 0.3, 0.5])
    np.testing.assert_allclose(project(np.array([5.0, 0.0])), [1, 0])
    np.testing.assert_allclose(project(np.array([-1.0, -1.0])), [0.5, 0.5])


def test_one_hot_and_refusal():
    target = Target.labels(np.array([[0, 1], [1, 2], [0, 0]]))
    np.testing.assert_array_equal(one_hot(target)[1], [0, 1, 0, 0, 1])
    with pytest.raises(ValueError, match="'score' or 'stack'"):
        weigh(np.zeros((1, 1, 2)), Target.labels([0]), None, "best")
