import numpy as np
import pytest
from sklearn.svm import OneClassSVM

from coterie import IsolationForest, NoveltyTestDetector
from coterie.outliers import benjamini_hochberg, novelty_p_values


@pytest.mark.parametrize(("n", "alpha"), [(19, 0.05), (20, 0.1), (99, 0.29)])
def test_p_values_of_normal_rows_are_uniform(n, alpha):
    """Of all places that a new score can take among the others, each is as likely."""
    reference = np.arange(1.0, n + 1)
    new = np.arange(n + 1) + 0.5  # one between any two
    p = novelty_p_values(reference, new)
    assert np.mean(p <= alpha + 1e-12) == pytest.approx(int(round(alpha * (n + 1), 9)) / (n + 1))


def test_flags_keep_the_share_of_false_discoveries():
    p = np.array([0.001, 0.008, 0.039, 0.041, 0.042, 0.06, 0.074, 0.205])
    np.testing.assert_array_equal(benjamini_hochberg(p, 0.05), [True, True] + [False] * 6)
    assert not benjamini_hochberg([0.5, 0.9]).any()


@pytest.mark.parametrize("reference", ["oob", "holdout"])
def test_few_normal_rows_are_flagged(reference):
    rng = np.random.default_rng(0)
    model = NoveltyTestDetector(reference=reference, alpha=0.1, random_state=0)
    model.fit(rng.normal(size=(600, 3)))
    flagged = np.mean(model.predict(rng.normal(size=(2000, 3))) == -1)
    assert 0.05 < flagged < 0.16
    p = model.p_values(np.array([[9.0, 9.0, 9.0], [0.0, 0.0, 0.0]]))
    assert p[0] < 0.02
    assert p[1] > 0.3
    assert (np.diff(model.reference_scores_) >= 0).all()


def test_any_detector_with_rows_held_out():
    X = np.random.default_rng(0).normal(size=(100, 2))
    model = NoveltyTestDetector(estimator=OneClassSVM(), reference="holdout").fit(X)
    assert len(model.reference_scores_) == 20
    with pytest.raises(ValueError, match="needs an IsolationForest"):
        NoveltyTestDetector(estimator=OneClassSVM()).fit(X)
    with pytest.raises(ValueError, match="too few to hold any out"):
        NoveltyTestDetector(reference="holdout").fit(X[:1])


def test_too_few_rows_are_told():
    X = np.random.default_rng(0).normal(size=(30, 2))
    detector = NoveltyTestDetector(
        estimator=IsolationForest(), reference="holdout", alpha=0.05, random_state=0
    )
    with pytest.warns(UserWarning, match="6 reference rows .* 19 are needed"):
        detector.fit(X)
