"""LambdaMART, and the promises that other estimators keep in tests/contract."""

import pickle

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.utils.estimator_checks import estimator_checks_generator

import coterie
from coterie.ranking import LambdaMARTRanker, mean_average_precision, ndcg


def documents(n=400, seed=0, noise=0.3):
    rng = np.random.default_rng(seed)
    X, query = rng.normal(size=(n, 5)), rng.integers(0, n // 10, n)
    y = np.clip(np.round(X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(scale=noise, size=n) + 1), 0, 4)
    return X, y.astype(int), query


X, Y, Q = documents()
SMALL = {"max_iter": 10, "min_samples_leaf": 5, "random_state": 0}


def make(**settings):
    return LambdaMARTRanker(**{**SMALL, **settings})


def test_the_first_tree_is_that_of_lightgbm():
    """One leaf per document and a rate of one: the Newton step of every document."""
    grades, each = np.array([1, 3, 0, 2]), np.arange(4.0)[:, None]
    model = LambdaMARTRanker(max_iter=1, learning_rate=1.0, min_samples_leaf=1, min_child_weight=0)
    model.set_params(normalise_queries=False, early_stopping=False)
    said = model.fit(each, grades, qid=np.zeros(4)).predict(each)
    np.testing.assert_allclose(said, [-1.480933, 2, -2, 0.508099], atol=1e-6)


@pytest.mark.parametrize("normalise", [False, True])
def test_it_is_lightgbm(normalise):
    lightgbm = pytest.importorskip("lightgbm")
    x, y, q = documents(noise=0.0)
    order = np.argsort(q, kind="stable")
    x, y, q = np.round(x[order], 1), y[order], q[order]  # fewer values than there are bins
    same = {"learning_rate": 0.1, "min_child_weight": 0.5}
    mine = LambdaMARTRanker(
        max_iter=2, max_leaf_nodes=8, min_samples_leaf=1, l2_regularization=1.0, **same
    )
    mine.set_params(normalise_queries=normalise).fit(x, y, qid=q)
    # By default LightGBM guesses how many rows a leaf has.
    plain = {"min_child_samples": 1, "min_data_in_bin": 1, "verbose": -1, "n_jobs": 1}
    theirs = lightgbm.LGBMRanker(
        n_estimators=2, num_leaves=8, reg_lambda=1.0, lambdarank_norm=normalise, **same, **plain
    ).fit(x, y, group=np.unique(q, return_counts=True)[1])
    # LightGBM looks sigmoids up in a table, and adds in single precision: a split may differ.
    gaps = np.abs(mine.predict(x) - theirs.predict(x))
    assert np.quantile(gaps, 0.8 if normalise else 1.0) < (2e-2 if normalise else 1e-5)


def test_it_ranks():
    new = documents(seed=1)
    model = LambdaMARTRanker(max_iter=50).fit(X, Y, groups=Q)
    random = ndcg(new[1], np.random.default_rng(0).normal(size=len(new[1])), new[2])
    assert model.score(new[0], new[1], groups=new[2]) > random + 0.15
    assert model.n_silent_queries_ == 0
    assert len(list(model.staged_predict(X))) == 50
    assert np.array_equal(list(model.staged_predict(X))[-1], model.predict(X))


@pytest.mark.parametrize("loss", ["ndcg", "map", "pairwise"])
def test_every_loss_lifts_its_measure(loss):
    model = make(loss=loss).fit(X, Y, groups=Q)
    said = model.predict(X)
    if loss == "map":
        assert mean_average_precision(Y, said, Q) > 0.9
    else:
        assert ndcg(Y, said, Q) > 0.9


def test_rows_may_come_in_any_order_of_queries():
    order = np.argsort(Q, kind="stable")
    mixed, together = make().fit(X, Y, groups=Q), make().fit(X[order], Y[order], groups=Q[order])
    assert np.array_equal(mixed.predict(X), together.predict(X))
    sizes = np.bincount(Q)
    by_size = make().fit(X[order], Y[order], group=sizes[sizes > 0])
    assert np.array_equal(mixed.predict(X), by_size.predict(X))


def test_errors():
    with pytest.raises(ValueError, match="A ranker needs groups"):
        make().fit(X, Y)
    with pytest.raises(ValueError, match="No query has two documents with different grades"):
        make().fit(X, np.ones(len(Y)), groups=Q)
    with pytest.raises(ValueError, match="Grade 40 would have a gain of"):
        make().fit(X, np.where(Y > 3, 40, Y), groups=Q)
    with pytest.raises(ValueError, match="'scoring' parameter"):
        make(scoring="ndcg@0").fit(X, Y, groups=Q)
    with pytest.raises(ValueError, match="requires y"):
        make().fit(X, None, groups=Q)
    with pytest.raises(ValueError, match="eval_set must be"):
        make().fit(X, Y, groups=Q, eval_set=(X, Y))
    with pytest.raises(ValueError, match="A ranker needs groups"):
        make().fit(X, Y, groups=Q).score(X, Y)
    with pytest.raises(NotFittedError):
        make().predict(X)


def test_early_stopping_by_whole_queries():
    model = LambdaMARTRanker(
        max_iter=200, early_stopping=True, scoring=["ndcg@5", "map", "mrr"], random_state=0
    ).fit(X, Y, groups=Q)
    assert model.n_iter_ < 200
    for fact in ("validation_ndcg@5", "validation_map", "validation_mrr", "train_ndcg@5"):
        assert fact in model.trace_.names
    again = documents(seed=2)
    given = LambdaMARTRanker(max_iter=200, early_stopping=True, k=3)
    given.fit(X, Y, groups=Q, eval_set=again)
    last = ndcg(again[1], given.predict(again[0]), again[2], k=3)
    assert abs(given.validation_score_[-1] - last) < 1e-12
    named = LambdaMARTRanker(max_iter=3, early_stopping=True, scoring="ndcg@2", k=5)
    named.fit(X, Y, groups=Q, eval_set=again)
    last = ndcg(again[1], named.predict(again[0]), again[2], k=2)
    assert abs(named.validation_score_[-1] - last) < 1e-12


def test_weights():
    weight = np.random.default_rng(0).uniform(0.5, 2, Q.max() + 1)[Q]
    weight[Q % 3 == 0] = 0
    kept = weight > 0
    bad = X.copy()
    bad[~kept] = np.inf
    weighted = make().fit(bad, Y, weight, groups=Q)
    dropped = make().fit(X[kept], Y[kept], weight[kept], groups=Q[kept])
    assert np.array_equal(weighted.predict(X), dropped.predict(X))


@pytest.mark.slow
def test_threads_copies_and_files_keep_every_bit(tmp_path):
    model = make(subsample=0.7, colsample_bytree=0.8).fit(X, Y, groups=Q)
    said = model.predict(X)
    for n_jobs in (2, 4):
        assert np.array_equal(
            clone(model).set_params(n_jobs=n_jobs).fit(X, Y, qid=Q).predict(X), said
        )
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(X), said)
    coterie.save(model, tmp_path / "model.coterie")
    assert np.array_equal(coterie.load(tmp_path / "model.coterie").predict(X), said)


def test_frames_categories_and_missing_values():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcde"))
    frame["word"] = np.where(Y > 2, "good", "poor")
    frame.loc[::7, "a"] = np.nan
    model = make().fit(frame, pandas.Series(Y), groups=pandas.Series(Q).astype(str))
    assert model.score(frame, Y, groups=Q) > 0.95
    assert model.feature_names_in_.tolist() == [*"abcde", "word"]
    values = coterie.shap_values(model, frame).values
    assert values.shape == (len(X), 6)


def test_warm_start_goes_on():
    whole = make(max_iter=10).fit(X, Y, groups=Q)
    part = make(max_iter=4, warm_start=True).fit(X, Y, groups=Q)
    part.set_params(max_iter=10).fit(X, Y, groups=Q)
    assert np.array_equal(whole.predict(X), part.predict(X))


@pytest.mark.slow
def test_searches_with_groups():
    with config_context(enable_metadata_routing=True):
        model = make().set_fit_request(groups=True).set_score_request(groups=True)
        search = GridSearchCV(model, {"max_leaf_nodes": [2, 8]}, cv=GroupKFold(2))
        search.fit(X, Y, groups=Q)
        assert search.best_params_["max_leaf_nodes"] == 8
        assert 0.5 < search.best_score_ <= 1.0


class OneQuery(LambdaMARTRanker):
    """All rows are documents of one query, and any numbers become grades."""

    def fit(self, X, y, sample_weight=None):
        if y is None:
            return super().fit(X, y, groups=[])
        grades = np.asarray(y)
        if grades.ndim == 1 and grades.dtype.kind in "ifu" and np.isfinite(grades).all():
            grades = np.argsort(np.argsort(grades, kind="stable")) * 3 // max(len(grades), 1)
        return super().fit(X, grades, sample_weight, groups=np.zeros(len(grades)))

    def score(self, X, y, sample_weight=None):
        return super().score(X, y > np.median(y), sample_weight, groups=np.zeros(len(y)))


# Discounts by rank are not those of repeated rows, and one document is nothing to rank.
NOT_OF_RANKINGS = ("sample_weight_equivalence", "fit2d_1sample")
CHECKS = [
    case
    for case in estimator_checks_generator(OneQuery(max_iter=5, early_stopping=False))
    if not any(word in case[1].func.__name__ for word in NOT_OF_RANKINGS)
]


@pytest.mark.contract
@pytest.mark.parametrize(
    ("estimator", "check"), CHECKS, ids=[check.func.__name__ for _, check in CHECKS]
)
def test_scikit_learn_check(estimator, check):
    check(estimator)
