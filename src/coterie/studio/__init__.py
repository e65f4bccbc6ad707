"""The studio: ensembles shown round by round, in a notebook, a file or a browser.

:func:`explore` makes one self-contained page of a model and its data; ``coterie studio`` serves the
same page live, with data that can be edited and a workbench for your own tables.
"""

from coterie.studio.explorer import Explorer, explore

__all__ = ["Explorer", "explore"]
