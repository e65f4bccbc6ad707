"""Algebraic rules: the decision profile of the specification, identities, vetoes."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie import fusion
from coterie.data.errors import DataError
from coterie.fusion.rules import RULES

ROWS = np.array([[[0.7, 0.2, 0.1]], [[0.3, 0.4, 0.3]], [[0.15, 0.5, 0.35]]])


def profiles(seed, n_members=4, n_samples=10, n_classes=3):
    return np.random.default_rng(seed).dirichlet(np.ones(n_classes), (n_members, n_samples))


def test_known_profile():
    np.testing.assert_allclose(fusion.product(ROWS, normalise=False), [[0.0315, 0.04, 0.0105]])
    np.testing.assert_allclose(fusion.product(ROWS), [[0.384146, 0.487805, 0.128049]], atol=1e-6)
    np.testing.assert_allclose(fusion.minimum(ROWS, normalise=False), [[0.15, 0.2, 0.1]])
    np.testing.assert_allclose(fusion.maximum(ROWS, normalise=False), [[0.7, 0.5, 0.35]])
    expected = [[0.360198, 0.390054, 0.249748]]
    np.testing.assert_allclose(fusion.geometric_mean(ROWS), expected, atol=1e-6)
    assert fusion.plurality(ROWS.argmax(axis=2)).tolist() == [1]
    decisions = {name: int(rule(ROWS).argmax()) for name, rule in RULES.items()}
    assert decisions == {
        "mean": 0, "sum": 0, "product": 1, "geometric": 1, "min": 1, "max": 0, "median": 1,
        "trimmed": 0, "borda": 1,
    }  # fmt: skip


@pytest.mark.parametrize("name", sorted(set(RULES) - {"borda"}))
@given(seed=st.integers(0, 10**6), n_members=st.integers(1, 6))
def test_every_rule(name, seed, n_members):
    chances = profiles(seed, n_members)
    found = RULES[name](chances)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    order = np.random.default_rng(seed).permutation(n_members)
    np.testing.assert_allclose(RULES[name](chances[order]), found, atol=1e-12)
    copies = RULES[name](np.repeat(chances[:1], 3, axis=0))
    np.testing.assert_array_equal(copies.argmax(axis=1), chances[0].argmax(axis=1))
    if name != "product":
        np.testing.assert_allclose(copies, chances[0], atol=1e-12)
    np.testing.assert_array_equal(RULES[name](chances[:1]), chances[0])


@given(st.integers(0, 10**6), st.integers(1, 6))
def test_two_classes_minimum_and_maximum_agree(seed, n_members):
    chances = profiles(seed, n_members, n_classes=2)
    low, high = fusion.minimum(chances), fusion.maximum(chances)
    np.testing.assert_array_equal(low.argmax(axis=1), high.argmax(axis=1))


def test_scale_of_a_member_does_not_move_the_product():
    chances = profiles(0)
    scaled = chances * np.array([1, 5, 0.1, 2])[:, None, None]
    np.testing.assert_allclose(fusion.product(scaled), fusion.product(chances))


def test_many_members_do_not_underflow():
    chances = np.repeat(ROWS, 2000, axis=0)
    np.testing.assert_allclose(fusion.product(chances), [[0, 1, 0]], atol=1e-12)


def test_vetoes():
    chances = np.array([[[1.0, 0.0]], [[1.0, 0.0]], [[0.0, 1.0]]])
    for rule in (fusion.product, fusion.geometric_mean, fusion.minimum):
        np.testing.assert_allclose(rule(chances), [[2 / 3, 1 / 3]])
    assert fusion.product(chances, normalise=False).tolist() == [[0, 0]]
    floored = fusion.product(chances, floor=1e-6)
    np.testing.assert_allclose(floored, [[1, 1e-6]], rtol=1e-5)


def test_priors():
    prior = np.array([0.5, 0.3, 0.2])
    raw = ROWS.prod(axis=0) / prior**2
    np.testing.assert_allclose(fusion.product(ROWS, prior=prior), raw / raw.sum())
    # Members that say nothing but the prior leave the prior.
    silent = np.broadcast_to(prior, (5, 2, 3))
    np.testing.assert_allclose(fusion.product(silent, prior=prior), [prior, prior])


@pytest.mark.parametrize(
    ("power", "rule"),
    [
        (1.0, fusion.average),
        (0.0, fusion.geometric_mean),
        (1e-9, fusion.geometric_mean),
        (np.inf, fusion.maximum),
        (-np.inf, fusion.minimum),
        (3000.0, fusion.maximum),
    ],
)
def test_generalised_mean(power, rule):
    chances = profiles(1)
    np.testing.assert_allclose(fusion.generalised_mean(chances, power), rule(chances), atol=1e-3)


def test_harmonic_mean():
    raw = 1 / (1 / ROWS).mean(axis=0)
    np.testing.assert_allclose(fusion.generalised_mean(ROWS, -1, normalise=False), raw)
    veto = fusion.generalised_mean([[[0.0, 1.0]], [[0.5, 0.5]]], -1)
    np.testing.assert_allclose(veto, [[0, 1]])


def test_borda_election():
    # 100 voters rank four towns.
    ranks = {"MNCK": 42, "NCKM": 26, "CKNM": 15, "KCNM": 17}
    points = [[[3 - order.index(town) for town in "MNCK"]] for order in ranks]
    found = fusion.borda(points, list(ranks.values()))
    assert found.tolist() == [[126, 194, 173, 107]]


def test_borda_of_labels_and_ties():
    found = fusion.borda(fusion.one_hot([[2], [0]], [0, 1, 2, 3]))
    assert found.tolist() == [[4, 2, 4, 2]]
    chances = profiles(2)
    np.testing.assert_allclose(fusion.borda(chances).sum(axis=1), 4 * 3)
    # Only the order counts.
    np.testing.assert_array_equal(fusion.borda(np.log(chances)), fusion.borda(chances))


def test_refusals():
    with pytest.raises(DataError, match="prior must be 3 numbers"):
        fusion.product(ROWS, prior=[0.5, 0.5])
    with pytest.raises(DataError, match="negative"):
        fusion.product(-ROWS)
    with pytest.raises(ValueError, match="power"):
        fusion.generalised_mean(ROWS, np.nan)
    with pytest.raises(DataError, match=r"\(members, samples, outputs\)"):
        fusion.borda([[1, 2]])
