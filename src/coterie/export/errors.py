"""What goes wrong with model files and with models for other runtimes."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["ModelFileError", "OnnxError", "SaveError", "UntrustedTypesError"]


class ModelFileError(ValueError):
    """The file is not a model file, is damaged, or needs a newer version of coterie.

    Examples
    --------
    >>> issubclass(ModelFileError, ValueError)
    True
    """


class UntrustedTypesError(ModelFileError):
    """The model file contains types from other packages that are not trusted.

    Parameters
    ----------
    types : iterable of str
        Their full names; also the attribute `types`, sorted.

    Examples
    --------
    >>> UntrustedTypesError(["acme.Model"]).types
    ('acme.Model',)
    """

    def __init__(self, types: Iterable[str]) -> None:
        self.types = tuple(sorted(types))
        super().__init__(
            "The model file contains types from other packages that are not trusted: "
            f"{', '.join(self.types)}. If you trust the source of the file and these packages, "
            f"load it with trusted={list(self.types)!r}."
        )


class SaveError(TypeError):
    """The model contains something that cannot be stored in a model file.

    Parameters
    ----------
    path : str
        Where in the model, such as ``model.estimator.loss``.
    problem : str
        What is wrong with it, and how to fix it.

    Examples
    --------
    >>> print(SaveError("model.loss", "is a function."))
    model.loss is a function.
    """

    def __init__(self, path: str, problem: str) -> None:
        self.path = path
        super().__init__(f"{path} {problem}")


class OnnxError(ValueError):
    """The model cannot be converted to ONNX; the message gives the reason.

    Examples
    --------
    >>> issubclass(OnnxError, ValueError)
    True
    """
