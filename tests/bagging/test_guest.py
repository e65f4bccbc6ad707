import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression, Perceptron, SGDClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from coterie.bagging.guest import Guest, GuestLearner, rows_given, seeded
from coterie.data import Table, Target

X = np.arange(10.0)[:, None]
TARGET = Target.labels(np.array(["a", "b"])[np.arange(10) // 5])


class Remembers:
    """Keeps what it was fitted on."""

    def get_params(self, deep=True):
        return {}

    def __sklearn_clone__(self):
        return Remembers()

    def fit(self, X, y):
        self.seen = X[:, 0].astype(int), y
        return self


def test_counts_repeat_rows():
    weight = np.array([2.0, 0, 1, 0, 0, 0, 0, 3, 0, 0])
    member = GuestLearner(Remembers()).fit(Table.read(X), TARGET, weight, np.random.default_rng(0))
    rows, labels = member.estimator.seen
    assert rows.tolist() == [0, 0, 2, 7, 7, 7]
    assert labels.tolist() == ["a"] * 3 + ["b"] * 3


def test_importances_draw_from_the_bag_only():
    weight = np.array([0.5, 0, 1.5, 0, 0, 0, 0, 3.0, 0, 0])
    member = GuestLearner(Remembers()).fit(Table.read(X), TARGET, weight, np.random.default_rng(0))
    assert set(member.estimator.seen[0].tolist()) <= {0, 2, 7}


def test_weights_are_passed_on_where_they_can():
    weight = np.where(np.arange(10) % 3, 1.5, 0.0)
    member = GuestLearner(LogisticRegression()).fit(
        Table.read(X), TARGET, weight, np.random.default_rng(0)
    )
    kept = weight > 0
    alone = LogisticRegression().fit(X[kept], TARGET.codes[kept, 0], weight[kept])
    np.testing.assert_allclose(member.estimator.coef_, alone.coef_)


def test_one_class_is_no_trouble():
    weight = (np.arange(10) < 4).astype(float)
    for estimator in (LogisticRegression(), KNeighborsClassifier(1), Perceptron()):
        member = GuestLearner(estimator).fit(
            Table.read(X), TARGET, weight, np.random.default_rng(0)
        )
        np.testing.assert_array_equal(member.predict(Table.read(X)), [[1, 0]] * 10)


def test_answers_are_put_in_the_classes_of_the_ensemble():
    classes = (np.array(["a", "b", "c"]),)
    two = LogisticRegression().fit(X, np.where(X[:, 0] > 4, "c", "a"))
    votes = Guest(two, classes).predict(Table.read(X))
    np.testing.assert_allclose(votes[:, [0, 2]], two.predict_proba(X))
    assert (votes[:, 1] == 0).all()
    labels = Perceptron().fit(X, np.where(X[:, 0] > 4, "c", "a"))
    votes = Guest(labels, classes).predict(Table.read(X))
    np.testing.assert_array_equal(votes.argmax(axis=1) == 2, labels.predict(X) == "c")
    scores = Guest(labels, classes).decide(Table.read(X))
    np.testing.assert_allclose(scores[:, 2], labels.decision_function(X))
    assert np.isneginf(scores[:, 1]).all()


def test_every_seed_is_set():
    rng = np.random.default_rng(0)
    member = make_pipeline(StandardScaler(), SGDClassifier())
    first, second = seeded(member, rng), seeded(member, rng)
    seeds = {m[-1].random_state for m in (first, second)}
    assert len(seeds) == 2
    assert None not in seeds
    assert member[-1].random_state is None
    assert seeded(StandardScaler(), rng).get_params() == StandardScaler().get_params()


def test_rows_and_columns_as_given():
    values = np.arange(12.0).reshape(4, 3)
    table = Table.read(values)
    assert rows_given(table, None, None) is values
    rows, columns = np.array([2, 0]), np.array([0, 2, 2])
    np.testing.assert_array_equal(rows_given(table, rows, columns), values[np.ix_(rows, columns)])
    given = rows_given(Table.read(sparse.csr_array(values)), rows, np.array([0, 2]))
    np.testing.assert_array_equal(given.toarray(), values[np.ix_(rows, [0, 2])])
    part = table[:, [0, 1]]  # has no source
    np.testing.assert_array_equal(rows_given(part, rows, None), values[np.ix_(rows, [0, 1])])
    frames = pytest.importorskip("pandas")
    frame = frames.DataFrame(values, columns=list("abc"))
    given = rows_given(Table.read(frame), rows, columns)
    assert given.columns.tolist() == ["a", "c"]
    assert given["a"].tolist() == [6.0, 0.0]


@pytest.mark.parametrize(
    "kind", [sparse.csr_array, sparse.csr_matrix, sparse.csc_matrix, sparse.csc_array]
)
def test_sparse_rows_stay_in_the_kind_of_container_given(kind):
    given = kind(np.eye(10))
    for rows in (None, np.array([1, 1, 4])):
        for columns in (None, np.array([0, 4])):
            shown = rows_given(Table.read(given), rows, columns)
            assert type(shown) is kind
            expected = np.eye(10) if rows is None else np.eye(10)[rows]
            expected = expected if columns is None else expected[:, columns]
            np.testing.assert_array_equal(shown.toarray(), expected)
