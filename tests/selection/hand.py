"""Five neighbours and three members, small enough to be worked out by hand."""

import numpy as np

Y = np.array([0, 0, 1, 1, 0])
LABELS = np.array([[0, 0, 1, 0, 0], [0, 1, 1, 1, 1], [1, 0, 0, 1, 0]])
SAID = np.array([[0], [1], [0]])
HITS = LABELS == Y
NEAR = np.arange(5)[None, :]
AWAY = np.array([[0.5, 1, 1, 2, 2]])


def random_pool(n_members=6, n_samples=40, n_queries=15, k=7, n_classes=3, seed=0):
    """Members that are right now and then, and queries with their neighbours."""
    rng = np.random.default_rng(seed)
    chances = rng.dirichlet(np.ones(n_classes), (n_members, n_samples + n_queries))
    labels = chances.argmax(axis=2)
    y = rng.integers(0, n_classes, n_samples)
    near = np.array([rng.permutation(n_samples)[:k] for _ in range(n_queries)])
    away = np.sort(rng.uniform(0.1, 2, (n_queries, k)), axis=1)
    return {
        "chances": chances[:, :n_samples],
        "labels": labels[:, :n_samples],
        "hits": labels[:, :n_samples] == y,
        "y": y,
        "near": near,
        "away": away,
        "said": labels[:, n_samples:],
        "chances_said": chances[:, n_samples:],
    }
