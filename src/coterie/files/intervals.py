"""Intervals around predicted numbers, from rows that the model had not seen."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from coterie.files.errors import CommandError
from coterie.files.models import Fitted
from coterie.theory import conformal_quantile

__all__ = ["interval_width", "outside", "residual_quantile", "set_limit"]


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
    sizes = np.abs(np.asarray(residuals, dtype=np.float64))
    sizes = sizes[np.isfinite(sizes)]
    return _enough(conformal_quantile(sizes, outside(coverage)), coverage, len(sizes))


def outside(coverage: float) -> float:
    """The share of rows outside, written as shortly as the share inside.

    Examples
    --------
    >>> 1.0 - 0.9, outside(0.9)
    (0.09999999999999998, 0.1)
    """
    return float(1 - Fraction(repr(float(coverage))))


def _enough(limit: float, coverage: float, n_rows: int) -> float:
    if math.isinf(limit):
        raise CommandError(
            f"an interval of {coverage:g} needs more than the {n_rows} rows of the fit.",
            f"At most {n_rows / (n_rows + 1):.3f} is possible.",
        )
    return limit


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
            "--interval is for regression, but this model is a classifier.",
            "Use --probabilities or --reject.",
        )
    truth, said = _kept(fitted)
    return residual_quantile(truth - said.reshape(len(truth)), coverage)


def set_limit(fitted: Fitted, coverage: float) -> float:
    """The largest score of a class in a model's sets, or the half width of its intervals.

    Parameters
    ----------
    fitted : Fitted
        A model that `coterie fit` made.
    coverage : float
        The share of new rows whose set should hold the truth.
    """
    from coterie.conformal import kept_limit

    if fitted.classes is None:
        return interval_width(fitted, coverage)
    truth, said = _kept(fitted)
    return _enough(kept_limit(truth, said, outside(coverage)), coverage, len(truth))


def _kept(fitted: Fitted) -> tuple[Any, Any]:
    """Truth and out-of-fold predictions that the model has kept."""
    model = fitted.model
    if not hasattr(model, "out_of_fold_") or not hasattr(model, "truth_"):
        raise CommandError(
            f"a {type(model).__name__} keeps no out-of-fold predictions, which intervals "
            "are built from.",
            "Fit the table with `coterie fit`.",
            file=fitted.path,
        )
    truth = np.asarray(model.truth_, dtype=np.float64)
    return truth, np.asarray(model.out_of_fold_, dtype=np.float64)
