from coterie.core.learner import Foreign
from coterie.native import Forest


class Constant:
    def predict(self, table):
        return table


def test_anything_that_predicts_can_be_a_member():
    assert isinstance(Constant(), Foreign)
    assert not isinstance(3, Foreign)
    assert issubclass(Forest, Foreign)  # which is why a pool asks for forests first
