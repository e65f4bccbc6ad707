"""The map of the members: distances, the mean of the members, what the plane shows."""

import numpy as np
import pytest

from coterie import fusion, theory
from coterie.plotting import SimilarityDisplay
from coterie.plotting.similarity import seen_from_last
from tests.diversity.pools import forest_pool, random_pool
from tests.plotting.pictures import check_picture, texts


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_mean_of_the_members_is_the_error_of_the_averaged_vote(n_classes):
    labels, y = random_pool(0, n_classes=n_classes)
    weight = np.random.default_rng(1).random(60)
    display = SimilarityDisplay.from_predictions(labels, y, sample_weight=weight)
    parts = theory.vote_ambiguity(labels, y, sample_weight=weight)
    centre = display.points.mean(axis=0)
    assert centre == pytest.approx([np.sqrt(parts.error), 0], abs=1e-9)
    assert display.errors == pytest.approx(parts.member_errors)
    # No point is farther from the truth than its error says.
    assert ((display.points**2).sum(axis=1) <= display.errors + 1e-12).all()
    share = (display.points**2).sum() / display.errors.sum()
    assert display.shown == pytest.approx(share)


def test_few_members_are_shown_exactly():
    # Two members and the truth are in one plane.
    labels, y = random_pool(4, n_members=2)
    display = SimilarityDisplay.from_predictions(labels, y, vote=labels[0])
    assert display.shown == pytest.approx(1)
    apart = ((display.points[0] - display.points[1]) ** 2).sum()
    assert apart == pytest.approx((labels[0] != labels[1]).mean())
    np.testing.assert_allclose(display.vote, display.points[0], atol=1e-12)


@pytest.mark.slow
def test_real_trees_are_drawn():
    labels, y = forest_pool()
    display = SimilarityDisplay.from_predictions(labels, y, names=list("abcdefghi"))
    members, vote, truth = display.ax_.collections
    np.testing.assert_allclose(members.get_offsets(), display.points)
    np.testing.assert_allclose(members.get_array(), (labels != y).mean(axis=1))
    np.testing.assert_allclose(vote.get_offsets()[0], display.vote)
    assert truth.get_offsets()[0].tolist() == [0, 0]
    error = np.mean(fusion.plurality(labels) != y)
    assert f"vote: error {error:.3f}" in texts(display.ax_)
    assert {text.get_text() for text in display.ax_.texts} == set("abcdefghi")
    check_picture(display.figure_)


def test_members_without_error_are_where_the_truth_is():
    places, shown = seen_from_last(np.zeros((4, 4)))
    assert shown == 1
    np.testing.assert_array_equal(places, 0)
    with pytest.raises(ValueError, match="1 members, but 2 names"):
        SimilarityDisplay.from_predictions([[1, 0]], [1, 1], names=["a", "b"])
