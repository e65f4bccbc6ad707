"""Cluster ensembles: many clusterings of the same rows, and the one they agree on.

The life of a fit:

1. Members are made: k-means in many ways, leaves of random trees, or any clusterers.
2. `Labellings` holds the distinct tuples of their labels and how many rows have each; rows of one
   tuple cannot be told apart, so nothing larger is needed.
3. A consensus function, or the best of several, labels the tuples (`agree`).
4. A `TupleTable` labels new rows by the tuples they have.
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
