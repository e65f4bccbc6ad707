"""Model files, and models for other runtimes.

`save` and `load` keep models in files of plain numbers with checksums; `describe` reads what a
file says of itself. `to_onnx` turns native ensembles into ONNX models,
`to_c` into C.
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
