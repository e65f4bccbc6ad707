import pytest

pytest.importorskip("uvicorn")


def test_a_missing_model_is_an_error_before_anything_starts(call, tmp_path):
    said = call("serve", tmp_path / "nothing")
    assert said.code == 1
    assert "does not exist" in said.err


def test_two_models_need_two_names(call, credit):
    said = call("serve", credit.model, credit.model)
    assert said.code == 1
    assert 'Two models are called "model"' in said.err


def test_settings_reach_the_workers(call, credit, monkeypatch):
    import os

    import uvicorn

    from coterie.serve.settings import Settings

    started = {}
    monkeypatch.setattr(uvicorn, "run", lambda app, **options: started.update(options, app=app))
    monkeypatch.setenv("COTERIE_SERVE", "")
    said = call("serve", f"credit={credit.model}", "--max-body", 2, "--port", 8123, "--token", "t")
    assert said.code == 0, said.err
    settings = Settings.from_text(os.environ["COTERIE_SERVE"])
    assert (settings.max_body, settings.token) == (2 << 20, "t")
    assert settings.models == (f"credit={credit.model}",)
    assert started["port"] == 8123
