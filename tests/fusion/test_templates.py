"""Decision templates: the worked example, classes without samples, members that are wrong."""

import numpy as np
import pytest

from coterie import fusion
from coterie.data.errors import DataError

TEMPLATES = np.array([[[0.8, 0.2], [0.7, 0.3]], [[0.3, 0.7], [0.1, 0.9]]])
PROFILE = np.array([[[0.6, 0.4]], [[0.4, 0.6]]])


@pytest.fixture
def fitted():
    return fusion.decision_templates(TEMPLATES.transpose(1, 0, 2), [0, 1])


def test_worked_example(fitted):
    np.testing.assert_allclose(fitted.templates, TEMPLATES)
    np.testing.assert_allclose(fitted.similarity(PROFILE), [[0.935, 0.910]])
    np.testing.assert_allclose(fitted.belief(PROFILE), [[0.544161, 0.455839]], atol=1e-6)
    fuzzy = fitted.similarity(PROFILE, "symmetric_difference")
    # First template: max(min(.8, .4), min(.2, .6)) = .4 twice, then .6 twice.
    np.testing.assert_allclose(fuzzy[0, 0], 1 - (0.4 + 0.4 + 0.6 + 0.6) / 4)


def test_masses():
    fitted = fusion.decision_templates([[[0.8, 0.2], [0.3, 0.7]]], [0, 1])
    masses = fitted.masses([[[0.6, 0.4]]], 0.5)
    np.testing.assert_allclose(masses, [[[0.408750, 0.369853, 0.221397]]], atol=1e-6)
    combined = fusion.dempster(masses).masses
    np.testing.assert_allclose(combined, masses[0])


def test_belief_is_dempsters_rule(fitted):
    # {k}: φ_k together with {not k}: φ_j for every other j; of two classes they are the other one.
    near = 1 / (1 + ((TEMPLATES[:, 0] - PROFILE[0, 0]) ** 2).sum(axis=1))
    near /= near.sum()
    pro, contra = [near[0], 0, 1 - near[0]], [0, near[1], 1 - near[1]]
    first = fusion.dempster([[pro], [contra]]).masses[0, 0]
    assert first == pytest.approx(0.363247, abs=1e-6)


def test_templates_are_class_means():
    rng = np.random.default_rng(0)
    profiles, y = rng.dirichlet(np.ones(3), (4, 60)), rng.integers(0, 3, 60)
    fitted = fusion.decision_templates(profiles, np.array(["a", "b", "c"])[y], classes=list("abc"))
    for k in range(3):
        np.testing.assert_allclose(fitted.templates[k], profiles[:, y == k].mean(axis=1))
    weight = rng.integers(0, 3, 60)
    weighted = fusion.decision_templates(profiles, y, sample_weight=weight)
    repeated = fusion.decision_templates(np.repeat(profiles, weight, axis=1), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.templates, repeated.templates)
    support = fitted.belief(profiles)
    np.testing.assert_allclose(support.sum(axis=1), 1)
    assert (support >= 0).all()


def test_members_that_are_always_wrong_are_of_use():
    y = np.array([0, 1] * 20)
    wrong = np.eye(2)[1 - y] * 0.8 + 0.1
    fitted = fusion.decision_templates([wrong, wrong], y)
    new = np.array([[[0.9, 0.1]], [[0.8, 0.2]]])
    for support in (fitted.similarity(new), fitted.belief(new), fitted.masses(new)[0, :, :2]):
        assert support.argmax() == 1


def test_a_class_without_samples():
    profiles = np.full((2, 3, 3), 1 / 3)
    fitted = fusion.decision_templates(profiles, [0, 2, 2])
    assert np.isnan(fitted.templates[1]).all()
    for support in (fitted.similarity(profiles), fitted.belief(profiles)):
        np.testing.assert_array_equal(support[:, 1], 0)
        assert np.isfinite(support).all()
    assert (fitted.masses(profiles)[:, :, 1] == 0).all()
    alone = fusion.decision_templates(profiles, [2, 2, 2])
    assert alone.belief(profiles).tolist() == [[0, 0, 1]] * 3


def test_refusals(fitted):
    with pytest.raises(DataError, match=r"profiles must have shape \(2, samples, 2\)"):
        fitted.similarity(np.zeros((3, 1, 2)))
    with pytest.raises(ValueError, match="measure"):
        fitted.similarity(PROFILE, "cosine")
    with pytest.raises(ValueError, match="ignorance"):
        fitted.masses(PROFILE, -1)
    with pytest.raises(DataError, match="not one of the classes"):
        fusion.decision_templates(PROFILE, [2])
    with pytest.raises(DataError, match="one label for each sample"):
        fusion.decision_templates(PROFILE, [0, 1])
