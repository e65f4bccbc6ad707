import json

import pytest

from coterie.report import facts, html, markdown, write_report


@pytest.mark.slow
def test_the_ending_says_what_is_written(binary, tmp_path):
    found = facts(binary)
    assert write_report(binary, tmp_path / "r.html").read_text(encoding="utf-8") == html(found)
    assert write_report(found, f"{tmp_path}/r.md").read_text(encoding="utf-8") == markdown(found)
    kept = write_report(binary, tmp_path / "facts.json").read_text(encoding="utf-8")
    assert json.loads(kept) == found
    assert sorted(path.name for path in tmp_path.iterdir()) == ["facts.json", "r.html", "r.md"]


@pytest.mark.slow
def test_the_page_can_be_made_again_from_the_facts(found, tmp_path):
    kept = write_report(found, tmp_path / "facts.json")
    assert html(json.loads(kept.read_text(encoding="utf-8"))) == html(found)


def test_an_unknown_ending_is_refused(found, tmp_path):
    with pytest.raises(ValueError, match=r"\.html"):
        write_report(found, tmp_path / "report.pdf")


@pytest.mark.slow
def test_what_was_there_stays_if_writing_fails(found, tmp_path, monkeypatch):
    page = tmp_path / "report.html"
    page.write_text("old")
    monkeypatch.setattr("os.fsync", lambda handle: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        write_report(found, page)
    assert page.read_text() == "old"
    assert list(tmp_path.iterdir()) == [page]


@pytest.mark.slow
def test_no_folder_is_an_error(found, tmp_path):
    with pytest.raises(FileNotFoundError):
        write_report(found, tmp_path / "nowhere" / "report.html")
