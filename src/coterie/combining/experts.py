"""Mixtures of experts: members specialised on regions, and a gate that weights them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.special import log_softmax, logsumexp, softmax

from coterie.base import Admitted, ClassifierTask, Committee, JoblibExecutor, RegressorTask
from coterie.combining.weighing import scaled
from coterie.core import (
    Allowed,
    Pool,
    RandomLike,
    a_random_state,
    at_least,
    draw_entropy,
    growing_stream,
    has,
    member_seeds,
    one_of,
)
from coterie.data import Table, Target
from coterie.fusion.sums import row_product, sum_of_members
from coterie.learners import ForeignLearner, ForeignMember, seeded
from coterie.tags import tagged
from coterie.trees import DecisionTreeClassifier, DecisionTreeRegressor
from coterie.trees.growth import SHAPE

Array = NDArray[np.float64]

# Beyond as many coefficients their second derivatives are not worth their room.
_MOST_FOR_NEWTON = 600


@tagged
@dataclass(frozen=True)
class GateInputs:
    """Columns of numbers at a common scale, missing values at the mean; categories left out.

    Parameters
    ----------
    columns : ndarray of int
        Which columns.
    size, middle, spread : ndarray of shape (n_columns,)
        Largest magnitude, and then mean and standard deviation.
    """

    columns: NDArray[np.intp]
    size: Array
    middle: Array
    spread: Array

    @classmethod
    def learn(cls, table: Table, weight: Array) -> GateInputs:
        """Scales of the columns of numbers that are not constant."""
        labels = table.schema.labels
        columns = np.array([j for j in range(table.n_columns) if j not in labels], dtype=np.intp)
        values = _numbers(table, columns)
        known = np.isfinite(values)
        size = np.abs(np.where(known, values, 0.0)).max(axis=0)
        size = np.where(size > 0, size, 1.0)
        values = np.where(known, values / size, 0.0)
        total = np.maximum(weight @ known, 1e-300)
        middle = weight @ values / total
        spread = np.sqrt(weight @ (np.where(known, values - middle, 0.0) ** 2) / total)
        kept = spread > 1e-12
        return cls(columns[kept], size[kept], middle[kept], spread[kept])

    def read(self, table: Table) -> Array:
        """Inputs of rows with a leading one, shape (n_rows, 1 + n_columns)."""
        values = _numbers(table, self.columns)
        scaled = (values / self.size - self.middle) / self.spread
        # New rows may lie far outside; a gate that is sure is sure at ten deviations too.
        scaled = np.clip(np.where(np.isfinite(scaled), scaled, 0.0), -10.0, 10.0)
        return np.hstack([np.ones((table.n_rows, 1)), scaled])


def _numbers(table: Table, columns: NDArray[np.intp]) -> Array:
    parts = [np.asarray(values[:, columns], dtype=np.float64) for _, values in table.blocks()]
    return np.concatenate(parts)


def fit_gate(inputs: Array, target: Array, weight: Array, start: Array, penalty: float) -> Array:
    r"""Coefficients of the gate that is closest to the soft targets.

    .. math:: \max_V \sum_i w_i \sum_j h_{ij} \ln g_j(x_i) - \frac{\lambda}{2} \|V\|^2, \qquad
        g(x) = softmax(V x)

    with weights that sum to one. Newton's method, since an optimum that is found exactly does not
    depend on how the rows are written down.

    Parameters
    ----------
    inputs : ndarray of shape (rows, inputs)
        The rows, with a column of ones.
    target : ndarray of shape (rows, experts)
        How much of each row belongs to each expert.
    weight : ndarray of shape (rows,)
        Weight of each row.
    start : ndarray of shape (inputs, experts)
        Where to begin.
    penalty : float
        :math:`\lambda`.

    Returns
    -------
    ndarray of shape (inputs, experts)

    Examples
    --------
    >>> inputs = np.array([[1.0, -1.0], [1.0, 1.0]])
    >>> found = fit_gate(inputs, np.eye(2), np.ones(2), np.zeros((2, 2)), 0.1)
    >>> softmax(inputs @ found, axis=1).round(2)
    array([[0.89, 0.11],
           [0.11, 0.89]])
    """
    share = weight / weight.sum()
    if start.size > _MOST_FOR_NEWTON:
        return _by_gradient(inputs, target, share, start, penalty)
    coef, value = start, _loss(inputs, target, share, start, penalty)
    for _ in range(50):
        chances = softmax(inputs @ coef, axis=1)
        slope = inputs.T @ ((chances - target) * share[:, None]) + penalty * coef
        step = _newton_step(inputs, chances, share, slope, penalty)
        length = 1.0
        while length > 1e-6:
            tried = coef - length * step
            now = _loss(inputs, target, share, tried, penalty)
            if now <= value + 1e-12:  # near the optimum steps are right, but losses equal
                break
            length *= 0.5
        else:
            break
        done = np.abs(tried - coef).max() <= 1e-13 * max(1.0, np.abs(coef).max())
        coef, value = tried, now
        if done:
            break
    return coef


def _loss(inputs: Array, target: Array, share: Array, coef: Array, penalty: float) -> float:
    logs = log_softmax(inputs @ coef, axis=1)
    return float(-(share @ (target * logs).sum(axis=1)) + 0.5 * penalty * (coef**2).sum())


def _newton_step(
    inputs: Array, chances: Array, share: Array, slope: Array, penalty: float
) -> Array:
    n_inputs, n_experts = slope.shape
    second = np.empty((n_experts, n_inputs, n_experts, n_inputs))
    for j in range(n_experts):
        for m in range(j, n_experts):
            own = chances[:, j] * ((j == m) - chances[:, m]) * share
            second[j, :, m] = second[m, :, j] = (inputs * own[:, None]).T @ inputs
    matrix = second.reshape(n_experts * n_inputs, -1)
    matrix = matrix + penalty * np.eye(len(matrix))
    try:
        solved = cho_solve(cho_factor(matrix), slope.T.ravel())
    except LinAlgError:
        solved = np.linalg.lstsq(matrix, slope.T.ravel(), rcond=None)[0]
    return np.asarray(solved.reshape(n_experts, n_inputs).T)


def _by_gradient(inputs: Array, target: Array, share: Array, start: Array, penalty: float) -> Array:
    def value_and_slope(flat: Array) -> tuple[float, Array]:
        coef = flat.reshape(start.shape)
        chances = softmax(inputs @ coef, axis=1)
        slope = inputs.T @ ((chances - target) * share[:, None]) + penalty * coef
        return _loss(inputs, target, share, coef, penalty), slope.ravel()

    found: Any = minimize(
        value_and_slope, start.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 50}
    )
    return np.asarray(found.x.reshape(start.shape))


# What fits an expert, and the seed of its draws.
Expert = tuple[ForeignLearner, int]

EXPERTS: dict[str, Allowed] = {
    "estimator": one_of(None) | has("fit", "predict"),
    "n_experts": at_least(1),
    "max_iter": at_least(1),
    "tol": at_least(0.0),
    "n_init": at_least(1),
    "penalty": at_least(0.0),
    "random_state": a_random_state,
    "verbose": at_least(0) | one_of(True, False),
    **{name: SHAPE[name] for name in ("n_jobs", "max_bins", "categorical_features")},
}

# Shares are whole multiples of this, so that sums of them are exact and do not depend on the order
# of rows; none is less, so that no expert dies and every one knows all classes.
_LEAST_SHARE = 2.0**-20
_DIGITS = 9  # of the gate's coefficients; beyond them is the noise of sums


class Mixture(NamedTuple):
    """A fitted mixture.

    Attributes
    ----------
    seats : list of ForeignMember
        The experts.
    gate : ndarray of shape (inputs, experts)
        Coefficients of the gate.
    variances : ndarray of shape (experts,)
        Variance around each expert, for numbers.
    track : list of float
        Mean log-likelihood after each step.
    """

    seats: list[ForeignMember]
    gate: Array
    variances: Array
    track: list[float]


@dataclass(eq=False, repr=False)
class Experts(Committee):
    """Expectation maximisation, for classes and for numbers.

    Parameters
    ----------
    n_experts : int, default=4
        Number of experts.
    max_iter : int, default=50
        Maximum number of iterations of expectation maximisation.
    tol : float, default=1e-6
        Stop when the relative increase of the log-likelihood is below this.
    n_init : int, default=1
        Number of random initialisations, of which the most likely result is kept.
    penalty : float, default=1e-3
        Ridge penalty of the gate's coefficients.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness for initialisation, and of the experts' seeds.
    n_jobs : int, default=None
        Number of experts fitted in parallel.
    verbose : int or bool, default=0
        Report progress.
    max_bins : int, default=255
        Maximum number of bins per column for the default experts.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Numeric columns to be treated as categorical.
    """

    estimator: Any = None
    _: KW_ONLY
    n_experts: int = 4
    max_iter: int = 50
    tol: float = 1e-6
    n_init: int = 1
    penalty: float = 1e-3
    random_state: RandomLike = None
    n_jobs: int | None = None
    verbose: Any = 0
    max_bins: int = 255
    categorical_features: Any = "from_dtype"

    multi_output: ClassVar[bool] = False

    def _default(self) -> Any:
        raise NotImplementedError

    def _log_density(self, said: Array, target: Target, variances: Array) -> Array:
        """How likely each expert makes each row, shape (rows, experts)."""
        raise NotImplementedError

    def _variances(self, said: Array, target: Target, share: Array) -> Array:
        return np.ones(len(said))

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        table, target, weight, _ = admitted
        weight = np.ones(table.n_rows) if weight is None else weight
        draft.gate_inputs_ = GateInputs.learn(table, weight)
        inputs = draft.gate_inputs_.read(table)
        target, draft.size_ = self._at_scale(target)
        entropy = draw_entropy(self.random_state)
        experts = self._experts(entropy)
        best: Mixture | None = None
        for number in range(self.n_init):
            shares = first_shares(inputs, self.n_experts, [entropy, number])
            found = self._maximise(table, target, weight, inputs, experts, shares)
            if best is None or found.track[-1] > best.track[-1]:
                best = found
        assert best is not None, "there is at least one beginning"
        draft.estimators_ = [seat.estimator for seat in best.seats]
        draft.pool_ = Pool(tuple(best.seats), np.ones(len(best.seats)))
        draft.gate_coef_, draft.variances_ = best.gate, best.variances * draft.size_**2
        draft.log_likelihoods_, draft.n_iter_ = np.array(best.track), len(best.track)

    def _at_scale(self, target: Target) -> tuple[Target, float]:
        return target, 1.0

    def _experts(self, entropy: int) -> list[Expert]:
        expert = self._default() if self.estimator is None else self.estimator
        seeds = member_seeds(entropy, 0, self.n_experts).tolist()
        twins = [seeded(expert, np.random.SeedSequence(seed), keep=True) for seed in seeds]
        learners = [ForeignLearner(t, keeps_seeds=True, name=j) for j, t in enumerate(twins)]
        return list(zip(learners, seeds, strict=True))

    def _maximise(
        self,
        table: Table,
        target: Target,
        weight: Array,
        inputs: Array,
        experts: list[Expert],
        shares: Array,
    ) -> Mixture:
        """Steps of expectation maximisation from one beginning."""
        gate = np.zeros((inputs.shape[1], self.n_experts))
        executor = JoblibExecutor(self.n_jobs, int(self.verbose))
        total, track = weight.sum(), []
        for _ in range(self.max_iter):
            shares = np.maximum(np.round(shares / _LEAST_SHARE), 1.0) * _LEAST_SHARE
            fit = partial(_fit_expert, experts, table, target, weight[:, None] * shares)
            done = executor.map(fit, range(self.n_experts))
            seats, said = [seat for seat, _ in done], np.stack([part for _, part in done])
            variances = self._variances(said, target, weight[:, None] * shares)
            gate = fit_gate(inputs, shares, weight, gate, self.penalty).round(_DIGITS)
            logs = log_softmax(inputs @ gate, axis=1) + self._log_density(said, target, variances)
            each = logsumexp(logs, axis=1)
            track.append(float(each @ weight / total))
            shares = np.exp(logs - each[:, None])
            if len(track) > 1 and track[-1] - track[-2] <= self.tol * abs(track[-2]):
                break
        return Mixture(seats, gate, variances, track)

    def gate(self, X: Any) -> Array:
        """Weight of each expert for each row.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_experts)
            Rows sum to one.
        """
        this = self._settled()
        return this._trust(this._admit(X))

    def _trust(self, table: Table) -> Array:
        return np.asarray(
            softmax(row_product(self.gate_inputs_.read(table), self.gate_coef_), axis=1)
        )

    def _mean_vote(self, X: Any) -> Array:
        table = self._admit(X)
        votes = self.pool_.votes(table)
        # By how much they differ from the first: experts that agree are not blurred by rounding.
        mixed = votes[0] + sum_of_members(self._trust(table).T[:, :, None], votes - votes[0])
        return np.asarray(mixed * self.size_)


def first_shares(inputs: Array, n_experts: int, seed: list[int]) -> Array:
    """Where experts begin: soft regions along random directions, the same for equal rows.

    Examples
    --------
    >>> first_shares(np.array([[1.0, 0.5], [1.0, 0.5]]), 1, [0])
    array([[1.],
           [1.]])
    """
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(inputs.shape[1], n_experts))
    return np.asarray(softmax(2.0 * inputs @ directions, axis=1))


def _fit_expert(
    experts: list[Expert], table: Table, target: Target, shares: Array, number: int
) -> tuple[ForeignMember, Array]:
    """One expert, and what it says of all rows."""
    learner, seed = experts[number]
    # The same stream in every step: rows that are drawn change as their shares do, not by chance.
    member = learner.fit(table, target, shares[:, number], growing_stream(seed))
    return member, member.predict(table)


@dataclass(eq=False, repr=False)
class MixtureOfExpertsClassifier(ClassifierTask, Experts):
    r"""Experts for regions of the input space, and a gate that learns which to trust where.

    .. math:: P(y | x) = \sum_j g_j(x) P_j(y | x), \qquad g(x) = softmax(V x)

    fitted by expectation maximisation: how much of a row belongs to an expert is
    :math:`h_{ij} \propto g_j(x_i) P_j(y_i | x_i)`; experts are fitted with these as weights and
    the gate to these as targets. The gate uses the numeric columns, standardised.

    Parameters
    ----------
    estimator : classifier, default=None
        The expert to clone; if its `fit` does not accept weights, rows are drawn by them. By
        default a native tree of depth 3; a logistic regression gives the classical model. An
        expert may be a mixture itself, which makes the mixture hierarchical.

    Attributes
    ----------
    estimators_ : list of classifiers
        The fitted experts.
    gate_coef_ : ndarray of shape (1 + n_inputs, n_experts)
        Coefficients of the gate.
    log_likelihoods_ : ndarray of shape (n_steps,)
        Mean log-likelihood after each step.
    n_iter_ : int
        Number of iterations.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    pool_ : Pool
        The experts.

    References
    ----------
    .. [1] Jacobs, Jordan, Nowlan & Hinton, "Adaptive mixtures of local experts", Neural Comput. 3
       (1991).
    .. [2] Jordan & Jacobs, "Hierarchical mixtures of experts and the EM algorithm", Neural Comput.
       6 (1994).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> from coterie import MixtureOfExpertsClassifier
    >>> X = np.random.default_rng(0).normal(size=(400, 2))
    >>> y = (X[:, 0] * X[:, 1] > 0).astype(int)  # no line parts them
    >>> model = MixtureOfExpertsClassifier(
    ...     LogisticRegression(), n_experts=2, n_init=3, random_state=0
    ... )
    >>> model.fit(X, y).score(X, y) > 0.9
    True
    """

    allowed: ClassVar[Mapping[str, Allowed]] = EXPERTS

    def _default(self) -> Any:
        settings = {"max_bins": self.max_bins, "categorical_features": self.categorical_features}
        return DecisionTreeClassifier(max_depth=3, **settings)

    def _log_density(self, said: Array, target: Target, variances: Array) -> Array:
        own = said[:, np.arange(target.n_rows), target.codes[:, 0]]
        return np.asarray(np.log(np.maximum(own, 1e-12)).T)


@dataclass(eq=False, repr=False)
class MixtureOfExpertsRegressor(RegressorTask, Experts):
    r"""Experts for regions of the input space, and a gate that learns which to trust where.

    .. math:: p(y | x) = \sum_j g_j(x) N\big(y; \mu_j(x), \sigma_j^2\big), \qquad
        g(x) = softmax(V x)

    fitted by expectation maximisation; `predict` gives the mean :math:`\sum_j g_j \mu_j`. See
    `MixtureOfExpertsClassifier`.

    Parameters
    ----------
    estimator : regressor, default=None
        The expert to clone; if its `fit` does not accept weights, rows are drawn by them. By
        default a native tree of depth 3; a linear regression gives the classical model. An
        expert may be a mixture itself, which makes the mixture hierarchical.

    Attributes
    ----------
    estimators_ : list of regressors
        The fitted experts; they predict numbers divided by ``size_``.
    gate_coef_ : ndarray of shape (1 + n_inputs, n_experts)
        Coefficients of the gate.
    variances_ : ndarray of shape (n_experts,)
        Variances :math:`\sigma_j^2`.
    log_likelihoods_ : ndarray of shape (n_steps,)
        Mean log-likelihood after each step.
    n_iter_ : int
        Number of iterations.
    pool_ : Pool
        The experts.

    References
    ----------
    .. [1] Jacobs, Jordan, Nowlan & Hinton, "Adaptive mixtures of local experts", Neural Comput. 3
       (1991).
    .. [2] Jordan & Jacobs, "Hierarchical mixtures of experts and the EM algorithm", Neural Comput.
       6 (1994).

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.linear_model import LinearRegression
    >>> from coterie import MixtureOfExpertsRegressor
    >>> X = np.linspace(-1, 1, 200)[:, None]
    >>> y = 2 * np.abs(X[:, 0])
    >>> model = MixtureOfExpertsRegressor(
    ...     LinearRegression(), n_experts=2, max_iter=200, random_state=0
    ... )
    >>> sorted(round(float(e.coef_[0]), 1) for e in model.fit(X, y).estimators_)
    [-2.0, 2.0]
    """

    allowed: ClassVar[Mapping[str, Allowed]] = EXPERTS

    def _default(self) -> Any:
        settings = {"max_bins": self.max_bins, "categorical_features": self.categorical_features}
        return DecisionTreeRegressor(max_depth=3, **settings)

    def _at_scale(self, target: Target) -> tuple[Target, float]:
        values, size = scaled(target.values)
        return Target("values", values), size

    def _variances(self, said: Array, target: Target, share: Array) -> Array:
        squares = (said[:, :, 0] - target.values[:, 0]) ** 2
        each = np.sum(share.T * squares, axis=1) / np.maximum(share.sum(axis=0), 1e-300)
        rows, y = share.sum(axis=1), target.values[:, 0]
        spread = np.average((y - np.average(y, weights=rows)) ** 2, weights=rows)
        floor = 1e-6 * float(spread) or 1.0
        return np.maximum(each, floor)

    def _log_density(self, said: Array, target: Target, variances: Array) -> Array:
        squares = (said[:, :, 0] - target.values[:, 0]).T ** 2
        return np.asarray(-0.5 * (squares / variances + np.log(2.0 * np.pi * variances)))
