"""Requests that wait are predicted together, and a bad one harms itself alone."""

import asyncio
import threading

import numpy as np
import pyarrow as pa
import pytest

from coterie.serve import batching
from coterie.serve.batching import Batcher


def rows(*values):
    return pa.table({"x": list(map(float, values))})


@pytest.fixture
def asked(monkeypatch):
    """Replace the model by one that doubles, and note the sizes of its batches."""
    sizes, first = [], threading.Event()

    def ask(served, table):
        values = np.asarray(table["x"])
        sizes.append(len(values))
        if not first.is_set():
            first.wait(5)
        if (values < 0).any():
            raise ValueError("negative")
        return 2 * values

    monkeypatch.setattr(batching, "asked", ask)
    return sizes, first


async def ask_all(batcher, tables, first):
    tasks = [asyncio.create_task(batcher.ask("model", table)) for table in tables]
    await asyncio.sleep(0.05)
    first.set()
    return await asyncio.gather(*tasks, return_exceptions=True)


def test_those_that_wait_go_together(asked):
    sizes, first = asked
    batcher = Batcher(threads=1, max_rows=3)
    answers = asyncio.run(ask_all(batcher, [rows(1), rows(3, 4), rows(2), rows(5)], first))
    assert [answer.tolist() for answer in answers] == [[2], [6, 8], [4], [10]]
    assert sizes == [1, 3, 1]


def test_one_bad_request_harms_no_other(asked):
    _, first = asked
    batcher = Batcher(threads=1, max_rows=100)
    answers = asyncio.run(ask_all(batcher, [rows(1), rows(2), rows(-1), rows(3)], first))
    assert [answers[k].tolist() for k in (0, 1, 3)] == [[2], [4], [6]]
    assert isinstance(answers[2], ValueError)


def test_tables_that_differ_are_kept_apart(asked):
    sizes, first = asked
    whole = pa.table({"x": [1]})
    batcher = Batcher(threads=1, max_rows=100)
    answers = asyncio.run(ask_all(batcher, [rows(1), whole, rows(2)], first))
    assert [answer.tolist() for answer in answers] == [[2], [2], [4]]
    assert sizes == [1, 1, 1]
