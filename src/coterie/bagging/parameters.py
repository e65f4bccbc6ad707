"""Members whose parameters are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.base import clone

from coterie.bagging.bag import BAG, TRUTH, VOTING, Bag, BagClassifierTask
from coterie.base import Admitted, RegressorTask, thread_count
from coterie.base.member_weights import weigh
from coterie.base.oob_estimates import votes_outside
from coterie.core import (
    Allowed,
    Columns,
    Learner,
    Member,
    ParameterError,
    View,
    check_params,
    growing_stream,
    instance_of,
    one_of,
)
from coterie.core.learner import numbered
from coterie.data import Table, Target
from coterie.trees.single import is_native

# A draw that cannot be fitted is made again as often.
_TRIES = 5

SHAPES: dict[str, Sequence[Any]] = {
    "splitter": ["best", "random"],
    "max_features": ["sqrt", "log2", 0.5, None],
    # A share of the weight, not a number of rows: a row of weight two is two rows.
    "min_weight_fraction_leaf": [0.0, 0.0, 0.002, 0.01],
}
TREES: dict[str, dict[str, Sequence[Any]]] = {
    "classification": {"criterion": ["gini", "entropy"], **SHAPES},
    "regression": {"criterion": ["squared_error", "friedman_mse"], **SHAPES},
}

PARAMETERS: dict[str, Allowed] = BAG | {
    "distributions": instance_of(dict) | one_of(None),
    "bootstrap": TRUTH,
    "weights": one_of("uniform", "score", "stack"),
}


def draw_parameters(distributions: Mapping[str, Any], rng: Generator) -> dict[str, Any]:
    """One value per parameter, from lists (all equally likely) or distributions.

    Parameters
    ----------
    distributions : mapping of str to list or distribution
        A distribution has ``rvs(random_state=...)``, as those of ``scipy.stats``.
    rng : Generator
        Source of randomness.

    Examples
    --------
    >>> draw_parameters({"max_depth": [3]}, np.random.default_rng(0))
    {'max_depth': 3}
    """
    drawn = {}
    for name in sorted(distributions):
        values = distributions[name]
        if hasattr(values, "rvs"):
            value = values.rvs(random_state=rng)
            drawn[name] = value.item() if isinstance(value, np.generic) else value
        else:
            drawn[name] = values[int(rng.integers(len(values)))]
    return drawn


@dataclass(frozen=True)
class Workshop:
    """Makes the learner of drawn parameters; it travels to other processes."""

    bag: Any
    member: Any
    circumstances: tuple[Any, ...]

    def __call__(self, drawn: dict[str, Any]) -> Learner:
        """The learner."""
        twin = clone(self.member).set_params(**drawn)
        return Bag._learner(self.bag, twin, *self.circumstances)


@dataclass(frozen=True)
class DrawnLearner:
    """Draws parameters for every member, and again when they cannot be fitted.

    Parameters
    ----------
    make : Workshop
        Makes the learner of given parameters.
    distributions : mapping
        What to draw.
    columns : ndarray or None
        Columns the members are kept to.
    number : int
        Position of the member, named in errors.
    """

    make: Workshop
    distributions: Mapping[str, Any]
    columns: NDArray[np.intp] | None = None
    number: int = 0

    def numbered(self, number: int) -> DrawnLearner:
        """The same learner for the member at a position."""
        return replace(self, number=number)

    def among(self, columns: NDArray[np.intp]) -> DrawnLearner:
        """The same learner, kept to some of the columns."""
        return replace(self, columns=columns)

    def fit(
        self, table: Table, target: Target, weight: NDArray[np.float64] | None, rng: Generator
    ) -> Member:
        """A member with parameters of its own."""
        lottery = rng.spawn(1)[0]
        for attempt in range(_TRIES + 1):
            drawn = draw_parameters(self.distributions, lottery)
            try:
                learner: Learner = numbered(self.make(drawn), self.number)
                if self.columns is not None:
                    learner = learner.among(self.columns)  # type: ignore[attr-defined]
                return learner.fit(table, target, weight, rng)
            except (ValueError, TypeError) as error:
                if attempt == _TRIES:
                    raise ParameterError(
                        f"{_TRIES + 1} draws from distributions could not be fitted; the last "
                        f"one was {drawn}: {error}"
                    ) from error
        raise AssertionError("unreachable")


@dataclass(eq=False, repr=False)
class Lottery(Bag):
    """Members whose parameters are drawn from distributions.

    Parameters
    ----------
    estimator : estimator, default=None
        The base estimator, fitted with different parameters for each member; by default a native
        tree.
    n_estimators : int, default=20
        Number of members.
    distributions : dict of str to list or distribution, default=None
        For each parameter of `estimator` the values to draw from, all equally likely, or a
        distribution with ``rvs`` such as those of ``scipy.stats``. By default criterion, splitter,
        leaf size and columns per node of native trees.
    bootstrap : bool, default=False
        Whether members see bootstrap samples, or all rows.
    weights : {"uniform", "score", "stack"}, default="uniform"
        Weights of the members: equal, or estimated from out-of-bag rows (see `oob_weights`), which
        needs ``bootstrap=True``.
    """

    n_estimators: int = 20
    _: KW_ONLY
    distributions: dict[str, Any] | None = None
    bootstrap: bool = False
    weights: Literal["uniform", "score", "stack"] = "uniform"

    allowed: ClassVar[Mapping[str, Allowed]] = PARAMETERS

    def _check_choices(self, target: Target) -> None:
        super()._check_choices(target)
        check_distributions(self._distributions(), self._member())
        if self.weights != "uniform" and not self.bootstrap:
            raise ValueError(f"weights={self.weights!r} needs out-of-bag rows. Set bootstrap=True.")

    def _distributions(self) -> Mapping[str, Any]:
        if self.distributions is not None:
            return self.distributions
        if self.estimator is not None and not is_native(self.estimator):
            raise ValueError(
                "distributions=None is for native trees; specify which parameters of "
                f"{type(self.estimator).__name__} to draw."
            )
        return TREES[self.task]

    def _learner(
        self, member: Any, view: View, choice: Columns | None, n_threads: int, stop: Any
    ) -> Learner:
        make = Workshop(self._copy(without_results=True), member, (view, choice, n_threads, stop))
        return DrawnLearner(make, self._distributions())

    def _template(self, number: int) -> Any:
        """The unfitted estimator of a native member, its parameters drawn again."""
        lottery = growing_stream(self.bags_.seed(number)).spawn(1)[0]
        for _ in range(_TRIES + 1):
            drawn = draw_parameters(self._distributions(), lottery)
            tree = clone(self._member()).set_params(**drawn)
            try:
                check_params(type(tree).__name__, tree.get_params(deep=False), tree.allowed)
            except ParameterError:
                continue
            break
        return tree

    def _weigh(self, draft: Self, admitted: Admitted) -> bool:
        if self.weights == "uniform":
            return False
        table, target, weight, _ = admitted
        votes = votes_outside(draft.pool_, draft.bags_, table, target, thread_count(self.n_jobs))
        draft.pool_ = replace(draft.pool_, weights=weigh(votes, target, weight, self.weights))
        return True


def check_distributions(distributions: Mapping[str, Any], member: Any) -> None:
    """Refuse parameters that the member does not have, and what cannot be drawn from."""
    names = member.get_params()
    for name, values in distributions.items():
        if name not in names:
            raise ParameterError(
                f"distributions contains {name!r}, which is not a parameter of "
                f"{type(member).__name__}; its parameters are {sorted(names)}."
            )
        drawable = hasattr(values, "rvs")
        listed = hasattr(values, "__getitem__") and not isinstance(values, str | bytes | Mapping)
        if not drawable and not (listed and len(values)):
            raise ParameterError(
                f"distributions[{name!r}]={values!r} is not allowed; use a list of values, or an "
                "object with .rvs(), such as a scipy.stats distribution."
            )


@dataclass(eq=False, repr=False)
class RandomParametersClassifier(BagClassifierTask, Lottery):
    """Members with randomly drawn hyperparameters.

    A hyperparameter search fits many models and discards all but one. Here every draw is kept as a
    member, which gives a diverse ensemble at the same cost.

    Attributes
    ----------
    classes_ : ndarray, or list of ndarray
        Class labels.
    estimators_ : sequence of estimators
        The members, each with the parameters it drew.
    pool_ : Pool
        All members; ``pool_[:t]`` is the ensemble of the first t.

    References
    ----------
    .. [1] Dietterich, "An experimental comparison of three methods for constructing ensembles of
       decision trees: bagging, boosting, and randomization", Machine Learning 40 (2000).

    Examples
    --------
    >>> from scipy.stats import loguniform
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_wine(return_X_y=True)
    >>> member = make_pipeline(StandardScaler(), LogisticRegression())
    >>> spread = {"logisticregression__C": loguniform(0.01, 100)}
    >>> model = RandomParametersClassifier(member, distributions=spread, random_state=0)
    >>> model.fit(X[::2], y[::2]).score(X[1::2], y[1::2]) > 0.95
    True
    """

    _: KW_ONLY
    voting: Literal["auto", "soft", "hard"] = "auto"

    allowed: ClassVar[Mapping[str, Allowed]] = PARAMETERS | VOTING


@dataclass(eq=False, repr=False)
class RandomParametersRegressor(RegressorTask, Lottery):
    """The average of members with random hyperparameters; see `RandomParametersClassifier`.

    Attributes
    ----------
    estimators_, pool_ : see RandomParametersClassifier
        As documented there.

    References
    ----------
    .. [1] Dietterich, "An experimental comparison of three methods for constructing ensembles of
       decision trees: bagging, boosting, and randomization", Machine Learning 40 (2000).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = RandomParametersRegressor(bootstrap=True, random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.3
    True
    """
