"""Several sets of rows that are scored after every round."""

from itertools import pairwise

import numpy as np
import pytest
from sklearn.metrics import log_loss, roc_auc_score

from coterie import (
    GradientBoostingRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from coterie.boosting.gradient.eval_sets import read_eval_sets
from tests.boosting.gradient.tables import numbers, two_classes


def sets(table, *sizes):
    X, y = table(900)
    ends = np.cumsum([0, *sizes])
    return (X[ends[-1] :], y[ends[-1] :]), [(X[a:b], y[a:b]) for a, b in pairwise(ends)]


@pytest.mark.slow
@pytest.mark.parametrize("boosting", ["plain", "dart"])
def test_results_are_what_stages_score(boosting):
    (X, y), evals = sets(two_classes, 100, 150)
    model = HistGradientBoostingClassifier(
        max_iter=8, scoring=["loss", "roc_auc"], early_stopping=False, boosting=boosting
    ).fit(X, y, eval_set=evals, eval_names=["old", "new"])
    assert list(model.evals_result_) == ["train", "old", "new"]
    assert not model.do_early_stopping_
    for name, (rows, truth) in zip(("old", "new"), evals, strict=True):
        found = model.evals_result_[name]
        assert len(found["loss"]) == len(model.trace_[f"{name}_roc_auc"]) == 8
        said = model.predict_proba(rows)
        assert found["loss"][-1] == pytest.approx(log_loss(truth, said), rel=1e-9)
        assert found["roc_auc"][-1] == pytest.approx(roc_auc_score(truth, said[:, 1]))
        if boosting == "plain":
            stages = [log_loss(truth, one) for one in model.staged_predict_proba(rows)]
            np.testing.assert_allclose(found["loss"], stages, rtol=1e-9)


def test_the_last_set_decides():
    (X, y), (first, last) = sets(numbers, 150, 150)
    params = {"max_iter": 60, "n_iter_no_change": 3, "learning_rate": 0.7}
    both = HistGradientBoostingRegressor(**params).fit(X, y, eval_set=[first, last])
    alone = HistGradientBoostingRegressor(**params).fit(X, y, X_val=last[0], y_val=last[1])
    other = HistGradientBoostingRegressor(**params).fit(X, y, eval_set=[first])
    assert both.stop_reason_ == "early_stopping"
    assert both.n_iter_ == alone.n_iter_
    np.testing.assert_array_equal(both.validation_score_, alone.validation_score_)
    np.testing.assert_array_equal(both.validation_score_[1:], -both.trace_["validation_1_loss"])
    assert list(other.evals_result_) == ["train", "validation"]
    assert other.evals_result_["validation"]["loss"][-1] != both.validation_score_[-1]


def test_x_val_decides_beside_further_sets():
    (X, y), (first, last) = sets(numbers, 150, 150)
    params = {"max_iter": 60, "n_iter_no_change": 3}
    model = HistGradientBoostingRegressor(**params).fit(
        X, y, X_val=last[0], y_val=last[1], eval_set=[first], eval_names=["seen"]
    )
    alone = HistGradientBoostingRegressor(**params).fit(X, y, X_val=last[0], y_val=last[1])
    assert list(model.evals_result_) == ["train", "seen", "validation"]
    assert model.n_iter_ == alone.n_iter_


def test_weights_of_a_set_are_repetitions():
    (X, y), (rows,) = sets(numbers, 50)
    times = np.arange(50) % 3 + 1
    weighted = GradientBoostingRegressor(n_estimators=5).fit(
        X, y, eval_set=[rows], eval_sample_weight=[times]
    )
    repeated = GradientBoostingRegressor(n_estimators=5).fit(
        X, y, eval_set=(np.repeat(rows[0], times, axis=0), np.repeat(rows[1], times))
    )
    np.testing.assert_allclose(
        weighted.evals_result_["validation"]["loss"],
        repeated.evals_result_["validation"]["loss"],
        rtol=1e-12,
    )


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"eval_set": [1, 2]}, "pairs"),
        ({"eval_names": ["a"]}, "need eval_set"),
        ({"eval_set": [([[1.0]], [1.0])], "eval_names": ["a", "b"]}, "eval_names has 2 entries"),
        ({"eval_set": [([[1.0]], [1.0])], "eval_names": ["train"]}, "'train'"),
    ],
)
def test_what_is_not_a_list_of_sets(given, message):
    whole = {"eval_set": None, "eval_names": None, "eval_sample_weight": None, **given}
    with pytest.raises(ValueError, match=message):
        read_eval_sets(whole["eval_set"], whole["eval_names"], whole["eval_sample_weight"])


def test_starting_scores_do_not_go_with_sets():
    (X, y), evals = sets(numbers, 50)
    with pytest.raises(ValueError, match="init_score cannot be combined with eval_set"):
        HistGradientBoostingRegressor().fit(X, y, init_score=np.zeros(len(y)), eval_set=evals)


def test_pairs_may_come_in_any_shape():
    X, y = np.ones((2, 1)), np.ones(2)
    assert list(read_eval_sets((X, y), None, None)) == ["validation"]
    assert list(read_eval_sets(((X, y), (X, y)), None, None)) == ["validation_0", "validation_1"]
    assert list(read_eval_sets([(X, y)], "mine", None)) == ["mine"]
