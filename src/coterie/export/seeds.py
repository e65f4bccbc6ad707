"""Random generators as plain numbers: a model may have one as its seed."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie.export.errors import ModelFileError

__all__ = ["Seed", "check_seed", "read_seed", "seed_state"]

Seed = np.random.Generator | np.random.RandomState

_KINDS = {
    kind.__name__: kind
    for kind in (
        np.random.MT19937,
        np.random.PCG64,
        np.random.PCG64DXSM,
        np.random.Philox,
        np.random.SFC64,
    )
}
# Positions in a buffer of the generator, which reads there without looking.
_LAST_POSITION = {"pos": 624, "buffer_pos": 4}


def seed_state(seed: Seed) -> dict[str, Any] | None:
    """What a generator needs to go on, or None if its kind is not one of NumPy's.

    Parameters
    ----------
    seed : Generator or RandomState
        It is not advanced.

    Examples
    --------
    >>> seed_state(np.random.default_rng(0))["bit_generator"]
    'PCG64'
    """
    if isinstance(seed, np.random.Generator):
        state: Any = seed.bit_generator.state
    else:
        state = seed.get_state(legacy=False)
    return dict(state) if state["bit_generator"] in _KINDS else None


def read_seed(state: Any, *, legacy: bool) -> Seed:
    """The generator of a state, which is checked first.

    Parameters
    ----------
    state : dict
        From `seed_state`.
    legacy : bool
        Whether it is a RandomState's.
    """
    kind = state.get("bit_generator") if isinstance(state, dict) else None
    if kind not in _KINDS or (legacy and kind != "MT19937"):
        raise ModelFileError(f"The file contains an unknown random generator, {kind!r}.")
    bits = _KINDS[kind](0)
    _check_like(state, bits.state | ({"has_gauss": 0, "gauss": 0.0} if legacy else {}), "state")
    try:
        if not legacy:
            bits.state = state
            return np.random.Generator(bits)
        seed = np.random.RandomState(0)
        seed.set_state(state)
    except (TypeError, ValueError, OverflowError, KeyError) as error:
        raise ModelFileError(f"The state of a random generator is damaged: {error}") from error
    return seed


def check_seed(seed: Seed) -> None:
    """Refuse a generator that somebody else made with a state it cannot have.

    Parameters
    ----------
    seed : Generator or RandomState
        As skops made it.
    """
    state = seed_state(seed)
    if state is not None:
        read_seed(state, legacy=isinstance(seed, np.random.RandomState))


def _check_like(state: Any, model: Any, name: str) -> None:
    """Refuse a state that is not shaped as one of a healthy generator."""
    if isinstance(model, dict):
        if not isinstance(state, dict) or set(state) != set(model):
            raise ModelFileError(f"The {name} of a random generator has missing or unknown parts.")
        for key, part in model.items():
            _check_like(state[key], part, key)
    elif isinstance(model, np.ndarray):
        same = isinstance(state, np.ndarray) and state.shape == model.shape
        if not same or state.dtype != model.dtype:
            raise ModelFileError(f"The {name} of a random generator is not a valid array.")
    elif type(state) is not type(model):
        raise ModelFileError(f"The {name} of a random generator must not be {state!r}.")
    elif isinstance(model, int) and not 0 <= state <= _LAST_POSITION.get(name, 2**128):
        raise ModelFileError(f"The {name} of a random generator must not be {state}.")
