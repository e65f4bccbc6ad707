"""One question about an ensemble, and its answer."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Finding:
    """A question about an ensemble, what was measured, and what to do about it.

    Parameters
    ----------
    question : str
        For example "accurate?".
    verdict : str
        The answer in a word or two.
    fine : bool or None
        Whether all is well; None if that is unknown.
    words : str
        The measured numbers in a sentence.
    advice : str, default=""
        What to try next; empty if there is nothing to suggest.
    numbers : dict, optional
        The same numbers as plain data.

    Examples
    --------
    >>> from coterie.diagnosis import Finding
    >>> Finding("diverse?", "too similar", False, "Effective members 1.0 of 5.").mark
    '!'
    """

    question: str
    verdict: str
    fine: bool | None
    words: str
    advice: str = ""
    numbers: dict[str, Any] = field(default_factory=dict)

    @property
    def mark(self) -> str:
        """One sign: fine, needs attention, or unknown."""
        return "?" if self.fine is None else "+" if self.fine else "!"


def shown(value: float) -> str:
    """A number as people read it: three digits.

    >>> shown(0.04219), shown(1234.5), shown(0.0), shown(1.0)
    ('0.0422', '1234', '0', '1')
    """
    return f"{value:.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def percent(share: float) -> str:
    """A share in hundredths.

    >>> percent(0.125), percent(0.0412)
    ('12 %', '4.1 %')
    """
    hundredths = 100 * share
    return f"{hundredths:.0f} %" if abs(hundredths) >= 10 else f"{hundredths:.2g} %"
