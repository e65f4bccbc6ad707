"""Reading queries and grades."""

import numpy as np
import pytest

from coterie.data import Target
from coterie.ranking.queries import (
    check_grades,
    grade_rows,
    hold_out_queries,
    read_queries,
    silent_queries,
)


def target(grades, queries):
    return Target.numbers(np.column_stack([grades, queries]).astype(float))


def test_three_ways_to_name_queries():
    assert read_queries(["x", "a", "x"], None, None, 3).tolist() == [1, 0, 1]
    assert read_queries(None, [7, 3, 7], None, 3).tolist() == [1, 0, 1]
    assert read_queries(None, None, [1, 2], 3).tolist() == [0, 1, 1]


def test_what_is_wrong_with_queries():
    with pytest.raises(ValueError, match=r"A ranker needs groups.*groups=query_id"):
        read_queries(None, None, None, 3)
    with pytest.raises(ValueError, match="groups and qid both"):
        read_queries([1, 1, 1], [1, 1, 1], None, 3)
    with pytest.raises(ValueError, match="add up to 4, but there are 3 rows"):
        read_queries(None, None, [2, 2], 3)
    with pytest.raises(ValueError, match="as integers"):
        read_queries(None, None, [1.5, 1.5], 3)


def test_what_is_wrong_with_grades():
    check_grades(target([0, 31], [0, 0]), None)
    with pytest.raises(ValueError, match=r"gain of 2\*\*32; map the grades to 0\.\.4"):
        check_grades(target([0, 32], [0, 0]), None)
    check_grades(target([0, 32], [0, 0]), 40)
    with pytest.raises(ValueError, match="gain ends at 3"):
        check_grades(target([0, 4], [0, 0]), 3)
    for odd in (-1, 0.5):
        with pytest.raises(ValueError, match="integers >= 0"):
            check_grades(target([0, odd], [0, 0]), None)
    with pytest.raises(ValueError, match="1d array"):
        grade_rows(np.zeros((3, 2)), np.zeros(3, dtype=np.int32))


def test_silent_queries_have_one_grade():
    assert silent_queries(target([1, 1, 0, 2, 5], [3, 3, 0, 0, 1])) == (2, 3)


def test_whole_queries_are_held_out():
    queries = np.random.default_rng(0).integers(0, 20, 200)
    known = target(np.zeros(200), queries)
    learn, held = hold_out_queries(known, 0.25, 3)
    assert not set(queries[learn]) & set(queries[held])
    assert len(set(queries[held])) == 5
    assert sorted([*learn, *held]) == list(range(200))
    assert hold_out_queries(known, 0.25, 3)[1].tolist() == held.tolist()
    with pytest.raises(ValueError, match="there is only one"):
        hold_out_queries(target([0, 1], [0, 0]), 0.5, 0)
