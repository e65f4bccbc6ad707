"""Model files, and models for other runtimes.

`save` and `load` store models in files of plain numbers with checksums; `describe` reads only the
header. `to_onnx` converts native ensembles to ONNX models, `to_c` to C.
"""

from coterie.export.c_models import to_c
from coterie.export.errors import ModelFileError, OnnxError, SaveError, UntrustedTypesError
from coterie.export.files import describe, load, save
from coterie.export.onnx_models import to_onnx

__all__ = [
    "ModelFileError",
    "OnnxError",
    "SaveError",
    "UntrustedTypesError",
    "describe",
    "load",
    "save",
    "to_c",
    "to_onnx",
]
