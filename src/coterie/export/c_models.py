"""Ensembles of native trees as C that depends on nothing but the C library."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from sklearn.base import is_classifier
from sklearn.utils.validation import check_is_fitted

from coterie.base.atomic import whole_file
from coterie.data.schema import Schema
from coterie.export.c_graph import CGraph
from coterie.export.errors import OnnxError
from coterie.export.onnx_composites import answer, refuse_unknown
from coterie.export.onnx_view import View

__all__ = ["to_c"]

_PARTS = r"""
typedef struct {
  double split;
  int32_t column, yes, no, set, flags; /* flags: 1 missing is a yes, 2 asks for categories */
} node;

static inline double sigmoid(double x) {
  double e = exp(-fabs(x));
  return x >= 0 ? 1.0 / (1.0 + e) : e / (1.0 + e);
}

static inline void softmax(const double* x, int n, double* out) {
  double most = x[0], total = 0.0;
  for (int i = 1; i < n; ++i) most = fmax(most, x[i]);
  for (int i = 0; i < n; ++i) total += out[i] = exp(x[i] - most);
  for (int i = 0; i < n; ++i) out[i] /= total;
}

static inline int argmax(const double* x, int n) {
  int best = 0;
  for (int i = 1; i < n; ++i) if (x[i] > x[best]) best = i;
  return best;
}

static int says_yes(const node* at, double x, const uint64_t* sets) {
  if (isnan(x)) return at->flags & 1;
  if (!(at->flags & 2)) return x <= at->split;
  const uint64_t* set = sets + at->set;
  uint64_t code = (uint64_t)x;
  if (!(x >= 0) || x != (double)code || code / 64 >= set[0]) return 0;
  return (set[1 + code / 64] >> (code % 64)) & 1;
}

/* A number of a node that is negative is the complement of a leaf's. */
static inline void add_trees(const double* x, const node* nodes, const int32_t* roots, int n_trees,
                      const uint64_t* sets, const int32_t* targets, const double* weights,
                      double* scores) {
  for (int t = 0; t < n_trees; ++t) {
    int32_t at = roots[t];
    while (at >= 0) {
      const node* here = nodes + at;
      at = says_yes(here, x[here->column], sets) ? here->yes : here->no;
    }
    scores[targets[~at]] += weights[~at];
  }
}
"""


def to_c(
    model: Any, path: str | os.PathLike[str] | None = None, *, name: str = "model"
) -> tuple[str, str]:
    """Convert an ensemble of native trees to C code with the same predictions.

    The source needs a C99 compiler and the C library (``-lm``), nothing else; it allocates nothing
    and is safe to call from several threads. ``NAME_predict(const double *x, double *out)`` takes a
    row: doubles, one for each column of the fit and in that order, NaN where something is missing.
    A categorical column holds the codes of its categories, which ``NAME_code(column, label)`` looks
    up; any other code, such as -1, is a category that was not seen at fit. It writes the
    probabilities of the classes and returns the position of the predicted one among
    ``NAME_classes``; for numbers, it writes them and returns 0.

    Parameters
    ----------
    model : estimator
        A fitted model of a kind that `to_onnx` supports.
    path : str or path, optional
        Where to write the source; the header is written next to it, with the extension ``.h``.
    name : str, default="model"
        Prefix of all names in the C code.

    Returns
    -------
    source, header : str

    Raises
    ------
    OnnxError
        If the model cannot be converted; the error gives the reason.

    Examples
    --------
    >>> import coterie
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"]
    >>> model = coterie.RandomForestClassifier(random_state=0).fit(X, y)
    >>> source, header = coterie.to_c(model, name="forest")
    >>> "int forest_predict(const double *x, double *out);" in header
    True
    """
    if not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise ValueError(f"name={name!r} is not a valid C identifier.")
    try:
        refuse_unknown(model)
        check_is_fitted(model)
        graph = CGraph(model.schema_.n_columns)
        graph.forget_strange_codes(model.schema_.labels)
        said = answer(graph, model, View.whole(model.schema_))  # type: ignore[arg-type]
    except OnnxError as error:
        raise OnnxError(str(error).replace("ONNX", "C")) from None
    classes = model.target_.classes[0].tolist() if is_classifier(model) else None
    code = "0"
    if classes is not None:
        code = f"(int){said.codes}[0]" if said.codes else f"argmax({said.values}, {len(classes)})"
    header = _header(name, type(model).__name__, model.schema_, classes, model.n_outputs_)
    source = _source(name, graph, said.values, code, model.schema_, classes)
    if path is not None:
        place = Path(path)
        source = source.replace(f'#include "{name}.h"', f'#include "{place.stem}.h"')
        # Both or none: a header beside the source of another model would compile.
        with whole_file(place.with_suffix(".h")) as declared:
            declared.write_bytes(header.encode())
            with whole_file(place) as defined:
                defined.write_bytes(source.encode())
    return source, header


def _header(name: str, kind: str, schema: Schema, classes: list[Any] | None, n_outputs: int) -> str:
    columns = [] if schema.names is None else [f"{k}: {n}" for k, n in enumerate(schema.names)]
    listed = ", ".join(columns).replace("*/", "* /").replace("\n", " ")
    width = n_outputs if classes is None else len(classes)
    return "\n".join(
        [
            f"/* A {kind}, written by coterie. Columns: {listed or schema.n_columns}. */",
            f"#ifndef {name.upper()}_H",
            f"#define {name.upper()}_H",
            "#ifdef __cplusplus",
            'extern "C" {',
            "#endif",
            f"#define {name.upper()}_COLUMNS {schema.n_columns}",
            f"#define {name.upper()}_OUTPUTS {width}",
            f"extern const char *const {name}_classes[];" if classes is not None else "",
            "/* The code of a category; -1 if it was not seen at fit. */",
            f"int {name}_code(int column, const char *label);",
            f"int {name}_predict(const double *x, double *out);",
            "#ifdef __cplusplus",
            "}",
            "#endif",
            "#endif",
            "",
        ]
    )


def _source(
    name: str, graph: CGraph, values: str, code: str, schema: Schema, classes: list[Any] | None
) -> str:
    width = graph.values[values].width
    # A label need not be asked for, nor a result be used.
    unused = "".join(f"\n  (void){one};" for one in graph.values if one.startswith("v"))
    body = "\n  ".join(graph.statements) + unused
    lines = [
        f'#include "{name}.h"',
        "#include <math.h>\n#include <stdint.h>\n#include <string.h>",
        _PARTS,
        *graph.tables,
    ]
    if classes is not None:
        lines.append(f"const char *const {name}_classes[] = {{{_strings(classes)}}};")
    lines += [
        _lookup(name, schema),
        f"int {name}_predict(const double *x, double *out) {{",
        "  const double* X = x;",
        f"  {body}",
        f"  for (int i = 0; i < {width}; ++i) out[i] = {values}[i];",
        f"  return {code};",
        "}",
        "",
    ]
    return "\n".join(lines)


def _lookup(name: str, schema: Schema) -> str:
    cases = []
    for j, labels in schema.labels.items():
        known = labels.tolist()
        cases.append(
            f"    case {j}: {{ static const char *const labels[] = {{{_strings(known)}}};\n"
            f"      for (int i = 0; i < {len(known)}; ++i)\n"
            "        if (!strcmp(labels[i], label)) return i;\n"
            "      return -1; }"
        )
    return "\n".join(
        [
            f"int {name}_code(int column, const char *label) {{",
            "  (void)label;",
            "  switch (column) {",
            *cases,
            "    default: return -1;",
            "  }",
            "}",
        ]
    )


def _strings(labels: list[Any]) -> str:
    """Labels as C strings; bytes beyond ASCII in octal, which ends after three digits."""
    return ", ".join(_string(str(label)) for label in labels) or "0"


def _string(text: str) -> str:
    plain = "".join(
        chr(b) if 32 <= b < 127 and b not in b'"\\?' else f"\\{b:03o}" for b in text.encode()
    )
    return f'"{plain}"'
