import numpy as np
import pytest

from coterie import TableClassifier, load
from coterie.cli.outdir import FitDirectory, file_digest
from coterie.files.errors import CommandError

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


def files(directory):
    return sorted(str(p.relative_to(directory.path)) for p in directory.path.rglob("*.*"))


def begun_anew(path):
    """A fit that replaces an earlier one."""
    directory = begun(path)
    for name in ("model.coterie", "report.html", "mine.txt", "run/old.json"):
        (directory.path / name).write_text("x")
    directory.begin(SETTINGS, anew=True)
    return directory


ASIDE = ["mine.txt", "run/before/model.coterie", "run/before/report.html", "run/settings.json"]


def test_beginning_anew_puts_aside_what_a_fit_wrote_and_nothing_else(tmp_path):
    directory = begun_anew(tmp_path / "m")
    assert files(directory) == ASIDE
    directory.begin(SETTINGS, anew=True)  # the first attempt was killed
    assert files(directory) == ASIDE


def test_a_fit_that_fails_leaves_what_it_was_to_replace(tmp_path):
    directory = begun_anew(tmp_path / "m")
    (directory.journal / "finished.json").write_text("x")
    directory.withdraw()
    assert files(directory) == ["mine.txt", "model.coterie", "report.html"]


@pytest.mark.slow
def test_a_new_model_replaces_the_old_one_for_good(tmp_path):
    directory = begun_anew(tmp_path / "m")
    model = TableClassifier(members="fast").fit(np.arange(40.0)[:, None], np.arange(40) > 20)
    directory.finish(model)
    directory.withdraw()  # too late
    assert not (directory.journal / "before").exists()
    assert type(load(directory.model)) is TableClassifier


def test_finished_candidates_of_a_first_fit_stay(tmp_path):
    directory = begun(tmp_path / "m")
    (directory.journal / "finished.json").write_text("x")
    directory.withdraw()
    assert files(directory) == ["run/finished.json", "run/settings.json"]
    (directory.journal / "finished.json").unlink()
    directory.withdraw()
    assert files(directory) == []


def test_a_file_in_the_way(write):
    with pytest.raises(CommandError, match="is a file"):
        FitDirectory(write("m", "x")).check({}, resume=False, overwrite=False)


def test_digest_is_of_the_content(write):
    first, second = write("a", "x"), write("b", "x")
    assert file_digest(first) == file_digest(second) != file_digest(write("c", "y"))


@pytest.mark.parametrize("settings", [{}, {"time": "soon"}, {"time": 1, "planned_time": []}])
def test_settings_without_a_time_are_named(tmp_path, settings):
    directory = begun(tmp_path / "m", settings)
    with pytest.raises(CommandError, match="damaged"):
        directory.earlier_time()
