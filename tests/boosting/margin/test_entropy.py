import numpy as np
import pytest
from scipy.special import rel_entr

from coterie.boosting.margin.entropy import Entropy, Quadratic, project, regularise
from tests.boosting.margin.tables import full_program


def problem(n=60, t=8, seed=0):
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.ones(n)), rng.choice([-1.0, 1.0], p=[0.4, 0.6], size=(t, n))


def test_closed_form_on_the_ten_points():
    # Each stump is wrong about three points, one of the ten by none: nine equal columns, one other.
    wrong = np.repeat([0, 1, 2, 3], [3, 3, 3, 1])
    U = np.where(wrong == np.arange(3)[:, None], -1.0, 1.0)
    mass, multipliers = project(Entropy(np.full(10, 0.1), np.inf), U, 0.36, np.zeros(3))
    assert mass == pytest.approx([0.106667] * 9 + [0.04], abs=1e-6)
    assert multipliers == pytest.approx([0.490415] * 3, abs=1e-6)
    assert rel_entr(mass, 0.1).sum() == pytest.approx(0.025305, abs=1e-6)


@pytest.mark.parametrize("cap", [np.inf, 10.0, 2.0])
@pytest.mark.parametrize("close", [0.5, 0.01])
def test_projection_meets_the_optimality_conditions(cap, close):
    prior, U = problem()
    least = full_program(U, prior, None if np.isinf(cap) else 1 / cap)
    bound = least + close * ((U @ prior).max() - least)
    mass, multipliers = project(Entropy(prior, cap), U, bound, np.zeros(len(U)))
    edges = U @ mass
    assert mass.sum() == pytest.approx(1)
    assert edges.max() <= bound + 1e-7
    assert (multipliers >= 0).all()
    assert multipliers * (edges - bound) == pytest.approx(0, abs=1e-7)
    # Below the caps it is the prior times an exponential of the hits; at them it would be more.
    tilted = np.log(mass / prior) + multipliers @ U
    free = mass < cap * prior * (1 - 1e-9)
    assert np.ptp(tilted[free]) < 1e-6
    assert (tilted[~free] <= tilted[free].max() + 1e-6).all()


@pytest.mark.parametrize("cap", [np.inf, 10.0, 2.0])
@pytest.mark.parametrize("rate", [0.5, 50.0, 1000.0])
def test_regularised_edge_has_no_duality_gap(cap, rate):
    prior, U = problem()
    respond = Entropy(prior, cap)
    mass, alphas = regularise(respond, U, rate, np.ones(len(U)))
    assert alphas.sum() == pytest.approx(1)
    primal = (U @ mass).max() + rel_entr(mass, prior).sum() / rate
    assert primal == pytest.approx(respond(rate * (alphas @ U)).value / rate, abs=1e-6)
    assert (mass <= cap * prior + 1e-9).all()


@pytest.mark.parametrize("cap", [np.inf, 3.0, 1.0])
def test_response_is_the_minimum(cap):
    rng = np.random.default_rng(2)
    prior, cost = rng.dirichlet(np.ones(30)), rng.normal(size=30) * 3
    found = Entropy(prior, cap)(cost)
    assert found.value == pytest.approx(found.mass @ cost + rel_entr(found.mass, prior).sum())
    for _ in range(200):
        other = np.minimum(found.mass * np.exp(rng.normal(size=30) * 0.1), cap * prior)
        if abs(other.sum() - 1) > 1e-12:
            room = cap * prior - other if other.sum() < 1 else other
            room = np.where(np.isinf(room), other, room)
            other += (1 - other.sum()) * room / max(room.sum(), 1e-300)
        assert other @ cost + rel_entr(other, prior).sum() >= found.value - 1e-9


def test_extreme_costs_stay_finite():
    prior = np.full(4, 0.25)
    for cap in (np.inf, 2.0):
        found = Entropy(prior, cap)(np.array([0.0, 1e4, -1e4, 5.0]))
        assert np.isfinite(found.mass).all()
        assert np.isfinite(found.value)
        assert found.mass.sum() == pytest.approx(1)


def test_quadratic_step_meets_the_optimality_conditions():
    prior, U = problem(seed=3)
    here = np.random.default_rng(4).dirichlet(np.ones(60))
    bound = full_program(U, prior, None) + 0.1
    mass, multipliers = project(Quadratic(prior, here), U, bound, np.zeros(len(U)))
    assert mass.sum() == pytest.approx(1)
    assert mass.min() >= 0
    assert (U @ mass).max() <= bound + 1e-7
    slope = np.log(here / prior) + (mass - here) / here + multipliers @ U
    assert np.ptp(slope[mass > 0]) < 1e-6
    assert (slope[mass == 0] >= slope[mass > 0].min() - 1e-6).all()
