"""Calibrated ensembles say the same in ONNX."""

import pytest

import coterie
from tests.export.runtime import THREE, TWO, X, agree


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("calibrate", ["ensemble", "members"])
@pytest.mark.parametrize("method", ["platt", "isotonic", "beta", "temperature"])
def test_calibrated_ensembles(method, calibrate, y, tmp_path):
    members = [
        ("forest", coterie.RandomForestClassifier(5, max_depth=4, random_state=0)),
        ("boost", coterie.HistGradientBoostingClassifier(max_iter=4)),
    ]
    model = coterie.CalibratedEnsembleClassifier(members, method=method, calibrate=calibrate, cv=3)
    agree(model.fit(X, y), tmp_path)
