"""Many machines: estimators on Dask collections, with the models they have in memory.

The life of a fit:

1. `admitted` looks at every partition once (`Partitions`): rows, columns, categories. The target
   and the weights come to the driver.
2. `RemoteTable` stands for the rows. It finds the bins that the table would have in memory, and
   has every partition encoded where it is.
3. Gradient boosting grows its trees on `Holders`: each is an actor with the bins of some
   partitions (`RowHolder`). They count, the driver adds up and decides. Sums are exact, so the
   tree does not depend on who holds what.
4. Forests hand all bins to every worker once, and spread the trees (`ClusterExecutor`). Bags,
   combiners and searches spread members and folds in the same way, with all rows as they are.
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
