"""Requests that wait are predicted together, and a bad one harms itself alone."""

import asyncio
import threading

import numpy as np
import pyarrow as pa
import pytest

from coterie.serve import batching
from coterie.serve.batching import Batcher
from coterie.serve.bodies import Rows
from coterie.serve.problems import explained
from coterie.serve.shelf import Shelf
from tests.serve.rows import GOOD, said_by


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


async def ask_all(batcher, tables, first=None, model="model"):
    tasks = [asyncio.create_task(batcher.ask(model, table)) for table in tables]
    await asyncio.sleep(0.05)
    if first is not None:
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


def test_few_rows_wait_for_few_and_many_do_not(asked):
    sizes, first = asked
    batcher = Batcher(threads=2, max_rows=1000)
    asyncio.run(ask_all(batcher, [rows(1), rows(2), rows(3)], first))
    assert sizes == [1, 2]
    first.clear()
    sizes.clear()

    async def beside():
        tasks = [asyncio.create_task(batcher.ask("model", rows(1)))]
        tasks.append(asyncio.create_task(batcher.ask("model", rows(*range(200)))))
        while len(sizes) < 2:
            await asyncio.sleep(0.01)
        first.set()
        return await asyncio.gather(*tasks)

    answers = asyncio.run(asyncio.wait_for(beside(), 60))
    assert [len(answer) for answer in answers] == [1, 200]


def test_rows_of_several_requests_share_a_table(credit):
    served = Shelf((str(credit.model),)).open().find(None)
    names = served.fitted.names
    sent = [GOOD | {"age": age} for age in (20, 30.5, None, 40)]
    cells = [Rows([[row[name] for name in names]]) for row in sent]
    wrong = Rows([["old" if name == "age" else GOOD[name] for name in names]])
    batcher = Batcher(threads=1, max_rows=100)
    answers = asyncio.run(ask_all(batcher, cells, model=served))
    assert batcher.n_batches == 2
    expected = said_by(credit, sent)
    assert [answer.tolist() for answer in answers] == [[row] for row in expected.tolist()]
    *right, bad = asyncio.run(ask_all(batcher, [*cells, wrong], model=served))
    assert [answer.tolist() for answer in right] == [[row] for row in expected.tolist()]
    assert (explained(bad).field, explained(bad).row) == ("age", 0)
