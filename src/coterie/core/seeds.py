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
    """Seeds of members ``start`` to ``stop - 1``: 63 bits each, one child of `entropy` apiece."""
    states = [
        SeedSequence(entropy, spawn_key=(t,)).generate_state(1, np.uint64)[0]
        for t in range(start, stop)
    ]
    return (np.array(states, dtype=np.uint64) >> np.uint64(1)).astype(np.int64)


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
