"""Pictures in docstrings are drawn into memory, also where there is a screen."""

import os

os.environ.setdefault("MPLBACKEND", "Agg")
