import shutil

import pytest


def test_the_page_is_written_again_from_the_facts(call, credit, tmp_path):
    page = (credit.model / "report.html").read_text()
    out = tmp_path / "page.html"
    assert call("report", credit.model, "--out", out) == (0, f"{out}\n", "")
    assert out.read_text() == page


def test_markdown_and_a_model_alone(call, credit, tmp_path):
    shutil.copy(credit.model / "model.coterie", tmp_path / "m.coterie")
    for model, name in ((credit.model, "a.md"), (tmp_path / "m.coterie", "b.md")):
        assert call("report", model, "--out", tmp_path / name).code == 0
    assert (tmp_path / "a.md").read_text() == (tmp_path / "b.md").read_text()
    assert (tmp_path / "a.md").read_text().startswith("# ")


def test_other_formats_are_refused(call, credit, tmp_path):
    said = call("report", credit.model, "--out", tmp_path / "page.pdf")
    assert said.code == 2
    assert ".html or .md" in said.err


@pytest.mark.slow
def test_damaged_facts_are_gathered_from_the_model(call, credit, tmp_path):
    copy = shutil.copytree(credit.model, tmp_path / "m")
    for damaged in ('{"a": 1', "[]", "{}", '{"leaderboard": 7}'):
        (copy / "facts.json").write_text(damaged)
        (copy / "report.html").unlink()
        assert call("report", copy).code == 0
        assert "credit" in (copy / "report.html").read_text()


def test_a_card_is_written_beside_the_model_and_from_the_model_alone(call, credit, tmp_path):
    copy = shutil.copytree(credit.model, tmp_path / "m")
    assert call("report", copy, "--card").out == f"{copy / 'README.md'}\n"
    card = (copy / "README.md").read_text()
    assert card.startswith('---\n"library_name": "coterie"\n')
    assert call("report", copy / "model.coterie", "--card", "--out", tmp_path / "b.md").code == 0
    assert (tmp_path / "b.md").read_text() == card


def test_a_card_is_markdown(call, credit, tmp_path):
    said = call("report", credit.model, "--card", "--out", tmp_path / "card.html")
    assert said.code == 2
    assert ".md" in said.err
