"""META-DES: the competence of a member is itself predicted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from coterie.fusion.calibration import newton_logistic
from coterie.selection.ensembles import or_all
from coterie.selection.regions import Array, Region, around
from coterie.tags import tagged

MOST_PAIRS = 200_000  # of member and sample; more teach the same few coefficients nothing


def meta_features(region: Region, n_profiles: int) -> Array:
    r"""Features from which a meta-classifier predicts the competence of a member for a query.

    For member t and query x: hits on the k neighbours, probabilities :math:`P_t(y_j | x_j)` of
    their true classes, local accuracy, hits on the :math:`k_p` samples with the most similar output
    profiles, and the largest probability it gives to a class of the query; :math:`2k + k_p + 2`
    numbers.

    Parameters
    ----------
    region : Region
        With chances and neighbours by profile.
    n_profiles : int
        The number :math:`k_p`.

    Returns
    -------
    ndarray of shape (members, queries, features)

    References
    ----------
    .. [1] Cruz, Sabourin, Cavalcanti & Ren, "META-DES: a dynamic ensemble selection framework using
       meta-learning", Pattern Recognition 48 (2015).

    Examples
    --------
    >>> chances = np.array([[[0.8, 0.2], [0.3, 0.7]]])
    >>> near, away = np.array([[0, 1]]), np.array([[1.0, 2.0]])
    >>> labels, y = chances.argmax(axis=2), np.array([0, 0])
    >>> region = Region(
    ...     labels == y,
    ...     y,
    ...     labels,
    ...     chances,
    ...     2,
    ...     near,
    ...     away,
    ...     None,
    ...     near,
    ...     labels[:, :1],
    ...     chances[:, :1],
    ... )
    >>> meta_features(region, 1)  # hits, their chances, accuracy, a hit by profile, how sure
    array([[[1. , 0. , 0.8, 0.3, 0.5, 1. , 0.8]]])
    """
    assert region.profile_neighbours is not None, "neighbours by profile are needed"
    right = around(region.hits, region.neighbours).astype(np.float64)
    sure = around(region.true_chances, region.neighbours)
    alike = around(region.hits, region.profile_neighbours[:, :n_profiles]).astype(np.float64)
    top = region.chances_said.max(axis=2).T[:, None, :]
    accuracy = right.mean(axis=1, keepdims=True)
    features = np.concatenate([right, sure, accuracy, alike, top], axis=1)
    return np.ascontiguousarray(features.transpose(2, 0, 1))


@tagged
@dataclass(frozen=True)
class MetaDES:
    r"""META-DES: the members that a meta-classifier considers competent vote.

    .. math:: w_t(x) = \hat p_t(x) 1[\hat p_t(x) > \tfrac12], \qquad
       \hat p_t(x) = \sigma(\beta_0 + \beta^T f_t(x))

    with the meta-features :math:`f_t` of `meta_features`. The coefficients are learnt from all
    pairs of a member and a sample of the reference set, whose neighbours are then the other
    samples; the label is whether the member is right [1]_.

    Parameters
    ----------
    n_profiles : int, default=5
        Number of samples with similar output profiles that are used.
    consensus : float, default=1.0
        Samples on which a larger share of the members agree are not used for training.
    threshold : float, default=0.5
        Competence that a member must exceed.
    coefficients : ndarray or None
        Fitted coefficients, the intercept first.

    References
    ----------
    .. [1] Cruz, Sabourin, Cavalcanti & Ren, "META-DES: a dynamic ensemble selection framework using
       meta-learning", Pattern Recognition 48 (2015).

    Examples
    --------
    >>> from coterie.selection import DynamicSelectionClassifier
    >>> model = DynamicSelectionClassifier(method=MetaDES(n_profiles=3))
    """

    n_profiles: int = 5
    consensus: float = 1.0
    threshold: float = 0.5
    coefficients: Any = None

    needs: ClassVar[frozenset[str]] = frozenset({"chances", "profiles"})

    def learn(self, region: Region, weight: NDArray[np.float64]) -> Self:
        """Fit the meta-classifier on a region whose queries are the reference samples themselves.

        Parameters
        ----------
        region : Region
            Neighbours of a sample leave out the sample itself.
        weight : ndarray of shape (queries,)
            Weight of each sample.
        """
        n_queries = region.said.shape[1]
        share = np.stack([(region.said == k).mean(axis=0) for k in range(region.n_classes)])
        taught = share.max(axis=0) <= self.consensus
        taught |= ~taught.any()
        features = meta_features(region, self.n_profiles)[:, taught]
        n_members, _, width = features.shape
        flat = np.hstack([np.ones((features[..., 0].size, 1)), features.reshape(-1, width)])
        right = region.hits[:, :n_queries][:, taught].ravel().astype(np.float64)
        counts = np.tile(weight[taught], n_members)
        found = newton_logistic(flat, right, counts, np.zeros(width + 1), penalty=1.0)
        return type(self)(self.n_profiles, self.consensus, self.threshold, found)

    def competence(self, region: Region) -> Array:
        """Probability that each member is right, shape (members, queries)."""
        assert region.profile_neighbours is not None, "neighbours by profile are needed"
        k = region.neighbours.shape[1]
        first, hit, sure, mean, alike, top = np.split(
            self.coefficients, np.cumsum([1, k, k, 1, len(self.coefficients) - 2 * k - 3])
        )
        # The same as features times coefficients, without an array of all features.
        near = around(region.hits, region.neighbours)
        score = np.einsum("qkt,k->tq", near, hit + mean / k)
        score += np.einsum("qkt,k->tq", around(region.true_chances, region.neighbours), sure)
        similar = around(region.hits, region.profile_neighbours[:, : len(alike)])
        score += np.einsum("qkt,k->tq", similar, alike)
        return np.asarray(expit(score + top * region.chances_said.max(axis=2) + first))

    def __call__(self, region: Region) -> Array:
        """Weights of the members, shape (members, queries)."""
        chance = region.prune(self.competence(region))
        return or_all(np.where(chance > self.threshold, chance, 0.0))
