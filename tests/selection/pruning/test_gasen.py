import numpy as np
import pytest
from scipy.optimize import minimize

from coterie.selection import gasen_numbers_order, gasen_order, gasen_weights
from coterie.selection.pruning.ballots import Ballot
from coterie.selection.pruning.gasen import number_products
from coterie.selection.pruning.numbers import Answers
from tests.selection.pruning.signatures import as_votes, random_votes


def test_independent_errors_weigh_by_one_over_their_square():
    weights = gasen_weights(np.diag([1.0, 2.0, 4.0]))
    np.testing.assert_allclose(weights, np.array([4, 2, 1]) / 7)


def test_members_that_only_harm_have_no_weight():
    # Of (1, 1.5; 1.5, 4) the free optimum is (1.25, -.25): on the simplex all goes to the first.
    np.testing.assert_allclose(gasen_weights([[1, 1.5], [1.5, 4]]), [1, 0], atol=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_quadratic_programme_against_scipy(seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(6, 9))
    matrix = root @ root.T
    solved = minimize(
        lambda w: w @ matrix @ w,
        np.full(6, 1 / 6),
        jac=lambda w: 2 * matrix @ w,
        bounds=[(0, None)] * 6,
        constraints={"type": "eq", "fun": lambda w: w.sum() - 1},
        options={"ftol": 1e-14, "maxiter": 500},
    )
    weights = gasen_weights(matrix)
    assert weights.min() >= 0
    assert weights.sum() == pytest.approx(1)
    assert weights @ matrix @ weights <= solved.fun * (1 + 1e-6)
    np.testing.assert_allclose(weights, solved.x, atol=1e-3)


def test_the_genetic_algorithm_comes_near():
    matrix = np.diag([1.0, 2.0, 4.0, 50.0]) + 0.1
    exact, found = gasen_weights(matrix), gasen_weights(matrix, solver="ga")
    assert found.sum() == pytest.approx(1)
    assert found @ matrix @ found < 1.02 * (exact @ matrix @ exact)
    assert ((found > 1 / 4) == (exact > 1 / 4)).all()  # whom GASEN keeps
    np.testing.assert_array_equal(found, gasen_weights(matrix, solver="ga"))
    with pytest.raises(ValueError, match="solver"):
        gasen_weights(matrix, solver="best")


def test_order_of_a_known_case():
    # Errors of members 0 and 1 never meet, and 2 is wrong wherever either is.
    y = np.zeros(12, dtype=int)
    votes = np.zeros((3, 12), dtype=int)
    votes[0, :2], votes[1, 2:5], votes[2, :5] = 1, 1, 1
    assert gasen_order(votes, y).tolist() == [0, 1, 2]
    assert gasen_order(votes, y, solver="ga").tolist() == [0, 1, 2]
    assert gasen_order(votes[[2, 1, 0]], y).tolist() == [2, 1, 0]


def test_unrelated_errors_of_numbers():
    # Residuals at right angles to one another: weights 16, 4 and 1 parts for sizes 1, 2 and 4.
    patterns = np.array([[1, 1, 1, 1], [1, -1, 1, -1], [1, 1, -1, -1]])
    y = np.array([5.0, 1.0, 7.0, 2.0])
    said = y + patterns * np.array([4.0, 1.0, 2.0])[:, None]
    assert gasen_numbers_order(said, y).tolist() == [1, 2, 0]
    assert gasen_numbers_order(said * 1e20, y * 1e20).tolist() == [1, 2, 0]
    weights = gasen_weights(number_products(Answers.read(said, y)))
    np.testing.assert_allclose(weights, np.array([1, 16, 4]) / 21)


def test_gaps_use_common_samples():
    labels, y = random_votes(6, 3000, seed=0)
    gaps = np.where(np.random.default_rng(0).random(labels.shape) < 0.5, -1, labels)
    whole, part = gasen_order(labels, y), gasen_order(as_votes(gaps), y)
    assert set(whole[:2]) == set(part[:2])
    answers = Answers.read(np.where(gaps < 0, np.nan, gaps), y)
    assert np.linalg.eigvalsh(number_products(answers)).min() > -1e-9
    assert Ballot.read(as_votes(gaps), y).heard.mean() == pytest.approx(0.5, abs=0.05)
