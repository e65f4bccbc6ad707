from types import SimpleNamespace

import numpy as np
import pytest

from coterie import diversity
from coterie.automl.combine import Blend
from coterie.report.member_facts import MOST_PAIRS, combined, facts_of_members, pairs


def members(*weights):
    return [SimpleNamespace(name=f"m{i}", family="f", weight=w) for i, w in enumerate(weights)]


def test_what_is_said_without_a_member_is_the_mean_of_the_others():
    votes = np.array([1.0, 2.0, 6.0]).reshape(3, 1, 1)
    assert combined(votes, np.array([0.5, 0.25, 0.25])) == 2.5
    assert combined(votes, np.array([0.0, 0.25, 0.25])) == 4.0
    assert combined(votes, np.zeros(3)) is None


def test_weights_keep_the_sum_of_the_blend():
    votes = np.array([1.0, 2.0]).reshape(2, 1, 1)
    blend = Blend("stacking", np.array([0.6, 0.6]))
    assert combined(votes, blend.weights, blend) == pytest.approx(1.8)
    assert combined(votes, np.array([0.6, 0.0]), blend) == pytest.approx(1.2)


def test_worth_of_members_by_hand():
    truth = np.array([0.0, 0.0])
    votes = np.array([[1.0, 1.0], [-1.0, -1.0]])[..., None]
    found = facts_of_members(members(0.5, 0.5), votes, np.zeros(2), truth, "mae")
    assert found["together"] == 0.0
    assert [member["without"] for member in found["members"]] == [1.0, 1.0]
    assert [member["score"] for member in found["members"]] == [1.0, 1.0]


def test_the_only_member_cannot_be_left_out():
    votes = np.ones((1, 3, 1))
    found = facts_of_members(members(1.0), votes, np.ones(3), np.zeros(3), "mae")
    assert found["members"][0]["without"] is None
    assert found["diversity"] is None


def test_pairs_of_classifiers_have_kappa_and_mean_error():
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 200)
    votes = rng.dirichlet(np.ones(3), (4, 200))
    found = pairs(members(1, 1, 1, 1), votes, votes.mean(axis=0), truth)
    kappa = diversity.kappa(votes.argmax(axis=2))
    errors = (votes.argmax(axis=2) != truth).mean(axis=1)
    assert len(found["pairs"]) == 6
    for i, j, agreement, error in found["pairs"]:
        assert agreement == pytest.approx(kappa[i, j], abs=1e-3)
        assert error == pytest.approx((errors[i] + errors[j]) / 2, abs=1e-3)


def test_pairs_of_regressors_have_correlated_errors():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=100)
    rest = rng.normal(size=100)
    votes = truth + np.stack([rest, 2 * rest, -rest])
    found = pairs(members(1, 1, 1), votes, votes.mean(axis=0), truth)
    assert [pair[2] for pair in found["pairs"]] == [1.0, -1.0, -1.0]
    assert found["kind"] == "correlation"
    assert found["ensemble_error"] == pytest.approx(np.sqrt((rest**2).mean()) * 2 / 3, abs=1e-3)


def test_a_constant_error_has_no_correlation():
    truth = np.arange(5.0)
    found = pairs(members(1, 1), np.stack([truth + 1, truth**2]), truth, truth)
    assert found["pairs"] == []
    assert found["mean_agreement"] is None


def test_pairs_are_few():
    votes = np.random.default_rng(0).normal(size=(50, 30))
    found = pairs(members(*[1] * 50), votes, votes.mean(axis=0), np.zeros(30))
    assert len(found["pairs"]) == MOST_PAIRS
    assert {str(i) for pair in found["pairs"] for i in pair[:2]} == set(found["names"])
