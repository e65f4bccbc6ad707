"""The methods by their names: functions from a region to weights of shape (members, queries).

A method may have an attribute ``needs``, a set of "chances" (members' probabilities of the judged
samples) and "profiles" (neighbours by output profile), and ``learn(region, weight)``, which is
called with the judged samples as queries and returns the method to be used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from coterie.selection import competence as local
from coterie.selection import ensembles
from coterie.selection.ensembles import best, near_best, or_all
from coterie.selection.meta_des import MetaDES
from coterie.selection.regions import Array, Region
from coterie.selection.rrc import rrc, rrc_chance
from coterie.tags import tagged

Method = Callable[[Region], Array]


@tagged
def by_ola(region: Region) -> Array:
    """The member of the highest `ola`."""
    return best(region.prune(local.ola(region.hits, region.neighbours, region.importance)))


@tagged
def by_rank(region: Region) -> Array:
    """The member of the highest `rank`."""
    return best(region.prune(local.rank(region.hits, region.neighbours).astype(np.float64)))


@tagged
def by_mcb(region: Region) -> Array:
    """The best, or nearly best, members by `mcb`."""
    weights = region.importance
    competence = local.mcb(
        region.hits, region.labels, region.neighbours, region.said, weights=weights
    )
    return near_best(region.prune(competence))


@tagged
@dataclass(frozen=True)
class LocalClassAccuracy:
    """Select the member with the highest `lca` or `mla`.

    Parameters
    ----------
    subset : {"assigned", "true"}, default="assigned"
        Which neighbours count, see `lca`.
    near : bool, default=False
        Whether near neighbours count more, as in `mla`.

    References
    ----------
    .. [1] Woods, Kegelmeyer & Bowyer, "Combination of multiple classifiers using local accuracy
       estimates", IEEE Trans. Pattern Anal. Mach. Intell. 19 (1997).

    Examples
    --------
    >>> from coterie.selection import DynamicSelectionClassifier
    >>> model = DynamicSelectionClassifier(method=LocalClassAccuracy(subset="true"))
    """

    subset: local.Subset = "assigned"
    near: bool = False

    def __call__(self, region: Region) -> Array:
        """Weights of the members, shape (members, queries)."""
        competence = local.lca(
            region.labels,
            region.y,
            region.neighbours,
            region.said,
            weights=region.closeness if self.near else region.importance,
            subset=self.subset,
        )
        return best(region.prune(competence))


@tagged
@dataclass(frozen=True)
class Probable:
    """Select the best, or nearly best, members by `a_priori` or `a_posteriori`.

    Parameters
    ----------
    posterior : bool
        Whether to use only the neighbours for which a member predicts the same class as for the
        query.
    margin : float, default=0.1
        How close to the best a member must be to vote with it.

    References
    ----------
    .. [1] Giacinto & Roli, "Methods for dynamic classifier selection", ICIAP (1999).

    Examples
    --------
    >>> from coterie.selection import DynamicSelectionClassifier
    >>> model = DynamicSelectionClassifier(method=Probable(posterior=True, margin=0.05))
    """

    posterior: bool
    margin: float = 0.1

    needs: ClassVar[frozenset[str]] = frozenset({"chances"})

    def __call__(self, region: Region) -> Array:
        """Weights of the members, shape (members, queries)."""
        near, away, weight = region.neighbours, region.distances, region.importance
        if self.posterior:
            chances = region.given_chances
            competence = local.a_posteriori(chances, region.y, near, away, region.said, weight)
        else:
            competence = local.a_priori(region.true_chances, near, away, weight)
        return near_best(region.prune(competence), self.margin)


@tagged
def by_knora_e(region: Region) -> Array:
    """Votes by `knora_e`."""
    if region.able is None:
        return ensembles.knora_e(region.hits, region.neighbours)
    runs = region.prune(local.rank(region.hits, region.neighbours).astype(np.float64))
    return region.prune((runs == runs.max(axis=0)).astype(np.float64))


@tagged
def by_knora_u(region: Region) -> Array:
    """Votes by `knora_u`."""
    weights = ensembles.knora_u(region.hits, region.neighbours, region.importance)
    return or_all(region.prune(weights))


@tagged
def by_knora_w(region: Region) -> Array:
    """Votes by `knora_w`."""
    return or_all(region.prune(ensembles.knora_u(region.hits, region.neighbours, region.closeness)))


@tagged
@dataclass(frozen=True)
class KNOP:
    """`knora_u` with neighbours for which the members' predictions are similar.

    Distances are between output profiles, the probabilities of all members side by side.

    References
    ----------
    .. [1] Cavalin, Sabourin & Suen, "Dynamic selection approaches for multiple classifier systems",
       Neural Computing and Applications 22 (2013).
    """

    needs: ClassVar[frozenset[str]] = frozenset({"chances", "profiles"})

    def __call__(self, region: Region) -> Array:
        """Weights of the members, shape (members, queries)."""
        return or_all(region.prune(ensembles.knora_u(region.hits, region.profile_neighbours)))


@tagged
def by_des_p(region: Region) -> Array:
    """Votes by `des_p`."""
    importance = region.importance
    weights = ensembles.des_p(region.hits, region.neighbours, region.n_classes, importance)
    return or_all(region.prune(weights))


@tagged
def by_des_knn(region: Region) -> Array:
    """Votes by `des_knn`."""
    weights = ensembles.des_knn(region.hits, region.neighbours, region.importance)
    return or_all(region.prune(weights))


@tagged
def by_des_mi(region: Region) -> Array:
    """Votes by `des_mi`."""
    weights = ensembles.des_mi(region.hits, region.neighbours, region.y, region.importance)
    return or_all(region.prune(weights))


@tagged
@dataclass(frozen=True)
class RandomisedReference:
    """Votes by `rrc`, whose chances are worked out once.

    Parameters
    ----------
    chance : ndarray of shape (members, samples) or None
        See `rrc_chance`.
    """

    chance: Any = None

    needs: ClassVar[frozenset[str]] = frozenset({"chances"})

    def learn(self, region: Region, weight: Array) -> Self:
        """Work out the chances of the judged samples."""
        return type(self)(rrc_chance(region.given_chances, region.y))

    def __call__(self, region: Region) -> Array:
        """Weights of the members, shape (members, queries)."""
        near, away = region.neighbours, region.distances
        weights = rrc(self.chance, near, away, region.n_classes, region.importance)
        return or_all(region.prune(weights))


METHODS: dict[str, Method] = {
    "ola": by_ola,
    "lca": LocalClassAccuracy(),
    "mla": LocalClassAccuracy(near=True),
    "mcb": by_mcb,
    "rank": by_rank,
    "a_priori": Probable(posterior=False),
    "a_posteriori": Probable(posterior=True),
    "knora_e": by_knora_e,
    "knora_u": by_knora_u,
    "knora_w": by_knora_w,
    "knop": KNOP(),
    "des_p": by_des_p,
    "des_knn": by_des_knn,
    "des_mi": by_des_mi,
    "rrc": RandomisedReference(),
    "meta_des": MetaDES(),
}
