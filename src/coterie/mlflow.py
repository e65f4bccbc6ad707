"""An MLflow flavour: log, load and serve models of coterie (extra ``mlflow``).

The model is stored by `coterie.save`, so loading runs no code from the file. Any tool that supports
``mlflow.pyfunc`` (``mlflow models serve``, batch scoring, registries) can use it.
"""

from __future__ import annotations

import platform
from pathlib import Path
from typing import Any

from coterie.export import load, save

__all__ = ["FLAVOR_NAME", "load_model", "log_model", "save_model"]

FLAVOR_NAME = "coterie"
_FILE, _REQUIREMENTS, _PYTHON = "model.coterie", "requirements.txt", "python_env.yaml"
_ANSWERS = ("predict", "predict_proba", "decision_function")


def _mlflow() -> Any:
    """The package, or an error that says how to get it."""
    try:
        import mlflow
        import mlflow.pyfunc
    except ImportError as error:
        raise ImportError(
            "This needs MLflow, which is not installed: pip install 'coterie[mlflow]'"
        ) from error
    return mlflow


def save_model(
    model: Any,
    path: str | Path,
    *,
    mlflow_model: Any = None,
    signature: Any = None,
    input_example: Any = None,
    pip_requirements: list[str] | None = None,
    metadata: dict[str, Any] | None = None,
) -> None:
    """Write a model as an MLflow model: a directory that MLflow can load and serve.

    Parameters
    ----------
    model : estimator
        A fitted model of coterie.
    path : str or path
        A directory that does not exist yet, or is empty.
    mlflow_model : mlflow.models.Model, default=None
        What to add to; MLflow passes it.
    signature : mlflow.models.ModelSignature, default=None
        Signature of input and output; inferred from `input_example` if that is given.
    input_example : data frame or array, default=None
        A few rows, kept with the model.
    pip_requirements : list of str, default=None
        Packages that a server installs; by default the current versions of coterie, scikit-learn
        and NumPy.
    metadata : dict, default=None
        Kept with the model.

    Examples
    --------
    >>> import coterie.mlflow
    >>> def keep(model, rows):
    ...     coterie.mlflow.save_model(model, "model", input_example=rows)
    """
    mlflow = _mlflow()
    folder = Path(path)
    if folder.exists() and any(folder.iterdir()):
        raise FileExistsError(f"{folder} is not empty. Choose another path, or remove it.")
    folder.mkdir(parents=True, exist_ok=True)
    description = mlflow.models.Model() if mlflow_model is None else mlflow_model
    if input_example is not None:
        # As MLflow's own flavours do; it has no public name for it.
        mlflow.models.utils._save_example(description, input_example, str(folder))
        if signature is None:
            signature = mlflow.models.infer_signature(input_example, model.predict(input_example))
    if signature is not None:
        description.signature = signature
    if metadata is not None:
        description.metadata = metadata
    save(model, folder / _FILE)
    requirements = pip_requirements or _requirements()
    (folder / _REQUIREMENTS).write_text("\n".join(requirements) + "\n", encoding="utf-8")
    (folder / _PYTHON).write_text(
        f"python: {platform.python_version()}\ndependencies:\n- -r {_REQUIREMENTS}\n",
        encoding="utf-8",
    )
    mlflow.pyfunc.add_to_model(
        description,
        loader_module="coterie.mlflow",
        data=_FILE,
        python_env=_PYTHON,
    )
    description.add_flavor(FLAVOR_NAME, coterie_version=_version("coterie"), data=_FILE)
    description.save(str(folder / "MLmodel"))


def log_model(model: Any, name: str = "model", **options: Any) -> Any:
    """Log a model to the current MLflow run, and register it if asked.

    Parameters
    ----------
    model : estimator
        A fitted model of coterie.
    name : str, default="model"
        Name of the model in the run.
    **options
        What `save_model` takes, and what ``mlflow.models.Model.log`` does, such as
        ``registered_model_name``.

    Returns
    -------
    mlflow.models.model.ModelInfo
        Information about the model, with the ``model_uri`` for `load_model`.

    Examples
    --------
    >>> import coterie.mlflow
    >>> def keep(model, rows):
    ...     import mlflow
    ...
    ...     with mlflow.start_run():
    ...         return coterie.mlflow.log_model(model, input_example=rows).model_uri
    """
    import coterie.mlflow

    mlflow = _mlflow()
    return mlflow.models.Model.log(
        artifact_path=None, name=name, flavor=coterie.mlflow, model=model, **options
    )


def load_model(model_uri: str, *, trusted: tuple[str, ...] = ()) -> Any:
    """Load a model that `log_model` or `save_model` wrote.

    Parameters
    ----------
    model_uri : str
        A path, ``runs:/...``, ``models:/...`` or any other URI that MLflow supports.
    trusted : tuple of str, default=()
        Types of other packages in the model that may be loaded, as in `coterie.load`.

    Returns
    -------
    estimator

    Examples
    --------
    >>> import coterie.mlflow
    >>> def again(uri, rows):
    ...     return coterie.mlflow.load_model(uri).predict_proba(rows)
    """
    mlflow = _mlflow()
    folder = Path(mlflow.artifacts.download_artifacts(artifact_uri=str(model_uri)))
    flavors = mlflow.models.Model.load(str(folder / "MLmodel")).flavors
    if FLAVOR_NAME not in flavors:
        raise ValueError(
            f"{model_uri} is not a coterie model; its flavours are {', '.join(flavors)}. Load it "
            "with mlflow.pyfunc.load_model."
        )
    return load(folder / flavors[FLAVOR_NAME]["data"], trusted=trusted)


class _Answers:
    """What ``mlflow.pyfunc`` asks: predictions, or by parameter probabilities or scores."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def get_raw_model(self) -> Any:
        return self.model

    def predict(self, model_input: Any, params: dict[str, Any] | None = None) -> Any:
        method = (params or {}).get("predict_method", "predict")
        if method not in _ANSWERS or not hasattr(self.model, method):
            able = ", ".join(name for name in _ANSWERS if hasattr(self.model, name))
            raise ValueError(f"predict_method must be one of {able}; got {method!r}.")
        return getattr(self.model, method)(model_input)


def _load_pyfunc(path: str) -> _Answers:
    """What MLflow calls to load the model, with the path of its file."""
    return _Answers(load(path))


def _requirements() -> list[str]:
    needed = ("coterie", "mlflow-skinny", "scikit-learn", "numpy", "pandas")
    return [f"{name}=={_version(name)}" for name in needed]


def _version(name: str) -> str:
    from importlib.metadata import version

    return version(name)
