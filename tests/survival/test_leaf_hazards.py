"""Hazards of leaves."""

import numpy as np

from coterie.survival import kaplan_meier, make_outcomes, nelson_aalen
from coterie.survival.leaf_hazards import LeafHazards
from tests.survival.truncated import hazard_steps

RNG = np.random.default_rng(0)
LEAVES = RNG.integers(-1, 4, 80)
SIGNED = RNG.integers(1, 9, 80) * RNG.choice([1.0, -1.0], 80)
WEIGHT = RNG.integers(0, 3, 80).astype(float)
TIMES = np.array([0.5, 1.0, 2.5, 4.0, 8.0, 20.0])


def outcomes(leaf):
    inside = (leaf == LEAVES) & (WEIGHT > 0)
    y = make_outcomes(SIGNED[inside] > 0, np.abs(SIGNED[inside]))
    return y, WEIGHT[inside]


def test_every_leaf_is_that_of_nelson_and_aalen():
    hazards = LeafHazards.of(LEAVES, SIGNED, WEIGHT, 4)
    curves, products = (hazards.curves(0, 4, TIMES, product=p) for p in (False, True))
    for leaf in range(4):
        np.testing.assert_allclose(curves[leaf], nelson_aalen(*outcomes(leaf))(TIMES))
        np.testing.assert_allclose(
            np.exp(-products[leaf]), kaplan_meier(*outcomes(leaf))(TIMES), atol=1e-12
        )
    np.testing.assert_array_equal(hazards.curves(1, 3, TIMES), curves[1:3])


def test_mortality_adds_up_over_times_of_events():
    hazards = LeafHazards.of(LEAVES, SIGNED, WEIGHT, 4)
    events = np.unique(SIGNED[SIGNED > 0])
    np.testing.assert_allclose(hazards.mortality(events), hazards.curves(0, 4, events).sum(axis=1))


def test_trees_are_put_end_to_end():
    first, second = (LeafHazards.of(LEAVES, sign * SIGNED, None, 4) for sign in (1, -1))
    both = first + second
    np.testing.assert_array_equal(both.curves(0, 4, TIMES), first.curves(0, 4, TIMES))
    np.testing.assert_array_equal(both.curves(4, 8, TIMES), second.curves(0, 4, TIMES))
    assert len(both.leaves) == len(both.steps)


def test_a_leaf_without_events_has_no_hazard():
    hazards = LeafHazards.of(np.array([0, 0, 1]), np.array([-1.0, -2.0, 3.0]), None, 2)
    assert hazards.curves(0, 2, np.array([5.0])).tolist() == [[0.0], [1.0]]


def test_late_rows_count_from_their_entry():
    entry = np.floor(np.abs(SIGNED) * np.random.default_rng(1).random(80))
    hazards = LeafHazards.of(LEAVES, SIGNED, WEIGHT, 4, entry)
    curves = hazards.curves(0, 4, TIMES)
    for leaf in range(4):
        inside = leaf == LEAVES
        times, deaths, at_risk = hazard_steps(
            SIGNED[inside] > 0, np.abs(SIGNED[inside]), entry[inside], WEIGHT[inside]
        )
        known = [(deaths / at_risk)[times <= t].sum() for t in TIMES]
        np.testing.assert_allclose(curves[leaf], known)
    plain, since = (LeafHazards.of(LEAVES, SIGNED, WEIGHT, 4, e) for e in (None, np.zeros(80)))
    np.testing.assert_array_equal(plain.steps, since.steps)
