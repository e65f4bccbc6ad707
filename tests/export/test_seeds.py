"""Random generators go on where they were."""

import numpy as np
import pytest

from coterie.export.errors import ModelFileError
from coterie.export.seeds import read_seed, seed_state

GENERATORS = [
    np.random.Generator(kind(3))
    for kind in (
        np.random.MT19937,
        np.random.PCG64,
        np.random.PCG64DXSM,
        np.random.Philox,
        np.random.SFC64,
    )
]


@pytest.mark.parametrize("seed", GENERATORS, ids=lambda seed: type(seed.bit_generator).__name__)
def test_generators_go_on(seed):
    seed.integers(10, dtype=np.uint32)  # leaves half a number behind
    again = read_seed(seed_state(seed), legacy=False)
    assert again.bit_generator.state["bit_generator"] == seed.bit_generator.state["bit_generator"]
    np.testing.assert_array_equal(again.normal(size=9), seed.normal(size=9))


def test_old_generators_go_on():
    seed = np.random.RandomState(5)
    seed.normal()  # keeps a second number for later
    again = read_seed(seed_state(seed), legacy=True)
    np.testing.assert_array_equal(again.normal(size=9), seed.normal(size=9))


def changed(state, *path, to):
    copy = {**state}
    if len(path) > 1:
        copy[path[0]] = changed(copy[path[0]], *path[1:], to=to)
    else:
        copy[path[0]] = to
    return copy


def test_positions_outside_the_buffer_are_refused():
    twister = seed_state(np.random.RandomState(0))
    philox = seed_state(GENERATORS[3])
    for position in (-1, 625, 10**9, 2.0, None):
        with pytest.raises(ModelFileError, match="pos"):
            read_seed(changed(twister, "state", "pos", to=position), legacy=True)
    for position in (-1, 5):
        with pytest.raises(ModelFileError, match="buffer_pos"):
            read_seed(changed(philox, "buffer_pos", to=position), legacy=False)


def test_other_states_are_refused():
    state = seed_state(np.random.RandomState(0))
    key = state["state"]["key"]
    bad = [
        changed(state, "bit_generator", to="os"),
        changed(state, "bit_generator", to="PCG64"),
        changed(state, "state", "key", to=key[:-1]),
        changed(state, "state", "key", to=key.astype(np.int64)),
        changed(state, "state", to=None),
        {"bit_generator": "MT19937"},
        [],
    ]
    for state in bad:
        with pytest.raises(ModelFileError, match="random generator"):
            read_seed(state, legacy=True)
