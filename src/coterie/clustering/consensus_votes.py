"""Consensus by votes after relabelling, by a mixture of label tuples, or by k-means of them."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import linear_sum_assignment
from scipy.special import logsumexp

from coterie.clustering.consensus_graphs import k_means, meta_clustering
from coterie.clustering.labellings import Codes, Labellings, contingency
from coterie.clustering.partition_measures import member_nmi

Array = NDArray[np.float64]

_MISSING = 0.2  # share of rows that a member may leave out and still be weighed
_NO_INFORMATION = 1e-12
#: That are looked for if nobody says how many.
MOST_CLUSTERS = 20


def match_clusters(table: Array, method: str = "hungarian") -> NDArray[np.intp]:
    """Which cluster of a reference each cluster of a member is called.

    Parameters
    ----------
    table : ndarray of shape (n_reference, n_member)
        Rows that clusters have in common.
    method : {"hungarian", "greedy"}, default="hungarian"
        Whether the total overlap is largest, or the largest overlaps are matched first. A member
        of more clusters than the reference has each matched to that of largest overlap.

    Returns
    -------
    ndarray of int of shape (n_member,)

    Examples
    --------
    >>> match_clusters(np.array([[0.0, 2.0], [3.0, 1.0]]))
    array([1, 0])
    """
    n_reference, n_member = table.shape
    names = table.argmax(axis=0)
    if n_member > n_reference:
        return names
    if method == "hungarian":
        reference, member = linear_sum_assignment(-table)
        names[member] = reference
        return names
    left = table.copy()
    for _ in range(n_member):
        reference, member = np.unravel_index(left.argmax(), left.shape)
        names[member] = reference
        left[reference, :], left[:, member] = -1.0, -1.0
    return names


class Alignment(NamedTuple):
    """Members whose clusters have the names of a reference.

    Attributes
    ----------
    codes : ndarray of int32 of shape (n_members, n_tuples)
        Clusters of the reference, -1 where a member has none.
    n_clusters : int
        Clusters of the reference.
    """

    codes: Codes
    n_clusters: int


def align(
    labellings: Labellings, reference: Codes | None = None, method: str = "hungarian"
) -> Alignment:
    """Give the clusters of all members the names of a reference.

    Parameters
    ----------
    labellings : Labellings
        The members.
    reference : ndarray of int of shape (n_tuples,), optional
        By default the member with the greatest mean mutual information with the others.
    method : {"hungarian", "greedy"}, default="hungarian"
        See `match_clusters`.
    """
    if reference is None:
        reference = labellings.codes[int(member_nmi(labellings).sum(axis=1).argmax())]
    size = int(reference.max()) + 1
    aligned = []
    for row, k in zip(labellings.codes, labellings.sizes, strict=True):
        names = match_clusters(contingency(reference, row, (size, k), labellings.counts), method)
        aligned.append(np.where(row >= 0, names[row], -1))
    return Alignment(np.stack(aligned).astype(np.int32), size)


def information_weights(labellings: Labellings) -> Array:
    r"""Weights :math:`\propto 1/\beta_m`, the mean information of a member with the others.

    :math:`\Phi(a, b) = \frac2n \sum_{ij} n_{ij} \log_{k^2} \frac{n_{ij} n}{n_i n_j}` (Zhou & Tang
    2006); members that differ most have the largest weights. One that leaves out more than a fifth
    of the rows, or says nothing about the others, has none.

    Parameters
    ----------
    labellings : Labellings
        The members.

    Returns
    -------
    ndarray of shape (n_members,)
        They sum to one; zero for members that are left out.
    """
    phi = mutual_information(labellings)
    n_members = labellings.n_members
    if n_members == 1:
        return np.ones(1)
    beta = (phi.sum(axis=1) - np.diag(phi)) / (n_members - 1)
    absent = ((labellings.codes < 0) @ labellings.counts) / labellings.counts.sum()
    odd = (beta <= _NO_INFORMATION) | (absent > _MISSING)
    if odd.all():
        return np.full(n_members, 1.0 / n_members)
    if odd.any():
        warnings.warn(
            f"{int(odd.sum())} of {n_members} members do not cluster many of the rows, or have "
            "nothing in common with the others; they are ignored.",
            UserWarning,
            stacklevel=3,
        )
    weights = np.where(odd, 0.0, 1.0 / np.maximum(beta, _NO_INFORMATION))
    return np.asarray(weights / weights.sum())


def mutual_information(labellings: Labellings) -> Array:
    """The information of Zhou & Tang for all pairs of members, shape (n_members, n_members)."""
    sizes, n_members = labellings.sizes, labellings.n_members
    found = np.zeros((n_members, n_members))
    for q in range(n_members):
        for s in range(q + 1):
            table = contingency(
                labellings.codes[q], labellings.codes[s], (sizes[q], sizes[s]), labellings.counts
            )
            k = max(int(sizes[q]), int(sizes[s]), 2)
            total = table.sum()
            if total <= 0:
                continue
            expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / total
            some = table > 0
            logs = np.log(table[some] / expected[some]) / np.log(k * k)
            found[q, s] = found[s, q] = 2.0 / total * float(table[some] @ logs)
    return found


def voting(
    labellings: Labellings,
    n_clusters: int,
    rng: Generator,
    *,
    weighted: bool = False,
    selected: bool = False,
    method: str = "hungarian",
) -> Codes:
    """Plurality of members whose clusters were given common names.

    Parameters
    ----------
    labellings : Labellings
        The members.
    n_clusters : int
        Clusters of the reference: the most central member that has so many, or else the groups of
        `meta_clustering`.
    rng : Generator
        Not used.
    weighted : bool, default=False
        Whether members are weighed by `information_weights`.
    selected : bool, default=False
        Whether only members vote whose weight is at least their share.
    method : {"hungarian", "greedy"}, default="hungarian"
        See `match_clusters`.

    Returns
    -------
    ndarray of int32 of shape (n_tuples,)
        -1 for tuples that no member clustered.
    """
    weights = labellings.weights
    reference = _reference(labellings, n_clusters, rng)
    codes, size = align(labellings, reference, method)
    if weighted or selected:
        own = information_weights(labellings)
        chosen = own >= 1.0 / labellings.n_members if selected else own > 0
        weights = weights * np.where(chosen, own if weighted else 1.0, 0.0)
    votes = np.zeros((labellings.n_tuples, size))
    for row, weight in zip(codes, weights, strict=True):
        here = np.flatnonzero(row >= 0)
        votes[here, row[here]] += weight
    heard = votes.any(axis=1)
    if not heard.all():  # nobody who votes has clustered them
        for row in codes:
            here = np.flatnonzero(~heard & (row >= 0))
            votes[here, row[here]] += 1.0
    return np.where(votes.any(axis=1), votes.argmax(axis=1), -1).astype(np.int32)


def _reference(labellings: Labellings, n_clusters: int, rng: Generator) -> Codes:
    """The most central member of that many clusters, or groups of clusters if there is none."""
    full = (labellings.codes >= 0).all(axis=1)
    alike = np.flatnonzero((labellings.sizes == n_clusters) & full)
    if not len(alike):
        alike = np.flatnonzero(labellings.sizes == n_clusters)
    if not len(alike):
        return meta_clustering(labellings, n_clusters, rng)
    central = member_nmi(labellings)[alike].sum(axis=1)
    return labellings.codes[alike[int(central.argmax())]]


class Mixture(NamedTuple):
    """A mixture of independent labels.

    Attributes
    ----------
    responsibilities : ndarray of shape (n_tuples, n_components)
        Chance of each component.
    shares : ndarray of shape (n_components,)
        How large components are.
    log_likelihoods : list of float
        By step.
    """

    responsibilities: Array
    shares: Array
    log_likelihoods: list[float]

    @property
    def codes(self) -> Codes:
        """The likeliest component of each tuple; one that no tuple is given to is no cluster."""
        codes = np.unique(self.responsibilities.argmax(axis=1), return_inverse=True)[1]
        return codes.astype(np.int32)

    def under(self, codes: Codes) -> Array:
        """Responsibilities with components in the order of these names for `codes`."""
        first = np.full(len(self.shares), len(codes), dtype=np.intp)
        np.minimum.at(first, self.responsibilities.argmax(axis=1), codes)
        return self.responsibilities[:, np.argsort(first, kind="stable")]


def fit_mixture(
    labellings: Labellings,
    responsibilities: Array,
    smoothing: float = 0.0,
    max_iter: int = 500,
    tol: float = 1e-8,
) -> Mixture:
    """Expectation and maximisation from given responsibilities.

    Parameters
    ----------
    labellings : Labellings
        The members.
    responsibilities : ndarray of shape (n_tuples, n_components)
        Where to start.
    smoothing : float, default=0.0
        Added to the mass of every label in every component.
    max_iter : int, default=500
        Maximum number of steps.
    tol : float, default=1e-8
        Relative change of the log-likelihood at which it ends.
    """
    counts = labellings.counts
    curve: list[float] = []
    incidence = labellings.incidence
    while True:
        mass = responsibilities * counts[:, None]
        shares = mass.sum(axis=0) / counts.sum()
        labels = np.asarray(incidence.T @ mass) + smoothing
        totals = np.add.reduceat(labels, labellings.starts, axis=0)[labellings.owners]
        with np.errstate(divide="ignore", invalid="ignore"):
            chances = np.log(labels / totals)
            chances = np.where(np.isnan(chances), -np.inf, chances)
            # Sparse products would make NaN of zero times infinity.
            finite = np.maximum(chances, -1e6)
            joint = np.log(shares) + np.asarray(incidence @ finite)
            rows = logsumexp(joint, axis=1, keepdims=True)
        responsibilities = np.exp(joint - rows)
        curve.append(float(counts @ rows[:, 0]))
        done = len(curve) > 1 and abs(curve[-1] - curve[-2]) <= tol * abs(curve[-1])
        if done or len(curve) >= max_iter:
            return Mixture(responsibilities, shares, curve)


def mixture(
    labellings: Labellings,
    n_clusters: int | None,
    rng: Generator,
    *,
    n_init: int = 10,
    smoothing: float = 1e-3,
) -> Mixture:
    """The likeliest mixture in which members label rows independently (Topchy et al. 2005).

    Parameters
    ----------
    labellings : Labellings
        The members.
    n_clusters : int or None
        Number of components; None adds components, up to 20, while the `bic` falls.
    rng : Generator
        Draws starts.
    n_init : int, default=10
        Random starts; the likeliest mixture is kept.
    smoothing : float, default=1e-3
        Added to the mass of every label, but in the first run.
    """

    def fit(n_components: int) -> Mixture:
        runs = []
        for number in range(n_init):
            start = rng.dirichlet(np.ones(n_components), size=labellings.n_tuples)
            runs.append(fit_mixture(labellings, start, smoothing if number else 0.0))
        return max(runs, key=lambda run: run.log_likelihoods[-1])

    best = fit(n_clusters or min(2, labellings.n_tuples))
    if n_clusters is None:
        for more in range(3, min(MOST_CLUSTERS, labellings.n_tuples) + 1):
            found = fit(more)
            if bic(labellings, found) < bic(labellings, best):
                best = found
            elif more > len(best.shares) + 1:  # two in a row are no better
                break
    return best


def bic(labellings: Labellings, found: Mixture) -> float:
    """Bayesian information criterion of a mixture, the less the better."""
    n_components = len(found.shares)
    n_free = n_components - 1 + n_components * int((labellings.sizes - 1).sum())
    return float(n_free * np.log(labellings.counts.sum()) - 2 * found.log_likelihoods[-1])


def information_partition(labellings: Labellings, n_clusters: int, rng: Generator) -> Codes:
    """QMI: the largest quadratic mutual information with the members, found by k-means.

    The information of a partition is what k-means explains of the indicators of member clusters
    (Topchy, Jain & Punch 2003).

    Parameters
    ----------
    labellings : Labellings
        The members.
    n_clusters : int
        Number of clusters.
    rng : Generator
        Draws starts.

    Returns
    -------
    ndarray of int32 of shape (n_tuples,)
    """
    edges = np.sqrt(labellings.weights)[labellings.owners]
    points = sparse.csr_array(labellings.incidence * edges)
    if (labellings.codes < 0).any():
        # What is missing is where the mean is; without holes k-means needs no centring.
        dense = points.toarray()
        mean = labellings.counts @ dense / labellings.counts.sum()
        dense -= mean
        gone = (labellings.codes < 0).T[:, labellings.owners]
        return k_means(np.where(gone, 0.0, dense), n_clusters, labellings.counts, rng)
    return k_means(points, n_clusters, labellings.counts, rng)
