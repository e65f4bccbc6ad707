import builtins
import subprocess
import sys
from dataclasses import dataclass

import pytest

from coterie.plotting.canvas import Display, axes_for, count_rounds, pyplot


def test_axes_given_are_used():
    ax = pyplot().figure().add_subplot()
    assert axes_for(ax) is ax
    assert axes_for().figure is not ax.figure


def test_without_matplotlib_the_error_names_the_extra(monkeypatch):
    original = builtins.__import__

    def fails(name, *args, **kwargs):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", fails)
    with pytest.raises(ImportError, match=r"pip install 'coterie\[plot\]'"):
        axes_for()


def test_rounds_are_whole_numbers():
    ax = axes_for()
    count_rounds(ax, 3)
    low, high = ax.get_xlim()
    assert [t for t in ax.get_xticks() if low <= t <= high] == [1, 2, 3]


@pytest.mark.slow
def test_matplotlib_is_not_imported_before_it_is_needed():
    code = "import sys, coterie.plotting; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_display_draws_its_own_data():
    @dataclass(eq=False, repr=False)
    class Dots(Display):
        y: list

        def _draw(self, ax, **options):
            ax.plot(self.y, **options)

    display = Dots([1, 3])
    assert display.ax_ is None
    assert display.plot(color="red") is display
    (line,) = display.ax_.lines
    assert (list(line.get_ydata()), line.get_color()) == ([1, 3], "red")
    other = pyplot().figure().add_subplot()
    assert display.plot(other).ax_ is other
    assert display.figure_ is other.figure
