"""A graph of ONNX operators, built one after the other."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data.schema import Schema
from coterie.export.onnx_trees import TreeArrays
from coterie.export.registry import COTERIE

__all__ = ["Graph", "onnx_package"]

_OPSETS = {"": 17, "ai.onnx.ml": 5}
_IR_VERSION = 9


def onnx_package() -> Any:
    """``onnx``, or an error that says how to get it."""
    try:
        import onnx
    except ImportError as error:
        raise ImportError(
            "Models are exported with the package onnx, which is not installed: "
            "pip install 'coterie[export]'"
        ) from error
    return onnx


class Graph:
    """Operators over one input of double precision, ``X``.

    Parameters
    ----------
    name : str
        Name of the graph.
    n_columns : int
        Columns of the input.

    Examples
    --------
    >>> graph = Graph("double", 1)
    >>> graph.output(graph.add("Mul", "X", graph.constant(np.array([2.0]))), "Y", [None, 1])
    >>> [node.op_type for node in graph.nodes]
    ['Mul', 'Identity']
    """

    def __init__(self, name: str, n_columns: int) -> None:
        self.name = name
        self.n_columns = n_columns
        self.nodes: list[Any] = []
        self._constants: list[Any] = []
        self._outputs: list[Any] = []
        self._onnx = onnx_package()
        self._cells = "X"  # what trees see

    def add(self, kind: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """Apply an operator; returns the name of its result."""
        name = f"v{len(self.nodes)}"
        make = self._onnx.helper.make_node
        self.nodes.append(make(kind, list(inputs), [name], domain=domain, **attributes))
        return name

    def constant(self, array: NDArray[Any]) -> str:
        """An array that is part of the model; returns its name."""
        name = f"c{len(self._constants)}"
        if array.dtype.kind in "OUT":
            array = array.astype(object)
        self._constants.append(self._onnx.numpy_helper.from_array(array, name))
        return name

    def number(self, value: float) -> str:
        """A number in double precision; returns its name."""
        return self.constant(np.array(value, dtype=np.float64))

    def forget_strange_codes(self, labels: Mapping[int, NDArray[Any]]) -> None:
        """Let trees see a missing value in place of a code that no category has.

        A list of the categories that are a yes sends all others to the no, while a category that
        was not seen at fit goes where missing values go.

        Parameters
        ----------
        labels : mapping of int to ndarray
            The categories of each column of the input that holds codes.
        """
        if not labels:
            return
        last = np.full((1, self.n_columns), np.inf)
        last[0, list(labels)] = [len(known) - 1 for known in labels.values()]
        first = np.where(np.isinf(last), -np.inf, 0.0)
        below = self.add("Less", "X", self.constant(first))
        above = self.add("Greater", "X", self.constant(last))
        strange = self.add("Or", below, above)
        self._cells = self.add("Where", strange, self.number(np.nan), "X")

    def trees(self, arrays: TreeArrays, n_scores: int, source: str = "") -> str:
        """The scores that trees add up, shape (n_rows, n_scores).

        Parameters
        ----------
        arrays : TreeArrays
            The trees.
        n_scores : int
            How many scores they add to.
        source : str, default=""
            The result that they walk on; by default the input.
        """
        tensor = self._onnx.numpy_helper.from_array
        # Attributes of an operator in ONNX, of which none is left out: readers differ in defaults.
        members = {"membership_values": tensor(arrays.members)} if len(arrays.members) else {}
        return self.add(
            "TreeEnsemble",
            source or self._cells,
            domain="ai.onnx.ml",
            n_targets=n_scores,
            aggregate_function=1,  # the sum
            post_transform=0,  # none
            nodes_featureids=arrays.feature,
            nodes_modes=tensor(arrays.mode),
            nodes_splits=tensor(arrays.split),
            nodes_missing_value_tracks_true=arrays.missing_true,
            nodes_truenodeids=arrays.yes,
            nodes_trueleafs=arrays.yes_leaf,
            nodes_falsenodeids=arrays.no,
            nodes_falseleafs=arrays.no_leaf,
            tree_roots=arrays.roots,
            leaf_targetids=arrays.target,
            leaf_weights=tensor(arrays.weight),
            **members,
        )

    def output(self, value: str, name: str, shape: list[int | None], like: Any = None) -> None:
        """Make a result an output of the model.

        Parameters
        ----------
        value : str
            The result.
        name : str
            What the output is called.
        shape : list of int or None
            None is the number of rows.
        like : ndarray, optional
            Its elements are of this array's type; by default doubles.
        """
        self.nodes.append(self._onnx.helper.make_node("Identity", [value], [name]))
        dtype = np.dtype(np.float64) if like is None else like.dtype
        strings = dtype.kind in "OUT"
        kind = self._onnx.TensorProto.STRING if strings else _kind(self._onnx, dtype)
        self._outputs.append(self._onnx.helper.make_tensor_value_info(name, kind, shape))

    def model(self, schema: Schema) -> Any:
        """The whole model, checked.

        Parameters
        ----------
        schema : Schema
            The columns; their names and categories go along as metadata.
        """
        helper = self._onnx.helper
        given = helper.make_tensor_value_info(
            "X", self._onnx.TensorProto.DOUBLE, [None, self.n_columns]
        )
        graph = helper.make_graph(self.nodes, self.name, [given], self._outputs, self._constants)
        model = helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid(*opset) for opset in _OPSETS.items()],
            ir_version=_IR_VERSION,
            producer_name="coterie",
            producer_version=COTERIE.__version__,
        )
        facts = {"names": schema.names, "categories": _plain(schema)}
        helper.set_model_props(model, {k: json.dumps(v) for k, v in facts.items()})
        self._onnx.checker.check_model(model)
        return model


def _kind(onnx: Any, dtype: np.dtype[Any]) -> int:
    kind: int = onnx.helper.np_dtype_to_tensor_dtype(dtype)
    return kind


def _plain(schema: Schema) -> dict[str, list[Any]]:
    """The categories of each categorical column, in the order of their codes."""
    return {
        str(j): [label if isinstance(label, str) else str(label) for label in labels.tolist()]
        for j, labels in schema.labels.items()
    }
