import numpy as np
import pytest

from coterie.conformal import class_scores, true_ranks
from coterie.theory import conformal_quantile

P = np.array([[0.6, 0.3, 0.1], [0.5, 0.3, 0.2], [0.2, 0.7, 0.1], [0.4, 0.35, 0.25]])
TRUTH = np.array([0, 1, 0, 2])
U = np.array([0.5, 0.2, 0.8, 0.4])
QUERY = np.array([[0.3, 0.25, 0.2, 0.15, 0.1]])


def own(scores):
    return scores[np.arange(len(scores)), TRUTH]


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        (class_scores(P, "lac"), [0.4, 0.7, 0.8, 0.75]),
        (class_scores(P, "aps", U), [0.3, 0.74, 0.74, 0.9]),
        (class_scores(P, "aps"), [0.6, 0.8, 0.9, 1.0]),
        (class_scores(P, "raps", U, lambda_=0.1, k_reg=1), [0.3, 0.84, 0.84, 1.1]),
    ],
)
def test_scores_as_in_the_specification(scores, expected):
    np.testing.assert_allclose(own(scores), expected, atol=1e-12)


def test_sets_of_a_query_as_in_the_specification():
    aps, raps = (
        class_scores(QUERY, "aps", [0.5]),
        class_scores(QUERY, "raps", [0.5], lambda_=0.1, k_reg=1),
    )
    np.testing.assert_allclose(aps, [[0.15, 0.425, 0.65, 0.825, 0.95]])
    np.testing.assert_allclose(raps, [[0.15, 0.525, 0.85, 1.125, 1.35]])
    limits = [
        conformal_quantile([0.3, 0.74, 0.74, 0.9], 0.4),
        conformal_quantile([0.3, 0.84, 0.84, 1.1], 0.4),
    ]
    assert limits == [0.74, 0.84]
    assert (aps <= limits[0]).sum() == 3
    assert (raps <= limits[1]).sum() == 2


def test_without_a_fine_raps_is_aps():
    np.testing.assert_array_equal(
        class_scores(P, "raps", U, lambda_=0.0), class_scores(P, "aps", U)
    )


def test_ranks_and_wrong_names():
    np.testing.assert_array_equal(true_ranks(P, TRUTH), [1, 2, 2, 3])
    with pytest.raises(ValueError, match="'lac', 'aps' or 'raps'"):
        class_scores(P, "margin")
