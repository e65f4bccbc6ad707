import shutil


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
