"""Balanced parts of graphs by METIS, through the optional package pymetis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import sparse

from coterie.clustering.labellings import Codes

Array = NDArray[np.float64]

_UNIT = 1000  # what the smallest weights become, as METIS takes integers
_MOST = 2**30  # that sums of integers may reach
_OVER = 50  # thousandths by which parts may be too heavy


def metis_package() -> Any:
    """``pymetis``, or an error that says how to get it."""
    try:
        import pymetis
    except ImportError as error:
        raise ImportError(
            "partition='metis' needs the package pymetis, which is not installed: "
            "pip install 'coterie[metis]'"
        ) from error
    return pymetis


def cut_graph(edges: Any, sizes: Array, n_parts: int, rng: Generator) -> Codes:
    """Parts of nearly equal size that cut edges of little weight.

    Parameters
    ----------
    edges : ndarray or sparse array of shape (n_vertices, n_vertices)
        Symmetric; weights of edges. The diagonal does not matter.
    sizes : ndarray of shape (n_vertices,)
        What each vertex adds to the size of its part.
    n_parts : int
        Number of parts; some may be empty.
    rng : Generator
        Seeds METIS.

    Returns
    -------
    ndarray of int32 of shape (n_vertices,)
    """
    metis = metis_package()
    graph = sparse.coo_array(edges)
    (first, second), weight = graph.coords, graph.data
    weight = _integers(np.where(first == second, 0.0, weight))
    graph = sparse.csr_array((weight, (first, second)), shape=graph.shape)
    graph.eliminate_zeros()
    _, parts = metis.part_graph(
        n_parts,
        metis.CSRAdjacency(graph.indptr.tolist(), graph.indices.tolist()),
        vweights=np.maximum(_integers(sizes), 1).tolist(),
        eweights=graph.data.tolist(),
        options=metis.Options(seed=int(rng.integers(2**31)), ufactor=_OVER),
    )
    return np.asarray(parts, dtype=np.int32)


def _integers(weights: Array) -> NDArray[np.int64]:
    """Weights as integers: the smallest has three digits, unless sums become too large."""
    some = weights[weights > 0]
    scale = min(_UNIT / some.min(), _MOST / some.sum()) if len(some) else 1.0
    return np.rint(weights * scale).astype(np.int64)
