"""Templates and evidence."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from coterie import DecisionTemplatesClassifier, DempsterShaferClassifier, fusion
from tests.combining.test_selecting import QuotingClasses

# Two rows that are the templates of their classes, and one in question.
ROWS, TRUTH = np.arange(2.0)[:, None], np.array([0, 1])
SAID = [(0.2, 0.7, 0.4), (0.3, 0.9, 0.6)]


def witnesses():
    return [(f"m{t}", QuotingClasses(said).fit(ROWS, TRUTH)) for t, said in enumerate(SAID)]


def test_templates_by_hand():
    model = DecisionTemplatesClassifier(witnesses(), cv="prefit").fit(ROWS, TRUTH)
    np.testing.assert_allclose(model.templates_.templates[0], [[0.8, 0.2], [0.7, 0.3]])
    profile = model._profile([[2.0]])
    np.testing.assert_allclose(model.templates_.similarity(profile), [[0.935, 0.910]])
    np.testing.assert_allclose(model.predict_proba([[2.0]]), [[0.935 / 1.845, 0.910 / 1.845]])


def test_belief_by_hand():
    model = DempsterShaferClassifier(witnesses(), cv="prefit").fit(ROWS, TRUTH)
    np.testing.assert_allclose(model.predict_proba([[2.0]]), [[0.544161, 0.455839]], atol=1e-6)


def test_masses_leave_room_for_ignorance():
    model = DempsterShaferClassifier(witnesses(), cv="prefit", form="masses", ignorance=0.5)
    model.fit(ROWS, TRUTH)
    # exp of minus the squared distances 0.08 and 0.18 (first), 0.18 and 0.18 (second).
    near = np.exp(-np.array([[0.08, 0.18], [0.18, 0.18]]))
    masses = np.hstack([near, [[0.5], [0.5]]])
    masses /= masses.sum(axis=1, keepdims=True)
    both = fusion.dempster(masses[:, None])
    found = model.evidence([[2.0]])
    np.testing.assert_allclose(found.masses, both.masses, rtol=1e-9)
    shared = found.masses[:, :2] + found.masses[:, 2:] / 2
    np.testing.assert_allclose(model.predict_proba([[2.0]]), shared, rtol=1e-9)
    sure = model.set_params(ignorance=0.0).fit(ROWS, TRUTH).evidence([[2.0]])
    assert sure.masses[0, -1] == 0 < found.masses[0, -1]


@pytest.mark.parametrize("kind", [DecisionTemplatesClassifier, DempsterShaferClassifier])
def test_templates_are_of_unseen_rows(kind):
    X, y = load_wine(return_X_y=True)
    labels = np.array(["x", "y", "z"])[y]
    members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(random_state=0))]
    cv = KFold(3, shuffle=True, random_state=0)
    model = kind(members, cv=cv).fit(X, labels)
    profile = [cross_val_predict(m, X, y, cv=cv, method="predict_proba") for _, m in members]
    expected = fusion.decision_templates(profile, y).templates
    np.testing.assert_allclose(model.templates_.templates, expected, rtol=1e-9)
    assert model.score(X, labels) > 0.95
