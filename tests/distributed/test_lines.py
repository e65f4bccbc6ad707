"""Lines between holders answer what they are asked, and nobody who does not know the word."""

import gc
import socket
import threading
import time
import weakref

import numpy as np
import pytest

pytest.importorskip("distributed")

from coterie.distributed.lines import Door, call, open_door

HERE = "tcp://127.0.0.1:1"
ENDED = "closed|reset|[Bb]roken pipe|Bad file"


class Echo:
    """Says what it is asked, with the number before it."""

    def __init__(self):
        self.heard = []

    def answer_in_turn(self, number, asked):
        self.heard.append(number)
        return np.frombuffer(bytes(number) + bytes(asked), dtype=np.uint8)


@pytest.fixture
def echo():
    return Echo()


def said(coming, timeout=30):
    return bytes(coming.result(timeout))


@pytest.mark.parametrize("size", [0, 5, 5_000_000])
def test_questions_of_all_sizes(echo, size):
    line = call(HERE, open_door(echo, HERE))
    asked = bytes(range(256)) * (size // 256) + b"x" * (size % 256)
    assert said(line.ask((1, 2), asked)) == b"\1\2" + asked
    assert said(line.ask((1, 3), b"again")) == b"\1\3again"


def test_answers_that_nobody_waits_for_are_dropped(echo):
    line = call(HERE, open_door(echo, HERE))
    line.ask((1, 1), b"given up")
    assert said(line.ask((2, 1), b"asked")) == b"\2\1asked"
    assert echo.heard == [(1, 1), (2, 1)]


def test_what_has_come_of_a_slow_answer_is_kept():
    listener = socket.create_server(("127.0.0.1", 0))
    line = call(HERE, Door(listener.getsockname()[1], b"w" * 32))
    other, _ = listener.accept()
    coming = line.ask((3, 4), b"?")
    whole = np.array([3, 4, 6]).tobytes() + b"answer"
    with listener, other:
        for part in (whole[:10], whole[10:26], whole[26:29]):
            other.sendall(part)
            with pytest.raises(TimeoutError):
                coming.result(0.05)
        other.sendall(whole[29:])
        assert said(coming) == b"answer"


def test_a_closed_line_is_an_error(echo):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        line = call(HERE, Door(listener.getsockname()[1], b"w" * 32))
        listener.accept()[0].close()
    with pytest.raises(OSError, match=ENDED):
        said(line.ask((1, 1), b"?"))


def test_who_does_not_know_the_word_is_not_heard(echo):
    door = open_door(echo, HERE)
    stranger = call(HERE, door._replace(token=bytes(32)))
    with pytest.raises(OSError, match=ENDED):
        said(stranger.ask((1, 1), b"?"))
    # Nor is one who says nothing, and the next one may know it.
    socket.create_connection(("127.0.0.1", door.port)).close()
    assert said(call(HERE, door).ask((1, 1), b"!")) == b"\1\1!"
    assert echo.heard == [(1, 1)]
    assert call(HERE, door) is None  # one caller is enough


def test_a_line_keeps_no_holder_alive():
    echo = Echo()
    line, known = call(HERE, open_door(echo, HERE)), weakref.ref(echo)
    assert said(line.ask((1, 1), b"?")) == b"\1\1?"
    del echo
    for _ in range(100):
        gc.collect()
        if known() is None:
            break
        time.sleep(0.05)
    assert known() is None
    with pytest.raises(OSError, match=ENDED):
        said(line.ask((1, 2), b"?"))


def test_threads_end_with_the_caller(echo):
    before = threading.active_count()
    line = call(HERE, open_door(echo, HERE))
    said(line.ask((1, 1), b"?"))
    assert threading.active_count() > before
    del line
    for _ in range(100):
        if threading.active_count() == before:
            return
        gc.collect()
        time.sleep(0.05)
    raise AssertionError("a thread waits for a caller that is gone")


@pytest.mark.parametrize("address", ["tls://127.0.0.1:1", "inproc://127.0.0.1/1/2", "ws://h:1"])
def test_there_is_no_line_where_connections_are_no_plain_ones(echo, address):
    assert open_door(echo, address) is None
    assert call(address, Door(1, b"")) is None


def test_there_is_no_line_to_where_nothing_can_be_reached(echo):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    assert call(HERE, Door(port, b"")) is None
    assert open_door(echo, "tcp://192.0.2.1:1") is None  # an address of nobody
