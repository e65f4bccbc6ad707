import hashlib

import pytest

from coterie.datasets.tic_tac_toe import NAMES, end_games


@pytest.mark.slow
def test_boards_are_those_of_the_published_table():
    text = "".join(",".join(row) + "\n" for row in end_games())
    digest = "b09d210f5c0fb590f3c3a85bf57490bed26fc9c8a216b72647e443ccb3178800"
    assert hashlib.sha256(text.encode()).hexdigest() == digest


@pytest.mark.slow
def test_counts_of_wins_and_squares():
    rows = list(end_games())
    assert sum(row[-1] == "positive" for row in rows) == 626
    assert len(rows) == 958
    centre = [row[NAMES.index("middle_centre")] for row in rows]
    assert [centre.count(mark) for mark in "xob"] == [458, 340, 160]
