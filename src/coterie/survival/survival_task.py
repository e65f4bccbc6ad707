"""What estimators of survival share: outcomes in, risks and curves out."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from coterie.base import Admitted
from coterie.base.check import Task, admit_fit
from coterie.data import DataError
from coterie.survival.concordance import concordance_index
from coterie.survival.incidence import StepFunction, time_grid
from coterie.survival.outcomes import check_times, signed_times

Array = NDArray[np.float64]


class SurvivalTask:
    """Targets are times and events; predictions are risks, and curves on asked times."""

    task: ClassVar[Task] = "survival"
    multi_output: ClassVar[bool] = False

    categorical_features: Any
    times_: Array
    baseline_: StepFunction | list[StepFunction] | None

    def _admit_fit(self, X: Any, y: Any, sample_weight: Any) -> Admitted:
        admitted = admit_fit(
            self,
            X,
            self._encode(y),
            sample_weight,
            task="regression",
            categorical=self.categorical_features,
        )
        self._check_target(admitted)
        return admitted

    def _encode(self, y: Any) -> Any:
        """Outcomes as numbers."""
        return signed_times(y)

    def _check_target(self, admitted: Admitted) -> None:
        check_times(admitted.target.values[:, 0])

    def _describe_target(self, draft: Any, admitted: Admitted) -> None:
        draft.target_ = admitted.target.empty()
        draft.n_outputs_ = 1
        signed = admitted.target.values[:, 0]
        draft.times_ = time_grid(signed > 0, np.abs(signed), admitted.weight)

    def predict_survival_function(self, X: Any, times: Any = None) -> Array:
        """The probability of no event up to each time.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        times : array-like of shape (n_times,), optional
            Times of the curves; by default ``times_``, a hundred quantiles of the event times.

        Returns
        -------
        ndarray of shape (n_samples, n_times)
        """
        raise NotImplementedError  # each estimator has its own

    def predict_cumulative_hazard_function(self, X: Any, times: Any = None) -> Array:
        """The cumulative hazard at each time.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        times : array-like of shape (n_times,), optional
            Times of the curves; by default ``times_``, a hundred quantiles of the event times.

        Returns
        -------
        ndarray of shape (n_samples, n_times)
        """
        raise NotImplementedError  # each estimator has its own

    def _moments(self, times: Any) -> Array:
        """The times asked for."""
        moments = self.times_ if times is None else np.asarray(times, dtype=np.float64)
        if moments.ndim != 1 or np.isnan(moments).any():
            raise DataError("times must be a list of numbers at which to evaluate the curves.")
        return moments

    def score(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        entry: Any = None,
        strata: Any = None,
    ) -> float:
        """Harrell's concordance index of the risks.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        y : structured array, frame, array-like of shape (n_samples, 2) or pair
            Times and events.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of the rows.
        entry : array-like of shape (n_samples,), optional
            Times at which rows came under observation; an event is compared with the rows at risk
            at that time.
        strata : array-like of shape (n_samples,), optional
            Labels; only rows of one stratum are compared.

        Returns
        -------
        float
            One half for uninformative risks, and if no two rows can be compared.
        """
        risk = self.predict(X)  # type: ignore[attr-defined]  # of the estimator
        index = concordance_index(y, risk, sample_weight, entry=entry, strata=strata)
        return 0.5 if np.isnan(index) else index

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]  # of the estimator
        tags.target_tags.positive_only = True
        return tags
