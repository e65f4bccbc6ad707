import json


def test_the_header_is_told_without_loading(call, credit):
    found = json.loads(call("info", credit.model, "--json").out)
    assert found["model"] == "TableClassifier"
    assert found["bytes"] == (credit.model / "model.coterie").stat().st_size
    said = call("info", credit.model / "model.coterie")
    assert said.code == 0
    assert "TableClassifier" in said.out


def test_what_is_no_model(call, write, tmp_path):
    said = call("info", write("a.coterie", "no model"))
    assert said.code == 1
    assert "a.coterie" in said.err
    assert "holds no model.coterie" in call("info", tmp_path).err
    (tmp_path / "run").mkdir()
    assert "--resume" in call("info", tmp_path).err
