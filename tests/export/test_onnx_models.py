"""ONNX models say what the models say they were made from."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

import coterie
from coterie.export import OnnxError
from tests.export.runtime import NUMBERS, SCORE, THREE, TWO, X, agree, run


def test_several_numbers_at_once(tmp_path):
    model = coterie.RandomForestRegressor(3, random_state=0).fit(X, np.stack([SCORE, NUMBERS], 1))
    agree(model, tmp_path)


def test_labels_keep_their_type(tmp_path):
    for y in (TWO, THREE, THREE > 5, THREE.astype(float)):
        model = coterie.DecisionTreeClassifier(max_depth=3).fit(X, y)
        said = run(model, X, tmp_path)["label"]
        assert said.dtype.kind.replace("O", "U") == model.classes_.dtype.kind
        np.testing.assert_array_equal(said.astype(model.classes_.dtype), model.predict(X))


def test_one_row_and_none(tmp_path):
    model = coterie.HistGradientBoostingClassifier(max_iter=3).fit(X, TWO)
    said = run(model, X[:1], tmp_path)["probabilities"]
    np.testing.assert_allclose(said, model.predict_proba(X[:1]), rtol=1e-12)
    assert run(model, X[:0], tmp_path)["label"].shape == (0,)


def test_categories_go_along(tmp_path):
    import json

    model = coterie.RandomForestClassifier(2, categorical_features=[3]).fit(X, TWO)
    facts = {fact.key: json.loads(fact.value) for fact in coterie.to_onnx(model).metadata_props}
    assert len(facts["categories"]["3"]) == 9
    assert facts["names"] is None


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (coterie.KNNEnsembleClassifier(), "cannot be exported"),
        (LogisticRegression(), "skl2onnx"),
        (coterie.BaggingClassifier(LogisticRegression(), n_estimators=2), "not native trees"),
        (
            coterie.HistGradientBoostingClassifier(max_iter=2, init=LogisticRegression()),
            "an init model",
        ),
        (
            coterie.HistGradientBoostingClassifier(
                max_iter=2, high_cardinality="ordered", categorical_features=[2]
            ),
            "target statistics",
        ),
        (
            coterie.BalancedBaggingClassifier(n_estimators=2, prior_correction=True),
            "prior",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_be_expressed_is_refused(model, why, tmp_path):
    full = np.nan_to_num(np.round(X, 1) if "target statistics" in why else X)
    with pytest.raises(OnnxError, match=why):
        coterie.to_onnx(clone(model).fit(full, TWO), tmp_path / "model.onnx")
    assert list(tmp_path.iterdir()) == []


def test_multi_output_classes_are_refused():
    model = coterie.RandomForestClassifier(2).fit(X, np.stack([TWO, TWO[::-1]], axis=1))
    with pytest.raises(OnnxError, match="several classification outputs"):
        coterie.to_onnx(model)


@pytest.mark.parametrize(
    "kind",
    [
        coterie.RandomForestClassifier,
        coterie.AdaBoostClassifier,
        coterie.DecisionTreeClassifier,
        coterie.HistGradientBoostingClassifier,
        coterie.ExtraTreesClassifier,
        coterie.BaggingClassifier,
    ],
)
def test_a_category_that_was_not_seen_is_missing(kind, tmp_path):
    model = kind(random_state=0, categorical_features=[3]).fit(X, TWO)
    strange = X.copy()
    strange[:, 3] = 99
    expected = model.predict_proba(strange)
    for code in (-1, len(model.schema_.labels[3]), 1e6):
        strange[:, 3] = code
        said = run(model, strange, tmp_path)["probabilities"]
        np.testing.assert_allclose(said, expected, rtol=1e-10, atol=1e-12)
