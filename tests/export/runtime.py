"""Rows of all kinds, and what onnxruntime makes of a model."""

import numpy as np
import pytest
from sklearn.base import is_classifier

import coterie

pytest.importorskip("onnx")
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
