from coterie.serve.settings import Settings


def test_settings_survive_the_environment():
    settings = Settings(("a=b", "c"), "token", trusted=("x.Y",), timeout=2.5)
    assert Settings.from_text(settings.text()) == settings
