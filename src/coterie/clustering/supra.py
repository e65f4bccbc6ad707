"""One consensus of several clusterings: by a method of choice, or by whichever agrees most."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from coterie.clustering.consensus_graphs import (
    bipartite_partition,
    bipartite_values,
    evidence_accumulation,
    hypergraph_partition,
    meta_clustering,
    similarity_partition,
)
from coterie.clustering.consensus_votes import (
    MOST_CLUSTERS,
    Mixture,
    fit_mixture,
    information_partition,
    mixture,
    voting,
)
from coterie.clustering.dendrogram import agglomerate
from coterie.clustering.labellings import Codes, Labellings
from coterie.clustering.partition_measures import anmi_of, member_nmi, nmi

Array = NDArray[np.float64]
Consensus = Callable[..., Codes | Mixture]

PARTITIONS = ("spectral", "metis")
_FEW = 5000  # tuples up to which methods that compare all pairs are tried
_TAKES = {"cspa": ("partition",), "mcla": ("unique", "partition"), "hbgf": ("partition",)}
_OWN_NUMBER = ("eac", "mixture")  # which find the number of clusters in their own way

#: Consensus functions by name.
CONSENSUS: Mapping[str, Consensus] = {
    "cspa": similarity_partition,
    "hgpa": hypergraph_partition,
    "mcla": meta_clustering,
    "hbgf": bipartite_partition,
    "eac": evidence_accumulation,
    "voting": voting,
    "w-voting": partial(voting, weighted=True),
    "sel-voting": partial(voting, selected=True),
    "sel-w-voting": partial(voting, weighted=True, selected=True),
    "mixture": mixture,
    "qmi": information_partition,
}


class Agreed(NamedTuple):
    """A consensus.

    Attributes
    ----------
    codes : ndarray of int32 of shape (n_tuples,)
        Clusters of the tuples, -1 for those that no member clustered.
    name : str
        The method that won.
    anmi : dict of str to float
        Mean normalised mutual information with the members, by method.
    mixture : Mixture or None
        Of the tuples that some member clustered, if the method is "mixture".
    """

    codes: Codes
    name: str
    anmi: dict[str, float]
    mixture: Mixture | None = None


def agree(
    labellings: Labellings,
    n_clusters: int | None,
    method: str,
    rng: Generator,
    options: Mapping[str, Any] | None = None,
) -> Agreed:
    """A consensus by one method, or by the one of several that agrees most with the members.

    Parameters
    ----------
    labellings : Labellings
        The members.
    n_clusters : int or None
        Number of clusters; None estimates it.
    method : str
        A key of `CONSENSUS`; "auto", which tries EAC, CSPA, MCLA and HBGF, or, with many distinct
        tuples, MCLA and HBGF; or "supra", which tries CSPA, HGPA, MCLA, HBGF and EAC.
    rng : Generator
        Draws starts.
    options : dict, optional
        Options of `consensus`, for the methods that have them.
    """
    _check_number(labellings, n_clusters)
    inside = np.flatnonzero(labellings.clustered)
    if labellings.n_members == 1 and n_clusters in (None, int(labellings.sizes[0])):
        alone = _as_mixture(_only(labellings, inside)) if method == "mixture" else None
        return Agreed(labellings.codes[0], method, {method: 1.0}, alone)
    if n_clusters is None and method not in _OWN_NUMBER:
        n_clusters = count_clusters(labellings, rng)
    if len(inside) < labellings.n_tuples:
        warnings.warn(
            f"{int(labellings.counts.sum() - labellings.counts[inside].sum())} rows were not "
            "clustered by any member; they get the label -1.",
            UserWarning,
            stacklevel=3,
        )
    known, model, given = _only(labellings, inside), None, options or {}
    found: dict[str, Codes] = {}
    for name in _tried(labellings, method):
        codes = np.full(labellings.n_tuples, -1, dtype=np.int32)
        if n_clusters == 1 and name != "mixture":
            codes[inside] = 0
        else:
            own = {key: given[key] for key in _TAKES.get(name, ()) if key in given}
            made = CONSENSUS[name](known, n_clusters, rng, **own)
            model = made if isinstance(made, Mixture) else None
            codes[inside] = made.codes if isinstance(made, Mixture) else made
        found[name] = codes
    scores = {name: anmi_of(codes, labellings) for name, codes in found.items()}
    best = max(scores, key=lambda name: scores[name])  # the first among equals
    return Agreed(found[best], best, scores, model)


def _tried(labellings: Labellings, method: str) -> list[str]:
    """The methods that a name stands for."""
    if method == "supra":
        return ["cspa", "hgpa", "mcla", "hbgf", "eac"]
    if method == "auto":
        few = labellings.n_tuples <= _FEW
        return ["cspa", "mcla", "hbgf", "eac"] if few else ["mcla", "hbgf"]
    return [method]


def _as_mixture(labellings: Labellings) -> Mixture:
    """The clusters of a single member, which are the likeliest components."""
    return fit_mixture(labellings, np.eye(int(labellings.sizes[0]))[labellings.codes[0]])


def _only(labellings: Labellings, inside: NDArray[np.intp]) -> Labellings:
    """The tuples that some member has clustered."""
    if len(inside) == labellings.n_tuples:
        return labellings
    return replace(labellings, codes=labellings.codes[:, inside], counts=labellings.counts[inside])


def _check_number(labellings: Labellings, n_clusters: int | None) -> None:
    n_kinds = int(labellings.clustered.sum())
    if not n_kinds:
        raise ValueError(
            "No member clustered any row. Use other members, or change their parameters."
        )
    if n_clusters is not None and n_clusters > n_kinds:
        raise ValueError(
            f"n_clusters={n_clusters}, but the members distinguish only {n_kinds} kinds of rows. "
            "Use more members, members with more clusters, or a smaller n_clusters."
        )


def count_clusters(labellings: Labellings, rng: Generator) -> int:
    """How many clusters members speak for: those of the longest life, or before the widest gap.

    Parameters
    ----------
    labellings : Labellings
        The members.
    rng : Generator
        Not used.
    """
    if labellings.n_tuples <= _FEW:
        codes = evidence_accumulation(labellings, None, rng)
        return int(codes.max()) + 1
    most = min(MOST_CLUSTERS + 1, labellings.n_all)
    sigma, _, _ = bipartite_values(labellings, most)
    return int(np.argmax(sigma[1:-1] - sigma[2:])) + 2


def consensus(
    labels: ArrayLike,
    n_clusters: int | None = None,
    method: str = "auto",
    *,
    weights: ArrayLike | None = None,
    random_state: int = 0,
    unique: bool = False,
    partition: str = "spectral",
) -> NDArray[np.int32]:
    """The consensus of several clusterings.

    Parameters
    ----------
    labels : array-like of int of shape (n_members, n_rows)
        Clusters; negative for rows that a member did not cluster.
    n_clusters : int or None, default=None
        Number of clusters; None estimates it.
    method : str, default="auto"
        "eac", "cspa", "hgpa", "mcla", "hbgf", "voting", "w-voting", "sel-voting", "sel-w-voting",
        "mixture" or "qmi"; "auto" and "supra" try several and keep the one that agrees most with
        the members.
    weights : array-like of shape (n_members,), optional
        Weight of each member.
    random_state : int, default=0
        Seed of starts.
    unique : bool, default=False
        Whether "mcla" never puts two clusters of one member in the same group of clusters.
    partition : {"spectral", "metis"}, default="spectral"
        How "cspa" and "hbgf" cut graphs: along eigenvectors, or by METIS into balanced parts, as
        published; "mcla" uses average linkage in place of eigenvectors. METIS needs the package
        pymetis: ``pip install 'coterie[metis]'``.

    Returns
    -------
    ndarray of int of shape (n_rows,)
        Clusters from 0; -1 for rows that no member clustered.

    Examples
    --------
    >>> consensus([[0, 0, 0, 1, 1, 2, 2], [1, 1, 1, 2, 2, 0, 0], [0, 0, 1, 1, 2, 2, 2]], 3)
    array([0, 0, 0, 1, 1, 2, 2], dtype=int32)
    """
    if method not in CONSENSUS and method not in ("auto", "supra"):
        known = ", ".join(map(repr, ["auto", "supra", *CONSENSUS]))
        raise ValueError(f"method={method!r} is not allowed; use one of {known}.")
    if partition not in PARTITIONS:
        raise ValueError(f"partition={partition!r} is not allowed; use 'spectral' or 'metis'.")
    labellings, places = Labellings.read(labels, weights)
    rng = np.random.default_rng(random_state)
    found = agree(labellings, n_clusters, method, rng, {"unique": unique, "partition": partition})
    return in_order(found.codes)[places]


def in_order(codes: Codes) -> Codes:
    """Clusters numbered by the first tuple of each, so that runs of other starts look alike."""
    known, first, inverse = np.unique(codes, return_index=True, return_inverse=True)
    order = np.argsort(np.where(known < 0, -1, first), kind="stable")
    places = np.empty(len(known), dtype=np.int32)
    places[order] = np.arange(len(known)) - int((known < 0).any())
    return places[inverse]


def stability(
    labels: ArrayLike,
    n_clusters: int | None = None,
    method: str = "auto",
    *,
    n_draws: int = 20,
    random_state: int = 0,
    **options: Any,
) -> float:
    """Mean normalised mutual information of consensus clusterings of halves of the members.

    Parameters
    ----------
    labels : array-like of int of shape (n_members, n_rows)
        The members.
    n_clusters : int or None, default=None
        Number of clusters.
    method : str, default="auto"
        See `consensus`.
    n_draws : int, default=20
        Number of random halves; each is compared with the next.
    random_state : int, default=0
        Seed of draws.
    **options : any
        Further options of `consensus`.

    Returns
    -------
    float

    Examples
    --------
    >>> stability([[0, 0, 1, 1]] * 4, 2, n_draws=4)
    1.0
    """
    members = np.atleast_2d(np.asarray(labels))
    rng = np.random.default_rng(random_state)
    half = max(1, len(members) // 2)
    drawn = [
        consensus(
            members[np.sort(rng.permutation(len(members))[:half])], n_clusters, method, **options
        )
        for _ in range(n_draws)
    ]
    return float(np.mean([nmi(first, second) for first, second in itertools.pairwise(drawn)]))


def choose_members(
    labellings: Labellings, how: str, share: float, alpha: float = 0.5
) -> NDArray[np.intp]:
    """Select good and diverse members (Fern & Lin 2008).

    Parameters
    ----------
    labellings : Labellings
        The members.
    how : {"all", "quality", "jc", "cas"}
        All; those with the highest mean mutual information with the others; one by one, by that and
        by their difference from those already chosen; or the best of each group of similar members.
    share : float
        Share of the members to keep.
    alpha : float, default=0.5
        Weight of quality in "jc"; the rest is diversity.

    Returns
    -------
    ndarray of int
        Their numbers, ascending.

    Examples
    --------
    >>> rows = [[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1], [0, 1, 0, 1]]
    >>> choose_members(Labellings.read(rows)[0], "jc", 0.5)
    array([0, 3])
    """
    n_members = labellings.n_members
    n_kept = max(1, int(np.ceil(share * n_members)))
    if how == "all" or n_kept == n_members:
        return np.arange(n_members)
    pairs = member_nmi(labellings)
    quality = (pairs.sum(axis=1) - 1.0) / max(1, n_members - 1)
    if how == "quality":
        return np.sort(np.argsort(-quality, kind="stable")[:n_kept])
    if how == "cas":
        groups = agglomerate(1.0 - pairs, np.ones(n_members)).cut(n_kept)
        best = [np.flatnonzero(groups == g) for g in range(groups.max() + 1)]
        return np.sort(np.array([own[quality[own].argmax()] for own in best], dtype=np.intp))
    chosen = [int(quality.argmax())]
    while len(chosen) < n_kept:
        variety = 1.0 - pairs[:, chosen].mean(axis=1)
        merit = alpha * quality + (1 - alpha) * variety
        merit[chosen] = -np.inf
        chosen.append(int(merit.argmax()))
    return np.sort(np.array(chosen, dtype=np.intp))
