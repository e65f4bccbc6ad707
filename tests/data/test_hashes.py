"""Hashes of cells."""

import numpy as np

from coterie.data.hashes import cell_bits, mix


def test_equal_numbers_have_equal_bits():
    cells = np.array([[0.0, np.nan], [-0.0, -np.nan], [1.0, np.inf]], dtype=np.float32)
    bits = cell_bits(cells)
    assert bits.shape == cells.shape
    assert (bits[0] == bits[1]).all()
    assert not (bits[0] == bits[2]).any()
    assert np.signbit(cells[1, 0])  # what was given stays as it was


def test_mixing_is_that_of_splitmix64():
    # The first numbers of the generator with seed 0 (Vigna's reference implementation).
    states = np.array([0x9E3779B97F4A7C15, 0x3C6EF372FE94F82A], dtype=np.uint64)
    assert mix(states).tolist() == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4]
