"""ONNX models say what the models say they were made from."""

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.linear_model import LogisticRegression

import coterie
from coterie.export import OnnxError
from coterie.export.onnx_models import _KNOWN
from tests.contract.exported import make

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")

RNG = np.random.default_rng(0)
N = 200
X = RNG.normal(size=(N, 5))
X[:, 3] = RNG.integers(0, 9, N)
X[:, 4] = RNG.integers(0, 100, N)
X[RNG.random((N, 5)) < 0.1] = np.nan
SCORE = (
    np.nan_to_num(X[:, 0] + X[:, 1] * X[:, 2])
    + np.isin(X[:, 3], [1, 4, 5])
    + RNG.normal(size=N) / 3
)
NUMBERS = np.exp(SCORE)
TWO = np.where(SCORE > 0.4, "yes", "no")
THREE = np.digitize(SCORE, [0.0, 0.9]) * 10


def run(model, X, tmp_path):
    """What onnxruntime makes of the file."""
    coterie.to_onnx(model, tmp_path / "model.onnx")
    session = onnxruntime.InferenceSession(
        str(tmp_path / "model.onnx"), providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(None, {"X": np.asarray(X, dtype=np.float64)}), strict=True))


def codes(model):
    """The rows with categories as codes, which is what ONNX models take."""
    coded = X.copy()
    for j, labels in model.schema_.labels.items():
        known = ~np.isnan(X[:, j])
        coded[known, j] = np.searchsorted(labels, X[known, j])
    return coded


def agree(model, tmp_path):
    said = run(model, codes(model), tmp_path)
    if not is_classifier(model):
        np.testing.assert_allclose(said["prediction"], model.predict(X), rtol=1e-12, atol=1e-12)
        return
    probabilities = model.predict_proba(X)
    np.testing.assert_allclose(said["probabilities"], probabilities, rtol=1e-10, atol=1e-12)
    top = np.sort(probabilities, axis=1)
    clear = top[:, -1] - top[:, -2] > 1e-10  # equals may go either way
    assert clear.mean() > 0.5
    np.testing.assert_array_equal(said["label"][clear], model.predict(X)[clear])


CLASSIFIERS = sorted(name for name in _KNOWN if name.endswith("Classifier"))
REGRESSORS = sorted(_KNOWN - set(CLASSIFIERS))


def of(name, **params):
    cls = getattr(coterie, name)
    if name == "AnyBoostClassifier":
        params.setdefault("loss", "logistic")
    return make(cls, **params)


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers(name, y, tmp_path):
    model = of(name, categorical_features=[3, 4])
    agree(model.fit(X, y), tmp_path)


@pytest.mark.parametrize("name", REGRESSORS)
def test_regressors(name, tmp_path):
    agree(of(name, categorical_features=[3, 4]).fit(X, NUMBERS), tmp_path)


@pytest.mark.parametrize(
    "model",
    [
        coterie.GradientBoostingRegressor(max_iter=5, loss="poisson"),
        coterie.GradientBoostingRegressor(max_iter=5, loss="gamma"),
        coterie.GradientBoostingRegressor(max_iter=5, loss="huber"),
        coterie.GradientBoostingRegressor(max_iter=5, boosting="dart", random_state=0),
        coterie.AnyBoostClassifier(n_estimators=5, loss="exponential"),
        coterie.GradientBoostingClassifier(max_iter=5, loss="exponential"),
        coterie.BoostingClassifier(n_estimators=5),
        coterie.BaggingClassifier(n_estimators=5, voting="hard", random_state=0),
        coterie.RandomForestRegressor(5, max_depth=3, random_state=0),
        coterie.DecisionTreeClassifier(max_depth=1),
        coterie.DecisionTreeRegressor(min_samples_split=10_000),
    ],
    ids=lambda model: str(model).replace("\n", ""),
)
def test_settings_that_matter(model, tmp_path):
    agree(clone(model).fit(X, TWO if is_classifier(model) else NUMBERS), tmp_path)


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
    model = coterie.GradientBoostingClassifier(max_iter=3).fit(X, TWO)
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
        (coterie.KNNEnsembleClassifier(), "has no form"),
        (LogisticRegression(), "has no form"),
        (coterie.BaggingClassifier(LogisticRegression(), n_estimators=2), "not native trees"),
        (
            coterie.GradientBoostingClassifier(max_iter=2, init=LogisticRegression()),
            "another model",
        ),
        (
            coterie.GradientBoostingClassifier(
                max_iter=2, high_cardinality="ordered", categorical_features=[2]
            ),
            "targets",
        ),
        (
            coterie.BalancedBaggingClassifier(n_estimators=2, prior_correction=True),
            "prior",
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_cannot_be_expressed_is_refused(model, why, tmp_path):
    full = np.nan_to_num(np.round(X, 1) if "targets" in why else X)
    with pytest.raises(OnnxError, match=why):
        coterie.to_onnx(clone(model).fit(full, TWO), tmp_path / "model.onnx")
    assert list(tmp_path.iterdir()) == []


def test_multi_output_classes_are_refused():
    model = coterie.RandomForestClassifier(2).fit(X, np.stack([TWO, TWO[::-1]], axis=1))
    with pytest.raises(OnnxError, match="several outputs"):
        coterie.to_onnx(model)
