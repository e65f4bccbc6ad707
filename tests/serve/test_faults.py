"""A real server under faults: what it answers is right, or it does not answer."""

import http.client
import json
import os
import signal
import socket
import time
from contextlib import suppress

import pytest

pytest.importorskip("uvicorn")

from benchmarks.serving_servers import children, coterie_server, family
from coterie import RandomForestClassifier, load, save
from coterie.datasets import load_table

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not os.path.exists("/proc/self/task"), reason="needs Linux's /proc"),
]
TABLE = load_table("german_credit")
ROWS = TABLE.X[:5].tolist()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    path = tmp_path_factory.mktemp("served") / "model.coterie"
    save(RandomForestClassifier(n_estimators=10, random_state=0).fit(TABLE.X, TABLE.y), path)
    with coterie_server(path.parent, workers=2) as started:
        started.file = path
        started.expected = load(path).predict(TABLE.X[:5]).tolist()
        yield started


def ask(server, body=None, timeout=20):
    """Status and JSON of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=timeout)
    try:
        connection.request("POST", "/predict", json.dumps(ROWS) if body is None else body)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def is_right(server):
    status, said = ask(server)
    return status == 200 and said["predictions"] == server.expected


def raw(server, data, wait=10.0):
    """What comes back for bytes that may not be HTTP; empty if the server hangs up."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=wait) as connection:
        connection.sendall(data)
        try:
            return connection.recv(10_000)
        except ConnectionError:
            return b""


def test_slow_clients_keep_nobody_waiting_and_are_let_go(server):
    head = b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n["
    slow = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(50)]
    for connection in slow:
        connection.sendall(head)
    began = time.monotonic()
    assert all(is_right(server) for _ in range(5))
    assert time.monotonic() - began < 5  # the time limit of a slow request
    slow[0].settimeout(20)
    assert b" 408 " in slow[0].recv(1000)
    for connection in slow:
        connection.close()


@pytest.mark.parametrize(
    "body", [b"[", b"\xff\xfe\x00", b"[[1, 2", b"{}", b'{"rows": 7}', b"nonsense" * 1000]
)
def test_a_broken_body_is_the_clients_fault(server, body):
    status, said = ask(server, body)
    assert 400 <= status < 500
    assert said["error"]
    assert is_right(server)


def test_what_is_not_http_is_refused(server):
    assert b" 400 " in raw(server, b"\x16\x03\x01" + b"\x00" * 200 + b"\r\n\r\n")
    lie = b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n[]"
    assert b" 400 " in raw(server, lie)
    assert is_right(server)


def test_a_client_that_hangs_up_does_no_harm(server):
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall(b"POST /predict HTTP/1.1\r\nHost: x\r\nContent-Length: 99\r\n\r\n[[")
    assert is_right(server)


def test_garbage_in_place_of_the_model_changes_nothing(server):
    kept = server.file.read_bytes()
    for garbage in (b"", b"garbage", kept[: len(kept) // 2], os.urandom(5000)):
        new = server.file.with_name("new")
        new.write_bytes(garbage)
        new.replace(server.file)
        time.sleep(1.3)  # files are looked at every second
        assert all(is_right(server) for _ in range(4))
    server.file.write_bytes(kept)


def test_a_killed_worker_is_replaced(server):
    def workers():
        return [pid for pid in family(server.process.pid)[1:] if not children(pid)]

    before = set(workers())
    victim = max(before)
    os.kill(victim, signal.SIGKILL)
    fresh: set[int] = set()
    for _ in range(200):
        with suppress(OSError, http.client.HTTPException):
            assert is_right(server)  # an answer is right, or there is none
        fresh = set(workers()) - before
        if fresh:
            break
        time.sleep(0.1)
    assert fresh
    assert is_right(server)
