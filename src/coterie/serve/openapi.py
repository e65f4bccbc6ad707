"""The OpenAPI document of a server, from the columns of its models."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from coterie.serve.bodies import ENDINGS, STREAM
from coterie.serve.shelf import Served

__all__ = ["describe_api"]

_TYPES = {
    "text": {"type": ["string", "null"]},
    "time": {"type": ["string", "null"], "format": "date-time"},
    "boolean": {"type": ["boolean", "null"]},
    "any": {},
}
_NUMBER = {"type": ["number", "null"]}
_PARAMETERS = [
    ("probabilities", "boolean", "Add the probability of every class."),
    ("reject", "number", "No prediction if no class has at least this probability."),
    (
        "interval",
        "number",
        "Add low and high, an interval that should contain this share of values.",
    ),
    ("shap", "boolean", "Add the contribution of each column."),
]


def describe_api(models: Iterable[Served]) -> dict[str, Any]:
    """An OpenAPI 3.1 document.

    Parameters
    ----------
    models : iterable of Served
        The models in service.
    """
    from coterie import __version__

    models = list(models)
    paths: dict[str, Any] = {
        "/models": {"get": _answer("All models and their columns")},
        "/metrics": {"get": _answer("Counts and latencies for Prometheus")},
        "/v2/health/ready": {"get": _answer("Whether the server is ready")},
    }
    schemas: dict[str, Any] = {}
    for one in models:
        schemas[one.name] = _row(one)
        paths[f"/models/{one.name}/predict"] = {"post": _predict(one)}
        paths[f"/v2/models/{one.name}"] = {"get": _answer("Inputs and outputs")}
        paths[f"/v2/models/{one.name}/infer"] = {
            "post": _answer("Open Inference Protocol, version 2")
            | {"requestBody": {"content": {"application/json": {"schema": {"type": "object"}}}}}
        }
    return {
        "openapi": "3.1.0",
        "info": {"title": "coterie", "version": __version__},
        "paths": paths,
        "components": {
            "schemas": schemas,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _row(one: Served) -> dict[str, Any]:
    properties = {name: _TYPES.get(kind, _NUMBER) for name, kind in one.kinds().items()}
    return {"type": "object", "properties": properties, "required": list(properties)}


def _predict(one: Served) -> dict[str, Any]:
    row = {"$ref": f"#/components/schemas/{one.name}"}
    content: dict[str, Any] = {
        "application/json": {"schema": {"anyOf": [row, {"type": "array", "items": row}]}}
    }
    content |= {kind: {} for kind in [*ENDINGS, STREAM]}
    parameters = [
        {"name": name, "in": "query", "schema": {"type": kind}, "description": text}
        for name, kind, text in _PARAMETERS
    ]
    return _answer(f"Predictions of {one.name}") | {
        "requestBody": {"required": True, "content": content},
        "parameters": parameters,
    }


def _answer(summary: str) -> dict[str, Any]:
    problem = {"description": "What is wrong, with the field, the row and the fix"}
    return {
        "summary": summary,
        "responses": {"200": {"description": "The answer"}, "4XX": problem},
    }
