"""Output smearing: every member learns outputs with noise added."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from sklearn.multioutput import MultiOutputRegressor
from sklearn.utils import get_tags

from coterie.bagging.bag import TreeEffort, tree_learner
from coterie.bagging.bag_members import Members
from coterie.bagging.outputs import OUTPUTS, OutputBag, class_shares
from coterie.base import ClassifierTask, RegressorTask
from coterie.core import Allowed, Columns, Learner, View, between
from coterie.data import Target
from coterie.learners import ForeignLearner
from coterie.tags import tagged
from coterie.trees import DecisionTreeRegressor
from coterie.trees.single import SingleTree, is_native

Array = NDArray[np.float64]

_LOUDEST = 1e6  # standard deviations; more leaves no digit of the outputs

_SMEARING: dict[str, Allowed] = {
    **OUTPUTS,
    "noise": between(0.0, _LOUDEST),
}


def trimmed_deviation(values: Array, weight: Array | None, trim: float) -> Array:
    """Standard deviation of each column without its extreme values.

    Parameters
    ----------
    values : ndarray of shape (n_rows, n_outputs)
        The numbers.
    weight : ndarray of shape (n_rows,) or None
        Their weights.
    trim : float
        Share of the weight that is left out, half of it at either end. A row across the border
        counts in part, so a row of weight three is three rows.

    Examples
    --------
    >>> values = np.array([[1.0], [2.0], [3.0], [1000.0]])
    >>> trimmed_deviation(values, None, 0.5)
    array([0.5])
    """
    weight = np.ones(len(values)) if weight is None else weight
    found = []
    for column in values.T:
        order = np.lexsort((weight, column))
        ends = np.cumsum(weight[order])
        starts, total = ends - weight[order], ends[-1]
        low, high = trim / 2 * total, (1 - trim / 2) * total
        inside = np.maximum(np.minimum(ends, high) - np.maximum(starts, low), 0.0)
        # Divided before it is squared: a target of 1e70 is allowed.
        largest = np.abs(column).max() or 1.0
        scaled = column[order] / largest
        mean = np.average(scaled, weights=inside)
        found.append(largest * np.sqrt(np.average((scaled - mean) ** 2, weights=inside)))
    return np.array(found)


@tagged
@dataclass(frozen=True)
class Smear:
    """Adds normal noise to numbers; labels become one number per class first.

    Parameters
    ----------
    deviation : ndarray of shape (n_outputs,)
        Standard deviation of the noise in each output.
    """

    deviation: Array

    def __call__(self, target: Target, rng: Generator) -> Target:
        """Numbers with noise."""
        values = indicators(target) if target.kind == "labels" else target.values
        noise = rng.standard_normal(values.shape) * self.deviation
        return Target("values", np.ascontiguousarray(values + noise), (), values.shape[1] == 1)


def indicators(target: Target) -> Array:
    """One column per class, 1 for rows of the class."""
    return np.eye(target.n_classes[0])[target.codes[:, 0]]


@dataclass(eq=False, repr=False, kw_only=True)
class OutputSmearingRegressor(RegressorTask, OutputBag):
    r"""Members fitted to all rows, each with different Gaussian noise added to the target.

    Member t fits :math:`y_i + s \hat\sigma_y Z_{it}`, where Z is standard normal; the prediction is
    the mean of theirs. The noise makes deep trees differ, and the mean takes it out again.

    Parameters
    ----------
    noise : float, default=1.0
        Strength s of the noise, in standard deviations of the target. With 0, all members are the
        same.
    trim : float, default=0.05
        Share of extreme target values excluded from its standard deviation, half of it at either
        end.
    bootstrap : bool, default=False
        Whether rows are drawn with replacement too; then there are out-of-bag rows.

    Attributes
    ----------
    estimators_, pool_ : sequence of members, Pool
        The members; ``pool_[:t]`` is the ensemble of the first t.

    References
    ----------
    .. [1] Breiman, "Randomizing outputs to increase prediction accuracy", Machine Learning 40
       (2000).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = OutputSmearingRegressor(random_state=0).fit(X[:300], y[:300])
    >>> 0.35 < model.score(X[300:], y[300:]) < 0.55
    True
    """

    noise: float = 1.0
    trim: float = 0.05

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **_SMEARING,
        "trim": between(0.0, 1.0, closed="left"),
    }

    def _change(self, target: Target, weight: Array | None) -> Smear:
        return Smear(self.noise * trimmed_deviation(target.values, weight, self.trim))


@dataclass(eq=False, repr=False, kw_only=True)
class OutputSmearingClassifier(ClassifierTask, OutputBag):
    r"""Members that regress on class indicators, each with different Gaussian noise added.

    Member t is one regression tree for all K outputs :math:`1[y_i = k] + s \sqrt{q_k (1 - q_k)}
    Z_{ikt}`, where :math:`q_k` is the share of class k and Z is standard normal. Probabilities are
    the mean of the members' outputs, cut off at zero and divided by their sum; where all are zero
    they are the class shares. Without noise every member is a Gini tree.

    Parameters
    ----------
    estimator : regressor, default=None
        What to fit: by default a fully grown native regression tree. A regressor that takes a
        single output is fitted once per class.
    noise : float, default=1.0
        Strength s of the noise, in standard deviations of the indicators. With 0, all members are
        the same.
    bootstrap : bool, default=False
        Whether rows are drawn with replacement too; then there are out-of-bag rows.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    estimators_, pool_ : sequence of regressors, Pool
        The members, each with one output per class.

    References
    ----------
    .. [1] Breiman, "Randomizing outputs to increase prediction accuracy", Machine Learning 40
       (2000).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> X, y = load_wine(return_X_y=True)
    >>> model = OutputSmearingClassifier(random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    """

    answers_by = None

    noise: float = 1.0

    multi_output: ClassVar[bool] = False
    allowed: ClassVar[Mapping[str, Allowed]] = _SMEARING

    def _change(self, target: Target, weight: Array | None) -> Smear:
        shares = class_shares(target, weight)
        return Smear(self.noise * np.sqrt(shares * (1 - shares)))

    def _describe_target(self, draft: Any, admitted: Any) -> None:
        super()._describe_target(draft, admitted)
        draft.class_prior_ = class_shares(admitted.target, admitted.weight)

    def _member(self) -> Any:
        return DecisionTreeRegressor() if self.estimator is None else self.estimator

    def _learner(
        self, member: Any, view: View, choice: Columns | None, n_threads: int, stop: Any
    ) -> Learner:
        outputs = Smear(np.zeros(1))(view.target, np.random.default_rng(0))
        if is_native(member):
            shown, effort = replace(view, target=outputs), TreeEffort(n_threads, stop)
            return tree_learner(_Owner(), member, shown, choice, effort)
        many = get_tags(member).target_tags.multi_output or outputs.n_outputs == 1
        return ForeignLearner(member if many else MultiOutputRegressor(member))

    def _mean_vote(self, X: Any) -> Array:
        return self._probabilities(super()._mean_vote(X))

    def _probabilities(self, mean: Array) -> Array:
        """Probabilities by mean outputs, NaN where these are."""
        positive = np.where(mean > 0, mean, np.where(np.isnan(mean), np.nan, 0.0))
        total = positive.sum(axis=1, keepdims=True)
        shares = np.broadcast_to(self.class_prior_, mean.shape).copy()
        return np.divide(positive, total, out=shares, where=total != 0)

    def _publish_oob(self, draft: Any, mean: Array) -> None:
        super()._publish_oob(draft, draft._probabilities(mean))

    @property
    def estimators_(self) -> Members:
        """The fitted regressors, with native trees created on access."""
        return _Regressors(self._settled())


@dataclass(frozen=True)
class _Owner:
    """Stands in for an ensemble of regressors."""

    task: ClassVar[str] = "regression"


class _Regressors(Members):
    """Members of a classifier that are regressors, with one output per class."""

    def _tree(self, forest: Any, number: int) -> SingleTree:
        tree = super()._tree(forest, number)
        n_outputs = len(self._owner.classes_)
        tree.n_outputs_ = n_outputs
        tree.target_ = Target("values", np.empty((0, n_outputs)), (), n_outputs == 1)
        del tree.classes_, tree.n_classes_
        return tree
