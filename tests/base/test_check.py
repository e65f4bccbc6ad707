"""The scikit-learn edge."""

import timeit
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.estimator_checks import estimator_checks_generator
from sklearn.utils.validation import check_is_fitted, validate_data

from coterie.base.check import Admitted, admit_fit, admit_predict, publish_columns
from coterie.data import DataError, KindError, Table, Target
from coterie.native import Growth, grow


class Sapling(BaseEstimator):
    """The least estimator that stands on the edge: one native tree."""

    def fit(self, X, y, sample_weight=None):
        admitted = admit_fit(self, X, y, sample_weight, task=self.task, multi_output=False)
        table = admitted.table.bin(weight=admitted.weight)
        growth = Growth(criterion=self.criterion)
        target, weight = admitted.target, admitted.weight
        self.tree_ = grow(table.codes, table.bins, target.native(), growth, weight=weight)
        self.target_ = target.empty()
        publish_columns(self, table.schema)
        return self

    def votes(self, X):
        check_is_fitted(self)
        table = admit_predict(self, X)
        return np.vstack([self.tree_.predict(block) for _, block in table.blocks()])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        return tags


class SaplingClassifier(ClassifierMixin, Sapling):
    task, criterion = "classification", "gini"

    @property
    def classes_(self):
        return self.target_.classes[0]

    def predict_proba(self, X):
        return self.votes(X)

    def predict(self, X):
        codes = self.votes(X).argmax(axis=1)
        return self.target_.decode(codes)


class SaplingRegressor(RegressorMixin, Sapling):
    task, criterion = "regression", "squared_error"

    def predict(self, X):
        votes = self.votes(X)
        return self.target_.decode(votes)


# As parametrize_with_checks does, whose iterator pytest 9 refuses on scikit-learn 1.6.
CHECKS = [
    pytest.param(estimator, check, id=f"{type(estimator).__name__}-{check.func.__name__}-{k}")
    for sapling in (SaplingClassifier(), SaplingRegressor())
    for k, (estimator, check) in enumerate(estimator_checks_generator(sapling))
]


@pytest.mark.parametrize(("estimator", "check"), CHECKS)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


X = np.array([[0.0, 1.0], [1.0, np.nan], [2.0, 3.0], [3.0, 0.0]])
LABELS = ["b", "a", "b", "c"]
NUMBERS = [1.0, 2.0, 3.0, 4.0]


def admit(X, y, weight=None, *, task="classification", **settings):
    return admit_fit(SaplingClassifier(), X, y, weight, task=task, **settings)


def test_a_plain_fit_is_admitted_as_it_is():
    admitted = admit(X, LABELS)
    assert isinstance(admitted, Admitted)
    assert admitted.table.values is X
    assert admitted.target.classes[0].tolist() == ["a", "b", "c"]
    assert admitted.weight is None
    assert admitted.kept is None
    numbers = admit(X, NUMBERS, 2.0, task="regression")
    assert numbers.target.values[:, 0].tolist() == NUMBERS
    assert numbers.weight.tolist() == [2, 2, 2, 2]


def test_the_estimator_is_left_alone_until_columns_are_published():
    estimator = SaplingClassifier()
    frame = pd.DataFrame(X, columns=["u", "v"])
    admitted = admit_fit(estimator, frame, LABELS, task="classification")
    assert vars(estimator) == {}
    publish_columns(estimator, admitted.table.schema)
    assert estimator.n_features_in_ == 2
    assert estimator.feature_names_in_.dtype == object
    assert estimator.feature_names_in_.tolist() == ["u", "v"]
    publish_columns(estimator, admit(X[:, :1], LABELS).table.schema)
    assert estimator.n_features_in_ == 1
    assert not hasattr(estimator, "feature_names_in_")


FORMS = {
    "array": lambda x: x,
    "list": lambda x: x.tolist(),
    "frame": pd.DataFrame,
    "polars": lambda x: pl.DataFrame({"a": x[:, 0], "b": x[:, 1]}),
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
    "coo": sparse.coo_matrix,
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_rows_of_zero_weight_are_gone_before_anything_is_looked_at(form):
    spoiled = X.copy()
    spoiled[3] = np.inf
    y = [1.0, 0.0, 1.0, np.nan]
    for task in ("classification", "regression"):
        admitted = admit(form(spoiled), y, [1, 2, 0.5, 0], task=task)
        assert admitted.kept.tolist() == [0, 1, 2]
        assert admitted.weight.tolist() == [1, 2, 0.5]
        values = np.vstack([block for _, block in admitted.table.blocks()])
        np.testing.assert_array_equal(values, X[:3])
        assert admitted.target.n_rows == 3


def test_classes_and_categories_of_dropped_rows_do_not_exist():
    frame = pd.DataFrame({"colour": ["red", "blue", "red", "green"]})
    admitted = admit(frame, LABELS, [1, 1, 1, 0])
    assert admitted.target.classes[0].tolist() == ["a", "b"]
    assert admitted.table.categories[0].tolist() == ["blue", "red"]
    one = admit(X, LABELS, [1, 0, 1, 0])
    assert one.target.classes[0].tolist() == ["b"]


def test_a_zero_weight_equals_a_dropped_row():
    rng = np.random.default_rng(0)
    rows, y = rng.normal(size=(60, 3)), rng.integers(0, 3, 60)
    weight = rng.integers(0, 3, 60).astype(float)
    kept = weight > 0
    weighted = SaplingClassifier().fit(rows, y, weight).predict_proba(rows)
    dropped = SaplingClassifier().fit(rows[kept], y[kept], weight[kept]).predict_proba(rows)
    np.testing.assert_array_equal(weighted, dropped)


@pytest.mark.parametrize("weight", [1e300, 1e-300])
def test_extreme_weights_that_are_equal_change_nothing(weight):
    plain = SaplingRegressor().fit(X, NUMBERS).predict(X)
    extreme = SaplingRegressor().fit(X, NUMBERS, np.full(4, weight)).predict(X)
    np.testing.assert_allclose(plain, extreme, rtol=1e-12)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, 1, -1, 1], "Negative values in data passed"),
        ([0, 0, 0, 0], "weights.*zero"),
        ([1, np.nan, 1, 1], "NaN"),
        ([1, 1], "sample_weight.shape"),
        (np.ones((4, 1)), "1D array"),
    ],
)
def test_bad_weights_are_refused(weight, message):
    with pytest.raises(DataError, match=message):
        admit(X, LABELS, weight)


def test_one_class_is_allowed_unless_more_are_asked_for():
    assert admit(X, ["a"] * 4).target.n_classes == (1,)
    message = r"y contains 1 class .* a minimum of 2 classes are required. SaplingClassifier"
    with pytest.raises(DataError, match=message):
        admit(X, ["a"] * 4, min_classes=2)
    with pytest.raises(DataError, match="trimmed classes with zero weights"):
        admit(X, LABELS, [1, 0, 1, 0], min_classes=2)
    admit(X, LABELS, min_classes=2)
    admit(X, NUMBERS, task="regression", min_classes=2)


def test_a_column_vector_warns_once():
    for task, y in (("classification", LABELS), ("regression", NUMBERS)):
        with pytest.warns(DataConversionWarning, match="A column-vector y was passed") as caught:
            admitted = admit(X, np.array(y)[:, None], task=task, multi_output=False)
        assert len(caught) == 1
        assert admitted.target.n_outputs == 1


def test_several_outputs_are_a_choice():
    y = np.column_stack([LABELS, LABELS])
    assert admit(X, y).target.n_outputs == 2
    with pytest.raises(DataError, match="y should be a 1d array, got an array of shape"):
        admit(X, y, multi_output=False)


@pytest.mark.parametrize(
    ("X_bad", "y_bad", "kind", "message"),
    [
        (X, None, ValueError, "requires y to be passed, but the target y is None"),
        (X, LABELS[:3], ValueError, r"inconsistent numbers of samples: \[4, 3\]"),
        (X, [0.5, 1.5, 2.5, 1.0], ValueError, "Unknown label type: continuous"),
        (X, ["a", None, "b", "c"], ValueError, "NaN"),
        (X, np.array(["a", 1, "b", 2], dtype=object), TypeError, "mixes text and numbers"),
        (X[0], LABELS, ValueError, "Reshape your data"),
        (X[None], LABELS, ValueError, "Found array with dim 3"),
        (X[:0], [], ValueError, r"0 sample\(s\)"),
        (X[:, :0], LABELS, ValueError, r"0 feature\(s\) \(shape=\(4, 0\)\) while a minimum of 1"),
        (X * 1j, LABELS, ValueError, "Complex data not supported"),
        (np.where(X == 3, np.inf, X), LABELS, ValueError, "infinity.*column"),
        (X.astype("M8[D]"), LABELS, TypeError, "datetime64"),
        ([["a", 1]] * 3 + [[2, 1]], LABELS, KindError, "Column 0 mixes text and numbers"),
        (pd.DataFrame(X, columns=["a", "a"]), LABELS, ValueError, "column named 'a'"),
    ],
)
def test_bad_input_is_refused(X_bad, y_bad, kind, message):
    with pytest.raises(kind, match=message):
        admit(X_bad, y_bad)


@pytest.mark.parametrize("y_bad", [[1, np.nan, 2, 3], [1, np.inf, 2, 3], [1e308, 1, 2, 3], LABELS])
def test_bad_numbers_are_refused(y_bad):
    with pytest.raises(DataError, match="y "):
        admit(X, y_bad, task="regression")


def test_columns_may_be_declared_categorical():
    assert admit(X, LABELS, categorical=[0]).table.categories[0].tolist() == [0, 1, 2, 3]


def fitted_twins(rows):
    """One estimator fitted through our edge, and one whose columns scikit-learn noted."""
    ours, theirs = SaplingClassifier().fit(rows, LABELS), SaplingClassifier()
    validate_data(theirs, rows, skip_check_array=True)
    return ours, theirs


def told(act):
    """What an action warned of or raised."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            act()
        except ValueError as error:
            return [(type(w.message), str(w.message)) for w in caught], str(error)
    return [(type(w.message), str(w.message)) for w in caught], None


def named(*names):
    return pd.DataFrame(np.ones((4, len(names))), columns=list(names))


@pytest.mark.parametrize("fit_rows", [X, named("a", "b")], ids=["nameless", "named"])
@pytest.mark.parametrize(
    "new",
    [
        X,
        X[:, :1],
        np.ones((2, 3)),
        named("a", "b"),
        named("b", "a"),
        named("a", "z"),
        named("a"),
        named("a", "b", "c", "d", "e", "f", "g", "h"),
        named("p", "q", "r", "s", "t", "u", "v"),
        pd.DataFrame(np.ones((2, 2))),
        sparse.csr_array(np.ones((2, 2))),
        sparse.csr_array(np.ones((2, 5))),
    ],
)
def test_new_columns_are_compared_in_scikit_learns_very_words(fit_rows, new):
    ours, theirs = fitted_twins(fit_rows)
    assert told(lambda: admit_predict(ours, new)) == told(
        lambda: validate_data(
            theirs, new, reset=False, accept_sparse=True, ensure_all_finite="allow-nan"
        )
    )


def test_new_rows_are_not_copied():
    estimator = SaplingClassifier().fit(X, LABELS)
    for rows in (X[:1], np.asfortranarray(X), X[::-1].astype(np.float32)):
        assert admit_predict(estimator, rows).values is rows


def test_infinity_is_refused_at_predict_and_missing_cells_are_not():
    estimator = SaplingClassifier().fit(np.ones((4, 2)), LABELS)
    estimator.predict(np.full((1, 2), np.nan))
    with pytest.raises(DataError, match="infinity.*column 1"):
        estimator.predict([[0.0, np.inf]])


def test_one_row_is_admitted_at_once():
    rows = np.random.default_rng(0).normal(size=(50, 28))
    estimator = SaplingRegressor().fit(rows, rows[:, 0])
    one = rows[:1]
    calls = 200
    seconds = min(timeit.repeat(lambda: admit_predict(estimator, one), number=calls, repeat=9))
    assert seconds / calls < 60e-6


def test_some_rows_keep_their_labels_and_weights():
    X, weight = np.arange(10.0).reshape(5, 2), np.arange(1.0, 6)
    whole = Admitted(Table.read(X), Target.labels(list("abcab")), weight, None)
    some = whole.take(np.array([3, 1]))
    np.testing.assert_array_equal(some.table.values, X[[3, 1]])
    assert some.target.codes.ravel().tolist() == [0, 1]
    assert some.weight.tolist() == [4, 2]
    assert whole._replace(weight=None).take(np.array([0])).weight is None
