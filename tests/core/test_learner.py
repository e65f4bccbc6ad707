from dataclasses import dataclass

from coterie.core.learner import Foreign, numbered
from coterie.native import Forest


class Constant:
    def predict(self, table):
        return table


def test_anything_that_predicts_can_be_a_member():
    assert isinstance(Constant(), Foreign)
    assert not isinstance(3, Foreign)
    assert issubclass(Forest, Foreign)  # which is why a pool asks for forests first


@dataclass(frozen=True)
class Told:
    number: int | None = None

    def numbered(self, number):
        return Told(number)


@dataclass(frozen=True)
class Around:
    learner: object


def test_positions_reach_those_who_want_them():
    assert numbered(Told(), 3) == Told(3)
    assert numbered(Around(Around(Told())), 3) == Around(Around(Told(3)))
    silent = Around("does not ask")
    assert numbered(silent, 3) is silent
