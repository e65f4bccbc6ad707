"""Decoding: distances worked out by hand, identities between decodings, errors mended."""

from itertools import combinations

import numpy as np
import pytest

from coterie.bagging.ecoc_codes import exhaustive, one_vs_one, one_vs_rest
from coterie.bagging.ecoc_decoding import (
    LOSSES,
    hamming,
    loss_based,
    probability,
    reliability,
    weighted,
)

ALL = np.array([[-0.2, -0.5, -0.1]])


def test_one_vs_rest_by_hand():
    code = one_vs_rest(3)
    np.testing.assert_array_equal(hamming(code, ALL), [[1, 1, 1]])
    expected = {
        "exponential": [2.732771, 3.372289, 2.530432],
        "hinge": [2.6, 3.2, 2.4],
        "logistic": [1.824416, 2.424416, 1.624416],
    }
    for loss, distance in expected.items():
        np.testing.assert_allclose(loss_based(code, ALL, loss)[0], distance, atol=1e-6)


def test_one_vs_one_by_hand():
    code, scores = one_vs_one(3), np.array([[0.4, -0.6, 0.1]])
    np.testing.assert_array_equal(hamming(code, scores), [[1.5, 1.5, 1.5]])
    found = loss_based(code, scores, "exponential")
    np.testing.assert_allclose(found, [[3.492439, 3.396662, 2.653983]], atol=1e-6)


def test_loss_of_every_row_one_by_one():
    rng = np.random.default_rng(0)
    code = rng.integers(-1, 2, size=(4, 9))
    scores, weights = rng.normal(size=(5, 9)), rng.random((4, 9))
    for name, ell in LOSSES.items():
        margins = code[None] * scores[:, None]
        np.testing.assert_allclose(loss_based(code, scores, name), ell(margins).sum(-1))
        expected = (weights * ell(margins)).sum(-1)
        np.testing.assert_allclose(weighted(code, scores, weights, name), expected)


@pytest.mark.parametrize("loss", LOSSES)
def test_labels_alone_make_loss_decoding_hamming_decoding(loss):
    rng = np.random.default_rng(1)
    code = exhaustive(5)
    labels = rng.choice([-1.0, 1.0], size=(50, code.shape[1]))
    low, high = (float(LOSSES[loss](np.array(z))) for z in (1.0, -1.0))
    expected = hamming(code, labels) * (high - low) + low * code.shape[1]
    np.testing.assert_allclose(loss_based(code, labels, loss), expected)


def test_exhaustive_code_of_five_classes_mends_any_three_errors():
    code = exhaustive(5)
    flips = [list(c) for r in range(4) for c in combinations(range(15), r)]
    received = np.repeat(code[:, None, :], len(flips), axis=1).astype(float)
    for number, flip in enumerate(flips):
        received[:, number, flip] *= -1
    decoded = hamming(code, received.reshape(-1, 15)).argmin(axis=1).reshape(5, -1)
    np.testing.assert_array_equal(decoded, np.arange(5)[:, None].repeat(len(flips), axis=1))


def test_logistic_loss_of_half_log_odds_is_probability_decoding():
    rng = np.random.default_rng(2)
    code = rng.integers(-1, 2, size=(4, 7))
    p = rng.uniform(0.05, 0.95, size=(6, 7))
    by_loss = loss_based(code, np.log(p / (1 - p)) / 2, "logistic")
    np.testing.assert_allclose(probability(code, 2 * p - 1), by_loss, atol=1e-9)


def test_one_column_gives_its_probability_back():
    p = np.array([[0.1], [0.7]])
    distance = probability(np.array([[-1], [1]]), 2 * p - 1)
    np.testing.assert_allclose(np.exp(-distance), np.column_stack([1 - p, p]), atol=1e-9)


def test_certain_columns_do_not_overflow():
    scores = np.array([[1e6, -1e6, 0.0]])
    for loss in LOSSES:
        assert np.isfinite(loss_based(one_vs_rest(3), scores, loss)).all()
    assert np.isfinite(probability(one_vs_rest(3), np.sign(scores))).all()


def test_unreliable_columns_count_less():
    code = one_vs_one(3)
    hits = np.array([[1.0, 0.2, 0.0], [1.0, 0.0, 0.0], [0.0, 0.2, 0.0]])
    weights = reliability(code, hits)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    assert weights[0, 0] > weights[0, 1]
    assert not weights[code == 0].any()
    never_right = reliability(code, np.zeros((3, 3)))
    np.testing.assert_allclose(never_right, (code != 0) / 2)
