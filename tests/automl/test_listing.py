"""Lists that are tables."""

import pytest

from coterie import TableClassifier
from coterie.automl.listing import Listing
from coterie.automl.records import Column
from coterie.export import load, save

COLUMNS = [Column("a", "number", 0.25, 3), Column("<b>", "text", 0.0, 9, False, "identifier")]


def test_it_is_a_list():
    found = Listing(COLUMNS)
    assert found == COLUMNS
    assert list(found) == COLUMNS
    assert found[1].name == "<b>"
    assert len(found) == 2


def test_text_is_aligned():
    first, *rows = str(Listing(COLUMNS)).splitlines()
    assert first.split() == ["name", "kind", "missing", "distinct", "used", "note"]
    assert rows[1].endswith("identifier")
    words = ["kind", "number", "text"]
    starts = {line.index(word) for line, word in zip([first, *rows], words, strict=True)}
    assert starts == {6}
    assert str(Listing()) == "nothing"


def test_cells_are_escaped():
    page = Listing(COLUMNS)._repr_html_()
    assert "&lt;b&gt;" in page
    assert page.count("<tr>") == 3


def test_frames_have_a_row_for_each():
    pytest.importorskip("pandas")
    frame = Listing(COLUMNS).to_frame()
    assert frame["name"].tolist() == ["a", "<b>"]
    notes = Listing([{"name": "x"}, {"name": "y", "note": "late"}]).to_frame()
    assert notes["note"].isna().tolist() == [True, False]


@pytest.mark.slow
def test_models_keep_them(tmp_path):
    X = [[float(k)] for k in range(30)]
    model = TableClassifier(members="fast").fit(X, [k > 14 for k in range(30)])
    save(model, tmp_path / "m")
    again = load(tmp_path / "m")
    for name in ("leaderboard_", "history_", "columns_", "findings_"):
        assert isinstance(getattr(again, name), Listing)
        assert getattr(again, name) == getattr(model, name)
