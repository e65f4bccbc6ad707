"""What goes wrong with model files and with models for other runtimes."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["ModelFileError", "OnnxError", "SaveError", "UntrustedTypesError"]


class ModelFileError(ValueError):
    """A file that is no model file, is damaged, or is not for this version.

    Examples
    --------
    >>> issubclass(ModelFileError, ValueError)
    True
    """


class UntrustedTypesError(ModelFileError):
    """A model file holds foreign types that nobody said may be loaded.

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
    """A model holds something that has no place in a model file.

    Parameters
    ----------
    path : str
        Where in the model, as one would write it: ``model.estimator.loss``.
    problem : str
        What is wrong with it, and the cure.

    Examples
    --------
    >>> print(SaveError("model.loss", "is a function."))
    model.loss is a function.
    """

    def __init__(self, path: str, problem: str) -> None:
        self.path = path
        super().__init__(f"{path} {problem}")


class OnnxError(ValueError):
    """A model that cannot be an ONNX model, and why.

    Examples
    --------
    >>> issubclass(OnnxError, ValueError)
    True
    """
