"""Five members and eight samples, whose orders are known; see each test for the steps."""

import numpy as np

HITS = np.array(
    [
        [1, 1, 1, 1, 0, 0, 1, 0],
        [1, 1, 1, 1, 0, 0, 0, 1],
        [1, 1, 1, 0, 1, 0, 0, 0],
        [0, 0, 1, 1, 1, 1, 0, 0],
        [1, 0, 0, 0, 1, 1, 1, 1],
    ],
    dtype=bool,
)
Y = np.array([1, 1, 1, 1, 0, 0, 0, 0])
LABELS = np.where(HITS, Y, 1 - Y)


def random_votes(n_members=9, n_samples=30, n_classes=3, seed=0, gaps=0.0):
    """Labels that are right more often than not, -1 where there is no vote."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_samples)
    wrong = rng.random((n_members, n_samples)) < rng.uniform(0.2, 0.6, (n_members, 1))
    labels = np.where(wrong, (y + rng.integers(1, n_classes, wrong.shape)) % n_classes, y)
    return np.where(rng.random(labels.shape) < gaps, -1, labels), y


def as_votes(labels, n_classes=3):
    """Votes for each class; NaN where there is none."""
    votes = np.eye(n_classes)[labels]
    votes[labels < 0] = np.nan
    return votes


def vote_error(labels, y, members, weight=None, n_classes=3):
    """Error of the vote of some members, counted sample by sample; ties are guesses."""
    losses = []
    for i, truth in enumerate(y):
        counts = [sum(labels[t, i] == k for t in members) for k in range(n_classes)]
        best = [k for k in range(n_classes) if counts[k] == max(counts)]
        losses.append(1 - (truth in best) / len(best))
    return float(np.average(losses, weights=weight))
