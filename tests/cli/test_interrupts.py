import signal

import pytest

from coterie.cli.interrupts import patient_interrupts


def press():
    signal.raise_signal(signal.SIGINT)


def test_the_first_ends_the_search_and_the_second_the_rest(capsys):
    before = signal.getsignal(signal.SIGINT)
    with patient_interrupts(lambda: False, lambda: True):
        with pytest.raises(KeyboardInterrupt):
            press()
        assert "keeping the best model so far; Ctrl-C again to abort" in capsys.readouterr().err
        with pytest.raises(KeyboardInterrupt):
            press()
    assert signal.getsignal(signal.SIGINT) is before


def test_while_finishing_the_first_only_tells_so(capsys):
    with patient_interrupts(lambda: True, lambda: True):
        press()
        assert "finishing; Ctrl-C again" in capsys.readouterr().err
        with pytest.raises(KeyboardInterrupt):
            press()


def test_nothing_is_promised_before_there_is_a_result(capsys):
    with patient_interrupts(lambda: False, lambda: False), pytest.raises(KeyboardInterrupt):
        press()
    said = capsys.readouterr().err
    assert "no model to keep" in said
    assert "best so far" not in said
