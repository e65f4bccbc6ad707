import numpy as np
import pytest

from coterie.core.pool import Pool
from coterie.core.rule import Ask
from coterie.core.train import SideBySide, scaled, train
from coterie.data import Table, Target
from coterie.learners import ForeignLearner, TreeLearner
from coterie.native import Forest, Growth

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
TABLE = Table.read(X).bin()
VALUES = Target.numbers(np.stack([X[:, 0], X[:, 1] ** 2], axis=1))
WEIGHT = RNG.random((80, 2)) + 0.1


def double(output):
    return 2 * output


def test_votes_are_cast_outputs():
    member, vote = train(
        TreeLearner(Growth(max_depth=2)), TABLE, Ask(VALUES.output(0), WEIGHT[:, 0]), RNG, double
    )
    assert isinstance(member, Forest)
    np.testing.assert_allclose(vote, 2 * member.predict(X))


@pytest.mark.parametrize("native", [True, False])
def test_one_column_of_weights_per_output_makes_members_side_by_side(native):
    from sklearn.linear_model import LinearRegression

    learner = TreeLearner(Growth(max_depth=2)) if native else ForeignLearner(LinearRegression())
    member, votes = train(learner, TABLE, Ask(VALUES, WEIGHT), np.random.default_rng(1), double)
    assert votes.shape == (80, 2)
    pool = Pool.of([member], cast=double)
    assert len(pool) == 1
    np.testing.assert_allclose(pool.raw(TABLE), votes)
    np.testing.assert_allclose(pool.votes(TABLE), votes[None])
    assert isinstance(member, Forest if native else SideBySide)


def test_unvisited_rows_are_voted_on_too():
    weight = np.where(np.arange(80) % 2, 1.0, 0.0)
    member, vote = train(
        TreeLearner(Growth(max_depth=3)), TABLE, Ask(VALUES.output(0), weight), RNG, double
    )
    np.testing.assert_allclose(vote, 2 * member.predict(X))


def test_weights_are_scaled_where_they_are_and_given_back():
    weight = np.array([0.1, 0.2, 0.7])
    given = weight.copy()
    with scaled(weight, 3.0) as tripled:
        assert tripled is weight
        np.testing.assert_allclose(tripled, 3 * given)
    np.testing.assert_allclose(weight, given, rtol=1e-15)
    with pytest.raises(KeyError), scaled(weight, 3.0):
        raise KeyError
    np.testing.assert_allclose(weight, given, rtol=1e-15)
    even = np.broadcast_to(0.25, 4)  # cannot be written to
    with scaled(even, 4.0) as ones:
        assert ones.tolist() == [1.0] * 4
    assert even[0] == 0.25


def test_members_are_fitted_under_scaled_weights():
    seen = []

    class Spy:
        def train(self, table, target, weight, rng, cast):
            seen.append(weight.copy())
            return None, np.zeros((table.n_rows, 1))

    table, target = Table.read(np.zeros((2, 1))), Target.labels([0, 1])
    ask = Ask(target, np.array([0.25, 0.75]), scale=2.0)
    train(Spy(), table, ask, np.random.default_rng(0), lambda output: output)
    assert seen[0].tolist() == [0.5, 1.5]
    assert ask.weight.tolist() == [0.25, 0.75]
