import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta

from coterie.data import DataError
from coterie.selection import rrc, rrc_chance


def exact(p, true):
    """The integral by quadrature, in steps of the true class's own distribution."""
    K = len(p)
    own = beta(K * p[true], K - K * p[true])

    def product(v):
        u = own.ppf(v)
        return np.prod([beta.cdf(u, K * q, K - K * q) for i, q in enumerate(p) if i != true])

    return quad(product, 0, 1, limit=200)[0]


def test_chances_of_the_specification():
    assert rrc_chance([[[0.3, 0.6, 0.1]]], [1])[0, 0] == pytest.approx(0.786244, abs=1e-4)
    assert rrc_chance([[[0.8, 0.2]]], [0])[0, 0] == pytest.approx(0.946785, abs=1e-4)


@pytest.mark.parametrize("n_classes", [2, 3, 4, 7])
def test_guessing_has_the_chance_of_guessing(n_classes):
    even = np.full((1, 1, n_classes), 1 / n_classes)
    assert rrc_chance(even, [0])[0, 0] == pytest.approx(1 / n_classes, abs=2e-4)


@pytest.mark.slow
def test_random_probabilities_against_quadrature():
    rng = np.random.default_rng(0)
    chances, y = rng.dirichlet(np.ones(3), (2, 4)), rng.integers(0, 3, 4)
    found = rrc_chance(chances, y)
    for t in range(2):
        for j in range(4):
            assert found[t, j] == pytest.approx(exact(chances[t, j], y[j]), abs=1e-3)


def test_being_sure_and_right_or_wrong():
    assert rrc_chance([[[1.0, 0.0]]], [0])[0, 0] > 0.99
    assert rrc_chance([[[1.0, 0.0]]], [1])[0, 0] < 0.01
    assert rrc_chance([[[1.0]]], [0])[0, 0] == 1


def test_weights_by_hand():
    chance = [[0.9, 0.3], [0.1, 0.6], [0.2, 0.2]]
    away = np.array([[0.0, 1.0]])
    near = np.exp(-(away[0] ** 2))
    wanted = [(0.9 + 0.3 * near[1]) / near.sum(), 0.0, 0.0]
    assert rrc(chance, [[0, 1]], away, 2)[:, 0] == pytest.approx(wanted)
    # Far from everything the neighbours still differ.
    far = rrc(chance, [[0, 1]], np.sqrt(1e4 + away**2), 2)
    assert far[:, 0] == pytest.approx(wanted)
    # Nobody beats guessing.
    assert rrc(chance, [[0, 1]], away, 1)[:, 0].tolist() == [1, 1, 1]


def test_classes_must_be_columns():
    with pytest.raises(DataError, match="class indices"):
        rrc_chance([[[0.5, 0.5]]], ["a"])
