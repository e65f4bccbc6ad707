"""Models behind HTTP: the Open Inference Protocol, and plain rows.

Steps of a request:

1. :mod:`~coterie.serve.gate` checks the token and the limits, counts, times and logs it.
2. :mod:`~coterie.serve.bodies` turns plain rows, :mod:`~coterie.serve.tensors` tensors into a table
   with the types that the model was fitted on.
3. :mod:`~coterie.serve.batching` combines the rows of waiting requests into a batch, and predicts
   them in a thread.
4. :mod:`~coterie.serve.predictions` converts the predictions to columns.

:mod:`~coterie.serve.shelf` keeps the models, and reloads files that were replaced.
"""

from coterie.serve.app import create_app
from coterie.serve.settings import Settings

__all__ = ["Settings", "create_app"]
