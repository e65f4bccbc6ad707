"""Intervals around predicted numbers, from rows that the model had not seen."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from coterie.cli.errors import CommandError
from coterie.cli.models import Fitted

__all__ = ["interval_width", "residual_quantile"]


def residual_quantile(residuals: Any, coverage: float) -> float:
    r"""The half width of an interval that would have held this share of new rows.

    It is the :math:`\lceil (n + 1) \, c \rceil`-th smallest of the n absolute out-of-fold
    residuals [1]_. For rows drawn as those of the fit, about the share c of the truths lie within;
    the strict guarantee of split conformal prediction needs residuals of one model, while these
    are of the models of several folds.

    Parameters
    ----------
    residuals : array-like of shape (n,)
        Truth minus out-of-fold prediction.
    coverage : float
        The share c, between 0 and 1.

    References
    ----------
    .. [1] Barber, Candès, Ramdas & Tibshirani, "Predictive inference with the jackknife+", Annals
       of Statistics 49 (2021).

    Examples
    --------
    >>> residual_quantile([-1.0, 2.0, -3.0, 4.0], 0.6)
    3.0
    """
    sizes = np.sort(np.abs(np.asarray(residuals, dtype=np.float64)))
    sizes = sizes[np.isfinite(sizes)]
    rank = math.ceil((len(sizes) + 1) * coverage - 1e-9)
    if rank > len(sizes):
        raise CommandError(
            f"an interval of {coverage:g} needs more than the {len(sizes)} rows of the fit.",
            f"At most {len(sizes) / (len(sizes) + 1):.3f} is possible.",
        )
    return float(sizes[rank - 1])


def interval_width(fitted: Fitted, coverage: float) -> float:
    """The half width of a model's intervals.

    Parameters
    ----------
    fitted : Fitted
        A regressor that `coterie fit` made.
    coverage : float
        The share of new rows whose truth should lie within.
    """
    if fitted.classes is not None:
        raise CommandError(
            "--interval is for numbers, and this model predicts classes.",
            "Use --probabilities or --reject.",
        )
    model = fitted.model
    if not hasattr(model, "out_of_fold_") or not hasattr(model, "truth_"):
        raise CommandError(
            f"a {type(model).__name__} keeps no out-of-fold predictions, which intervals "
            "are built from.",
            "Fit the table with `coterie fit`.",
            file=fitted.path,
        )
    said = np.asarray(model.out_of_fold_, dtype=np.float64).reshape(len(model.truth_))
    return residual_quantile(np.asarray(model.truth_, dtype=np.float64) - said, coverage)
