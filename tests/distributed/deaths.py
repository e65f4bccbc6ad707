"""Ending workers as the kernel would, and fits that do not end."""

import os
import signal
from contextlib import contextmanager
from pathlib import Path

from distributed import WorkerPlugin

from coterie.distributed.holders import Holders
from coterie.distributed.row_holder import RowHolder

LONGEST = 900  # seconds for a fit of moments: one that takes so long will not end


@contextmanager
def limited(seconds=LONGEST):
    """Fail what hangs, in place of the whole suite."""

    def stop(*_):
        raise AssertionError(f"not done after {seconds} s")

    former = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, former)


def processes(client):
    """Worker processes by address; those that have just died are not among them."""
    return client.run(os.getpid, on_error="ignore")


def kill(client, worker):
    """End a worker's process."""
    os.kill(processes(client)[worker], signal.SIGKILL)


def end_worker_once(folder):
    """End the worker that runs this, unless one was ended already."""
    try:
        (Path(folder) / "dead").touch(exist_ok=False)
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


@contextmanager
def intolerant(client):
    """Have the scheduler give a task up as soon as it costs a worker; usually it takes four."""
    usual = client.run_on_scheduler(_allow, 0)
    try:
        yield
    finally:
        client.run_on_scheduler(_allow, usual)


def _allow(failures, dask_scheduler):
    usual, dask_scheduler.allowed_failures = dask_scheduler.allowed_failures, failures
    return usual


def kill_before(monkeypatch, client, moments, how=lambda pids: pids[:1]):
    """Kill workers that have holders right before these exchanges of a fit; what was killed."""
    exchange, seen, killed = Holders._exchange, [0], []

    def deadly(holders, questions):
        seen[0] += 1
        if seen[0] in moments:
            where = client.who_has(holders._futures).values()
            known = processes(client)
            pids = [known[one] for one in sorted({w for held in where for w in held} & set(known))]
            for pid in how(pids):
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
        return exchange(holders, questions)

    monkeypatch.setattr(Holders, "_exchange", deadly)
    return killed


@contextmanager
def fatal_exchanges(client, folder, moments):
    """Have a worker end itself when a holder on it is asked for sums these many times.

    Each moment ends one worker. Says which of them have come.
    """
    client.run(_arm, str(folder), tuple(moments))
    client.register_plugin(Arming(str(folder), tuple(moments)), name="arming")
    try:
        yield lambda: sorted(int(path.name) for path in Path(folder).iterdir())
    finally:
        client.unregister_worker_plugin("arming")
        client.run(_disarm, on_error="ignore")


class Arming(WorkerPlugin):
    """Arms workers that start later."""

    def __init__(self, folder, moments):
        self.folder, self.moments = folder, moments

    def setup(self, worker):
        _arm(self.folder, self.moments)


def _arm(folder, moments):
    if hasattr(RowHolder, "usual"):
        return
    RowHolder.usual, seen = RowHolder.add_up, [0]

    def add_up(holder, *given):
        seen[0] += 1
        if seen[0] in moments:
            try:
                (Path(folder) / str(seen[0])).touch(exist_ok=False)
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        return RowHolder.usual(holder, *given)

    RowHolder.add_up = add_up


def _disarm():
    if hasattr(RowHolder, "usual"):
        RowHolder.add_up = RowHolder.usual
        del RowHolder.usual
