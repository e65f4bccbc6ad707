import os

import pytest

from coterie.distributed.cluster_executor import ClusterExecutor
from coterie.distributed.session import Session


def test_results_come_in_order_from_several_processes(client, left):
    with Session(client) as session:
        found = ClusterExecutor(session).map(_place, range(20))
    assert [square for square, _ in found] == [k * k for k in range(20)]
    assert os.getpid() not in {pid for _, pid in found}
    assert len({pid for _, pid in found}) == 2
    assert not left()


def _place(number):
    return number**2, os.getpid()


def test_an_error_of_a_member_is_raised_here(client, left):
    with Session(client) as session, pytest.raises(ZeroDivisionError):
        ClusterExecutor(session).map(_inverse, [1, 0])
    assert not left()


def _inverse(number):
    return 1 / number
