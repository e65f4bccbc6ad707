"""Several machines: estimators fitted on Dask collections, with the same models as in memory.

Steps of a fit:

1. `admitted` inspects every partition once (`Partitions`): rows, columns, categories. The driver
   collects the target and the weights.
2. `RemoteTable` represents the rows. It computes the same bins as in memory, and encodes every
   partition where it is.
3. Gradient boosting grows its trees on `Holders`: each is an actor with the bins of some partitions
   (`RowHolder`). They compute histograms, and the driver adds them up and chooses splits. Sums are
   exact, so the tree does not depend on how rows are distributed.
4. Forests send all bins to every worker once, and divide the trees among them (`ClusterExecutor`).
   Bags, combiners and searches spread members and folds in the same way, with all rows as they are.
   AdaBoost and its kin fit one tree after the other on the driver, to all bins.
5. Whatever was put on the cluster is taken away, however the fit ended (`Session`).

A holder that is lost is made again from its partitions, and the tree begun anew (`Call` tells a
loss from a long silence). A cluster without workers is waited for, but not for ever.
"""

from coterie.distributed.checkpoints import checkpointed
from coterie.distributed.host import admitted, answers, fetched, mapped, on_workers
from coterie.distributed.session import NotDistributedError, WorkersLostError

__all__ = [
    "NotDistributedError",
    "WorkersLostError",
    "admitted",
    "answers",
    "checkpointed",
    "fetched",
    "mapped",
    "on_workers",
]
