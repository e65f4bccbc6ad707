"""Pipelines of scikit-learn, with models of coterie at the end, say the same in ONNX."""

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.decomposition import PCA
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    OrdinalEncoder,
    RobustScaler,
    StandardScaler,
)

import coterie
from coterie.export import OnnxError
from tests.export.runtime import NUMBERS, RNG, THREE, TWO, N, X, agree, run

WORDS = RNG.choice(["red", "green", "blue"], N)
FRAME = pd.DataFrame(X, columns=list("abcde")).assign(word=WORDS, level=RNG.integers(0, 4, N))
FRAME.loc[::17, "word"] = None


def forest():
    return coterie.RandomForestClassifier(5, max_depth=4, random_state=0)


def coded(model, frame, tmp_path):
    """The frame with text as the codes that the file tells of."""
    import json

    made = coterie.to_onnx(model)
    facts = {entry.key: json.loads(entry.value) for entry in made.metadata_props}
    assert facts["names"] == list(frame.columns)
    out = frame.copy()
    for j, known in facts["categories"].items():
        place = {label: code for code, label in enumerate(known)}
        column = frame.iloc[:, int(j)]
        out[frame.columns[int(j)]] = [
            np.nan if pd.isna(value) else place.get(value, -1) for value in column
        ]
    return out.to_numpy(dtype=float)


def same(model, frame, tmp_path):
    said = run(model, coded(model, frame, tmp_path), tmp_path)
    if hasattr(model, "predict_proba"):
        want = model.predict_proba(frame)
        np.testing.assert_allclose(said["probabilities"], want, rtol=1e-9, atol=1e-12)
        assert (said["label"] == model.predict(frame)).mean() > 0.99
    else:
        np.testing.assert_allclose(said["prediction"], model.predict(frame), rtol=1e-9)


def encoders():
    hot = OneHotEncoder(handle_unknown="ignore")
    filled = make_pipeline(SimpleImputer(strategy="most_frequent"), OneHotEncoder(drop="first"))
    ordinal = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    return {"hot": hot, "filled": filled, "ordinal": ordinal}


@pytest.mark.parametrize("kind", ["hot", "filled", "ordinal"])
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
def test_columns_of_all_kinds(kind, y, tmp_path):
    numeric = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    model = make_pipeline(
        ColumnTransformer(
            [("n", numeric, list("abcde")), ("w", encoders()[kind], ["word"])],
            remainder="passthrough",
        ),
        forest(),
    ).fit(FRAME, y)
    same(model, FRAME, tmp_path)


def test_new_words_are_unknown(tmp_path):
    model = make_pipeline(
        ColumnTransformer([("w", encoders()["hot"], ["word"])], remainder="drop"), forest()
    ).fit(FRAME, TWO)
    same(model, FRAME.assign(word="violet"), tmp_path)


@pytest.mark.parametrize("scaler", [MinMaxScaler(clip=True), MaxAbsScaler(), RobustScaler()])
def test_scalers(scaler, tmp_path):
    model = make_pipeline(scaler, coterie.HistGradientBoostingRegressor(max_iter=4))
    model.fit(X, NUMBERS)
    wide = np.where(np.arange(N)[:, None] % 2, X, 3 * X)
    want = model.predict(wide)
    np.testing.assert_allclose(run(model, wide, tmp_path)["prediction"], want, rtol=1e-9)


def test_categories_of_the_model_itself(tmp_path):
    last = coterie.RandomForestClassifier(5, random_state=0, categorical_features=[0])
    order = ColumnTransformer([("w", OrdinalEncoder(), ["word", "level"])])
    same(make_pipeline(order, last).fit(FRAME, TWO), FRAME, tmp_path)


@pytest.mark.slow
def test_stacks_and_votes_hold_pipelines_and_linear_models(tmp_path):
    members = [
        ("forest", forest()),
        ("linear", make_pipeline(SimpleImputer(), StandardScaler(), LogisticRegression())),
    ]
    for y in (TWO, THREE):
        for final in (None, forest(), "super_learner", "mlr", "stackingc"):
            agree(coterie.StackingClassifier(members, final, cv=3).fit(X, y), tmp_path)
        agree(coterie.VotingClassifier(members, voting="soft").fit(X, y), tmp_path)
    numbers = [
        ("forest", coterie.RandomForestRegressor(4, random_state=0)),
        ("linear", make_pipeline(SimpleImputer(), Ridge())),
    ]
    for final in (None, "super_learner"):
        agree(coterie.StackingRegressor(numbers, final, cv=3).fit(X, NUMBERS), tmp_path)


def test_stacks_pass_columns_through(tmp_path):
    final = coterie.HistGradientBoostingClassifier(max_iter=4)
    model = coterie.StackingClassifier([("forest", forest())], final, cv=3, passthrough=True)
    agree(model.fit(X, THREE), tmp_path)


def test_what_has_no_form_is_named():
    model = make_pipeline(SimpleImputer(), PCA(2), forest()).fit(X, TWO)
    with pytest.raises(OnnxError, match="The step PCA cannot be exported"):
        coterie.to_onnx(model)
    linear = make_pipeline(SimpleImputer(), LogisticRegression()).fit(X, TWO)
    with pytest.raises(OnnxError, match="skl2onnx"):
        coterie.to_onnx(linear)
    scores = coterie.StackingClassifier([("f", forest())], cv=3, stack_method="predict")
    with pytest.raises(OnnxError, match="uses predict"):
        coterie.to_onnx(scores.fit(X, TWO))
