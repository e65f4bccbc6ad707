"""The scikit-learn face: one base, task mixins, and the checks of what comes in.

Steps of a fit:

1. `Committee.fit` checks the parameters against the words declared in ``allowed``.
2. `admit_fit` reads weights, ``X`` and ``y`` into a table, a target and weights.
3. The family fits (`_train`) on a draft; members go through a `JoblibExecutor`.
4. The draft's attributes take the place of the estimator's in one step.
5. ``predict`` takes a snapshot, admits new rows under the schema of the fit, and lets
   ``pool_`` vote; the task mixin turns votes into labels or numbers.
"""

from coterie.base.check import Admitted, admit_fit, admit_predict, publish_columns
from coterie.base.class_weight import a_class_weight, class_factors, times
from coterie.base.committee import Committee
from coterie.base.executor import JoblibExecutor, thread_count, worker_count
from coterie.base.lazy_members import LazyMembers
from coterie.base.task import ClassifierTask, RegressorTask, TargetlessTask, decide, split_outputs

__all__ = [
    "Admitted",
    "ClassifierTask",
    "Committee",
    "JoblibExecutor",
    "LazyMembers",
    "RegressorTask",
    "TargetlessTask",
    "a_class_weight",
    "admit_fit",
    "admit_predict",
    "class_factors",
    "decide",
    "publish_columns",
    "split_outputs",
    "thread_count",
    "times",
    "worker_count",
]
