import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

from coterie import (
    AdaBoostClassifier,
    AdaBoostM2Classifier,
    AdaBoostMHClassifier,
    AdaBoostRegressor,
    BaggingClassifier,
    BoostedTreesClassifier,
    DecisionTreeClassifier,
    DynamicSelectionClassifier,
    ECOCClassifier,
    EnsembleSelectionClassifier,
    ExtraTreesRegressor,
    GentleBoostClassifier,
    GradientBoostingSurvival,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    IsolationForest,
    LambdaMARTRanker,
    LogitBoostClassifier,
    RandomForestClassifier,
    RealAdaBoostClassifier,
    StackingClassifier,
    VotingClassifier,
    fit_table,
)
from coterie.data import DataError
from coterie.distributed import NotDistributedError, on_workers
from coterie.interpretation import shap_values
from tests.distributed.models import same_forest, table

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
QUICK = {"max_iter": 2, "max_leaf_nodes": 6, "random_state": 0}


def _nothing(estimator, X, y):
    """A scorer of the user's."""
    return 0.0


def frame(n=600):
    X, y = table(n)
    frame = pd.DataFrame(X, columns=list("abcde"), index=np.arange(n) + 10)
    labels = np.array(["u", "v", None], dtype=object)[np.arange(n) % 3]
    labels[-1] = "only here"
    return frame.assign(f=pd.Categorical(labels), g=labels), pd.Series(
        np.where(y > 0.5, "late", "early"), index=frame.index, name="when"
    )


@pytest.mark.slow
def test_frames_are_learnt_from_and_answered_as_in_memory(client, left):
    X, y = frame()
    there = dd.from_pandas(X, npartitions=3)
    one = HistGradientBoostingClassifier(**QUICK).fit(X, y)
    other = HistGradientBoostingClassifier(**QUICK).fit(there, dd.from_pandas(y, npartitions=2))
    assert same_forest(one, other)
    np.testing.assert_array_equal(other.classes_, one.classes_)
    said = other.predict(there)
    assert said.divisions == there.divisions
    assert said.compute().index.equals(X.index)
    np.testing.assert_array_equal(said.compute(), one.predict(X))
    there["p"] = other.predict_proba(there)[:, 1]
    np.testing.assert_array_equal(there["p"].compute(), one.predict_proba(X)[:, 1])
    assert not left()


@pytest.mark.slow
def test_arrays_are_answered_block_by_block(client):
    X, y = table(300)
    model = HistGradientBoostingClassifier(**QUICK).fit(X, y > 0.5)
    rows = da.from_array(X, chunks=(100, 2))
    for method in ("predict", "predict_proba", "decision_function", "apply"):
        lazy = getattr(model, method)(rows)
        said = getattr(model, method)(X)
        assert lazy.shape == said.shape
        assert lazy.dtype == said.dtype
        np.testing.assert_array_equal(lazy.compute(), said)
    np.testing.assert_array_equal(model.predict_proba(rows, n_rounds=1), model.predict_proba(X, 1))


@pytest.mark.slow
def test_shapley_values_are_lazy_too(client):
    X, y = table(120)
    rows = da.from_array(X, chunks=(50, -1))
    for labels in (y > 0.5, np.digitize(y, [0.0, 1.0])):
        model = HistGradientBoostingClassifier(**QUICK).fit(X, labels)
        lazy, whole = shap_values(model, rows), shap_values(model, X)
        assert lazy.values.numblocks[0] == 3
        np.testing.assert_array_equal(lazy.values.compute(), whole.values)
        np.testing.assert_array_equal(lazy.base_values.compute(), whole.base_values)
        assert (lazy.feature_names, lazy.output_names) == (whole.feature_names, whole.output_names)
        np.testing.assert_allclose(lazy.importances(), whole.importances())
    with pytest.raises(NotDistributedError, match="interactions"):
        shap_values(model, rows, interactions=True)


@pytest.mark.slow
def test_forests_and_bags_are_spread(client, left):
    X, y = table(600)
    rows, target = da.from_array(X, chunks=(150, -1)), da.from_array(y, chunks=150)
    for model in (
        RandomForestClassifier(40, max_depth=3, random_state=0, oob_score=True),
        ExtraTreesRegressor(4, max_depth=4, random_state=0),
        BaggingClassifier(DecisionTreeClassifier(max_depth=3), 4, random_state=0),
    ):
        classes = not isinstance(model, ExtraTreesRegressor)
        one = model.fit(X, (y > 0.5).astype(int) if classes else y)
        params = model.get_params(deep=False)
        other = type(model)(**params).fit(rows, (target > 0.5).astype(int) if classes else target)
        assert same_forest(one, other)
        assert getattr(one, "oob_score_", 0) == getattr(other, "oob_score_", 0)
    bag = BaggingClassifier(LogisticRegression(), 3, random_state=0)
    filled = np.nan_to_num(X)
    said = bag.fit(filled, y > 0.5).predict_proba(filled)
    there = bag.fit(da.from_array(filled, chunks=(150, -1)), target > 0.5)
    np.testing.assert_array_equal(there.predict_proba(filled), said)
    assert not left()


SMALL = {"n_estimators": 4, "random_state": 0}
MEMBERS = [("linear", LogisticRegression()), ("tree", DecisionTreeClassifier(max_depth=3))]
# By the classes of the target, 0 for numbers.
FAMILIES = [
    (2, AdaBoostClassifier(**SMALL)),
    (2, RandomForestClassifier(**SMALL, max_depth=3)),
    (2, VotingClassifier(MEMBERS, voting="soft")),
    *(
        pytest.param(*case, marks=pytest.mark.slow)
        for case in (
            *((k, AdaBoostClassifier(**SMALL)) for k in (3,)),
            *((k, RealAdaBoostClassifier(**SMALL)) for k in (2, 3)),
            *((k, GentleBoostClassifier(**SMALL)) for k in (2, 3)),
            *((k, LogitBoostClassifier(**SMALL)) for k in (2, 3)),
            *((k, AdaBoostMHClassifier(**SMALL)) for k in (2, 3)),
            (3, AdaBoostM2Classifier(**SMALL)),
            (3, AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), **SMALL)),
            (2, AdaBoostClassifier(LogisticRegression(), **SMALL)),
            (2, AdaBoostClassifier(**SMALL, early_stopping=True)),
            (0, AdaBoostRegressor(**SMALL)),
            (2, StackingClassifier(MEMBERS)),
            (2, EnsembleSelectionClassifier(MEMBERS)),
            (2, DynamicSelectionClassifier(RandomForestClassifier(5), random_state=0)),
        )
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("n_classes", "model"), FAMILIES, ids=lambda given: type(given).__name__)
def test_other_families_are_those_of_memory(client, left, n_classes, model):
    X, y = table(200)
    X = np.nan_to_num(X)
    labels = y if not n_classes else np.digitize(y, [0.5, 1.5][: n_classes - 1])
    one = clone(model).fit(X, labels)
    rows = da.from_array(X, chunks=(70, -1))
    other = clone(model).fit(rows, da.from_array(labels, chunks=90))
    ask = "predict_proba" if n_classes else "predict"
    np.testing.assert_array_equal(getattr(other, ask)(X), getattr(one, ask)(X))
    lazy = getattr(other, ask)(rows)
    assert lazy.numblocks[0] == 3
    np.testing.assert_array_equal(lazy.compute(), getattr(one, ask)(X))
    del lazy
    assert not left()


@pytest.mark.slow
def test_isolation_forests_are_those_of_memory(client, left):
    X, _ = table(100)
    rows = da.from_array(X, chunks=(40, -1))
    one, other = (IsolationForest(n_estimators=5, random_state=0).fit(given) for given in (X, rows))
    np.testing.assert_array_equal(other.score_samples(rows).compute(), one.score_samples(X))
    assert not left()


@pytest.mark.slow
def test_rows_to_watch_and_weights_of_boosters_may_be_there_too(client):
    X, y = table(200)
    weight, labels = np.arange(200.0) % 3, y > 0.5
    there = [da.from_array(given, chunks=(80, *given.shape[1:])) for given in (X, labels, weight)]
    one = AdaBoostClassifier(**SMALL).fit(X, labels, weight, X_val=X[:50], y_val=labels[:50])
    other = AdaBoostClassifier(**SMALL).fit(*there, X_val=there[0][:50], y_val=there[1][:50])
    assert same_forest(one, other)
    np.testing.assert_array_equal(one.trace_["validation_error"], other.trace_["validation_error"])


@pytest.mark.slow
def test_a_search_is_spread_and_finds_the_same(client, left):
    X, y = table(200)
    frame = pd.DataFrame(X, columns=list("abcde")).assign(late=y > 0.5)
    settings = {"members": "fast", "work": 3.0}
    whole = fit_table(frame, "late", **settings)
    rows = frame.drop(columns="late")
    there = fit_table(dd.from_pandas(frame, npartitions=3), "late", **settings)
    with on_workers():
        here = fit_table(frame, "late", **settings)
    for model in (there, here):
        np.testing.assert_array_equal(model.predict_proba(rows), whole.predict_proba(rows))
    assert not left()


@pytest.mark.slow
def test_grid_searches_are_spread_by_joblib_without_more_threads_than_workers(client):
    import joblib

    X, y = table(200)
    grid = {"max_leaf_nodes": [3, 6]}
    one = GridSearchCV(_Counting(max_iter=2, random_state=0), grid, cv=3).fit(X, y > 0.5)
    with joblib.parallel_config(backend="dask"):
        other = GridSearchCV(_Counting(max_iter=2, random_state=0), grid, cv=3).fit(X, y > 0.5)
    assert (
        other.cv_results_["mean_test_score"].tolist() == one.cv_results_["mean_test_score"].tolist()
    )
    with joblib.parallel_config(backend="dask"):
        threads = joblib.Parallel()(joblib.delayed(_native_threads)() for _ in range(4))
    assert threads == [1] * 4


class _Counting(HistGradientBoostingClassifier):
    """Fails where it would use more than one thread."""

    def fit(self, X, y):
        assert _native_threads() == 1
        return super().fit(X, y)


def _native_threads():
    from coterie.base import thread_count

    return thread_count(None)


@pytest.mark.slow
def test_partitions_may_be_empty_uneven_and_know_what_others_do_not(client, left):
    X, y = frame(300)
    sizes = [0, 1, 250, 0, 49]
    ends = np.cumsum(sizes)
    y = y.mask(np.arange(300) == 299, "only there")
    cuts = list(zip(ends - sizes, ends, strict=True))
    rows = dd.from_delayed([dask.delayed(X.iloc[a:b]) for a, b in cuts], meta=X, verify_meta=False)
    target = dd.from_delayed([dask.delayed(y.iloc[a:b]) for a, b in cuts], meta=y)
    assert not rows.known_divisions
    one = HistGradientBoostingClassifier(**QUICK).fit(X, y)
    other = HistGradientBoostingClassifier(**QUICK).fit(rows, target)
    assert same_forest(one, other)
    assert len(other.classes_) == 3
    assert "only here" in other.schema_.labels[5]
    np.testing.assert_array_equal(other.predict(rows).compute(), one.predict(X))
    assert not left()


@pytest.mark.slow
def test_missing_targets_are_refused_as_in_memory(client, left):
    X, y = table(60)
    y[7] = np.nan
    said = []
    for rows, target in ((X, y), (da.from_array(X, chunks=(20, -1)), da.from_array(y, chunks=30))):
        with pytest.raises(DataError) as error:
            HistGradientBoostingRegressor(**QUICK).fit(rows, target)
        said.append(str(error.value))
    assert said[0] == said[1]
    assert not left()


def test_what_would_bring_all_rows_here_unasked_is_refused(client):
    X, y = table(60)
    model = AdaBoostClassifier(**SMALL).fit(X, y > 0.5)
    with pytest.raises(NotDistributedError, match=r"AdaBoostClassifier is not supported.*compute"):
        next(model.staged_predict(da.from_array(X)))


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (ECOCClassifier(), r"ECOCClassifier\.fit"),
        (HistGradientBoostingClassifier(scoring=["loss", _nothing]), "a function as scoring"),
        (HistGradientBoostingClassifier(missing=0.0), "missing="),
        (HistGradientBoostingClassifier(high_cardinality="ordered"), "high_cardinality"),
        (HistGradientBoostingClassifier(init=LogisticRegression()), "init="),
    ],
)
def test_what_is_not_supported_is_named_with_the_cure(client, model, words):
    X, y = table(60)
    with pytest.raises(NotDistributedError, match=rf"{words}.*X\.compute\(\)"):
        model.fit(da.from_array(X), y > 0.5)


def test_survival_models_are_refused(client):
    X, y = table(60)
    with pytest.raises(NotDistributedError, match=r"GradientBoostingSurvival\.fit"):
        GradientBoostingSurvival().fit(da.from_array(X), np.abs(y) + 1)


@pytest.mark.slow
@pytest.mark.parametrize("settings", [{}, {"early_stopping": True, "scoring": ["map", "ndcg@3"]}])
def test_rankers_are_those_of_memory_wherever_queries_are_cut(client, left, settings):
    X, y = table(300)
    grades, queries = np.digitize(y, [0.0, 1.0]), np.repeat(np.arange(20), 15)
    weight = (np.arange(300) % 7 > 0).astype(float)
    one = LambdaMARTRanker(**QUICK, **settings).fit(X, grades, weight, groups=queries)
    rows = da.from_array(X, chunks=(70, -1))
    known = [da.from_array(a, chunks=40) for a in (grades, weight, queries)]
    other = LambdaMARTRanker(**QUICK, **settings).fit(rows, *known[:2], groups=known[2])
    assert same_forest(one, other)
    np.testing.assert_array_equal(one.validation_score_, other.validation_score_)
    np.testing.assert_array_equal(one.predict(X), other.predict(rows).compute())
    assert not left()


def test_documents_must_be_in_the_order_of_their_queries(client, left):
    X, y = table(60)
    grades, queries = np.digitize(y, [0.0, 1.0]), np.tile(np.arange(6), 10)
    with pytest.raises(NotDistributedError, match="in the order of their queries. Sort them"):
        LambdaMARTRanker().fit(da.from_array(X), grades, groups=queries)
    assert not left()


@pytest.mark.slow
@pytest.mark.parametrize("fraction", [0.2, None])
def test_scorers_may_watch_by_name(client, fraction):
    X, y = table(300)
    settings = {"early_stopping": True, "scoring": "roc_auc", "validation_fraction": fraction}
    rows, target = da.from_array(X, chunks=(150, -1)), da.from_array(y > 0.5, chunks=150)
    one = HistGradientBoostingClassifier(**QUICK, **settings).fit(X, y > 0.5)
    other = HistGradientBoostingClassifier(**QUICK, **settings).fit(rows, target)
    assert same_forest(one, other)
    np.testing.assert_array_equal(one.train_score_, other.train_score_)
    np.testing.assert_array_equal(one.validation_score_, other.validation_score_)


@pytest.mark.slow
def test_categories_that_memory_would_replace_are_refused(client, left):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=1200), "k": rng.integers(0, 20, 1200).astype(str)})
    y = X["a"] > 0
    with pytest.raises(NotDistributedError, match=r"'k' has so many .*high_cardinality='split'"):
        BoostedTreesClassifier().fit(dd.from_pandas(X, npartitions=2), y)
    assert not left()


@pytest.mark.slow
def test_rows_to_watch_may_be_there_too(client):
    X, y = table(300)
    one = HistGradientBoostingClassifier(**QUICK).fit(X, y > 0.5, X_val=X[:50], y_val=y[:50] > 0.5)
    rows, target = da.from_array(X, chunks=(150, -1)), da.from_array(y > 0.5, chunks=150)
    other = HistGradientBoostingClassifier(**QUICK).fit(
        rows, target, X_val=rows[:50], y_val=target[:50]
    )
    assert same_forest(one, other)
    np.testing.assert_array_equal(one.validation_score_, other.validation_score_)


@pytest.mark.slow
def test_bad_rows_are_named_by_partition_and_column(client, left):
    X, y = frame(60)
    there = dd.from_pandas(X, npartitions=3)
    with pytest.raises(DataError, match=r"requires y"):
        HistGradientBoostingClassifier(**QUICK).fit(there, None)
    with pytest.raises(DataError, match=r"inconsistent numbers of samples: \[60, 59\]"):
        HistGradientBoostingClassifier(**QUICK).fit(there, y[1:])
    broken = there.map_partitions(_spoil, meta=X)
    with pytest.raises(DataError, match=r"Partition 1 of X.*odd"):
        HistGradientBoostingClassifier(**QUICK).fit(broken, y)
    mixed = there.map_partitions(_mix, meta=X)
    with pytest.raises(DataError, match=r"'a' contains numbers in partition 0 .* partition 1\."):
        HistGradientBoostingClassifier(**QUICK).fit(mixed, y)
    assert not left()


def _mix(part):
    return part.assign(a=part["a"].astype(str)) if 20 < part.index[0] < 45 else part


def _spoil(part):
    if 20 < part.index[0] < 45:
        raise ValueError("odd")
    return part
