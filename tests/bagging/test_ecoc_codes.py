"""Codes: published matrices, published polynomials, and the distances they promise."""

from itertools import combinations

import numpy as np
import pytest

from coterie.bagging.ecoc_codes import (
    CODES,
    bch,
    bch_generator,
    check_code,
    dense_random,
    exhaustive,
    make_code,
    one_vs_one,
    one_vs_rest,
    row_distance,
    sparse_random,
)


def least_distance(code):
    distance = row_distance(code)
    return min(distance[pair] for pair in combinations(range(len(code)), 2))


def bits(text):
    return np.array([[2 * int(bit) - 1 for bit in word] for word in text.split()])


def test_exhaustive_codes_of_the_paper():
    np.testing.assert_array_equal(exhaustive(4), bits("1111111 0000111 0011001 0101010"))
    five = "111111111111111 000000001111111 000011110000111 001100110011001 010101010101010"
    np.testing.assert_array_equal(exhaustive(5), bits(five))


@pytest.mark.parametrize("n_classes", [3, 4, 5, 6, 7])
def test_exhaustive_rows_are_equally_far_apart(n_classes):
    code = exhaustive(n_classes)
    distance = row_distance(code)[~np.eye(n_classes, dtype=bool)]
    assert set(distance) == {2 ** (n_classes - 2)}
    columns = {tuple(column * column[0]) for column in code.T}
    assert len(columns) == code.shape[1] == 2 ** (n_classes - 1) - 1


def test_exhaustive_code_of_many_classes_is_refused():
    with pytest.raises(ValueError, match="'dense', 'sparse' or 'bch'"):
        exhaustive(12)


def test_generator_polynomials_of_the_tables():
    # Lin & Costello list these for the primitive polynomials used here.
    assert bch_generator(4, 1) == 0b10011
    assert bch_generator(4, 2) == 0b111010001
    assert bch_generator(4, 3) == 0b10100110111
    dimension = {(5, 3): 16, (6, 5): 36}
    for (m, tau), size in dimension.items():
        assert 2**m - 1 - (bch_generator(m, tau).bit_length() - 1) == size


@pytest.mark.parametrize(("tau", "distance"), [(1, 3), (2, 5), (3, 7)])
def test_words_of_a_bch_code_keep_their_distance(tau, distance):
    generator = bch_generator(4, tau)
    size = 15 - generator.bit_length() + 1
    words = []
    for message in range(1, 2**size):
        word = 0
        for j in range(size):
            word ^= (generator << j) * (message >> j & 1)
        words.append(word.bit_count())
    assert min(words) == distance  # a linear code: the lightest word is the closest pair


@pytest.mark.parametrize("n_classes", [3, 5, 12, 40])
@pytest.mark.parametrize("draw", [dense_random, sparse_random, bch])
def test_random_codes_are_valid(draw, n_classes):
    code = draw(n_classes, np.random.default_rng(0), 50)
    assert set(np.unique(code)) <= {-1, 0, 1}
    assert (code == 1).any(axis=0).all()
    assert (code == -1).any(axis=0).all()
    turned = {tuple(column * column[column != 0][0]) for column in code.T.astype(int)}
    assert len(turned) == code.shape[1], "a column twice, or its opposite"
    assert least_distance(code) >= 1


@pytest.mark.parametrize(
    ("n_classes", "dense", "sparse"),
    [(10, 34, 50), (26, 48, 71)],
)
def test_random_codes_are_as_long_as_published(n_classes, dense, sparse):
    rng = np.random.default_rng(0)
    assert dense - 3 <= dense_random(n_classes, rng, 20).shape[1] <= dense
    found = sparse_random(n_classes, rng, 20)
    assert sparse - 6 <= found.shape[1] <= sparse
    assert 0.4 < (found == 0).mean() < 0.6


def test_more_candidates_give_rows_farther_apart():
    few = least_distance(dense_random(10, np.random.default_rng(0), 1))
    many = least_distance(dense_random(10, np.random.default_rng(0), 500))
    assert many > few


def test_bch_beats_random_codes_of_the_same_length():
    code = bch(20, np.random.default_rng(0))
    rng = np.random.default_rng(0)
    rivals = 2 * rng.integers(0, 2, size=(200, *code.shape)) - 1
    assert least_distance(code) > max(map(least_distance, rivals))


def test_pairs_and_single_classes():
    np.testing.assert_array_equal(one_vs_rest(3), [[1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    pairs = one_vs_one(5)
    assert pairs.shape == (5, 10)
    assert np.all((pairs != 0).sum(axis=0) == 2)


@pytest.mark.parametrize("name", CODES)
def test_two_classes_are_one_problem(name):
    rng = np.random.default_rng(0)
    np.testing.assert_array_equal(make_code(name, 2, rng), [[-1], [1]])
    np.testing.assert_array_equal(make_code(name, 1, rng), [[1]])


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ([[1, -1], [-1, 1]], "one row for each of the 3"),
        ([[1], [-1], [2]], "-1, 0 and 1 only"),
        ([[1, 1], [-1, 0], [0, 1]], "column 1 has no class on one"),
        (np.zeros((3, 0)), "at least one column"),
    ],
)
def test_bad_matrices_are_refused(code, complaint):
    with pytest.raises(ValueError, match=complaint):
        check_code(np.asarray(code), 3)


def test_a_matrix_is_taken_as_it_is():
    code = make_code([[1, 1], [-1, 1], [0, -1]], 3, np.random.default_rng(0))
    np.testing.assert_array_equal(code, [[1, 1], [-1, 1], [0, -1]])
