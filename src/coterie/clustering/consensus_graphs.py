"""Consensus by graphs: of rows, of clusters, or of both."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.linalg import eigsh
from sklearn.cluster import KMeans

from coterie.clustering.dendrogram import agglomerate, longest_lived
from coterie.clustering.labellings import Codes, Labellings
from coterie.clustering.metis import cut_graph

Array = NDArray[np.float64]

_PAIRS = 20_000  # tuples beyond which all pairs are not compared
_STARTS = 20
_MANY = 20_000  # points from which fewer starts of k-means must do
_BALANCE = 1.05
_NEVER = 1e9  # a distance whose mean with millions of others is still larger than they are
_DENSE = 400  # order of a matrix up to which all its eigenvectors are computed


def check_pairs(name: str, labellings: Labellings) -> None:
    """Refuse to compare all pairs of very many tuples.

    Parameters
    ----------
    name : str
        Of the method, for the message.
    labellings : Labellings
        The members.
    """
    n_tuples = labellings.n_tuples
    if n_tuples > _PAIRS:
        raise ValueError(
            f"{name} compares all pairs of {n_tuples} distinct label tuples, which takes "
            f"{8e-09 * n_tuples**2:.1f} GB. Use consensus='hbgf' or 'mcla', whose memory grows "
            "linearly with the rows, or fewer members."
        )


def evidence_accumulation(
    labellings: Labellings,
    n_clusters: int | None,
    rng: Generator,
    *,
    linkage: str = "average",
    missing: str = "all",
) -> Codes:
    """Cut the dendrogram of how seldom rows are together (Fred & Jain 2005).

    Parameters
    ----------
    labellings : Labellings
        The members.
    n_clusters : int or None
        Number of clusters; None is the one that lasts longest.
    rng : Generator
        Not used.
    linkage : {"average", "single"}, default="average"
        How distances of clusters follow from those of their parts.
    missing : {"all", "available"}, default="all"
        Whether shares are of all members, or of those that clustered both rows.

    Returns
    -------
    ndarray of int32 of shape (n_tuples,)
    """
    check_pairs("EAC", labellings)
    distance = 1.0 - labellings.similarity(missing)
    inside = np.diag(distance).copy()
    if labellings.n_tuples == 1:
        return np.zeros(1, dtype=np.int32)
    found = agglomerate(distance, labellings.counts, linkage)
    if n_clusters is None:
        # Rows of one tuple are merged first, at the distance that missing labels leave.
        # No more merges than clusters come into question; weights may be huge.
        repeated = np.clip(np.rint(labellings.counts) - 1, 0, labellings.n_tuples).astype(int)
        heights = np.sort(np.concatenate([np.repeat(inside, repeated), found.heights]))
        n_clusters = longest_lived(heights, labellings.n_tuples)
    return found.cut(n_clusters)


def _leading(matrix: Array, n_vectors: int) -> tuple[Array, Array]:
    """The largest eigenvalues of a symmetric matrix, descending, and their vectors."""
    size = len(matrix)
    n_vectors = min(n_vectors, size)
    if size <= _DENSE or n_vectors >= size - 1:
        values, vectors = eigh(matrix, subset_by_index=[size - n_vectors, size - 1])
    else:
        start = np.linspace(1.0, 2.0, size)  # the same in every run
        values, vectors = eigsh(matrix, k=n_vectors, which="LA", v0=start)
    order = np.argsort(-values, kind="stable")
    return values[order], vectors[:, order]


def _unit(rows: Array) -> Array:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(length, np.finfo(np.float64).tiny))


def k_means(points: Any, n_clusters: int, weight: Array, rng: Generator) -> Codes:
    """Clusters of points by k-means, the best of many starts.

    Parameters
    ----------
    points : ndarray or sparse array of shape (n_points, n_columns)
        The points.
    n_clusters : int
        Number of clusters.
    weight : ndarray of shape (n_points,)
        What each point counts.
    rng : Generator
        Draws starts.
    """
    starts = _STARTS if points.shape[0] <= _MANY else 3
    seed = int(rng.integers(2**31))
    model = KMeans(n_clusters, n_init=starts, random_state=seed)
    return np.asarray(model.fit(points, sample_weight=weight).labels_, dtype=np.int32)


def similarity_partition(
    labellings: Labellings, n_clusters: int, rng: Generator, *, partition: str = "spectral"
) -> Codes:
    r"""CSPA: cut the graph of how often rows are together (Strehl & Ghosh 2002).

    The graph is cut along the leading eigenvectors of :math:`D^{-1/2} S D^{-1/2}`, or by METIS into
    parts whose sizes differ by about 5 % at most, as published.

    Parameters
    ----------
    labellings : Labellings
        The members.
    n_clusters : int
        Number of clusters.
    rng : Generator
        Draws starts of k-means.
    partition : {"spectral", "metis"}, default="spectral"
        How the graph is cut; "metis" needs the package pymetis.

    Returns
    -------
    ndarray of int32 of shape (n_tuples,)
    """
    check_pairs("CSPA", labellings)
    counts = labellings.counts
    if partition == "metis":
        pairs = labellings.similarity() * counts[:, None] * counts
        return _numbered(cut_graph(pairs, counts, n_clusters, rng))
    matrix = normalised_similarity(labellings)
    _, vectors = _leading(matrix, n_clusters)
    return k_means(_unit(vectors / np.sqrt(counts)[:, None]), n_clusters, counts, rng)


def _numbered(codes: Codes) -> Codes:
    """Parts numbered through: METIS may leave some empty."""
    return np.unique(codes, return_inverse=True)[1].astype(np.int32)


def normalised_similarity(labellings: Labellings) -> Array:
    """The normalised graph of rows without loops, on tuples: it has the same eigenvalues."""
    similar, counts = labellings.similarity(), labellings.counts
    own = np.diag(similar).copy()
    loops = np.minimum(counts, 1.0) * own  # part of a row has no other part to be with
    root = np.sqrt(np.maximum(similar @ counts - loops, np.finfo(np.float64).tiny))
    matrix = similar * np.sqrt(counts[:, None] * counts)
    np.fill_diagonal(matrix, np.maximum(counts - 1.0, 0.0) * own)
    return np.asarray(matrix / root[:, None] / root)


def bipartite_values(labellings: Labellings, n_values: int) -> tuple[Array, Array, Array]:
    r"""Singular values of the graph of rows and clusters, and coordinates of both sides.

    Those of :math:`D_1^{-1/2} H D_2^{-1/2}` come from the matrix of clusters by clusters
    :math:`D_2^{-1/2} H^T D_1^{-1} H D_2^{-1/2}`; no array is larger than rows by `n_values`.

    Parameters
    ----------
    labellings : Labellings
        The members.
    n_values : int
        How many.

    Returns
    -------
    tuple of ndarrays of shapes (n_values,), (n_tuples, n_values), (n_all, n_values)
    """
    incidence, counts = labellings.incidence, labellings.counts
    edges = labellings.weights[labellings.owners]
    degree = np.maximum(incidence @ edges, np.finfo(np.float64).tiny)
    sizes = np.maximum((incidence.T @ counts) * edges, np.finfo(np.float64).tiny)
    scaled = incidence * (edges / np.sqrt(sizes))
    gram = scaled.T @ (scaled * (counts / degree)[:, None])
    values, vectors = _leading(np.asarray(gram.todense()), n_values)
    sigma = np.sqrt(np.maximum(values, np.finfo(np.float64).eps))
    rows = (scaled @ vectors) / np.sqrt(degree)[:, None] / sigma
    return sigma, rows, vectors


def bipartite_partition(
    labellings: Labellings, n_clusters: int, rng: Generator, *, partition: str = "spectral"
) -> Codes:
    """HBGF: cut the graph of rows and clusters (Fern & Brodley 2004), in linear time.

    Parameters
    ----------
    labellings : Labellings
        The members.
    n_clusters : int
        Number of clusters.
    rng : Generator
        Draws starts of k-means.
    partition : {"spectral", "metis"}, default="spectral"
        How the graph is cut; "metis" needs the package pymetis, and balances the parts.

    Returns
    -------
    ndarray of int32 of shape (n_tuples,)
    """
    if partition == "metis":
        sides = labellings.incidence * labellings.weights[labellings.owners]
        sides = sparse.csr_array(sides * labellings.counts[:, None])
        graph = sparse.block_array([[None, sides], [sides.T, None]])
        # Parts are balanced by their rows alone.
        sizes = np.concatenate([labellings.counts, np.zeros(labellings.n_all)])
        parts = cut_graph(graph, sizes, n_clusters, rng)
        return _numbered(parts[: labellings.n_tuples])
    _, rows, clusters = bipartite_values(labellings, n_clusters)
    points = _unit(np.vstack([rows, clusters]))
    weight = np.concatenate([labellings.counts, np.ones(len(clusters))])
    return k_means(points, n_clusters, weight, rng)[: labellings.n_tuples]


def jaccard(labellings: Labellings) -> Array:
    """Rows that two clusters share, of all rows in either, shape (n_all, n_all)."""
    common = labellings.overlaps
    sizes = np.diag(common)
    either = sizes[:, None] + sizes - common
    return np.divide(common, either, out=np.zeros_like(common), where=either > 0)


def meta_clusters(
    labellings: Labellings,
    n_clusters: int,
    *,
    unique: bool = False,
    partition: str = "spectral",
    rng: Generator | None = None,
) -> tuple[Codes, Array]:
    """Clusters of clusters, and how much rows are associated with each.

    Parameters
    ----------
    labellings : Labellings
        The members.
    n_clusters : int
        Number of meta-clusters.
    unique : bool, default=False
        Whether no meta-cluster has two clusters of one member. Members of more than `n_clusters`
        clusters then need more meta-clusters, of which the largest are kept; clusters of the others
        are in none (-1), and rows of such clusters alone go by how similar these are to the rest.
    partition : {"spectral", "metis"}, default="spectral"
        "metis" cuts the graph of Jaccard similarities into parts of about as many rows, as
        published, in place of average linkage.
    rng : Generator, optional
        Seeds METIS.

    Returns
    -------
    tuple of ndarrays of shapes (n_all,) and (n_tuples, n_clusters)
    """
    n_groups = min(n_clusters, labellings.n_all)
    similar = jaccard(labellings)
    if partition == "metis":
        if unique:
            raise ValueError("unique=True does not work with partition='metis'. Omit one of them.")
        seeds = np.random.default_rng(0) if rng is None else rng
        groups = cut_graph(similar, np.diag(labellings.overlaps), n_groups, seeds)
    elif unique:
        groups = _apart(labellings, similar, n_groups)
    else:
        groups = agglomerate(1.0 - similar, np.ones(labellings.n_all)).cut(n_groups)
    placed = np.flatnonzero(groups >= 0)
    share = np.zeros((labellings.n_all, n_groups))
    share[placed, groups[placed]] = labellings.weights[labellings.owners][placed]
    share /= np.maximum(share.sum(axis=0), np.finfo(np.float64).tiny)
    association = np.asarray(labellings.incidence @ share)
    lost = labellings.clustered & ~association.any(axis=1)
    if lost.any():
        association[lost] = labellings.incidence[lost] @ (similar @ share)
    return groups, association


def _apart(labellings: Labellings, similar: Array, n_groups: int) -> Codes:
    """The largest groups of clusters in which no two are of one member, -1 for other clusters."""
    owners, sizes = labellings.owners, np.diag(labellings.overlaps)
    # Even their means are larger than any distance: such clusters are merged last, and cut apart.
    distance = np.where(owners[:, None] == owners, _NEVER, 1.0 - similar)
    found = agglomerate(distance, np.ones(len(owners)))
    least = len(owners) - int((found.heights < 2.0).sum())
    groups = found.cut(max(n_groups, least))
    order = np.argsort(-np.bincount(groups, weights=sizes), kind="stable")
    names = np.full(len(order), -1, dtype=np.int32)
    kept = np.sort(order[:n_groups])
    names[kept] = np.arange(len(kept))
    return names[groups]


def meta_clustering(
    labellings: Labellings,
    n_clusters: int,
    rng: Generator,
    *,
    unique: bool = False,
    partition: str = "spectral",
) -> Codes:
    """MCLA: cluster the clusters, and give rows to the group they are in most (Strehl & Ghosh).

    Clusters are grouped by average linkage of Jaccard distances. Its time grows with the rows, the
    square of the members and that of the clusters.

    Parameters
    ----------
    labellings : Labellings
        The members.
    n_clusters : int
        Most clusters; groups that no row is given to vanish.
    rng : Generator
        Seeds METIS.
    unique : bool, default=False
        Whether no group has two clusters of one member, see `meta_clusters`.
    partition : {"spectral", "metis"}, default="spectral"
        How clusters are grouped, see `meta_clusters`.

    Returns
    -------
    ndarray of int32 of shape (n_tuples,)
        -1 for tuples that no member clustered.
    """
    _, association = meta_clusters(
        labellings, n_clusters, unique=unique, partition=partition, rng=rng
    )
    # Among equals the larger group, then the first.
    mass = labellings.counts @ association
    best = association >= association.max(axis=1, keepdims=True) - 1e-12
    chosen = np.where(best, mass, -1.0).argmax(axis=1)
    chosen = np.where(labellings.clustered, chosen, -1)
    names, codes = np.unique(chosen, return_inverse=True)
    return (codes - int(names[0] < 0)).astype(np.int32)


def column_cut(labellings: Labellings, codes: Codes) -> float:
    """Weight of the member clusters that are not within one part.

    Parameters
    ----------
    labellings : Labellings
        The members.
    codes : ndarray of int of shape (n_tuples,)
        The parts.
    """
    parts = _occupied(labellings, codes, int(codes.max()) + 1)
    split = (parts > 0).sum(axis=1) > 1
    return float(labellings.weights[labellings.owners][split].sum())


def _occupied(labellings: Labellings, codes: Codes, n_parts: int) -> Array:
    """Tuples of each cluster in each part."""
    member = np.eye(n_parts)[codes]
    return np.asarray(labellings.incidence.T @ member)


def hypergraph_partition(
    labellings: Labellings, n_clusters: int, rng: Generator, *, n_starts: int = 10
) -> Codes:
    """HGPA: cut as few member clusters as possible, in parts of nearly equal size.

    An approximation, as no free partitioner of hypergraphs is at hand: moves of single tuples that
    lower the cut and keep the balance, from the bipartite partition and random ones.

    Parameters
    ----------
    labellings : Labellings
        The members.
    n_clusters : int
        Number of parts.
    rng : Generator
        Draws starts and orders.
    n_starts : int, default=10
        Partitions to start from; the best result is kept.

    Returns
    -------
    ndarray of int32 of shape (n_tuples,)
    """
    limit = np.ceil(_BALANCE * labellings.counts.sum() / n_clusters)
    first = bipartite_partition(labellings, n_clusters, rng)
    best, least = first, (np.inf, np.inf)
    for start in range(n_starts):
        codes = first.copy()
        if start:
            moved = rng.random(len(codes)) < start / n_starts
            codes[moved] = rng.integers(0, n_clusters, moved.sum())
        codes = _move_rows(labellings, codes, n_clusters, limit, rng)
        sizes = np.bincount(codes, weights=labellings.counts, minlength=n_clusters)
        found = float(np.maximum(sizes - limit, 0).sum()), column_cut(labellings, codes)
        if found < least:
            best, least = codes, found
    return best


def _move_rows(
    labellings: Labellings, codes: Codes, n_parts: int, limit: float, rng: Generator
) -> Codes:
    """Move tuples one by one as long as that lowers the overweight of parts or the cut."""
    parts = _occupied(labellings, codes, n_parts)
    sizes = np.bincount(codes, weights=labellings.counts, minlength=n_parts).astype(np.float64)
    prices = labellings.weights[labellings.owners]
    rows = labellings.incidence
    for _ in range(20):
        changed = False
        for row in rng.permutation(len(codes)):
            columns = rows.indices[rows.indptr[row] : rows.indptr[row + 1]]
            home, size = codes[row], labellings.counts[row]
            others = parts[columns].copy()
            others[:, home] -= 1
            used = (others > 0).sum(axis=1)
            # What is cut if the tuple is in a part: columns that other parts have tuples of.
            cut = prices[columns] @ (used[:, None] - (others > 0) > 0)
            free = sizes - (np.arange(n_parts) == home) * size
            over = np.maximum(free + size - limit, 0.0)
            target = int(np.lexsort((np.arange(n_parts) != home, cut, over))[0])
            if target != home:
                parts[columns, home] -= 1
                parts[columns, target] += 1
                sizes[home] -= size
                sizes[target] += size
                codes[row], changed = target, True
        if not changed:
            break
    return codes
