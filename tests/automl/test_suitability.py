"""Candidates that are not for a table."""

from dataclasses import replace

import numpy as np
import pytest

from coterie.automl.candidates import PORTFOLIO
from coterie.automl.situation import Situation
from coterie.automl.suitability import why_unfit

TABLE = Situation("binary", 5_000, 2, np.zeros(10, dtype=int))
KNOWN = {candidate.name: candidate for candidate in PORTFOLIO}


@pytest.mark.parametrize(
    ("name", "other", "reason"),
    [
        ("kernel machine", {}, "not suited to"),
        ("linear", {"binned": True}, "needs the original values"),
        ("linear", {"sparse": True}, "does not support sparse data"),
        ("linear", {"n_rows": 40_000_000}, "would take too much memory"),
        ("extra trees", {"n_classes": 5_000, "n_rows": 100_000}, "would take too much memory"),
        ("neighbours", {"weighted": True}, "does not support sample weights"),
    ],
)
def test_what_is_not_for_a_table_says_why(name, other, reason):
    assert why_unfit(KNOWN[name], replace(TABLE, **other)).startswith(reason)


def test_what_is_for_a_table_gives_no_reason():
    assert [why_unfit(KNOWN[name], TABLE) for name in ("linear", "extra trees")] == ["", ""]
