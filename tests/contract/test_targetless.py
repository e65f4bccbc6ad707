"""What every estimator that learns from ``X`` alone promises."""

import inspect
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import coterie
from tests.contract.exported import TARGETLESS, has_parameter, make, same_bits

pytestmark = pytest.mark.contract
every = pytest.mark.parametrize("cls", TARGETLESS)

weighing = pytest.mark.parametrize(
    "cls", [cls for cls in TARGETLESS if "sample_weight" in inspect.signature(cls.fit).parameters]
)

METHODS = ("score_samples", "decision_function", "predict", "transform")


def rows(n_rows=120, seed=0):
    X = np.random.default_rng(seed).normal(size=(n_rows, 6))
    X[::17] += 4.0
    return X


def small(cls, **params):
    return make(
        cls, **({"n_projections": 9} if has_parameter(cls, "n_projections") else {}), **params
    )


def answers(fitted, X):
    found = [getattr(fitted, name)(X) for name in METHODS if hasattr(fitted, name)]
    return [part.toarray() if hasattr(part, "toarray") else np.asarray(part) for part in found]


@every
def test_clone_is_unfitted_and_gives_the_same_bits(cls):
    X = rows()
    fitted = small(cls).fit(X)
    copy = clone(fitted)
    with pytest.raises(NotFittedError):
        answers(copy, X)
    assert same_bits(answers(copy.fit(X), X), answers(fitted, X))


@every
def test_the_target_is_not_looked_at(cls):
    X = rows()
    with_target = small(cls).fit(X, np.full(len(X), "?"))
    assert same_bits(answers(with_target, X), answers(small(cls).fit(X), X))


@every
def test_workers_do_not_change_a_bit(cls):
    X = rows()
    alone, together = (small(cls, n_jobs=n_jobs).fit(X) for n_jobs in (1, 3))
    assert same_bits(answers(alone, X), answers(together, X))


@every
def test_models_survive_pickle_and_files(cls, tmp_path):
    X = rows()
    fitted = small(cls).fit(X)
    assert same_bits(answers(pickle.loads(pickle.dumps(fitted)), X), answers(fitted, X))
    coterie.save(fitted, tmp_path / "model.coterie")
    types = ("sklearn.neighbors._lof.LocalOutlierFactor",)
    again = coterie.load(tmp_path / "model.coterie", trusted=types)
    assert same_bits(answers(again, X), answers(fitted, X))


@weighing
def test_zero_weight_is_a_dropped_row(cls):
    X = rows()
    weight = np.random.default_rng(0).uniform(0.5, 2, len(X))
    weight[::3] = 0
    kept = weight > 0
    spoilt = X.copy()
    spoilt[~kept] = np.inf
    weighted = small(cls).fit(spoilt, sample_weight=weight)
    dropped = small(cls).fit(X[kept], sample_weight=weight[kept])
    assert same_bits(answers(weighted, X), answers(dropped, X))


@weighing
def test_weights_are_repetitions(cls):
    X = np.round(rows(), 1)
    times = np.random.default_rng(0).integers(0, 4, len(X))
    weighted = small(cls).fit(X, sample_weight=times)
    repeated = small(cls).fit(np.repeat(X, times, axis=0))
    for a, b in zip(answers(weighted, X), answers(repeated, X), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9)


@every
def test_order_of_rows_does_not_matter(cls):
    X = rows()
    order = np.random.default_rng(0).permutation(len(X))
    for a, b in zip(
        answers(small(cls).fit(X), X), answers(small(cls).fit(X[order]), X), strict=True
    ):
        np.testing.assert_allclose(a, b, rtol=1e-9)


@every
def test_failed_fit_changes_nothing(cls):
    X = rows()
    fitted = small(cls).fit(X)
    before, attributes = answers(fitted, X), set(vars(fitted))
    with pytest.raises(ValueError, match="infinity"):
        fitted.fit(np.full((9, 3), np.inf))
    assert set(vars(fitted)) == attributes
    assert same_bits(answers(fitted, X), before)


@every
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_are_arrays_with_names(cls, library):
    frames = pytest.importorskip(library)
    X = rows()
    frame = frames.DataFrame({name: X[:, j] for j, name in enumerate("abcdef")})
    fitted = small(cls).fit(frame)
    assert fitted.feature_names_in_.tolist() == list("abcdef")
    assert same_bits(answers(fitted, frame), answers(small(cls).fit(X), X))
    with pytest.raises(ValueError, match="feature names"):
        answers(fitted, frame[list("fedcba")])


@every
def test_dtypes_and_layouts_agree(cls):
    X = rows().astype(np.float32)
    expected = answers(small(cls).fit(X), X)
    for variant in (X.astype(float), np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2]):
        for a, b in zip(answers(small(cls).fit(variant), variant), expected, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5)


@every
def test_rows_alone_are_answered_as_among_others(cls):
    X = rows()
    fitted = small(cls).fit(X)
    whole = answers(fitted, X[:20])
    parts = [answers(fitted, X[i : i + 1]) for i in range(20)]
    for a, b in zip(map(np.concatenate, zip(*parts, strict=True)), whole, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9)
