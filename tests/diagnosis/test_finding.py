import pytest

from coterie.data.errors import counted
from coterie.diagnosis import Finding
from coterie.diagnosis.finding import percent, shown


@pytest.mark.parametrize(("fine", "mark"), [(True, "+"), (False, "!"), (None, "?")])
def test_marks(fine, mark):
    assert Finding("accurate?", "yes", fine, "Error 0.").mark == mark


def test_numbers_are_short():
    assert [shown(value) for value in (0.12345, 12.345, 1234.5, 0.0)] == [
        "0.123",
        "12.3",
        "1234",
        "0",
    ]
    assert (percent(0.5), percent(0.021)) == ("50 %", "2.1 %")
    assert (counted(1, "class"), counted(2, "round")) == ("1 class", "2 rounds")
