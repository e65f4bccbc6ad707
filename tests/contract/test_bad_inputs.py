"""Bad input gets a clear error or a right answer: never a crash, a hang or nonsense."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import is_classifier, is_regressor

from coterie.bagging.bag import Bag
from coterie.interpretation.rulefit import RuleFit
from tests.contract.exported import (
    ESTIMATORS,
    fitted,
    has_parameter,
    make,
    problem,
    shallow,
    with_own_members,
)

pytestmark = pytest.mark.contract
every = pytest.mark.parametrize("cls", ESTIMATORS)


def spread(*kinds):
    """Every kind on every third estimator: what refuses them is the same for all."""
    rows = [(c, k) for c in range(len(ESTIMATORS)) for k in range(len(kinds)) if (c + k) % 3 == 0]
    names = [f"{ESTIMATORS[c].__name__}-{kinds[k]}" for c, k in rows]
    return pytest.mark.parametrize(
        ("cls", "kind"), [(ESTIMATORS[c], kinds[k]) for c, k in rows], ids=names
    )


REFUSED = (ValueError, TypeError)


def check_refused(act):
    """The error is of the right kind, and says more than that something is wrong."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(REFUSED) as caught:
            act()
    assert len(str(caught.value)) > 15


def check_fits(cls, X, y, weight=None, **params):
    """It fits, and what it predicts is of the right kind."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make(cls, **params).fit(X, y, weight)
    check_predicts(model, X)
    return model


def check_predicts(model, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        predicted = model.predict(X)
    if is_classifier(model):
        assert np.isin(predicted, model.classes_).all()
    else:
        assert np.isfinite(predicted).all()


def replaced(values, where, what):
    values = np.array(values, dtype=float)
    values[where] = what
    return values


BAD_TARGETS = {
    "nan": lambda y: replaced(y, 3, np.nan),
    "infinite": lambda y: replaced(y, 3, np.inf),
    "wrong length": lambda y: y[:-1],
    "none": lambda y: None,
    "mixed text and numbers": lambda y: np.array(["a", 1] * (len(y) // 2), dtype=object),
    "nested": lambda y: [[1], [1, 2]] * (len(y) // 2),
    "three-dimensional": lambda y: y[:, None, None],
    "complex": lambda y: y + 1j,
    "sparse": lambda y: sparse.csr_array(y[:, None]),
    "dates": lambda y: np.full(len(y), np.datetime64("2020-01-01")),
}


@spread(*BAD_TARGETS)
def test_bad_target(cls, kind):
    X, y = problem(cls, 40)
    if kind == "dates" and is_classifier(cls()):
        pytest.skip("a date is a label like any other")
    if kind == "nan" and cls.unlabelled:
        pytest.skip("a missing label is unknown")
    check_refused(lambda: make(cls).fit(X, BAD_TARGETS[kind](y)))


@pytest.mark.parametrize("cls", [cls for cls in ESTIMATORS if cls.multi_output])
def test_bad_outputs(cls):
    pandas = pytest.importorskip("pandas")
    X, y = problem(cls, 40)
    Y = np.column_stack([y, y[::-1]])
    bad = [Y[:, :0], Y[:, :, None], Y * 1j, replaced(Y, (3, 1), np.nan), sparse.csr_array(Y), Y[1:]]
    for outputs in (*bad, pandas.DataFrame(Y, columns=["u", "u"])):
        check_refused(lambda outputs=outputs: make(cls).fit(X, outputs))


@every
def test_odd_targets(cls):
    X, y = problem(cls, 40)
    if not is_classifier(cls()):
        check_refused(lambda: make(cls).fit(X, ["a", "b"] * 20))
        check_refused(lambda: make(cls).fit(X, y * 1e306))
        assert np.ptp(check_fits(cls, X, np.ones(40)).predict(X)) == 0
        check_fits(cls, X, y * 1e36)
        check_fits(cls, X, y[:, None])
        return
    check_refused(lambda: make(cls).fit(X, X[:, 0]))
    for labels in ([-1, 1, 3], ["x", "yy", "z"], [1e39, 2, 3], [True, False, True]):
        own = {"unlabeled": None} if cls.unlabelled else {}  # -1 is a class
        model = check_fits(cls, X, np.array(labels)[y], **own)
        assert model.classes_.tolist() == sorted(set(labels))
    if cls.min_classes > 1:  # as in scikit-learn
        check_refused(lambda: make(cls).fit(X, np.zeros(40)))
    else:
        assert check_fits(cls, X, np.zeros(40)).predict(X).tolist() == [0] * 40
    wide = np.random.default_rng(0).normal(size=(60, 3))
    given = {"alpha": 0.1} if issubclass(cls, RuleFit) else {}  # or chosen for every class
    assert len(check_fits(cls, wide, np.arange(60), **given).classes_) == 60


BAD_WEIGHTS = {
    "one negative": lambda n: replaced(np.ones(n), 3, -1),
    "all negative": lambda n: -np.ones(n),
    "all zero": np.zeros,
    "nan": lambda n: replaced(np.ones(n), 3, np.nan),
    "infinite": lambda n: replaced(np.ones(n), 3, np.inf),
    "wrong length": lambda n: np.ones(n - 1),
    "two-dimensional": lambda n: np.ones((n, 2)),
    "text": lambda n: ["heavy"] * n,
}


@spread(*BAD_WEIGHTS)
def test_bad_weights(cls, kind):
    X, y = problem(cls, 40)
    check_refused(lambda: make(cls).fit(X, y, BAD_WEIGHTS[kind](len(y))))


@every
def test_extreme_weights_are_weights(cls):
    X, y = problem(cls, 40)
    half = np.where(np.arange(40) % 2, 0.5, 1.0)
    expected = check_fits(cls, X, y, half).predict(X)
    for size in (1e300, 1e-300):
        predicted = check_fits(cls, X, y, half * size).predict(X)
        np.testing.assert_allclose(predicted, expected, rtol=1e-6)


@every
def test_class_without_weight(cls):
    X, y = problem(cls, 40)
    if is_classifier(cls()):
        model = check_fits(cls, X, y, (y != 1).astype(float))
        # Trees and bags of them keep it, as in scikit-learn; for others it does not exist.
        kept = getattr(cls, "keeps_classes", False)
        assert model.classes_.tolist() == ([0, 1, 2] if kept else [0, 2])


BAD_TABLES = {
    "infinite": lambda X: replaced(X, (3, 2), np.inf),
    "minus infinite": lambda X: replaced(X, (3, 2), -np.inf),
    "no rows": lambda X: X[:0],
    "no columns": lambda X: X[:, :0],
    "one-dimensional": lambda X: X[:, 0],
    "three-dimensional": lambda X: X[:, :, None],
    "complex": lambda X: X * 1j,
    "dates": lambda X: np.full(X.shape, np.datetime64("2020-01-01")),
    "text and numbers in a column": lambda X: np.where(X > 0, "a", X.astype(object)),
    "dicts": lambda X: np.full(X.shape, {}, dtype=object),
    "none": lambda X: None,
    "a number": lambda X: 3.0,
    "text": lambda X: "text",
}


@spread(*BAD_TABLES)
def test_bad_table(cls, kind):
    if "infinite" in kind and getattr(cls, "infinities", False):
        pytest.skip("infinity is the largest of numbers")
    X, y = problem(cls, 40)
    bad = BAD_TABLES[kind](X)
    check_refused(lambda: make(cls).fit(bad, y[: 0 if kind == "no rows" else None]))
    check_refused(lambda: fitted(cls, 40).predict(bad))


@every
def test_tables_that_do_not_match(cls):
    X, y = problem(cls, 40)
    check_refused(lambda: make(cls).predict(X))
    check_refused(lambda: fitted(cls, 40).predict(X[:, :-1]))
    check_refused(lambda: fitted(cls, 40).predict(np.hstack([X, X])))
    check_refused(lambda: make(cls).fit(X, np.append(y, y)))


ODD_TABLES = {
    "a column all missing": lambda X: replaced(X, (slice(None), 2), np.nan),
    "all missing": lambda X: np.full_like(X, np.nan),
    "huge": lambda X: np.where(X > 0, 1e308, X),
    "denormal": lambda X: X * 5e-324,
    "ties at 1e-12": lambda X: 1 + np.sign(X) * 1e-12,
    "integers beyond 2**53": lambda X: (X * 10).astype(np.int64) + 2**60,
    "constant columns": lambda X: replaced(X, (slice(None), slice(1, None)), 4.0),
    "all constant": np.zeros_like,
    "object numbers": lambda X: X.astype(object),
    "text categories": lambda X: np.where(X > 0, "a", "b").astype(object),
    "object with none": lambda X: np.where(X > 1, None, X.astype(object)),
    "bool": lambda X: X > 0,
    "float16": lambda X: X.astype(np.float16),
    "longdouble": lambda X: X.astype(np.longdouble),
    "uint8": lambda X: np.abs(X * 10).astype(np.uint8),
    "big-endian": lambda X: X.astype(">f8"),
    "Fortran order": np.asfortranarray,
    "negative strides": lambda X: X[::-1, ::-1],
    "masked": lambda X: np.ma.masked_array(X, X > 1),
    "lists": lambda X: X.tolist(),
    "read-only": lambda X: np.frombuffer(X.tobytes()).reshape(X.shape),
    "unaligned": lambda X: np.frombuffer(b"x" + X.tobytes(), offset=1).reshape(X.shape),
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
    "coo": sparse.coo_array,
    "old sparse": sparse.csr_matrix,
}


#: One reader serves all estimators: these containers are tried on one in four, each on others.
CONTAINERS = list(ODD_TABLES)[8:]
ODD_CASES = [
    (cls, kind)
    for number, cls in enumerate(ESTIMATORS)
    for kind in ODD_TABLES
    if kind not in CONTAINERS or (CONTAINERS.index(kind) + number) % 4 == 0
]


@pytest.mark.parametrize(("cls", "kind"), ODD_CASES)
def test_odd_table(cls, kind):
    X, y = problem(cls, 40)
    check_fits(cls, ODD_TABLES[kind](X), y)


@every
def test_odd_tables_at_predict(cls):
    X, _ = problem(cls, 40)
    check_predicts(fitted(cls, 40), np.full_like(X, np.nan))
    check_predicts(fitted(cls, 40), X * 1e300)
    check_refused(lambda: fitted(cls, 40).predict(X[:0]))


@every
def test_few_rows_and_many_columns(cls):
    X, y = problem(cls, 40)
    for n_rows in (1, 2, 3):
        if len(set(y[:n_rows])) >= cls.min_classes:
            check_fits(cls, X[:n_rows], y[:n_rows])
    # More columns than 16 bits can number, where that does not take long.
    n_columns = (
        100_000 if cls.__name__.startswith(("DecisionTree", "Random", "Gradient")) else 1_000
    )
    wide = np.random.default_rng(0).normal(size=(4, n_columns)).astype(np.float32)
    check_fits(cls, wide, y[:4], **({"n_estimators": 2} if hasattr(cls, "n_estimators") else {}))


def damaged(part, where, what):
    table = sparse.csr_array(np.eye(6))
    getattr(table, part)[where] = what
    return table


@every
@pytest.mark.parametrize(
    ("part", "where", "what"),
    [("indices", 2, 99), ("indices", 2, -1), ("indptr", 3, 77), ("indptr", 3, 0), ("indptr", 6, 3)],
)
def test_damaged_sparse_table(cls, part, where, what):
    y = np.arange(6) % 2
    check_refused(lambda: make(cls).fit(damaged(part, where, what), y))


@every
def test_frames(cls):
    pandas = pytest.importorskip("pandas")
    X, y = problem(cls, 60)
    frame = pandas.DataFrame(X, columns=["a", "b", "c", "d", "e", "f"])
    twins = frame.set_axis(["a"] * 6, axis=1)
    check_refused(lambda: make(cls).fit(twins, y))
    check_fits(cls, frame.set_axis(["", " ", "é", "🌳", "a b", "x" * 999], axis=1), y)
    model = make(cls).fit(frame, y)
    check_refused(lambda: model.predict(frame[list("fabcde")]))
    check_refused(lambda: model.predict(frame.rename(columns={"a": "z"})))
    check_refused(lambda: model.predict(frame.assign(a="text")))
    dated = frame.assign(a=pandas.date_range("2020-01-01", periods=60))
    check_refused(lambda: model.predict(dated))
    check_refused(lambda: model.predict(frame.assign(a=dated["a"] - dated["a"][0])))
    frame["a"] = pandas.array([1, None, 3] * 20, dtype="Int64")
    check_fits(cls, frame, y)
    model = check_fits(cls, dated, y)
    check_refused(lambda: model.predict(frame))
    check_refused(lambda: model.predict(dated.assign(a=dated["a"].dt.tz_localize("UTC"))))


@every
def test_categories_are_known_by_name(cls):
    pandas = pytest.importorskip("pandas")
    X, y = problem(cls, 90)
    colours = np.array(["red", "green", "blue"])[np.arange(90) % 3]
    frame = pandas.DataFrame({"x": X[:, 0], "colour": pandas.Categorical(colours)})
    model = check_fits(cls, frame, y)
    turned = frame.assign(
        colour=pandas.Categorical(colours, categories=["green", "unused", "red", "blue"])
    )
    np.testing.assert_array_equal(model.predict(turned), model.predict(frame))
    unseen, missing = frame.assign(colour="mauve"), frame.assign(colour=None)
    np.testing.assert_array_equal(model.predict(unseen), model.predict(missing))
    levels = pandas.DataFrame({"c": [f"level {i}" for i in range(1000)]}).astype("category")
    check_fits(cls, levels, np.resize(y, 1000), **shallow(cls, 3))


class Odd:
    """Something that no parameter is."""


@every
@pytest.mark.filterwarnings("ignore:The parameter criterion:FutureWarning")
def test_no_parameter_is_an_odd_object(cls):
    X, y = problem(cls, 40)
    for name in with_own_members(cls).get_params():
        for value in (Odd(), float("nan"), b"bytes"):
            if name == "missing" and value != value:  # which is what it is by default
                continue
            estimator = with_own_members(cls).set_params(**{name: value})
            with pytest.raises(REFUSED, match=rf"(?s).*{name}"):
                estimator.fit(X, y)


@every
def test_numbers_out_of_range(cls):
    X, y = problem(cls, 40)
    bad = {
        "n_estimators": (0, -1, 1.5, "ten", None, True),
        "max_depth": (0, -1, 2.5, "deep"),
        "min_samples_split": (1, 0, -1, 1.5, 0.0, "few"),
        "min_samples_leaf": (0, -1, 1.0, 1.5, "few"),
        "min_weight_fraction_leaf": (-0.1, 0.6, "some"),
        "max_features": (0, -1, 0.0, 1.1, "auto", "many"),
        "max_leaf_nodes": (1, 0, -1, 2.5),
        "min_impurity_decrease": (-0.1, "some"),
        "ccp_alpha": (-0.1, "some"),
        "max_samples": (0, -1, 0.0, -0.5, "half", 10**15, float("inf")),
        "max_bins": (1, 0, 65_536, 2.5, "some"),
        "n_jobs": (0, 1.5, "all"),
        "random_state": (-1, 1.5, "seed"),
        "criterion": ("", "best", None, 1),
        "monotonic_cst": ([1], [2] * 6, "up", [[1] * 6]),
        "class_weight": ("even", {0: -1.0}, {0: np.nan}, 3),
        "categorical_features": (["nobody"], [99], [True], "all"),
    }
    for name, values in bad.items():
        if name in with_own_members(cls).get_params():
            for value in values:
                estimator = with_own_members(cls).set_params(**{name: value})
                check_refused(lambda estimator=estimator: estimator.fit(X, y))


#: Those that change nothing, tried together, and those that do.
LIMITS = {
    "max_depth": 10**30,
    "random_state": 2**200,
    "n_jobs": -100_000,
    "max_leaf_nodes": 10**18,
    "max_features": 10**12,
    "max_bins": 65_535,
}
EXTREMES = [
    {"min_samples_split": 10**30},
    {"min_samples_leaf": 10**30},
    {"ccp_alpha": 1e300},
    {"min_impurity_decrease": float("inf")},
    {"max_bins": 2},
]


@every
def test_limits_beyond_all_that_is_needed(cls):
    X, y = problem(cls, 40)
    limits = {name: value for name, value in LIMITS.items() if has_parameter(cls, name)}
    if issubclass(
        cls, Bag
    ):  # which refuse to draw more columns than there are, as scikit-learn's do
        limits.pop("max_features", None)
    check_fits(cls, X, y, **limits)


@pytest.mark.parametrize(
    ("cls", "extreme"),
    [(cls, extreme) for cls in ESTIMATORS for extreme in EXTREMES if has_parameter(cls, *extreme)],
    ids=str,
)
def test_extreme_parameters(cls, extreme):
    X, y = problem(cls, 40)
    check_fits(cls, X, y, **extreme)


@pytest.mark.parametrize("cls", [cls for cls in ESTIMATORS if is_regressor(cls())])
@pytest.mark.parametrize("scale", [2.0**-1000, 2.0**-220, 2.0**220])
def test_targets_of_any_size_are_learnt_or_refused(cls, scale):
    """Never answered by a constant without a word."""
    X, y = problem(cls, 60)
    if scale < 1e-70:
        with pytest.raises(ValueError, match="Rescale y"):
            make(cls).fit(X, y * scale)
        return
    model = make(cls).fit(X, y * scale)
    assert np.corrcoef(model.predict(X) / scale, y)[0, 1] > 0.5
