import numpy as np
import pytest

from coterie.boosting.margin.corrective import soft_minimum
from coterie.boosting.margin.patterns import Patterns
from coterie.boosting.margin.program import EdgeProgram
from tests.boosting.margin.tables import full_program


@pytest.mark.parametrize("nu", [None, 0.02, 0.3, 1.0])
def test_every_round_is_solved_to_the_optimum(nu):
    rng = np.random.default_rng(0)
    initial = rng.dirichlet(np.ones(80))
    cap = np.inf if nu is None else 1 / nu
    patterns, program = Patterns(initial), EdgeProgram(cap)
    U = np.empty((0, 80))
    for _ in range(12):
        hits = rng.choice([-1.0, 1.0], p=[0.4, 0.6], size=80)
        U = np.vstack([U, hits])
        parents = patterns.split(hits)
        found = program.add(patterns.hits, patterns.prior, parents)
        assert found.value == pytest.approx(full_program(U, initial, nu), abs=1e-8)
        # The dual's distribution and the primal's weights attain it.
        d = patterns.spread(found.mass)
        assert (d <= cap * initial + 1e-9).all()
        assert (U @ d).max() == pytest.approx(found.value, abs=1e-8)
        assert soft_minimum(found.alphas @ U, initial, cap) == pytest.approx(found.value, abs=1e-8)
        assert found.alphas.sum() == pytest.approx(1)


def test_graded_hits():
    rng = np.random.default_rng(1)
    U = rng.uniform(-1, 1, size=(6, 40))
    patterns, program = Patterns(np.full(40, 1 / 40)), EdgeProgram(4.0)
    for hits in U:
        parents = patterns.split(hits)
        found = program.add(patterns.hits, patterns.prior, parents)
    assert found.value == pytest.approx(full_program(U, np.full(40, 1 / 40), 0.25), abs=1e-8)


def test_light_members_weigh_nothing():
    patterns, program = Patterns(np.full(4, 0.25)), EdgeProgram(np.inf)
    for hits in ([1.0, 1.0, -1.0, 1.0], [1.0, 1.0, 1.0, 1.0]):
        parents = patterns.split(np.array(hits))
        found = program.add(patterns.hits, patterns.prior, parents)
    assert found.alphas.tolist() == [0.0, 1.0]


def test_a_program_that_cannot_be_solved_says_so():
    patterns, program = Patterns(np.full(4, 0.25)), EdgeProgram(np.inf)
    program.model.changeRowBounds(0, 2.0, 1.0)  # no sum is both
    parents = patterns.split(np.array([1.0, -1.0, 0.5, 0.2]))
    assert program.add(patterns.hits, patterns.prior, parents) is None
