"""Risk and coverage."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from coterie import RejectOptionClassifier, risk_coverage
from coterie.combining.reject_option import RejectingVotes, a_reject_label


class Voter(RejectingVotes):
    reject, threshold, reject_label = True, 0.5, "auto"
    classes_ = np.array(["no", "yes"])


def test_marks_survive_labels_of_any_kind():
    support = np.array([[2.0, 1.0], [1.0, 1.0]])
    labels = np.array(["no", "no"])
    voter = Voter()
    assert voter._marked(labels, support).tolist() == ["no", None]
    voter.reject = False
    assert voter._marked(labels, support).tolist() == ["no", "no"]
    voter.reject, voter.classes_ = True, np.array([3, 4], dtype=np.uint8)
    assert voter._marked(np.array([3, 3], dtype=np.uint8), support).tolist() == [3, -1]


def test_what_can_mark():
    assert all(map(a_reject_label.admits, (None, -1, "unsure", np.int64(3), 0.5)))
    assert not any(map(a_reject_label.admits, (float("nan"), b"x", object())))


X, y = make_classification(1200, 6, flip_y=0.2, class_sep=0.7, random_state=0)
NAMES = np.array(["no", "yes"])


def test_curve_by_hand():
    curve = risk_coverage([0.9, 0.7, 0.8, 0.7, 0.6], [True, False, True, True, False])
    np.testing.assert_allclose(curve.coverage, [0.2, 0.4, 0.8, 1.0])
    np.testing.assert_allclose(curve.risk, [0, 0, 0.25, 0.4])
    assert curve.thresholds.tolist() == [0.9, 0.8, 0.7, 0.6]
    assert curve.area == pytest.approx(0.4 * 0.25 + 0.2 * 0.4)
    assert [curve.threshold_of(c) for c in (0.4, 0.5, 1.0)] == [0.8, 0.7, 0.6]
    weighted = risk_coverage([0.9, 0.5], [True, False], [3, 1])
    np.testing.assert_allclose(weighted.coverage, [0.75, 1])
    with pytest.raises(ValueError, match="same shape"):
        risk_coverage([0.5], [True, False])


@pytest.mark.parametrize("confidence", ["probability", "margin", "entropy"])
def test_coverage_is_kept_and_risk_falls(confidence):
    train, test = slice(0, 600), slice(600, None)
    model = RejectOptionClassifier(LogisticRegression(), coverage=0.6, confidence=confidence)
    model.fit(X[train], NAMES[y[train]])
    said, mask = model.predict(X[test]), model.reject_mask(X[test])
    assert [label is None for label in said] == mask.tolist()
    assert 1 - mask.mean() == pytest.approx(0.6, abs=0.06)
    assert model.score(X[test], NAMES[y[test]]) == np.mean(said == NAMES[y[test]])
    right = said[~mask] == NAMES[y[test]][~mask]
    full = RejectOptionClassifier(LogisticRegression()).fit(X[train], NAMES[y[train]])
    assert not full.reject_mask(X[test]).any()
    assert right.mean() > full.score(X[test], NAMES[y[test]]) + 0.03
    np.testing.assert_allclose(model.predict_proba(X), full.predict_proba(X))
    # The curve found on unseen training rows is that of new rows, about.
    here, there = model.risk_coverage_, model.risk_coverage(X[test], NAMES[y[test]])
    assert here.area == pytest.approx(there.area, abs=0.05)
    assert there.risk[-1] == pytest.approx(1 - full.score(X[test], NAMES[y[test]]))


@pytest.mark.slow
def test_of_two_classes_all_confidences_agree():
    masks = [
        RejectOptionClassifier(LogisticRegression(), coverage=0.7, confidence=c)
        .fit(X, y)
        .reject_mask(X)
        for c in ("probability", "margin", "entropy")
    ]
    assert (masks[0] == masks[1]).all()
    assert (masks[0] == masks[2]).all()


def test_chow():
    model = RejectOptionClassifier(LogisticRegression(), cost=0.3).fit(X, y)
    chances = model.predict_proba(X)
    said = model.predict(X)
    assert said.tolist() == np.where(chances.max(axis=1) < 0.7, -1, chances.argmax(axis=1)).tolist()
    # No threshold costs less on the rows of the curve, if probabilities are right.
    curve = model.risk_coverage_
    costs = curve.risk * curve.coverage + 0.3 * (1 - curve.coverage)
    chosen = np.searchsorted(-curve.thresholds, -0.7, side="right") - 1
    assert costs[chosen] < costs.min() + 0.02


def test_refusals():
    with pytest.raises(ValueError, match="combined with coverage"):
        RejectOptionClassifier(LogisticRegression(), cost=0.3, coverage=0.5).fit(X, y)
    with pytest.raises(ValueError, match="is one of the classes"):
        RejectOptionClassifier(LogisticRegression(), cost=0.3).fit(X, 1 - 2 * y)
    with pytest.raises(ValueError, match="is one of the classes"):
        RejectOptionClassifier(LogisticRegression(), coverage=0.5).fit(X, 1 - 2 * y)
    with pytest.raises(ValueError, match="predict_proba"):
        RejectOptionClassifier(LinearSVC()).fit(X, y)
