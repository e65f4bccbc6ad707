"""Expectation maximisation of experts and their gate."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax, logsumexp, softmax

from coterie.base import Admitted, Committee, JoblibExecutor
from coterie.combining.gate import GateInputs, fit_gate
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
from coterie.trees.growth import SHAPE

Array = NDArray[np.float64]
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
        """How much each expert is trusted with each row.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_experts)
            Rows add up to one.
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
