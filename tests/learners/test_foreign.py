import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from coterie.data import Table, Target
from coterie.learners import ConstantMember, ForeignLearner, takes_weight
from coterie.learners.foreign import draw_rows

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
LABELS = np.array(["a", "b", "c"])[RNG.integers(0, 3, 60)]
TABLE, TARGET = Table.read(X), Target.labels(LABELS)


def identity(output):
    return output


def test_weights_are_passed_on_where_they_are_taken():
    weight = RNG.random(60)
    member = ForeignLearner(LogisticRegression(), "proba").fit(TABLE, TARGET, weight, RNG)
    alone = LogisticRegression().fit(X, LABELS, sample_weight=weight)
    np.testing.assert_allclose(member.predict(TABLE), alone.predict_proba(X))
    np.testing.assert_array_equal(member.estimator.predict(X), alone.predict(X))


def test_rows_are_drawn_where_weights_are_not_taken():
    assert not takes_weight(KNeighborsClassifier())
    weight = np.where(LABELS == "a", 0.0, 1.0)
    member, vote = ForeignLearner(KNeighborsClassifier(1)).train(
        TABLE, TARGET, weight, np.random.default_rng(0), identity
    )
    assert set(member.estimator.classes_) == {"b", "c"}
    assert (vote[:, 0] == 0).all()
    np.testing.assert_array_equal(vote.sum(axis=1), 1)


def test_counts_of_a_draw_are_repetitions():
    counts = np.array([2.0, 0.0, 1.0, 1.0])
    rows = draw_rows(np.array([0, 1, 0, 1]), counts, RNG, labels=True)
    np.testing.assert_array_equal(rows, [0, 0, 2, 3])


def test_one_class_left_is_a_constant():
    weight = np.where(LABELS == "b", 1.0, 0.0)
    member = ForeignLearner(LogisticRegression()).fit(TABLE, TARGET, weight, RNG)
    assert isinstance(member, ConstantMember)
    np.testing.assert_array_equal(member.predict(TABLE), np.tile([0.0, 1.0, 0.0], (60, 1)))


def test_numbers():
    target = Target.numbers(X[:, 0])
    member = ForeignLearner(KNeighborsRegressor(1), "score").fit(
        TABLE, target, np.ones(60), np.random.default_rng(0)
    )
    assert member.predict(TABLE).shape == (60, 1)


@pytest.mark.parametrize("drop", [False, True])
def test_members_see_the_frame_as_it_was_given(drop):
    frame = pd.DataFrame({"kind": np.where(X[:, 0] > 0, "up", "down"), "x": X[:, 1]})
    y = np.where(X[:, 0] > 0, 1, 0)
    pipe = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["kind"]), remainder="passthrough"),
        LogisticRegression(),
    )
    weight = np.ones(60)
    weight[:5] = 0.0 if drop else 1.0
    table = Table.read(frame)
    member = ForeignLearner(pipe).fit(table, Target.labels(y), weight, np.random.default_rng(0))
    assert (member.predict(table).argmax(axis=1) == y).all()
