"""Who sits on the committee: named estimators, read from a list and seated once fitted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.validation import check_is_fitted

from coterie.core import ParameterError
from coterie.data import Table
from coterie.learners import ForeignMember, Method, adapt
from coterie.tags import tagged

Array = NDArray[np.float64]
Classes = tuple[NDArray[Any], ...]


class Named(NamedTuple):
    """An estimator and what it is called."""

    name: str
    estimator: Any


@tagged
@dataclass(frozen=True)
class FoldMember:
    """The models of all folds as one member; they answer with their mean.

    Parameters
    ----------
    seats : tuple of ForeignMember
        One for each fold.
    """

    file_tag: ClassVar[str] = "FoldSeat"

    seats: tuple[ForeignMember, ...]

    def predict(self, table: Table) -> Array:
        """Mean of what the models of the folds say."""
        X = table.given()
        return np.asarray(np.mean([seat.ask(X) for seat in self.seats], axis=0))

    @property
    def estimator(self) -> list[Any]:
        """The fitted estimators of the folds."""
        return [seat.estimator for seat in self.seats]


def adapt_member(
    fitted: Any, classes: Classes, method: Method, name: str | None = None
) -> ForeignMember:
    """A fitted estimator that is asked by a combiner; regressors say numbers of classes too."""
    return adapt(fitted, classes if is_classifier(fitted) else (), method, name=name)


def read_members(estimators: Any, owner: str, taken: Sequence[str], kinds: str) -> list[Named]:
    """The members of a list of pairs; those that are "drop" are still among them.

    Parameters
    ----------
    estimators : list of (str, estimator or "drop")
        As given by the user.
    owner : str
        Named in messages.
    taken : sequence of str
        Names of the committee's own parameters, which members cannot have.
    kinds : {"classifier", "regressor", "any"}
        What members must be.
    """
    wrong = "Invalid 'estimators' attribute, 'estimators' should be a non-empty list of (string, "
    wrong += f"estimator) tuples; {owner} got estimators={estimators!r}."
    pairs = list(estimators)
    if not pairs or not all(isinstance(p, tuple | list) and len(p) == 2 for p in pairs):
        raise ParameterError(wrong)
    members = [Named(*pair) for pair in pairs]
    if not all(isinstance(member.name, str) for member in members):
        raise ParameterError(wrong)
    _check_names([member.name for member in members], taken)
    if all(_dropped(member.estimator) for member in members):
        raise ParameterError(
            "All estimators are dropped. At least one is required to be an estimator."
        )
    tests = {"classifier": is_classifier, "regressor": is_regressor}
    for name, estimator in members:
        if _dropped(estimator):
            continue
        if isinstance(estimator, type) or not hasattr(estimator, "fit"):
            raise ParameterError(f"{wrong} Member {name!r} has no .fit(), or is a class.")
        if kinds in tests and not tests[kinds](estimator):
            raise ParameterError(
                f"The estimator {type(estimator).__name__} should be a {kinds}: {name!r} in "
                "estimators is not."
            )
    return members


def without_dropped(members: Sequence[Named]) -> list[Named]:
    """Those that are not dropped."""
    return [member for member in members if not _dropped(member.estimator)]


def _dropped(estimator: Any) -> bool:
    return isinstance(estimator, str) and estimator == "drop"


def _check_names(names: list[str], taken: Sequence[str]) -> None:
    if len(set(names)) < len(names):
        raise ParameterError(f"Names provided are not unique: {names!r}. See estimators.")
    conflicts = sorted(set(names) & set(taken))
    if conflicts:
        raise ParameterError(f"Estimator names conflict with constructor arguments: {conflicts!r}")
    invalid = [name for name in names if "__" in name]
    if invalid:
        raise ParameterError(f"Estimator names must not contain __: got {invalid!r}")


def check_prefit(members: Sequence[Named]) -> None:
    """Refuse members that should be fitted and are not."""
    for _, estimator in members:
        check_is_fitted(estimator)


def pick_method(member: Named, wanted: str) -> Method:
    """The first of what is wanted that a member can do."""
    order = ("predict_proba", "decision_function", "predict") if wanted == "auto" else (wanted,)
    for method in order:
        if hasattr(member.estimator, method):
            return method  # type: ignore[return-value]  # one of the three names
    raise ValueError(f"Underlying estimator {member.name} does not implement the method {wanted}.")


class Composition:
    """Parameters of named members: ``name`` for the member, ``name__parameter`` for its own."""

    estimators: Any

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters, and those of the members.

        Parameters
        ----------
        deep : bool, default=True
            Whether to include the members by name, and their parameters.
        """
        params: dict[str, Any] = super().get_params(deep=deep)  # type: ignore[misc]  # a mixin
        if deep:
            for name, estimator in self._pairs():
                params[name] = estimator
                if hasattr(estimator, "get_params") and not isinstance(estimator, type):
                    own = estimator.get_params(deep=True)
                    params |= {f"{name}__{key}": value for key, value in own.items()}
        return params

    def set_params(self, **params: Any) -> Self:
        """Set parameters; a member is replaced, or dropped, by its name.

        Parameters
        ----------
        **params : dict
            For example ``forest="drop"`` or ``forest__max_depth=3``.
        """
        if "estimators" in params:
            self.estimators = params.pop("estimators")
        names = {name for name, _ in self._pairs()}
        replaced = {name: params.pop(name) for name in list(params) if name in names}
        if replaced:
            self.estimators = [(n, replaced.get(n, member)) for n, member in self._pairs()]
        super().set_params(**params)  # type: ignore[misc]  # a mixin
        return self

    def _pairs(self) -> list[tuple[str, Any]]:
        """Names and members, as far as they can be told before they are checked."""
        given = self.estimators
        if not isinstance(given, list | tuple):
            return []
        return [(p[0], p[1]) for p in given if isinstance(p, tuple | list) and len(p) == 2]
