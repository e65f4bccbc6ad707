"""Where the randomness of a member comes from.

One entropy per fit; member ``t`` gets child ``t`` of it. So a member is the same whatever the
number of workers, and ensembles of sizes T1 < T2 share their first T1 members.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator, RandomState, SeedSequence
from numpy.typing import NDArray

from coterie.core.params import Allowed, ParameterError, at_least

RandomLike = int | RandomState | Generator | None

a_random_state = Allowed(
    lambda v: v is None or isinstance(v, RandomState | Generator) or at_least(0).admits(v),
    "an integer >= 0, a numpy RandomState or Generator, or None",
)


def draw_entropy(random_state: RandomLike) -> int:
    """Turn `random_state` into the one whole number everything else is derived from.

    An integer stands for itself. A generator is drawn from (so that two fits with the same
    generator differ), and ``None`` draws from NumPy's global state, as scikit-learn does.

    Examples
    --------
    >>> draw_entropy(7)
    7
    """
    if not a_random_state.admits(random_state):
        raise ParameterError(
            f"random_state={random_state!r} is not allowed; it must be {a_random_state.wording}."
        )
    if isinstance(random_state, Generator):
        words = random_state.integers(0, 2**32, size=4, dtype=np.uint32)
    elif isinstance(random_state, RandomState):
        words = random_state.randint(0, 2**32, size=4, dtype=np.uint32)
    elif random_state is None:
        words = np.random.randint(0, 2**32, size=4, dtype=np.uint32)  # noqa: NPY002
    else:
        return int(random_state)
    return int.from_bytes(words.tobytes(), "little")


def member_seeds(entropy: int, start: int, stop: int) -> NDArray[np.int64]:
    """Seeds of members ``start`` to ``stop - 1``: 63 bits each, one child of `entropy` apiece.

    They are those of ``SeedSequence(entropy, spawn_key=(t,))``, whose algorithm NumPy promises to
    keep. Its last step, which takes in ``t``, is done here for all members at once.

    Examples
    --------
    >>> child = SeedSequence(7, spawn_key=(3,)).generate_state(1, np.uint64)[0]
    >>> int(member_seeds(7, 3, 4)[0]) == int(child) >> 1
    True
    """
    parent = SeedSequence(entropy)
    n_words = -(-max(1, int(entropy).bit_length()) // 32)
    n_hashed = 16 + 4 * max(0, n_words - 4)
    member = np.arange(start, stop, dtype=np.uint32)
    words = []
    for k in range(2):
        mixer = _hash(member, _INIT_A, _MULT_A, n_hashed + k)
        pool = _shifted(np.uint32(_LEFT * int(parent.pool[k]) & _BITS) - np.uint32(_RIGHT) * mixer)
        words.append(_hash(pool, _INIT_B, _MULT_B, k).astype(np.uint64))
    return ((words[0] | words[1] << np.uint64(32)) >> np.uint64(1)).astype(np.int64)


# Of NumPy's SeedSequence, after O'Neill's seed_seq_fe.
_BITS = 0xFFFFFFFF
_INIT_A, _MULT_A, _INIT_B, _MULT_B = 0x43B0D7E5, 0x931E8875, 0x8B51F9DD, 0x58F38DED
_LEFT, _RIGHT = 0xCA01F9DD, 0x4973F715
Words = NDArray[np.uint32]


def _hash(words: Words, init: int, factor: int, number: int) -> Words:
    """The hash that is the next one after `number` others."""
    const = init * pow(factor, number, 1 << 32) & _BITS
    return _shifted((words ^ np.uint32(const)) * np.uint32(const * factor & _BITS))


def _shifted(words: Words) -> Words:
    return words ^ words >> np.uint32(16)


def growing_stream(seed: int) -> Generator:
    """The stream a learner draws from; a lone tree with ``random_state=seed`` uses the same."""
    return np.random.default_rng(SeedSequence(seed))


def shaking_stream(seed: int) -> Generator:
    """The stream a shake draws from: a child, so that growing does not depend on the shake."""
    return np.random.default_rng(SeedSequence(seed, spawn_key=(0,)))


def side_stream(rng: Generator, number: int) -> Generator:
    """Stream `number` beside another one: the same whatever was drawn or spawned there before.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> first = side_stream(rng, 1).random()
    >>> _ = rng.random(5), rng.spawn(3)
    >>> side_stream(rng, 1).random() == first
    True
    """
    root = rng.bit_generator.seed_seq
    assert isinstance(root, SeedSequence)
    key = (*root.spawn_key, number)
    return np.random.default_rng(SeedSequence(root.entropy, spawn_key=key))
