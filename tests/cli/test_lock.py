import json

import pytest

from coterie.cli import lock
from coterie.cli.lock import LOCK, only_fit
from coterie.files.errors import CommandError

pytest.importorskip("fcntl")


def test_a_second_fit_is_refused(tmp_path):
    with only_fit(tmp_path):
        with pytest.raises(
            CommandError, match="another fit is running in this directory"
        ) as caught:
            only_fit(tmp_path).__enter__()
        assert LOCK in caught.value.cure
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_fit_left_behind_holds_nobody_up(tmp_path):
    with only_fit(tmp_path):
        left = (tmp_path / LOCK).read_text()
    (tmp_path / LOCK).write_text(left)
    with only_fit(tmp_path):
        pass


def test_another_machine_may_be_at_work(tmp_path):
    (tmp_path / LOCK).write_text(json.dumps({"pid": 1, "host": "elsewhere"}))
    with pytest.raises(CommandError, match="process 1 on elsewhere"):
        only_fit(tmp_path).__enter__()


def test_a_directory_in_which_nothing_was_written_is_removed(tmp_path):
    with only_fit(tmp_path / "m"):
        pass
    assert not (tmp_path / "m").exists()


def test_a_file_in_the_way(write):
    with pytest.raises(CommandError, match="is a file"):
        only_fit(write("m", "x")).__enter__()


def test_a_lock_that_was_removed_meanwhile_is_no_lock(tmp_path, monkeypatch):
    """Another fit may end between opening its file and locking it."""
    path, asked = tmp_path / LOCK, []
    plain = lock._lock

    def ends_first(handle):
        if not asked:
            path.unlink()
        asked.append(handle)
        return plain(handle)

    monkeypatch.setattr(lock, "_lock", ends_first)
    with only_fit(tmp_path), pytest.raises(CommandError, match="another fit"):
        only_fit(tmp_path).__enter__()
