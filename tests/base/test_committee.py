"""The plumbing of fit and predict, on a committee of almost nothing."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.utils import get_tags

from coterie.base import Committee, RegressorTask
from coterie.core import ParameterError, Pool, at_least


class Mean(RegressorTask, Committee):
    allowed = {"repeat": at_least(1)}  # noqa: RUF012

    def __init__(self, repeat=1, categorical_features=None, n_jobs=None):
        self.repeat = repeat
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs

    def _train(self, draft, admitted, n_samples):
        if self.repeat == 99:
            raise RuntimeError("something went wrong")
        mean = np.average(admitted.target.values[:, 0], weights=admitted.weight)
        draft.n_samples_ = n_samples
        draft.pool_ = Pool.of([Constant(mean)] * self.repeat)


class Constant:
    def __init__(self, value):
        self.value = value

    def predict(self, table):
        return np.full((table.n_rows, 1), self.value)


X, Y = np.zeros((4, 2)), np.array([1.0, 2.0, 3.0, 4.0])


def test_fit_and_predict():
    fitted = Mean(3).fit(X, Y)
    assert fitted.predict(X).tolist() == [2.5] * 4
    assert (fitted.n_features_in_, fitted.n_outputs_) == (2, 1)


def test_weights_and_dropped_rows():
    fitted = Mean().fit(X, Y, [0, 0, 1, 3])
    assert fitted.predict(X[:1]).tolist() == [3.75]
    assert fitted.n_samples_ == 4


def test_parameters_are_checked_at_fit():
    with pytest.raises(ParameterError, match="'repeat' parameter of Mean .* Got 0"):
        Mean(0).fit(X, Y)


def test_unfitted():
    with pytest.raises(NotFittedError):
        Mean().predict(X)


def test_a_fit_publishes_in_one_step():
    fitted = Mean().fit(X, Y)
    state = vars(fitted)
    with pytest.raises(RuntimeError):
        fitted.set_params(repeat=99).fit(X, -Y)
    assert vars(fitted) is state
    settled = fitted._settled()
    fitted.set_params(repeat=1).fit(X, -Y)
    assert settled.predict(X)[0] == 2.5
    assert fitted.predict(X)[0] == -2.5


def test_a_new_fit_drops_old_results_and_keeps_the_rest():
    fitted = Mean().fit(X, Y)
    fitted.extra_ = "old"
    fitted.note = "kept"
    fitted.fit(X, Y)
    assert not hasattr(fitted, "extra_")
    assert fitted.note == "kept"


def test_tags():
    tags = get_tags(Mean())
    assert tags.input_tags.sparse
    assert tags.input_tags.allow_nan
    assert tags.target_tags.multi_output


class Noting(Mean):
    """What somebody's own class may do: note something, then fit."""

    def fit(self, X, y, sample_weight=None):
        self.n_notes_ = getattr(self, "n_notes_", 0) + 1
        return super().fit(X, y, sample_weight)


def test_results_of_derived_classes_stay():
    model = Noting().fit(X, Y)
    model.stale_ = "a result of the last fit"
    model._learnt |= {"stale_"}
    model.fit(X, Y)
    assert model.n_notes_ == 2
    assert not hasattr(model, "stale_")
    assert model.predict(X).tolist() == [2.5] * 4
