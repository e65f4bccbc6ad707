import numpy as np
import pytest

from coterie.base import elsewhere
from coterie.base.elsewhere import host_of, where_rows_are


class Collection:
    """Rows that are not here."""


class Host:
    """Answers with what it was asked."""

    @staticmethod
    def answers(*asked):
        return asked


class Model:
    """Doubles numbers."""

    def _settled(self):
        return "settled"

    @where_rows_are
    def predict(self, X, factor=2):
        return factor * X


@pytest.mark.parametrize("X", [np.ones((2, 2)), [[1.0]], None])
def test_rows_that_are_here_have_no_host(X):
    assert host_of(X) is None


def test_methods_answer_where_the_rows_are(monkeypatch):
    monkeypatch.setitem(elsewhere._HOSTS, "elsewhere", "some.host")
    monkeypatch.setattr(elsewhere, "import_module", {"some.host": Host}.__getitem__)
    monkeypatch.setattr(Collection, "__module__", "elsewhere.rows")
    there = Collection()
    assert Model().predict(3) == 6
    assert Model().predict(3, factor=3) == 9
    assert Model().predict(there, factor=3) == ("predict", "settled", there, (), {"factor": 3})
