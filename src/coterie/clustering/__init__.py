"""Cluster ensembles: many clusterings of the same rows, combined into a consensus.

Steps of a fit:

1. Members are created: variants of k-means, leaves of random trees, or any clusterers.
2. `Labellings` stores the distinct tuples of their labels and the number of rows of each; rows with
   the same tuple cannot be distinguished, so nothing larger is needed.
3. A consensus function, or the best of several, labels the tuples (`agree`).
4. A `TupleTable` labels new rows by their tuples.
"""

from coterie.clustering.cluster_ensemble import ClusterEnsemble
from coterie.clustering.labellings import Labellings, co_association
from coterie.clustering.partition_measures import (
    adjusted_rand,
    anmi,
    consistency,
    nmi,
    quadratic_information,
)
from coterie.clustering.supra import CONSENSUS, choose_members, consensus, stability

__all__ = [
    "CONSENSUS",
    "ClusterEnsemble",
    "Labellings",
    "adjusted_rand",
    "anmi",
    "choose_members",
    "co_association",
    "consensus",
    "consistency",
    "nmi",
    "quadratic_information",
    "stability",
]
