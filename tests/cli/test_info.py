import json

import coterie
from tests.export.mutations import pack, unpack


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
    assert "there is no model.coterie in it" in call("info", tmp_path).err
    (tmp_path / "run").mkdir()
    assert "--resume" in call("info", tmp_path).err


def test_a_file_does_not_steer_the_terminal(call, tmp_path):
    path = tmp_path / "model.coterie"
    coterie.save(coterie.DecisionTreeRegressor(), path)
    header, blocks = unpack(path)
    path.write_bytes(pack(header | {"model": "\x1b[31mred"}, blocks))
    said = call("info", path)
    assert said.code == 0
    assert "\x1b" not in said.out
    assert r"\x1b[31mred" in said.out
