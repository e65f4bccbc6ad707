import pytest

from coterie.cli.errors import CommandError
from coterie.cli.outdir import FitDirectory, file_digest

SETTINGS = {"seed": 0, "sha256": "abc"}


def begun(path, settings=SETTINGS):
    directory = FitDirectory(path)
    directory.check(settings, resume=False, overwrite=False)
    assert not path.exists()
    directory.begin(settings, anew=False)
    return directory


def test_an_earlier_fit_is_not_touched_by_accident(tmp_path):
    directory = begun(tmp_path / "m")
    with pytest.raises(CommandError, match="unfinished") as caught:
        directory.check(SETTINGS, resume=False, overwrite=False)
    assert "--resume" in caught.value.cure
    directory.check(SETTINGS, resume=True, overwrite=False)
    directory.check(SETTINGS, resume=False, overwrite=True)


def test_only_the_same_fit_is_resumed(tmp_path):
    directory = begun(tmp_path / "m")
    with pytest.raises(CommandError, match="seed was 0, is 1"):
        directory.check({**SETTINGS, "seed": 1}, resume=True, overwrite=False)
    with pytest.raises(CommandError, match="the file has changed"):
        directory.check({**SETTINGS, "sha256": "x"}, resume=True, overwrite=False)


def test_beginning_anew_removes_what_a_fit_wrote_and_nothing_else(tmp_path):
    directory = begun(tmp_path / "m")
    for name in ("model.coterie", "report.html", "mine.txt", "run/old.json"):
        (directory.path / name).write_text("x")
    directory.begin(SETTINGS, anew=True)
    left = sorted(str(p.relative_to(directory.path)) for p in directory.path.rglob("*.*"))
    assert left == ["mine.txt", "run/settings.json"]


def test_a_file_in_the_way(write):
    with pytest.raises(CommandError, match="is a file"):
        FitDirectory(write("m", "x")).check({}, resume=False, overwrite=False)


def test_digest_is_of_the_content(write):
    first, second = write("a", "x"), write("b", "x")
    assert file_digest(first) == file_digest(second) != file_digest(write("c", "y"))
