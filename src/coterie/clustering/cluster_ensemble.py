"""An ensemble of clusterings as a clusterer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClusterMixin

from coterie.base import Admitted, Committee, JoblibExecutor, TargetlessTask
from coterie.clustering.cluster_members import (
    KMeansMaker,
    LeafMaker,
    fit_clusterer,
    labels_of,
)
from coterie.clustering.labellings import Codes, Labellings
from coterie.clustering.lookup import TupleTable, narrow
from coterie.clustering.supra import (
    CONSENSUS,
    PARTITIONS,
    Agreed,
    agree,
    choose_members,
    in_order,
    stability,
)
from coterie.core import (
    Allowed,
    RandomLike,
    at_least,
    between,
    draw_entropy,
    member_seeds,
    one_of,
)
from coterie.core.params import a_list
from coterie.core.seeds import growing_stream
from coterie.data import DataError, Table
from coterie.trees.growth import SHAPE

Array = NDArray[np.float64]

_OWN = ("kmeans", "subspace", "projection", "bootstrap")
_MOST = 50
_LARGEST = 1e300  # sums of larger numbers overflow


class Learnt:
    """What fits set; declared here, as dataclasses take declarations for fields."""

    labels_: NDArray[np.int32]
    member_labels_: NDArray[np.int16]
    members_: list[Any]
    consensus_: str
    anmi_: float
    anmi_by_consensus_: dict[str, float]
    confidence_: Array
    n_clusters_: int
    tuples_: int
    responsibilities_: Array
    log_likelihood_: float
    centre_: Array
    scale_: Array
    lookup_: TupleTable


@dataclass(eq=False, repr=False, kw_only=True)
class ClusterEnsemble(Learnt, TargetlessTask, ClusterMixin, Committee):
    """Cluster ensemble: many clusterings of the same rows, combined into a consensus.

    A single run of k-means depends on its random start and on the number of clusters; the consensus
    of many runs with different numbers of clusters, columns or rows depends on them much less.
    `members` sets how members are created, and `consensus` how they are combined into one
    clustering. All consensus functions work on the distinct tuples of members' labels, and none
    builds a matrix of rows by rows.

    Parameters
    ----------
    n_clusters : int or None, default=None
        Number of clusters; None lets the members decide.
    members : str or list of clusterers, default="kmeans"
        "kmeans" with random numbers of clusters; the same on half of the columns ("subspace"), on
        random projections ("projection") or on bags of the rows ("bootstrap"); "embedding", k-means
        on the leaves of random trees, which supports missing values and categories; or clusterers
        of any kind, each fitted once for every seed.
    n_members : int, default=50
        Number of members; if a list is given, each clusterer is one.
    consensus : str, default="auto"
        How members are combined: "eac", "cspa", "hgpa", "mcla", "hbgf", "voting", "w-voting",
        "sel-voting", "sel-w-voting", "mixture" or "qmi"; "auto" and "supra" try several and keep
        the one with the highest mutual information with the members. See
        `coterie.clustering.consensus`.
    unique : bool, default=False
        Whether "mcla" never puts two clusters of one member in the same group of clusters.
    partition : {"spectral", "metis"}, default="spectral"
        How "cspa" and "hbgf" cut graphs: along eigenvectors, or by METIS into balanced parts, as
        published; "mcla" uses average linkage in place of eigenvectors. METIS needs the package
        pymetis: ``pip install 'coterie[metis]'``.
    select : {"all", "quality", "jc", "cas"}, default="all"
        Which members to use, see `coterie.clustering.choose_members`.
    share : float, default=0.5
        Share of the members that `select` keeps.
    k_min, k_max : int or None, default=None
        Range of the number of clusters of members; from `n_clusters` (or 2) to the square root of
        the number of rows, at most 50.
    outside : {"predict", "missing"}, default="predict"
        Whether members fitted to bags also label the rows outside their bags.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Numeric columns to treat as categorical, for members="embedding".
    n_jobs : int, default=None
        Number of members fitted in parallel; results do not depend on it.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness.

    Attributes
    ----------
    labels_ : ndarray of shape (n_samples,)
        Clusters of the training rows, -1 for rows that no member clustered or of weight zero.
    n_clusters_ : int
        Number of clusters.
    members_ : list of members
        The fitted members that were used.
    member_labels_ : ndarray of shape (n_members, n_samples)
        Their clusters.
    consensus_ : str
        The consensus function that was kept.
    anmi_, anmi_by_consensus_ : float, dict of str to float
        Mean normalised mutual information of the consensus with the members, of the one kept and
        of all that were tried.
    confidence_ : ndarray of shape (n_samples,)
        Confidence in a row's cluster: the mean share of its member clusters that have its label.
    tuples_ : int
        Number of distinct tuples of labels.
    responsibilities_ : ndarray of shape (n_samples, n_components)
        With ``consensus="mixture"`` only: the probability of each component of the mixture, in the
        order of the clusters; components without rows come last. NaN where `labels_` is -1.
    log_likelihood_ : float
        With ``consensus="mixture"`` only: that of the training rows.

    References
    ----------
    .. [1] Strehl & Ghosh, "Cluster ensembles", J. Mach. Learn. Res. 3 (2002).
    .. [2] Fred & Jain, "Combining multiple clusterings using evidence accumulation", IEEE Trans.
       Pattern Anal. Mach. Intell. 27 (2005).
    .. [3] Fern & Brodley, "Solving cluster ensemble problems by bipartite graph partitioning",
       ICML (2004).
    .. [4] Topchy, Jain & Punch, "Clustering ensembles: models of consensus and weak partitions",
       IEEE Trans. Pattern Anal. Mach. Intell. 27 (2005).

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from coterie.clustering import adjusted_rand
    >>> X, y = make_moons(200, noise=0.05, random_state=0)
    >>> model = ClusterEnsemble(n_clusters=2, consensus="eac", k_min=10, random_state=0).fit(X)
    >>> adjusted_rand(model.labels_, y) > 0.5
    True
    """

    allowed: ClassVar[Mapping[str, Allowed]] = {
        "n_clusters": at_least(1) | one_of(None),
        "members": one_of(*_OWN, "embedding") | a_list,
        "n_members": at_least(1),
        "consensus": one_of("auto", "supra", *CONSENSUS),
        "unique": one_of(True, False),
        "partition": one_of(*PARTITIONS),
        "select": one_of("all", "quality", "jc", "cas"),
        "share": between(0.0, 1.0, closed="right"),
        "k_min": at_least(1) | one_of(None),
        "k_max": at_least(1) | one_of(None),
        "outside": one_of("predict", "missing"),
        **{name: SHAPE[name] for name in ("n_jobs", "random_state", "categorical_features")},
    }

    n_clusters: int | None = None
    members: Any = "kmeans"
    n_members: int = 50
    consensus: str = "auto"
    unique: bool = False
    partition: str = "spectral"
    select: str = "all"
    share: float = 0.5
    k_min: int | None = None
    k_max: int | None = None
    outside: str = "predict"
    categorical_features: Any = "from_dtype"
    n_jobs: int | None = None
    random_state: RandomLike = None

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        table, weight = admitted.table, admitted.weight
        entropy = draw_entropy(self.random_state)
        rows, weight, places = self._rows(draft, table, weight)
        n_members = self._count_members()
        seeds = [int(seed) for seed in member_seeds(entropy, 0, n_members)]
        jobs = [(number, seed) for number, seed in enumerate(seeds)]
        fitted = JoblibExecutor(self.n_jobs).map(
            lambda job: self._fit_member(rows, weight, *job), jobs
        )
        members = [member for member, _ in fitted]
        labels = np.stack([codes for _, codes in fitted])
        labellings, tuples = Labellings.read(labels, row_weight=weight)
        chosen = choose_members(labellings, self.select, self.share)
        if len(chosen) < len(members):
            members, labels = [members[number] for number in chosen], labels[chosen]
            labellings, tuples = Labellings.read(labels, row_weight=weight)
        rng = np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(2**32 - 1,)))
        number = self._number(labellings)
        found = agree(labellings, number, self.consensus, rng, self._options())
        draft.members_ = members
        self._publish(draft, labellings, found, labels, tuples)
        _spread(draft, places, admitted, n_samples)

    def _count_members(self) -> int:
        if isinstance(self.members, str):
            return self.n_members
        for member in self.members:
            if not hasattr(member, "fit") or not hasattr(member, "get_params"):
                raise ValueError(f"members must be a list of clusterers, but contains {member!r}.")
        if not len(self.members):
            raise ValueError("members is an empty list. Pass at least one clusterer.")
        return len(self.members)

    def _number(self, labellings: Labellings) -> int | None:
        """The number of clusters, no more than a single row of each can have."""
        if self.n_clusters is None and labellings.n_tuples == 1:
            return 1
        return self.n_clusters

    def _options(self) -> dict[str, Any]:
        """Options of `coterie.clustering.consensus`."""
        return {"unique": self.unique, "partition": self.partition}

    def _publish(
        self, draft: Self, labellings: Labellings, found: Agreed, labels: Any, tuples: Any
    ) -> None:
        codes = in_order(found.codes)
        draft.lookup_ = TupleTable.of(labellings, codes, labels, tuples)
        draft.consensus_, draft.anmi_by_consensus_ = found.name, found.anmi
        draft.anmi_ = found.anmi[found.name]
        draft.n_clusters_ = int(codes.max()) + 1
        draft.tuples_ = labellings.n_tuples
        draft.labels_, draft.member_labels_ = codes[tuples], labels.astype(narrow(labels))
        draft.confidence_ = draft.lookup_.confidence(labels, draft.labels_)
        if found.mixture is not None:
            inside = codes >= 0
            likely = np.full((len(codes), len(found.mixture.shares)), np.nan)
            likely[inside] = found.mixture.under(codes[inside])
            draft.responsibilities_ = likely[tuples]
            draft.log_likelihood_ = found.mixture.log_likelihoods[-1]

    def _range(self, n_rows: int) -> tuple[int, int]:
        """Fewest and most clusters of a member."""
        least = self.k_min or self.n_clusters or 2
        most = self.k_max or max(least, min(_MOST, int(np.ceil(np.sqrt(n_rows)))))
        if most < least:
            raise ValueError(f"k_max={most} must not be less than k_min={least}.")
        return least, most

    def _fit_member(self, rows: Any, weight: Array, number: int, seed: int) -> tuple[Any, Codes]:
        """A member, and its labels of the rows."""
        rng = growing_stream(seed)
        if not isinstance(self.members, str):
            fitted = fit_clusterer(self.members[number], rows, weight, rng)
            return fitted, labels_of(fitted, rows)
        least, most = self._range(len(rows))
        if self.members == "embedding":
            leaves = LeafMaker(least, most).fit(rows, weight, rng)
            return leaves, leaves.predict(rows)
        maker = KMeansMaker(self.members, least, most)  # type: ignore[arg-type]  # as allowed
        centres, bag = maker.fit(rows, weight, rng)
        codes = centres.predict(rows)
        if bag is not None and self.outside == "missing":
            outside = np.setdiff1d(np.arange(len(rows)), bag)
            codes[outside] = -1
        return centres, codes

    def _rows(
        self, draft: Self, table: Table, weight: Array | None
    ) -> tuple[Any, Array, NDArray[np.intp]]:
        """Distinct rows in an order of their own, what each counts, and where rows are in them."""
        cells = _cells(table)
        if self.members != "embedding":
            self._check_numbers(table, cells)
        distinct, weight, places = _settle(cells, weight)
        if isinstance(self.members, str) and self.members != "embedding":
            share = weight / weight.sum()
            draft.centre_ = share @ distinct
            distinct = distinct - draft.centre_
            draft.scale_ = _spread_of(distinct, share)
            distinct = distinct / draft.scale_
        return distinct, weight, places

    def _check_numbers(self, table: Table, cells: Array) -> None:
        """Refuse categories and missing values, which have no distances."""
        names: Any = table.names or tuple(range(table.n_columns))
        kinds = table.schema.categorical
        odd = np.isnan(cells).any(axis=0)
        if kinds is not None and np.any(kinds):
            column = names[int(np.flatnonzero(kinds)[0])]
            raise DataError(
                f"k-means members need numeric columns, but column {column!r} is categorical. "
                "Use members='embedding'."
            )
        huge = np.abs(cells).max(axis=0) > _LARGEST
        if huge.any():
            column = names[int(np.flatnonzero(huge)[0])]
            raise DataError(
                f"k-means members need numbers of at most {_LARGEST:g}, but column {column!r} has "
                "larger ones. Rescale it."
            )
        if odd.any():
            column = names[int(np.flatnonzero(odd)[0])]
            raise DataError(
                f"k-means members do not support NaN, but column {column!r} has missing values. "
                "Use members='embedding'."
            )

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Clusters of rows: that of training rows with the same member clusters, otherwise a vote.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        this = self._settled()
        rows = _cells(this._admit(X))
        if this.members != "embedding":
            this._check_numbers(this._admit(X), rows)
        if hasattr(this, "centre_"):
            rows = (rows - this.centre_) / this.scale_
        return this.lookup_.find(np.stack([_place(member, rows) for member in this.members_]))

    @property
    def stability_(self) -> float:
        """Mean agreement of the consensus clusterings of halves of the members."""
        this = self._settled()
        kept = (this.member_labels_ >= 0).any(axis=0)
        labels, method = this.member_labels_[:, kept], this.consensus_
        return stability(labels, this.n_clusters_, method, **this._options())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = isinstance(self.members, str) and self.members == "embedding"
        return tags


def _place(member: Any, rows: Array) -> Codes:
    """Clusters of new rows; -1 of members that cannot tell."""
    if not hasattr(member, "predict"):
        return np.full(len(rows), -1, dtype=np.int32)
    return np.asarray(member.predict(rows)).astype(np.int32)


def _cells(table: Table) -> Array:
    """All cells as numbers, codes for categories."""
    blocks = [np.asarray(block, dtype=np.float64) for _, block in table.blocks()]
    return blocks[0] if len(blocks) == 1 else np.concatenate(blocks)


def _spread_of(off: Array, share: Array) -> Array:
    """Standard deviations of columns, one where nothing varies; no square overflows or vanishes."""
    power = np.frexp(np.abs(off).max(axis=0))[1]
    spread = np.ldexp(np.sqrt(share @ np.ldexp(off, -power) ** 2), power)
    return np.where(spread > 0, spread, 1.0)


def _settle(cells: Array, weight: Array | None) -> tuple[Array, Array, NDArray[np.intp]]:
    """Distinct rows in the order of what they hold, what each counts, and the place of each row."""
    weight = np.ones(len(cells)) if weight is None else weight
    cells = cells + 0.0  # turns -0.0 into 0.0
    order = np.lexsort(cells.T[::-1])
    ordered = cells[order]
    alike = (ordered[1:] == ordered[:-1]) | (np.isnan(ordered[1:]) & np.isnan(ordered[:-1]))
    new = np.append(True, ~alike.all(axis=1))
    places = np.empty(len(cells), dtype=np.intp)
    places[order] = np.cumsum(new) - 1
    mass = np.bincount(places, weights=weight).astype(np.float64)
    return ordered[new], mass, places


def _spread(draft: Any, places: NDArray[np.intp], admitted: Admitted, n_samples: int) -> None:
    """Give all training rows the results of the distinct ones; dropped rows have none."""
    kept = slice(None) if admitted.kept is None else admitted.kept
    for name, nothing in (("labels_", -1), ("confidence_", np.nan), ("member_labels_", -1)):
        found = getattr(draft, name)
        spread = np.full((*found.shape[:-1], n_samples), nothing, dtype=found.dtype)
        spread[..., kept] = found[..., places]
        setattr(draft, name, spread)
    if hasattr(draft, "responsibilities_"):
        found = draft.responsibilities_
        draft.responsibilities_ = np.full((n_samples, found.shape[1]), np.nan)
        draft.responsibilities_[kept] = found[places]
