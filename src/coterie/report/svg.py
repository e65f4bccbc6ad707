"""Small drawings as text: elements, scales and axes.

Colours, fonts and widths are classes of the page's style sheet, so that a drawing follows dark
mode and print. Everything that is not markup already is escaped.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from html import escape
from typing import Any

#: Width of a drawing in its own units; text is 12 of them high, which a phone still shows at 10 px.
WIDTH = 440.0


class Markup(str):
    """Text that is markup: it is not escaped again, neither here nor by Jinja."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


def tag(name: str, *children: Any, **attributes: Any) -> Markup:
    """An element; ``class_`` is its class and ``data_tip`` the attribute ``data-tip``."""
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{escape(_text(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(
        child if isinstance(child, Markup) else escape(str(child)) for child in children
    )
    return Markup(f"<{name}{given}>{inside}</{name}>" if children else f"<{name}{given}/>")


def _text(value: Any) -> str:
    """Coordinates need no more than a tenth of a unit."""
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)


def drawing(label: str, height: float, *parts: Any, class_: str = "", **options: Any) -> Markup:
    """A whole picture; `label` says what it shows to those who cannot see it."""
    return tag(
        "svg",
        *parts,
        viewBox=f"0 0 {_text(options.pop('width', WIDTH))} {_text(height)}",
        role="img",
        aria_label=label,
        class_=f"chart {class_}".strip(),
        **options,
    )


@dataclass(frozen=True)
class Scale:
    """From values between `low` and `high` to places between `start` and `end`."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Place of a value."""
        spread = (self.high - self.low) or 1.0
        return self.start + (value - self.low) / spread * (self.end - self.start)


def ticks(low: float, high: float, about: int = 5) -> list[float]:
    """Round values from `low` to `high`, about so many."""
    if not high > low:
        return [low]
    rough = (high - low) / max(about, 1)
    size = 10.0 ** math.floor(math.log10(rough))
    step = size * next(factor for factor in (1, 2, 5, 10) if factor * size >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [round(n * step, 12) for n in range(first, math.floor(high / step + 1e-9) + 1)]


def padded(values: list[float], share: float = 0.06) -> tuple[float, float]:
    """Least and greatest value, with some room around."""
    low, high = min(values), max(values)
    room = (high - low) * share or abs(high) * 0.05 or 0.5
    return low - room, high + room


@dataclass
class Plot:
    """A pair of axes, and what is drawn between them.

    Parameters
    ----------
    x, y : tuple of float
        Least and greatest value of each axis.
    labels : tuple of str
        What the axes show.
    height : float
        Of the whole drawing.
    """

    x: tuple[float, float]
    y: tuple[float, float]
    labels: tuple[str, str]
    height: float = 290.0
    parts: list[Any] = field(default_factory=list)
    left: float = 52.0

    def __post_init__(self) -> None:
        self.across = Scale(*self.x, self.left, WIDTH - 14)
        self.up = Scale(*self.y, self.height - 46, 26)

    def axes(
        self, xs: list[float] | None = None, ys: list[float] | None = None, form: Any = None
    ) -> None:
        """Grid, numbers and labels; `form` writes the numbers of each axis."""
        form_x, form_y = form or (short, short)
        for value in ticks(*self.y) if ys is None else ys:
            at = self.up(value)
            place = {"y1": at, "y2": at}
            self.add("line", x1=self.across.start, x2=self.across.end, **place, class_="grid")
            where = {"x": self.across.start - 7, "y": at + 4}
            self.add("text", form_y(value), **where, class_="tick end")
        for value in ticks(*self.x) if xs is None else xs:
            where = {"x": self.across(value), "y": self.up.start + 17}
            self.add("text", form_x(value), **where, class_="tick middle")
        base = {"y1": self.up.start, "y2": self.up.start}
        self.add("line", x1=self.across.start, x2=self.across.end, **base, class_="axis")
        middle = (self.across.start + self.across.end) / 2
        self.add("text", self.labels[0], x=middle, y=self.height - 8, class_="label middle")
        self.add("text", self.labels[1], x=4.0, y=13.0, class_="label")

    def add(self, name: str, *children: Any, **attributes: Any) -> None:
        """One more element."""
        self.parts.append(tag(name, *children, **attributes))

    def line(self, points: list[tuple[float, float]], class_: str, tip: str | None = None) -> None:
        """A line through points given as values."""
        path = " ".join(f"{_text(self.across(x))},{_text(self.up(y))}" for x, y in points)
        self.add("polyline", points=path, class_=class_, data_tip=tip)

    def dot(self, x: float, y: float, class_: str, tip: str | None = None, r: float = 4.0) -> None:
        """A point given as values, with what it says when it is pointed at."""
        self.add("circle", cx=self.across(x), cy=self.up(y), r=r, class_=class_, data_tip=tip)

    def note(self, text: str, x: float, y: float, class_: str = "note") -> None:
        """Words at a place given as values."""
        self.add("text", text, x=self.across(x), y=self.up(y), class_=class_)

    def picture(self, label: str, **options: Any) -> Markup:
        """The drawing."""
        return drawing(label, self.height, *self.parts, **options)


def short(value: float) -> str:
    """A number as a tick shows it: 1.2M, 30k, 0.25."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if abs(value) >= size:
            return f"{value / (1e3 if unit == 'k' else size):.4g}{unit}".replace("-", "−")
    return f"{value:.4g}".replace("-", "−")


def percent(value: float) -> str:
    """A share as a tick shows it."""
    return f"{100 * value:.3g}\u00a0%".replace("-", "−")
