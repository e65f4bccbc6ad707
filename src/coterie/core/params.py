"""Words for what a parameter may be: declared on a class, checked once when ``fit`` begins.

A word is an :class:`Allowed`: a test and how to say it. Words combine with ``|``::

    {"max_depth": at_least(1) | one_of(None), "bootstrap": one_of(True, False)}
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Literal

Closed = Literal["both", "left", "right", "neither"]


class ParameterError(ValueError, TypeError):
    """A constructor parameter has a value that is not allowed."""


@dataclass(frozen=True)
class Allowed:
    """What a parameter may be: the test, and the words an error message uses.

    Parameters
    ----------
    admits : callable
        The test.
    *words : str
        What may be given, in scikit-learn's words where it has any.
    """

    admits: Callable[[object], bool]
    words: tuple[str, ...]

    def __init__(self, admits: Callable[[object], bool], *words: str) -> None:
        object.__setattr__(self, "admits", admits)
        object.__setattr__(self, "words", words)

    @property
    def wording(self) -> str:
        """What may be given, as a list in a sentence."""
        *first, last = self.words
        return f"{', '.join(first)} or {last}" if first else last

    def __or__(self, other: Allowed) -> Allowed:
        """Either of the two."""
        return Allowed(
            lambda value: self.admits(value) or other.admits(value), *self.words, *other.words
        )


def _is_number(value: object, *, whole: bool) -> bool:
    # A bool is an integer to Python, yet max_depth=True is always a slip.
    return isinstance(value, Integral if whole else Real) and not isinstance(value, bool)


def at_least(low: float) -> Allowed:
    """A number of at least `low`; a whole one when `low` is an ``int``.

    Examples
    --------
    >>> at_least(1).admits(3), at_least(1).admits(2.5), at_least(0.0).admits(2.5)
    (True, False, True)
    """
    whole = isinstance(low, int)
    kind = "an int" if whole else "a float"
    # The checker does not follow `_is_number`, which makes sure that v compares with low.
    return Allowed(
        lambda v: _is_number(v, whole=whole) and v >= low,  # type: ignore[operator]
        f"{kind} in the range [{low}, inf)",
    )


def between(low: float, high: float, closed: Closed = "both") -> Allowed:
    """A number between `low` and `high`, ends included as `closed` says; whole for two ints.

    Examples
    --------
    >>> word = between(0.0, 1.0, closed="right")
    >>> word.wording, word.admits(1.0), word.admits(0.0), word.admits(float("nan"))
    ('a float in the range (0.0, 1.0]', True, False, False)
    >>> between(2, 255).wording
    'an int in the range [2, 255]'
    """
    left, right = closed in ("both", "left"), closed in ("both", "right")
    whole = isinstance(low, int) and isinstance(high, int)

    def admits(value: object) -> bool:
        if not _is_number(value, whole=whole):
            return False
        number = float(value)  # type: ignore[arg-type]  # a number, as was just checked
        above = number >= low if left else number > low
        below = number <= high if right else number < high
        return above and below

    kind = "an int" if whole else "a float"
    span = f"{'[' if left else '('}{low}, {high}{']' if right else ')'}"
    return Allowed(admits, f"{kind} in the range {span}")


def fraction(closed: Closed = "right") -> Allowed:
    """A share of a whole, written as a float: 1 would be a number of things, 1.0 all of them.

    Examples
    --------
    >>> fraction().admits(1.0), fraction().admits(1), fraction("neither").admits(1.0)
    (True, False, False)
    """
    share = between(0.0, 1.0, closed)
    return Allowed(lambda v: share.admits(v) and not isinstance(v, Integral), *share.words)


def one_of(*options: Hashable) -> Allowed:
    """One of the given values.

    Examples
    --------
    >>> one_of("gini", "entropy", None).wording
    "a str among {'gini', 'entropy'} or None"
    """
    texts = ", ".join(repr(option) for option in options if isinstance(option, str))
    others = [repr(option) for option in options if not isinstance(option, str)]
    return Allowed(
        lambda v: isinstance(v, Hashable) and v in options,
        *([f"a str among {{{texts}}}"] if texts else []),
        *others,
    )


def has(*methods: str) -> Allowed:
    """An object with all of `methods`, a class itself excepted."""
    return Allowed(
        lambda v: not isinstance(v, type) and all(callable(getattr(v, m, None)) for m in methods),
        "an object implementing " + _listed([repr(m) for m in methods]),
    )


def instance_of(*kinds: type) -> Allowed:
    """An instance of one of `kinds`."""
    return Allowed(
        lambda v: isinstance(v, kinds), *(f"an instance of '{kind.__name__}'" for kind in kinds)
    )


def _listed(names: list[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


a_function = Allowed(callable, "a function")
a_list = Allowed(
    lambda v: hasattr(v, "__len__") and not isinstance(v, str | bytes | Mapping), "a list or array"
)


def check_params(owner: str, values: Mapping[str, object], allowed: Mapping[str, Allowed]) -> None:
    """Raise a `ParameterError`, worded as scikit-learn's, for the first value that is not allowed.

    Examples
    --------
    >>> check_params("Forest", {"rounds": 0}, {"rounds": at_least(1)})
    Traceback (most recent call last):
    coterie.core.params.ParameterError: The 'rounds' parameter of Forest must be an int in the \
range [1, inf). Got 0 instead.
    """
    for name, word in allowed.items():
        if not word.admits(values[name]):
            raise ParameterError(
                f"The {name!r} parameter of {owner} must be {word.wording}. Got {values[name]!r} "
                "instead."
            )
