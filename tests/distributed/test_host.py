import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from coterie import (
    AdaBoostClassifier,
    BaggingClassifier,
    BoostedTreesClassifier,
    DecisionTreeClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    LambdaMARTRanker,
    RandomForestClassifier,
)
from coterie.data import DataError
from coterie.distributed import NotDistributedError
from tests.distributed.models import same_forest, table

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
QUICK = {"max_iter": 2, "max_leaf_nodes": 6, "random_state": 0}


def frame(n=600):
    X, y = table(n)
    frame = pd.DataFrame(X, columns=list("abcde"), index=np.arange(n) + 10)
    labels = np.array(["u", "v", None], dtype=object)[np.arange(n) % 3]
    labels[-1] = "only here"
    return frame.assign(f=pd.Categorical(labels), g=labels), pd.Series(
        np.where(y > 0.5, "late", "early"), index=frame.index, name="when"
    )


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


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (AdaBoostClassifier(), r"AdaBoostClassifier\.fit"),
        (HistGradientBoostingClassifier(scoring="roc_auc"), "scoring='roc_auc'"),
        (HistGradientBoostingClassifier(missing=0.0), "missing="),
        (HistGradientBoostingClassifier(high_cardinality="ordered"), "high_cardinality"),
        (HistGradientBoostingClassifier(init=LogisticRegression()), "init="),
    ],
)
def test_what_is_not_supported_is_named_with_the_cure(client, model, words):
    X, y = table(60)
    with pytest.raises(NotDistributedError, match=rf"{words}.*X\.compute\(\)"):
        model.fit(da.from_array(X), y > 0.5)


def test_rankers_are_refused(client):
    X, y = table(60)
    grades, queries = np.digitize(y, [0.0, 1.0]), np.repeat(np.arange(6), 10)
    with pytest.raises(NotDistributedError, match=r"LambdaMARTRanker\.fit"):
        LambdaMARTRanker().fit(da.from_array(X), grades, groups=queries)


def test_categories_that_memory_would_replace_are_refused(client, left):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=1200), "k": rng.integers(0, 20, 1200).astype(str)})
    y = X["a"] > 0
    with pytest.raises(NotDistributedError, match=r"'k' has so many .*high_cardinality='split'"):
        BoostedTreesClassifier().fit(dd.from_pandas(X, npartitions=2), y)
    assert not left()


def test_rows_to_watch_may_be_there_too(client):
    X, y = table(300)
    one = HistGradientBoostingClassifier(**QUICK).fit(X, y > 0.5, X_val=X[:50], y_val=y[:50] > 0.5)
    rows, target = da.from_array(X, chunks=(150, -1)), da.from_array(y > 0.5, chunks=150)
    other = HistGradientBoostingClassifier(**QUICK).fit(
        rows, target, X_val=rows[:50], y_val=target[:50]
    )
    assert same_forest(one, other)
    np.testing.assert_array_equal(one.validation_score_, other.validation_score_)


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
    with pytest.raises(DataError, match=r"'a' holds numbers in partition 0 .* partition 1\."):
        HistGradientBoostingClassifier(**QUICK).fit(mixed, y)
    assert not left()


def _mix(part):
    return part.assign(a=part["a"].astype(str)) if 20 < part.index[0] < 45 else part


def _spoil(part):
    if 20 < part.index[0] < 45:
        raise ValueError("odd")
    return part
