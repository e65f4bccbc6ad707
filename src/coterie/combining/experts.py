"""Mixtures of experts: members specialised on regions, and a gate that weights them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from coterie.base import ClassifierTask, RegressorTask
from coterie.combining.mixture import EXPERTS, Experts
from coterie.combining.weighing import scaled
from coterie.core import Allowed
from coterie.data import Target
from coterie.trees import DecisionTreeClassifier, DecisionTreeRegressor

Array = NDArray[np.float64]


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
        Steps that were made.
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
        Steps that were made.
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
