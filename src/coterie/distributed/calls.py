"""Calls of holders, which end with an answer or with the word that the holder is gone."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie.distributed import session
from coterie.distributed.letters import pack, unpack
from coterie.distributed.lines import Door, Line, call

_SILENCE = 300.0  # seconds without a sign of life; Dask's scheduler waits as long for a worker
_REACH = 3.0  # seconds for a holder to open a line


class HolderGoneError(Exception):
    """A holder will never answer."""


class MemberGoneError(Exception):
    """One of those that a holder speaks for will never answer: its number."""

    @property
    def number(self) -> int:
        """Which of all holders."""
        return int(self.args[0])


class Number(NamedTuple):
    """The number of a call of the driver, and of the exchange among holders that belongs to it."""

    call: int
    exchange: int


class Raised(NamedTuple):
    """The answer of a holder whose method has failed."""

    error: Exception


class Call:
    """A call of a holder's method.

    Dask answers a call of an actor only if all goes well, or if it meets an `OSError` on the way.
    After anything else the call is never answered: its actor became unknown, or what was said could
    not be read. So questions and answers travel as bytes (see `letters`), which can always be read,
    and errors of the method as answers. Whatever else is raised means that the holder is gone.
    While there is no answer, the caller looks for signs of life: what the scheduler says of the
    actor, and the holder's pulse.

    Parameters
    ----------
    actor : Actor
        The holder.
    future : Future
        Of the actor; says whether the scheduler knows it still.
    number : Number
        Counts the calls.
    asked : bytes
        See `seal`.
    """

    def __init__(self, actor: Any, future: Any, number: Number, asked: bytes) -> None:
        self.actor, self.future, self.number = actor, future, number
        self._pulse: Any = None
        self._heard = self._told = time.monotonic()
        self._coming: Any = None
        try:
            self._coming = actor.answer(number, asked)
        except Exception as error:
            self._failed: Exception = error

    def result(self) -> Any:
        """What the method returned or raised.

        Raises
        ------
        HolderGoneError
            When there will be no answer.
        """
        if self._coming is None:
            raise HolderGoneError("It cannot be called.") from self._failed
        said = self._awaited(self._coming)
        while said is None:
            self._look()
            said = self._awaited(self._coming)
        found = unpack(said)
        if isinstance(found, Raised):
            raise found.error
        return found

    def _awaited(self, coming: Any) -> Any:
        """An answer; None if it does not come for a while."""
        try:
            return coming.result(timeout=session.PATIENCE)
        except TimeoutError:
            return None
        except Exception as error:
            raise HolderGoneError("Its worker is lost.") from error

    def _look(self) -> None:
        """Look whether the answer may still come."""
        if self.future.status != "finished":
            raise HolderGoneError(f"Its state is {self.future.status}, says the scheduler.")
        if self._pulse is None:
            try:
                self._pulse = self.actor.pulse()
            except Exception as error:
                raise HolderGoneError("It cannot be called.") from error
        now = time.monotonic()
        if self._pulse.done():
            answered = self._awaited(self._pulse)
            if answered is None:  # this process is too busy to hear it
                return
            self._pulse, self._heard = None, now
            # A large answer may be on its way for a while.
            self._told = now if answered < self.number else self._told
            if now - self._told > _SILENCE:
                raise HolderGoneError("Its answer was lost on the way.")
        elif now - self._heard > _SILENCE:
            raise HolderGoneError(f"There was no sign of life for {_SILENCE:g} s.")


def seal(method: str, given: Sequence[Any]) -> bytes:
    """A question, as it travels."""
    from distributed.protocol import pickle

    asked: bytes = pickle.dumps((method, tuple(given)))
    return asked


def sealed_answer(holder: Any, asked: bytes) -> NDArray[np.uint8]:
    """What a holder says to a question, as it travels."""
    from distributed.protocol import pickle

    try:
        method, given = pickle.loads(asked)
        return pack(getattr(holder, method)(*given))
    except Exception as error:
        try:
            return pack(Raised(error))
        except Exception:  # one that cannot travel, by its words
            return pack(Raised(RuntimeError(f"{type(error).__name__}: {error}")))


class Member(NamedTuple):
    """A holder as others know it: its number, the address of its worker and its key there."""

    number: int
    address: str
    key: Any


class MemberCall(Call):
    """A call of a holder by another.

    Parameters
    ----------
    neighbour : Neighbour
        Who is called.
    number, asked : Number, bytes
        See `Call`.
    """

    status = "finished"  # for all that is known here: whom the scheduler lost, the driver knows

    def __init__(self, neighbour: Neighbour, number: Number, asked: bytes) -> None:
        super().__init__(neighbour, self, number, asked)
        self.member = neighbour.member

    def result(self) -> Any:
        """What the method returned or raised.

        Raises
        ------
        MemberGoneError
            When there will be no answer.
        """
        try:
            return super().result()
        except HolderGoneError as error:
            raise MemberGoneError(self.member.number) from error


class Neighbour:
    """An actor on another worker, called without a client of its own.

    Parameters
    ----------
    member : Member
        Where it is. It is asked for a line at once.
    """

    def __init__(self, member: Member) -> None:
        from distributed import get_worker

        self.member, self.worker = member, get_worker()
        self.line = self._open_line()

    def answer(self, number: Number, asked: bytes) -> Any:
        """See `RowHolder.answer`."""
        if self.line is not None:
            return self.line.ask(number, asked)
        return self._ask("answer", (number, asked))

    def pulse(self) -> Any:
        """See `RowHolder.pulse`."""
        return self._ask("pulse", ())

    def _open_line(self) -> Line | None:
        try:
            found = self._ask("open_door", ()).result(timeout=_REACH)
        except Exception:  # whether it is lost, its calls will tell
            return None
        return None if found is None else call(self.member.address, Door(*found))

    def _ask(self, method: str, given: tuple[Any, ...]) -> Any:
        loop = self.worker.loop.asyncio_loop
        return asyncio.run_coroutine_threadsafe(self._execute(method, given), loop)

    async def _execute(self, method: str, given: tuple[Any, ...]) -> Any:
        # Numbers and bytes are part of the message itself, which takes Dask the least time.
        said = await self.worker.rpc(self.member.address).actor_execute(
            function=method, actor=self.member.key, args=given, kwargs={}
        )
        if said["status"] != "OK":
            raise said["exception"]
        return said["result"]


def call_members(neighbours: Sequence[Neighbour], number: Number, asked: bytes) -> list[MemberCall]:
    """Ask all members at a time."""
    return [MemberCall(neighbour, number, asked) for neighbour in neighbours]
