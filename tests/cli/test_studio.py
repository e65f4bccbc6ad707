import pytest

pytest.importorskip("uvicorn")


@pytest.fixture
def started(monkeypatch):
    import uvicorn

    seen = {}

    def run(self, sockets):
        seen["address"] = sockets[0].getsockname()
        seen["app"] = self.config.app
        sockets[0].close()

    monkeypatch.setattr(uvicorn.Server, "run", run)
    return seen


def test_it_listens_on_this_machine_and_prints_a_token(call, started):
    first = call("studio", "--port", 0, "--no-browser")
    assert first.code == 0, first.err
    assert started["address"][0] == "127.0.0.1"
    port = started["address"][1]
    address, token = first.out.strip().split("#token=")
    assert address.endswith(f"http://127.0.0.1:{port}/")
    assert len(token) >= 32
    second = call("studio", "--port", 0, "--no-browser")
    assert token not in second.out


def test_a_browser_is_opened_unless_it_is_not_wanted(call, started, monkeypatch):
    import webbrowser

    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    call("studio", "--port", 0, "--no-browser")
    assert opened == []
    said = call("studio", "--port", 0)
    assert opened == [said.out.replace("\n", "").removeprefix("studio on ")]


def test_a_folder_that_is_not_there_is_an_error(call, tmp_path):
    assert call("studio", "--root", tmp_path / "nothing").code == 2
