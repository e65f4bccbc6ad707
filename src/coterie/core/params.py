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
    """What a parameter may be: the test, and the words an error message uses."""

    admits: Callable[[object], bool]
    wording: str

    def __or__(self, other: Allowed) -> Allowed:
        """Either of the two."""
        return Allowed(
            lambda value: self.admits(value) or other.admits(value),
            f"{self.wording} or {other.wording}",
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
    kind = "an integer" if whole else "a number"
    # The checker does not follow `_is_number`, which makes sure that v compares with low.
    return Allowed(lambda v: _is_number(v, whole=whole) and v >= low, f"{kind} >= {low}")  # type: ignore[operator]


def between(low: float, high: float, closed: Closed = "both") -> Allowed:
    """A number between `low` and `high`, ends included as `closed` says; whole for two ints.

    Examples
    --------
    >>> word = between(0.0, 1.0, closed="right")
    >>> word.wording, word.admits(1.0), word.admits(0.0), word.admits(float("nan"))
    ('a number in (0.0, 1.0]', True, False, False)
    >>> between(2, 255).wording
    'an integer in [2, 255]'
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

    kind = "an integer" if whole else "a number"
    span = f"{'[' if left else '('}{low}, {high}{']' if right else ')'}"
    return Allowed(admits, f"{kind} in {span}")


def fraction(closed: Closed = "right") -> Allowed:
    """A share of a whole, written as a float: 1 would be a number of things, 1.0 all of them.

    Examples
    --------
    >>> fraction().admits(1.0), fraction().admits(1), fraction("neither").admits(1.0)
    (True, False, False)
    """
    share = between(0.0, 1.0, closed)
    return Allowed(
        lambda v: share.admits(v) and not isinstance(v, Integral),
        share.wording.replace("a number", "a fraction"),
    )


def one_of(*options: Hashable) -> Allowed:
    """One of the given values.

    Examples
    --------
    >>> one_of("gini", "entropy").wording
    "'gini' or 'entropy'"
    """
    return Allowed(
        lambda v: isinstance(v, Hashable) and v in options,
        " or ".join(repr(option) for option in options),
    )


def has(*methods: str) -> Allowed:
    """An object with all of `methods`, a class itself excepted."""
    return Allowed(
        lambda v: not isinstance(v, type) and all(callable(getattr(v, m, None)) for m in methods),
        "an object with " + " and ".join(f".{m}()" for m in methods),
    )


def instance_of(*kinds: type) -> Allowed:
    """An instance of one of `kinds`."""
    return Allowed(
        lambda v: isinstance(v, kinds), " or ".join(f"a {kind.__name__}" for kind in kinds)
    )


a_function = Allowed(callable, "a function")
a_list = Allowed(
    lambda v: hasattr(v, "__len__") and not isinstance(v, str | bytes | Mapping), "a list or array"
)


def check_params(owner: str, values: Mapping[str, object], allowed: Mapping[str, Allowed]) -> None:
    """Raise a `ParameterError` for the first value that is not allowed.

    Examples
    --------
    >>> check_params("Forest", {"n_estimators": 0}, {"n_estimators": at_least(1)})
    Traceback (most recent call last):
    coterie.core.params.ParameterError: Forest: n_estimators=0 is not allowed; give an integer >= 1.
    """
    for name, word in allowed.items():
        if not word.admits(values[name]):
            raise ParameterError(
                f"{owner}: {name}={values[name]!r} is not allowed; give {word.wording}."
            )
