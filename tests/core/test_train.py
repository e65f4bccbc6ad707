import numpy as np
import pytest

from coterie.core.pool import Pool
from coterie.core.rule import Ask
from coterie.core.train import SideBySide, train
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

    learner = (
        TreeLearner(Growth(max_depth=2)) if native else ForeignLearner(LinearRegression(), "score")
    )
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
