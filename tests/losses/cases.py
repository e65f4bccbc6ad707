"""Every loss of raw scores with rows it is defined for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from coterie.losses import (
    AbsoluteError,
    ExpectileLoss,
    ExponentialLoss,
    FairLoss,
    FocalLoss,
    GammaLoss,
    HuberLoss,
    LogCoshLoss,
    LogLoss,
    MapeLoss,
    MultinomialLoss,
    PointwiseLoss,
    PoissonLoss,
    QuantileLoss,
    SquaredError,
    TweedieLoss,
)

EVERY: dict[str, PointwiseLoss] = {
    "squared": SquaredError(),
    "absolute": AbsoluteError(),
    "huber": HuberLoss(delta=0.7),
    "quantile": QuantileLoss(tau=0.3),
    "expectile": ExpectileLoss(tau=0.8),
    "poisson": PoissonLoss(),
    "gamma": GammaLoss(),
    "tweedie": TweedieLoss(power=1.4),
    "mape": MapeLoss(),
    "fair": FairLoss(c=0.8),
    "log_cosh": LogCoshLoss(),
    "log": LogLoss(),
    "focal": FocalLoss(gamma=1.5, alpha=0.3),
    "exponential": ExponentialLoss(),
    "multinomial": MultinomialLoss(n_classes=4),
}
EXACT = [name for name, loss in EVERY.items() if loss.exact_leaf]
Rows = tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]


def rows_of(name: str, n: int = 60, seed: int = 0) -> Rows:
    """Targets, scores and weights for the loss of that name; residuals are never 0."""
    rng = np.random.default_rng(seed)
    loss = EVERY[name]
    draws = {
        "poisson": rng.poisson(2.0, n),
        "gamma": rng.gamma(2.0, 1.5, n),
        "tweedie": rng.poisson(0.8, n) * rng.gamma(2.0, 1.0, n),
        "mape": 3 * rng.normal(size=n),
        "log": rng.integers(0, 2, n),
        "focal": rng.integers(0, 2, n),
        "exponential": rng.integers(0, 2, n),
        "multinomial": rng.integers(0, 4, n),
    }
    y = np.asarray(draws.get(name, rng.normal(size=n)), dtype=np.float64)
    return y, rng.normal(size=(n, loss.n_scores(4))), rng.uniform(0.2, 3.0, n)
