"""Lines between two holders, past Dask's event loops.

A tree takes a dozen exchanges among holders, for each of which Dask takes a millisecond or two of
both workers. A line is a connection of its own, between the threads that do the work. Where there
can be none (Dask's connections are encrypted, workers share a process, or something between them
lets only Dask's ports through), holders talk by way of Dask.
"""

from __future__ import annotations

import hmac
import secrets
import socket
import struct
import threading
import time
import weakref
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_HEAD = struct.Struct("=qqq")  # call, exchange, and bytes that follow
_TOKEN = 32  # bytes
_REACH = 3.0  # seconds for a connection
_CALLERS = 8  # that may come with the wrong word before the door is shut
_SILENCE = 300.0  # seconds for a question to be taken
_LEAST_WAIT = 1e-3

Number = tuple[int, int]


class Door(NamedTuple):
    """Where a holder can be called, and the word that it expects."""

    port: int
    token: bytes


def open_door(holder: Any, address: str) -> Door | None:
    """Let one caller ask a holder on this worker; None if there can be no line.

    Parameters
    ----------
    holder : RowHolder
        It is not kept alive.
    address : str
        Of its worker.
    """
    host = _host(address)
    if host is None:
        return None
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host, 0), family=family)
    except OSError:
        return None
    door = Door(listener.getsockname()[1], secrets.token_bytes(_TOKEN))
    known = weakref.ref(holder)
    threading.Thread(target=_wait_for_caller, args=(listener, door, known), daemon=True).start()
    return door


def call(address: str, door: Door) -> Line | None:
    """A line to the holder behind a door; None if it cannot be reached."""
    host = _host(address)
    if host is None:
        return None
    try:
        return Line(socket.create_connection((host, door.port), timeout=_REACH), door.token)
    except OSError:
        return None


def _host(address: str) -> str | None:
    """The host of a worker; None if its connections are no plain ones."""
    from distributed.comm.addressing import parse_address, parse_host_port

    kind, place = parse_address(address)
    host: str | None = parse_host_port(place)[0] if kind == "tcp" else None
    return host


class Messages:
    """Messages through a socket, each with the number of its question."""

    def __init__(self, connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.socket = connection
        self._head: NDArray[np.uint8] = np.empty(_HEAD.size, dtype=np.uint8)
        self._body: NDArray[np.uint8] | None = None  # of the message that is coming in
        self._got = 0  # bytes of its head or its body

    def send(self, number: Number, said: Any) -> None:
        """Send a message of bytes."""
        body = memoryview(said).cast("B")
        head = _HEAD.pack(*number, len(body))
        self.socket.settimeout(_SILENCE)
        if len(body) < 1 << 14:  # in one packet
            self.socket.sendall(head + body)
        else:
            self.socket.sendall(head)
            self.socket.sendall(body)

    def receive(self, seconds: float | None = None) -> tuple[Number, NDArray[np.uint8]]:
        """The next message; what has come of it is kept if the time is over.

        Raises
        ------
        TimeoutError
            When it is not complete after so many seconds.
        OSError
            When the connection is closed.
        """
        end = None if seconds is None else time.monotonic() + seconds
        while True:
            part = self._head if self._body is None else self._body
            if self._got < len(part):
                self._read(part, end)
                continue
            self._got = 0
            call, exchange, size = _HEAD.unpack(self._head.data)
            if self._body is None:
                self._body = np.empty(size, dtype=np.uint8)
                continue
            self._body = None
            return (call, exchange), part

    def _read(self, part: NDArray[np.uint8], end: float | None) -> None:
        wait = None if end is None else max(end - time.monotonic(), _LEAST_WAIT)
        self.socket.settimeout(wait)
        count = self.socket.recv_into(part.data[self._got :])
        if not count:
            raise ConnectionError("The line was closed.")
        self._got += count


class Line:
    """The caller's end of a line, which ends with it.

    Parameters
    ----------
    connection : socket
        To the other holder.
    token : bytes
        What it expects first.
    """

    def __init__(self, connection: socket.socket, token: bytes) -> None:
        weakref.finalize(self, connection.close)
        self.messages = Messages(connection)
        connection.sendall(token)

    def ask(self, number: Number, asked: bytes) -> Coming:
        """Ask a question, sealed; the answer that will come."""
        self.messages.send(number, asked)
        return Coming(self.messages, (number[0], number[1]))


class Coming(NamedTuple):
    """An answer that will come through a line."""

    messages: Messages
    number: Number

    def result(self, timeout: float) -> NDArray[np.uint8]:
        """The answer; those to earlier questions, which nobody waits for any more, are dropped."""
        end = time.monotonic() + timeout
        while True:
            number, said = self.messages.receive(end - time.monotonic())
            if number == self.number:
                return said


def _wait_for_caller(listener: socket.socket, door: Door, known: weakref.ref[Any]) -> None:
    """Answer the first caller that knows the word; what others want is not listened to."""
    with listener:
        listener.settimeout(_REACH)
        for _ in range(_CALLERS):
            try:
                caller, _ = listener.accept()
            except OSError:
                return
            with caller:
                if _knows_word(caller, door.token):
                    listener.close()
                    return _attend(caller, known)


def _knows_word(caller: socket.socket, token: bytes) -> bool:
    said = b""
    try:
        caller.settimeout(_REACH)
        while len(said) < _TOKEN:
            part = caller.recv(_TOKEN - len(said))
            if not part:
                return False
            said += part
    except OSError:
        return False
    return hmac.compare_digest(said, token)


def _attend(caller: socket.socket, known: weakref.ref[Any]) -> None:
    """Let a holder answer all questions, until it or the caller is gone."""
    holder, messages = known(), Messages(caller)
    if holder is None:
        return
    weakref.finalize(holder, _shut, caller)
    while True:
        holder = None  # it may go while nobody asks
        try:
            number, asked = messages.receive()
            holder = known()
            if holder is None:
                return
            messages.send(number, holder.answer_in_turn(number, asked.data))
        except (OSError, RuntimeError):  # the latter: its thread has ended
            return


def _shut(caller: socket.socket) -> None:
    """End whatever waits for a caller."""
    with suppress(OSError):
        caller.shutdown(socket.SHUT_RDWR)
