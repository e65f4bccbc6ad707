import threading
from pickle import UnpicklingError

import pytest

from coterie.distributed import calls
from coterie.distributed.calls import Call, HolderGoneError, Number, seal
from coterie.distributed.row_holder import RowHolder


class Coming:
    """An answer of an actor: a value, an error, or nothing for now."""

    def __init__(self, value=None):
        self.value = value

    def done(self):
        return self.value is not None

    def result(self, timeout):
        if self.value is None:
            raise TimeoutError
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


class Sayer(RowHolder):
    def __init__(self):
        self.answered = Number(-1, 0)

    def double(self, number):
        return 2 * number

    def fail(self):
        raise ValueError("a worker is mentioned")

    def fail_oddly(self):
        error = ValueError("it holds a lock")
        error.lock = threading.Lock()
        raise error


class Line:
    """An actor that is here."""

    def __init__(self, *answers, pulses=()):
        self.holder, self.answers, self.pulses = Sayer(), list(answers), list(pulses)
        self.status = "finished"

    def answer(self, number, asked):
        if not self.answers:
            return Coming(self.holder.answer_here(number, asked))
        said = self.answers.pop(0)
        if isinstance(said, Exception):
            raise said
        return said

    def pulse(self):
        return Coming(self.pulses.pop(0))


def call(line, method="double", *given):
    return Call(line, line, 7, seal(method, given or (4,)))


def test_a_method_answers():
    line = Line()
    assert call(line).result() == 8
    assert line.holder.answered == 7


def test_errors_of_the_method_are_raised_and_no_sign_of_loss():
    with pytest.raises(ValueError, match="a worker is mentioned"):
        Call(line := Line(), line, 0, seal("fail", ())).result()
    with pytest.raises(RuntimeError, match="ValueError: it holds a lock"):
        Call(line := Line(), line, 0, seal("fail_oddly", ())).result()
    with pytest.raises(AttributeError):
        call(Line(), "no_such_method").result()
    with pytest.raises(TypeError, match="positional"):
        call(Line(), "double", 1, 2).result()


def test_questions_that_cannot_be_read_are_no_sign_of_loss():
    with pytest.raises(UnpicklingError, match="load key"):
        Call(line := Line(), line, 0, b"nonsense").result()


@pytest.mark.parametrize(
    "line", [Line(RuntimeError("Worker holding Actor was lost")), Line(Coming(OSError("closed")))]
)
def test_anything_else_is_a_loss(line):
    with pytest.raises(HolderGoneError):
        call(line).result()


def test_an_answer_that_cannot_come_is_not_waited_for():
    line = Line(Coming())
    line.status = "error"
    with pytest.raises(HolderGoneError, match="state is error"):
        call(line).result()
    line = Line(Coming(), pulses=[OSError("closed")])
    with pytest.raises(HolderGoneError, match="lost"):
        call(line).result()


def test_a_long_call_is_waited_for_while_the_pulse_beats(monkeypatch):
    clock = iter(range(0, 10_000, 200))
    monkeypatch.setattr(calls.time, "monotonic", lambda: next(clock))
    late = Coming()
    line = Line(late, pulses=[6] * 5)
    asked = call(line)
    line.pulse = lambda: late_after(line, late)
    assert asked.result() == 8


def test_a_pulse_that_is_not_heard_at_once_is_no_loss():
    late = Coming()
    line = Line(late)
    line.pulse = lambda: Unheard(line, late)
    assert call(line).result() == 8


class Unheard(Coming):
    """Done, but the process that waits for it has no time to hear it; the call is answered."""

    def __init__(self, line, late):
        super().__init__()
        late.value = line.holder.answer_here(7, seal("double", (4,)))

    def done(self):
        return True


def late_after(line, late):
    if len(line.pulses) == 1:
        late.value = line.holder.answer_here(7, seal("double", (4,)))
    return Coming(line.pulses.pop(0))


@pytest.mark.parametrize(("beat", "words"), [(7, "answer was lost"), (None, "no sign of life")])
def test_silence_ends(monkeypatch, beat, words):
    clock = iter(range(0, 10_000, 200))
    monkeypatch.setattr(calls.time, "monotonic", lambda: next(clock))
    with pytest.raises(HolderGoneError, match=words):
        call(Line(Coming(), pulses=[beat] * 5)).result()
