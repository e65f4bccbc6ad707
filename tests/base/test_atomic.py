"""Files are written as a whole or not at all."""

import errno
import os
import subprocess
import sys

import pytest

from coterie.base.atomic import write_whole


def failing_pieces():
    yield b"half of "
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt, MemoryError])
def test_a_failure_leaves_the_old_file_and_no_litter(tmp_path, error):
    path = tmp_path / "model"
    path.write_bytes(b"old")

    def pieces():
        yield b"x" * 100_000
        raise error

    with pytest.raises(error):
        write_whole(path, pieces())
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["model"]


def test_a_failure_without_an_old_file_leaves_nothing(tmp_path):
    with pytest.raises(OSError, match="No space left"):
        write_whole(tmp_path / "model", failing_pieces())
    assert os.listdir(tmp_path) == []


def test_bytes_are_on_the_disk_before_the_name_is_theirs(tmp_path, monkeypatch):
    path, order = tmp_path / "model", []
    monkeypatch.setattr("os.fsync", lambda handle: order.append("sync"))
    replace = type(path).replace

    def note(self, target):
        order.append("replace")
        assert self.read_bytes() == b"new"
        return replace(self, target)

    monkeypatch.setattr(type(path), "replace", note)
    write_whole(path, [b"new"])
    assert order[:2] == ["sync", "replace"]


def test_a_failing_sync_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "model"
    path.write_bytes(b"old")

    def fail(handle):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("os.fsync", fail)
    with pytest.raises(OSError, match="Input/output"):
        write_whole(path, [b"new"])
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["model"]


@pytest.mark.slow
def test_a_kill_leaves_the_old_file(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(b"old")
    script = (
        "import os, signal, sys\n"
        "from coterie.base.atomic import write_whole\n"
        "def pieces():\n"
        "    yield b'new' * 100_000\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "write_whole(sys.argv[1], pieces())\n"
    )
    ended = subprocess.run([sys.executable, "-c", script, str(path)], timeout=120)
    assert ended.returncode != 0
    assert path.read_bytes() == b"old"


def test_links_and_permissions_stay(tmp_path):
    path, link = tmp_path / "model", tmp_path / "link"
    path.write_bytes(b"old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_whole(link, [b"new"])
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_full_disk_names_the_file(tmp_path):
    with pytest.raises(OSError, match="No space left") as caught:
        write_whole(tmp_path / "model", failing_pieces())
    assert caught.value.filename == str(tmp_path / "model")


def test_a_folder_that_is_not_there_is_named_as_the_user_named_it(tmp_path):
    path = tmp_path / "nowhere" / "model"
    with pytest.raises(FileNotFoundError) as caught:
        write_whole(path, [b"x"])
    assert caught.value.filename == str(path)
