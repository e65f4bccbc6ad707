"""Random subspaces and random patches: members that see some of the columns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from numbers import Integral
from typing import ClassVar, Literal

from coterie.bagging.bag import BAG, VOTING, Bag, BagClassifierTask
from coterie.bagging.bagging import resolve_columns
from coterie.base import RegressorTask
from coterie.core import Allowed, BagSampler, Columns, SubsetSampler, at_least, fraction

SUBSPACE: dict[str, Allowed] = BAG | {"max_features": at_least(1) | fraction()}
PATCHES: dict[str, Allowed] = SUBSPACE | {"max_samples": at_least(1) | fraction()}


def share_of(value: float, whole: int) -> int:
    """A number as it is, or a fraction of the whole, rounded up.

    Examples
    --------
    >>> share_of(3, 9), share_of(0.5, 9)
    (3, 5)
    """
    return int(value) if isinstance(value, Integral) else math.ceil(value * whole)


@dataclass(frozen=True)
class PatchSampler(SubsetSampler):
    """Rows without replacement, a share of them rounded up."""

    repeats: bool = True

    def size(self, n_units: int, mass: float | None = None) -> int:
        """Number of units per bag."""
        return n_units if self.max_samples is None else share_of(self.max_samples, n_units)


@dataclass(eq=False, repr=False)
class Subspace(Bag):
    """Members that see all rows and some columns.

    Parameters
    ----------
    n_estimators : int, default=50
        Number of members.
    max_features : int or float, default=0.5
        Columns drawn per member, without replacement: a number, or a fraction, rounded up.
    """

    n_estimators: int = 50
    _: KW_ONLY
    max_features: float = 0.5

    allowed: ClassVar[Mapping[str, Allowed]] = SUBSPACE

    def _choose(self, n_columns: int) -> Columns | None:
        n_draws = resolve_columns(share_of(self.max_features, n_columns), n_columns)
        return None if n_draws == n_columns else Columns(n_columns, n_draws)


@dataclass(eq=False, repr=False)
class Patches:
    """Members that see some rows and some columns.

    Parameters
    ----------
    max_samples : int or float, default=0.5
        Rows drawn per member, without replacement: a number, or a fraction, rounded up.
    """

    _: KW_ONLY
    max_samples: float = 0.5

    allowed: ClassVar[Mapping[str, Allowed]] = PATCHES

    def _sampler(self) -> BagSampler | None:
        return PatchSampler(self.max_samples)


@dataclass(eq=False, repr=False)
class RandomSubspaceClassifier(BagClassifierTask, Subspace):
    r"""Members fitted to random subsets of the columns.

    Every member sees all rows but only `d'` of the `d` columns, drawn without replacement; the
    class with the highest mean probability wins. A column is in a subset with probability
    :math:`d'/d`, and two subsets share :math:`d'^2/d` columns on average. It is useful with many,
    redundant columns; with few columns that all matter, members become poor. All members see all
    rows, so there are no out-of-bag rows: see `RandomPatchesClassifier`. With ``max_features=1.0``
    and a deterministic estimator all members are the estimator itself.

    Attributes
    ----------
    classes_ : ndarray, or list of ndarray
        Class labels.
    estimators_, estimators_features_ : sequence of estimators, list of ndarray
        The members and the columns they use; created on access.
    pool_ : Pool
        All members; ``pool_[:t]`` is the ensemble of the first t.

    References
    ----------
    .. [1] Ho, "The random subspace method for constructing decision forests", IEEE Trans. Pattern
       Anal. Mach. Intell. 20 (1998).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> model = RandomSubspaceClassifier(random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.94
    True
    """

    _: KW_ONLY
    voting: Literal["auto", "soft", "hard"] = "auto"

    allowed: ClassVar[Mapping[str, Allowed]] = SUBSPACE | VOTING


@dataclass(eq=False, repr=False)
class RandomSubspaceRegressor(RegressorTask, Subspace):
    """The average of members fitted to random subspaces; see `RandomSubspaceClassifier`.

    Attributes
    ----------
    estimators_, estimators_features_, pool_ : see RandomSubspaceClassifier
        As documented there.

    References
    ----------
    .. [1] Ho, "The random subspace method for constructing decision forests", IEEE Trans. Pattern
       Anal. Mach. Intell. 20 (1998).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = RandomSubspaceRegressor(random_state=0).fit(X[:300], y[:300])
    >>> model.score(X[300:], y[300:]) > 0.3
    True
    """


@dataclass(eq=False, repr=False)
class RandomPatchesClassifier(BagClassifierTask, Patches, Subspace):
    """Members fitted to random patches: random subsets of both the rows and the columns.

    Both are drawn once per member, without replacement. With half of each a member works on a
    quarter of the table, which makes it fast and different from the others; the rows it did not see
    serve for out-of-bag evaluation.

    Attributes
    ----------
    classes_ : ndarray, or list of ndarray
        Class labels.
    estimators_, estimators_samples_, estimators_features_ : sequence of estimators, of ndarray
        The members, their rows and their columns; created on access.
    pool_ : Pool
        All members; ``pool_[:t]`` is the ensemble of the first t.
    oob_score_, oob_coverage_, oob_decision_function_, oob_curve_ : see BaggingClassifier
        As documented there.

    References
    ----------
    .. [1] Louppe & Geurts, "Ensembles on random patches", ECML PKDD (2012).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> model = RandomPatchesClassifier(oob_score=True, random_state=0).fit(X, y)
    >>> model.oob_score_ > 0.94
    True
    """

    _: KW_ONLY
    voting: Literal["auto", "soft", "hard"] = "auto"

    allowed: ClassVar[Mapping[str, Allowed]] = PATCHES | VOTING


@dataclass(eq=False, repr=False)
class RandomPatchesRegressor(RegressorTask, Patches, Subspace):
    """The average of members fitted to random patches; see `RandomPatchesClassifier`.

    Attributes
    ----------
    estimators_, estimators_samples_, estimators_features_, pool_ : see RandomPatchesClassifier
        As documented there.
    oob_score_, oob_coverage_, oob_prediction_, oob_curve_ : see BaggingRegressor
        As documented there.

    References
    ----------
    .. [1] Louppe & Geurts, "Ensembles on random patches", ECML PKDD (2012).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = RandomPatchesRegressor(oob_score=True, random_state=0).fit(X, y)
    >>> model.oob_score_ > 0.35
    True
    """
