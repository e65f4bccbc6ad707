"""The page as text."""

import re
from base64 import b64encode
from hashlib import sha256

from coterie.studio.sheet import SCRIPTS, render, static

EVIL = "</script><script>alert('x')</script><!--"


def test_policy_names_exactly_the_script_and_the_style():
    text = render({"scenes": [], "live": False})
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)[1]
    for element in ("script", "style"):
        inside = re.findall(rf"<{element}>(.*?)</{element}>", text, re.DOTALL)
        assert len(inside) == 1
        digest = b64encode(sha256(inside[0].encode()).digest()).decode()
        assert f"{element}-src 'sha256-{digest}'" in policy
    assert "connect-src" not in policy
    assert "default-src 'none'" in policy


def test_only_a_live_page_may_talk_to_its_server():
    assert "connect-src 'self'" in render({"scenes": [], "live": True})


def test_no_text_of_a_user_ends_the_data():
    text = render({"scenes": [{"name": EVIL}], "live": False})
    assert EVIL not in text
    assert text.count("<script>") == 1


def test_all_scripts_belong_to_the_page():
    from importlib.resources import files

    there = {path.name for path in files("coterie.studio").joinpath("static").iterdir()}
    assert there == {*SCRIPTS, "page.html", "studio.css"}
    # Text is never taken for markup.
    assert not [
        name for name in SCRIPTS if re.search("innerHTML|eval\\(|document.write", static(name))
    ]
