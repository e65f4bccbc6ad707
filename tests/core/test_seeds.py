import numpy as np
import pytest

from coterie.core.params import ParameterError
from coterie.core.seeds import (
    draw_entropy,
    growing_stream,
    member_seeds,
    shaking_stream,
    side_stream,
)


def test_integers_stand_for_themselves():
    assert [draw_entropy(seed) for seed in (0, 7, 2**63, np.int64(5))] == [0, 7, 2**63, 5]


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_generators_are_drawn_from(make):
    source = make(0)
    first, second = draw_entropy(source), draw_entropy(source)
    assert first != second
    assert draw_entropy(make(0)) == first


def test_none_draws_from_the_global_state():
    state = np.random.get_state()  # noqa: NPY002
    try:
        np.random.seed(3)  # noqa: NPY002
        first = draw_entropy(None)
        np.random.seed(3)  # noqa: NPY002
        assert draw_entropy(None) == first != draw_entropy(None)
    finally:
        np.random.set_state(state)  # noqa: NPY002


@pytest.mark.parametrize("bad", [-1, 1.5, "seed", True, [1]])
def test_other_things_are_refused(bad):
    with pytest.raises(ParameterError, match="random_state"):
        draw_entropy(bad)


def test_member_seeds_are_children():
    seeds = member_seeds(5, 0, 100)
    assert len(set(seeds.tolist())) == 100
    assert seeds.min() >= 0
    np.testing.assert_array_equal(member_seeds(5, 40, 60), seeds[40:60])
    assert not np.array_equal(member_seeds(6, 0, 100), seeds)


@pytest.mark.parametrize("bits", [0, 1, 31, 32, 33, 63, 127, 128, 129, 300])
def test_member_seeds_are_those_of_numpy(bits):
    entropy = (1 << bits) - 1
    children = [np.random.SeedSequence(entropy, spawn_key=(t,)) for t in (0, 1, 9999)]
    expected = [int(child.generate_state(1, np.uint64)[0]) >> 1 for child in children]
    found = member_seeds(entropy, 0, 10_000)
    assert [int(found[t]) for t in (0, 1, 9999)] == expected


def test_streams_of_a_member_differ():
    draws = [stream(9).integers(2**62) for stream in (growing_stream, shaking_stream)]
    assert draws[0] != draws[1]
    assert growing_stream(9).integers(2**62) == draws[0]


def test_side_streams_do_not_depend_on_what_was_drawn():
    first, second = shaking_stream(7), shaking_stream(7)
    second.random(3)
    second.spawn(2)
    draws = [side_stream(rng, number).random() for rng in (first, second) for number in (0, 1)]
    assert draws[:2] == draws[2:]
    assert draws[0] != draws[1]
    assert side_stream(shaking_stream(8), 0).random() != draws[0]
