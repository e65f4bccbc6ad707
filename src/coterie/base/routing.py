"""Metadata for members: what scikit-learn's routing hands to whose `fit`, cut with the rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sklearn import get_config
from sklearn.base import BaseEstimator
from sklearn.utils.metadata_routing import (
    MetadataRouter,
    MethodMapping,
    get_routing_for_object,
)

from coterie.learners import takes_weight

__all__ = ["asks_weight", "check_routing", "members_router", "routing_is_on"]


def routing_is_on() -> bool:
    """Whether ``sklearn.set_config(enable_metadata_routing=True)`` holds in this thread."""
    return bool(get_config()["enable_metadata_routing"])


def check_routing(owner: str, metadata: Mapping[str, Any], caller: str = "fit") -> None:
    """Refuse metadata for members while routing is off."""
    if metadata and not routing_is_on():
        raise ValueError(
            f"{owner}.{caller} got {sorted(metadata)}. Passing metadata to members is only "
            "supported if enable_metadata_routing=True: see sklearn.set_config."
        )


def asks_weight(estimator: Any) -> bool:
    """Whether an estimator is handed weights: it requested them or, without routing, takes them.

    Examples
    --------
    >>> from sklearn import config_context
    >>> from sklearn.linear_model import Ridge
    >>> asks_weight(Ridge())
    True
    >>> with config_context(enable_metadata_routing=True):
    ...     asks_weight(Ridge()), asks_weight(Ridge().set_fit_request(sample_weight=True))
    (False, True)
    """
    if not routing_is_on():
        return takes_weight(estimator)
    return bool(get_routing_for_object(estimator).consumes("fit", ("sample_weight",)))


def members_router(
    owner: Any, members: Mapping[str, Any], answers: Mapping[str, str] | None = None
) -> MetadataRouter:
    """What members request for their `fit`; and what the owner does, once that is set.

    `answers` says which of their methods is called by which of the owner's.

    As in scikit-learn, an ensemble hands on what its members request and need not request it
    itself. One that was told to request something, as groups for its own splits, is heard too.
    """
    router = MetadataRouter(owner=type(owner).__name__)
    own = BaseEstimator.get_metadata_routing(owner)
    if any(request is not None for request in own.fit.requests.values()):
        router.add_self_request(owner)
    mapping = MethodMapping().add(callee="fit", caller="fit")
    for caller, callee in (answers or {}).items():
        mapping.add(callee=callee, caller=caller)
    for name, estimator in members.items():
        router.add(**{name: estimator}, method_mapping=mapping)
    return router
