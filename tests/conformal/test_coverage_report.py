import numpy as np
import pytest
from scipy import stats

from coterie.conformal import CoverageReport, CoverageRow, coverage_rows


def test_binomial_intervals_are_exact():
    row = CoverageRow.of("all", None, np.arange(50) < 45, np.ones(50))
    expected = stats.binomtest(45, 50).proportion_ci(method="exact")
    assert (row.low, row.high) == pytest.approx((expected.low, expected.high))
    none = CoverageRow.of("all", None, np.zeros(5, dtype=bool), np.full(5, np.inf))
    assert (none.coverage, none.low, none.size) == (0.0, 0.0, np.inf)
    assert CoverageRow.of("all", None, np.ones(5, dtype=bool), np.ones(5)).high == 1.0


def test_parts_are_told_apart():
    hits = np.array([True, True, False, True])
    sizes, classes = np.array([1.0, 2.0, 1.0, 2.0]), np.array(["a", "a", "b", "b"])
    columns = {"x": np.array([1.0, 2.0, np.nan, 4.0]), "empty": np.full(4, np.nan)}
    rows = list(coverage_rows(hits, sizes, classes, columns))
    found = {(row.kind, row.value): row.coverage for row in rows}
    assert found[("class", "a")] == 1.0
    assert found[("class", "b")] == 0.5
    assert found[("size", 1)] == 0.5
    assert sum(row.n_rows for row in rows if row.kind == "bin") == 3
    report = CoverageReport(0.1, tuple(rows))
    assert report.coverage == 0.75
    assert report.size == 1.5
    assert "coverage, target 0.9" in str(report)
    assert "class b" in str(report)
