"""Several machines: estimators fitted on Dask collections, with the same models as in memory.

Steps of a fit:

1. `admitted` inspects every partition once (`Partitions`): rows, columns, categories. The driver
   collects the target and the weights.
2. `RemoteTable` represents the rows. It computes the same bins as in memory.
3. Gradient boosting grows its trees on `Holders`: each is an actor with the bins of some partitions
   (`RowHolder`), which are encoded and written to their places one after the other. The driver asks
   the first holder for a tree. All compute histograms and add them up among themselves, and the
   first one chooses splits (`decide_tree`). Sums are exact, so the tree does not depend on how rows
   are distributed.
4. Forests send all bins to every worker once, and divide the trees among them (`ClusterExecutor`).
   Bagging, combiners and searches divide members and folds in the same way, with the raw rows.
   AdaBoost and similar boosters fit one tree after another on the driver, to all bins.
5. Everything that was put on the cluster is removed, however the fit ended (`Session`).

A holder that is lost is created again from its partitions, and the tree is restarted (`Call` tells
a lost worker from a slow one). The fit waits for a cluster without workers, up to a time limit.
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
