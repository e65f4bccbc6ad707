import numpy as np
import pytest
from scipy import stats

from coterie.cli.paired import holm, paired_test


def test_it_is_students_paired_test():
    rng = np.random.default_rng(0)
    first, second = rng.gamma(2, size=50), rng.gamma(2.2, size=50)
    found, peer = paired_test(first, second), stats.ttest_rel(second, first)
    assert found.p_value == pytest.approx(peer.pvalue)
    assert (found.low, found.high) == pytest.approx(tuple(peer.confidence_interval()))
    assert found.difference == pytest.approx(second.mean() - first.mean())


def test_equal_losses_and_constant_differences():
    losses = np.arange(5.0)
    assert paired_test(losses, losses).p_value == 1.0
    assert paired_test(losses, losses + 1).p_value == 0.0


def test_holm_by_hand():
    assert holm([0.04, 0.01, 0.03, 0.5]) == pytest.approx([0.09, 0.04, 0.09, 0.5])
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    assert holm([]) == []
