import numpy as np
import pytest
from sklearn.ensemble import AdaBoostClassifier as Theirs
from sklearn.exceptions import NotFittedError

from coterie.boosting import AdaBoostClassifier
from coterie.plotting.story import (
    at_rounds,
    chosen_rounds,
    codes_of,
    fact,
    optional_fact,
    trace_of,
    votes_of,
)


def test_the_trace_of_a_booster(ten_boosted):
    trace = trace_of(ten_boosted)
    assert fact(trace, "error") == pytest.approx([3 / 10, 3 / 14, 3 / 22])
    assert optional_fact(trace, "validation_error") is None
    with pytest.raises(ValueError, match="does not contain 'temperature'; it contains error, edge"):
        fact(trace, "temperature")


def test_models_without_rounds_are_refused(ten_points):
    X, y = ten_points
    with pytest.raises(NotFittedError):
        trace_of(AdaBoostClassifier())
    with pytest.raises(TypeError, match="keeps no trace"):
        trace_of(Theirs(n_estimators=2).fit(X, y))
    useless = AdaBoostClassifier().fit(np.zeros((4, 2)), [0, 0, 1, 1])
    with pytest.raises(ValueError, match="no rounds.*too_weak"):
        trace_of(useless)


@pytest.mark.parametrize("wanted", [[0], [4], []])
def test_rounds_that_do_not_exist_are_refused(wanted):
    with pytest.raises(ValueError, match="rounds 1 to 3"):
        chosen_rounds(wanted, 3)


def test_default_rounds_are_spread_out():
    assert chosen_rounds(None, 1) == [1]
    assert chosen_rounds(None, 2) == [1, 2]
    assert chosen_rounds(None, 1000) == [1, 10, 100, 1000]


def test_labels_become_codes(ten_boosted):
    assert codes_of(ten_boosted, [1, -1, 1]).tolist() == [1, 0, 1]
    with pytest.raises(ValueError, match="y contains 7, which is not one of"):
        codes_of(ten_boosted, [1, 7])


def test_votes_are_what_a_round_adds(ten_boosted, ten_points):
    X, _ = ten_points
    scores, votes = zip(*votes_of(ten_boosted, X), strict=True)
    np.testing.assert_allclose(np.cumsum(votes, axis=0), scores)
    for vote, alpha in zip(votes, ten_boosted.estimator_weights_, strict=True):
        np.testing.assert_allclose(np.abs(vote), alpha)


def test_stages_are_asked_for_as_far_as_needed():
    asked = []

    def stages():
        for t in range(1, 100):
            asked.append(t)
            yield np.array([t, -t])

    assert at_rounds(stages(), [4, 2]).tolist() == [[4, -4], [2, -2]]
    assert asked == [1, 2, 3, 4]
