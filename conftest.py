"""What has to be settled before a test imports the package."""

import os
import sys
from importlib import util

# Pictures in docstrings are drawn into memory, also where there is a screen.
os.environ.setdefault("MPLBACKEND", "Agg")

# `make test-processors` tests an engine that was compiled for the plainest processor.
if engine := os.environ.get("COTERIE_TEST_ENGINE"):
    name = "coterie.native._engine"
    spec = util.spec_from_file_location(name, engine)
    assert spec is not None
    assert spec.loader is not None
    sys.modules[name] = util.module_from_spec(spec)
    spec.loader.exec_module(sys.modules[name])
