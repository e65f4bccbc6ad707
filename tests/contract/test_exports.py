"""The flat names of the package."""

import subprocess
import sys

import pytest

import coterie


def test_every_name_is_there():
    assert sorted(coterie.__all__) == dir(coterie)
    for name in coterie.__all__:
        assert getattr(coterie, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'NoSuchForest'"):
        _ = coterie.NoSuchForest


def test_importing_the_package_is_quick():
    script = "import sys, coterie; print('sklearn' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split()[0] == "False"
