"""Bad input to what learns without a target, ranks, or wraps a model: as for all others."""

import inspect
import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

import coterie
from tests.contract.exported import TARGETLESS, has_parameter, make, problem
from tests.contract.test_bad_inputs import (
    BAD_TABLES,
    BAD_TARGETS,
    BAD_WEIGHTS,
    ODD_TABLES,
    check_refused,
    damaged,
)

pytestmark = pytest.mark.contract

FEW = {"max_iter": 3, "min_samples_leaf": 2, "random_state": 0}
TREES = {"n_estimators": 30, "max_depth": 2, "random_state": 0}
MODELS = [
    *(make(cls, **({"n_projections": 9} if cls is coterie.LODADetector else {}))
      for cls in TARGETLESS),
    coterie.ClusterEnsemble(members="bootstrap", n_members=7, random_state=0),
    coterie.ClusterEnsemble(members="embedding", n_members=3, random_state=0),
    coterie.LambdaMARTRanker(**FEW),
    coterie.ConformalClassifier(coterie.RandomForestClassifier(**TREES), random_state=0),
    coterie.ConformalClassifier(coterie.HistGradientBoostingClassifier(**FEW), random_state=0),
    coterie.ConformalRegressor(coterie.RandomForestRegressor(**TREES), random_state=0),
    coterie.ConformalRegressor(coterie.HistGradientBoostingRegressor(**FEW), cv=3, random_state=0),
    coterie.ConformalRegressor(coterie.QuantileBoostingRegressor(n_estimators=3), random_state=0),
]  # fmt: skip
METHODS = ("predict", "predict_proba", "score_samples", "decision_function", "transform")
METHODS += ("predict_set", "predict_interval", "p_values", "outlier_probability", "apply")


def name(model):
    """A name that tells models of one class apart."""
    inner = getattr(model, "estimator", None)
    return type(model).__name__ + (f"-{type(inner).__name__}" if inner is not None else "")


every = pytest.mark.parametrize("estimator", MODELS, ids=name)


def targetless(model):
    return type(model) in TARGETLESS


def rows(model, n_rows=40):
    kinds = coterie.RandomForestClassifier, coterie.RandomForestRegressor
    X, y = problem(kinds[isinstance(model, coterie.ConformalRegressor)], n_rows)
    return X, None if targetless(model) else y


def fit(model, X, y, **more):
    if isinstance(model, coterie.LambdaMARTRanker):
        more["qid"] = np.arange(X.shape[0] if hasattr(X, "shape") and np.ndim(X) else 40) // 8
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(model).fit(X, y, **more)


def answers(model, X):
    """All that a model says, none of which is NaN."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for method in METHODS:
            if hasattr(model, method):
                said = getattr(model, method)(X)
                said = said.toarray() if sparse.issparse(said) else np.asarray(said)
                assert said.shape[0] == X.shape[0]
                assert said.dtype.kind != "f" or not np.isnan(said).any()
                found.append(said)
    assert found
    return found


def tried(estimator, X, y):
    """Fit and ask a model; return why it refused to be fitted, if it did."""
    try:
        model = fit(estimator, X, y)
    except ValueError as error:
        return str(error)
    answers(model, np.asarray(X) if isinstance(X, list) else X)
    return ""


@pytest.mark.parametrize("kind", BAD_TARGETS)
@pytest.mark.parametrize("estimator", [m for m in MODELS if not targetless(m)], ids=name)
def test_bad_target(estimator, kind):
    X, y = rows(estimator)
    if kind != "dates" or not isinstance(estimator, coterie.ConformalClassifier):
        check_refused(lambda: fit(estimator, X, BAD_TARGETS[kind](y)))


def weighs(model):
    return "sample_weight" in inspect.signature(type(model).fit).parameters


@pytest.mark.parametrize("kind", BAD_WEIGHTS)
@pytest.mark.parametrize("estimator", [m for m in MODELS if weighs(m)], ids=name)
def test_bad_weights(estimator, kind):
    X, y = rows(estimator)
    check_refused(lambda: fit(estimator, X, y, sample_weight=BAD_WEIGHTS[kind](len(X))))


@pytest.mark.parametrize("size", [1e308, 1e15, 1e9, 1e-3, 1e-300])
@pytest.mark.parametrize("estimator", [m for m in MODELS if weighs(m)], ids=name)
def test_weights_of_any_size(estimator, size):
    """Neither take all memory nor leave nothing of a row."""
    X, y = rows(estimator)
    weight = np.where(np.arange(len(X)) % 2, 0.5, 1.0) * size
    answers(fit(estimator, X, y, sample_weight=weight), X)


@every
@pytest.mark.parametrize("kind", BAD_TABLES)
def test_bad_table(estimator, kind):
    models = estimator, getattr(estimator, "estimator", None)
    if "infinite" in kind and any(getattr(model, "infinities", False) for model in models):
        pytest.skip("infinity is the largest of numbers")
    X, y = rows(estimator)
    bad = BAD_TABLES[kind](X)
    some = y if y is None or kind != "no rows" else y[:0]
    check_refused(lambda: fit(estimator, bad, some))
    fitted = fit(estimator, X, y)
    for method in METHODS:
        if hasattr(fitted, method):
            check_refused(lambda method=method: getattr(fitted, method)(bad))


@every
@pytest.mark.parametrize("kind", ODD_TABLES)
def test_odd_table(estimator, kind):
    """A right answer, or an error of the right kind that names the column or the member."""
    X, y = rows(estimator)
    odd = ODD_TABLES[kind](X)
    reason = tried(estimator, odd, y)
    assert not reason or any(word in reason for word in ("column", "Column", "member"))


@every
def test_few_rows(estimator):
    X, y = rows(estimator)
    for n_rows in (1, 2, 3):
        reason = tried(estimator, X[:n_rows], y if y is None else y[:n_rows])
        assert not targetless(estimator) or not reason or "member" in reason
    wide = np.random.default_rng(0).normal(size=(4, 1000))
    if targetless(estimator):
        answers(fit(estimator, wide, None), wide)


@every
@pytest.mark.parametrize(("part", "where", "what"), [("indices", 2, 99), ("indptr", 3, 77)])
def test_damaged_sparse_table(estimator, part, where, what):
    y = None if targetless(estimator) else np.arange(6) % 2
    check_refused(lambda: fit(estimator, damaged(part, where, what), y))


@every
def test_bad_parameters(estimator):
    X, y = rows(estimator)
    for parameter in (
        "n_jobs",
        "n_estimators",
        "max_iter",
        "n_members",
        "holdout",
        "contamination",
    ):
        if has_parameter(type(estimator), parameter):
            for value in (0, "text", np.nan, []):
                wrong = clone(estimator).set_params(**{parameter: value})
                check_refused(lambda wrong=wrong: fit(wrong, X, y))
