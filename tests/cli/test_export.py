import pytest

from coterie import export


def test_a_file_for_other_runtimes(call, credit, monkeypatch, tmp_path):
    asked = []

    def to_onnx(model, path):
        asked.append(type(model).__name__)
        path.write_bytes(b"onnx")

    monkeypatch.setattr(export, "to_onnx", to_onnx, raising=False)
    out = tmp_path / "m.onnx"
    assert call("export", credit.model, "--out", out) == (0, f"{out} (4 bytes)\n", "")
    assert asked == ["TableClassifier"]


@pytest.mark.parametrize("error", [TypeError, NotImplementedError])
def test_models_that_have_no_such_form(call, credit, monkeypatch, error):
    def refuse(model, path):
        raise error("members of this kind cannot be written as ONNX")

    monkeypatch.setattr(export, "to_onnx", refuse, raising=False)
    said = call("export", credit.model)
    assert said.code == 1
    assert "cannot be written as ONNX" in said.err
