"""The one base of every estimator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from coterie.base.check import Admitted, Task, admit_fit, admit_predict, publish_columns
from coterie.base.docstring import with_inherited_parameters
from coterie.base.elsewhere import host_of
from coterie.base.executor import thread_count
from coterie.base.same_data import check_same_data
from coterie.core import Allowed, Pool, check_params
from coterie.data import DataError, Table, open_opaque

Read = TypeVar("Read")


class Committee(BaseEstimator):
    """Shared plumbing of `fit` and `predict`.

    A subclass says what its parameters may be (`allowed`) and how to fit (`_train`); a task mixin
    says which `task` it is and turns raw votes into predictions.

    Fitting happens on a draft, a copy that shares the parameters. When all went well, the
    draft's attributes replace those of the estimator in one step. So a fit that fails or is
    interrupted changes nothing, and other threads may predict with the old model meanwhile:
    they work on a snapshot of it (`_settled`).
    """

    allowed: ClassVar[Mapping[str, Allowed]] = {}
    task: ClassVar[Task]
    #: Whether rows may be without a label: -1, or missing. Members must then be fitted on
    #: ``target.labelled`` rows, or on labels that were made for the others.
    unlabelled: ClassVar[bool] = False
    #: Whether a class whose rows all weigh nothing is one of the classes, as in scikit-learn.
    keeps_classes: ClassVar[bool] = False
    #: Whether ``y`` may have several columns.
    multi_output: ClassVar[bool] = True
    #: Whether it may at least have a column of zeros and ones for each of several labels.
    multi_label: ClassVar[bool] = False
    #: The fewest classes that may be learnt from.
    min_classes: ClassVar[int] = 1
    #: Whether infinity may be in ``X``, as the largest of numbers.
    infinities: ClassVar[bool] = False
    #: How the weighted sum of the members' votes becomes the answer: by their "mean", as the "sum"
    #: itself, by the link of ``rule_`` ("rule") or of ``loss_`` ("loss"), or as the "ratio" of two
    #: scores; None if in another way. Exporters read it.
    answers_by: ClassVar[str | None] = None

    categorical_features: Any
    n_jobs: int | None
    pool_: Pool
    #: Results of the last fit, on classes of others alone, which add results of their own.
    _learnt: set[str]

    def __init_subclass__(cls, **settings: Any) -> None:
        super().__init_subclass__(**settings)
        cls.__doc__ = with_inherited_parameters(cls.__doc__, cls.__mro__[1:])

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit to the training rows.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Numbers, categories and missing values.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Class labels or numbers.
        sample_weight : array-like of shape (n_samples,), optional
            Weights >= 0; a row with weight 0 is ignored.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight)

    def _fit(self, X: Any, y: Any, sample_weight: Any, **extra: Any) -> Self:
        """Check, fit a draft and take its place; `extra` goes to `_train`."""
        check_params(type(self).__name__, self.get_params(deep=False), self.allowed)
        host = host_of(X)
        if host is not None:
            with host.admitted(self, X, y, sample_weight, extra) as (admitted, n_samples, extra):
                return self._fit_admitted(admitted, n_samples, extra)
        admitted = self._admitting(X, lambda rows: self._admit_fit(rows, y, sample_weight))
        n_samples = admitted.table.n_rows if admitted.kept is None else len(sample_weight)
        return self._fit_admitted(admitted, n_samples, extra)

    def _fit_admitted(self, admitted: Admitted, n_samples: int, extra: dict[str, Any]) -> Self:
        """Fit a draft to admitted rows and take its place."""
        draft = self._copy(without_results=True)
        publish_columns(draft, admitted.table.schema)
        self._describe_target(draft, admitted)
        if getattr(self, "warm_start", False) and hasattr(self, "pool_") and self._adds_members:
            check_same_data(
                self,
                draft,
                "A warm start keeps the old members, so the data must match; "
                "otherwise fit with warm_start=False.",
            )
        self._train(draft, admitted, n_samples, **extra)
        if not type(self).fit.__module__.startswith("coterie."):
            self._keep_own(draft)
        self.__dict__ = draft.__dict__
        return self

    @property
    def _adds_members(self) -> bool:
        """Whether a warm start has anything to add, for which data must be as they were."""
        return True

    def _admit_fit(self, X: Any, y: Any, sample_weight: Any) -> Admitted:
        return admit_fit(
            self,
            X,
            y,
            sample_weight,
            task=self.task,
            categorical=self.categorical_features,
            multi_output=self.multi_output or self.multi_label,
            min_classes=self.min_classes,
        )

    def _admitting(self, X: Any, admit: Callable[[Any], Read]) -> Read:
        """What `admit` makes of the rows, which it need not understand if members read them."""
        try:
            return admit(X)
        except DataError:
            rows = open_opaque(X) if self._members_read else None
            if rows is None:
                raise
        return admit(rows)

    def _tag_members(self) -> list[Any]:
        """The members whose tags tell which rows may be given, if members read them."""
        return [self._member()] if hasattr(self, "_member") else []

    @property
    def _members_read(self) -> bool:
        """Whether rows go to members of other packages as they are, and to nobody else."""
        return False

    def _keep_own(self, draft: Self) -> None:
        """Give the draft what the `fit` of somebody else's class has set before it called ours."""
        former = vars(self).get("_learnt", set())
        own = {name: value for name, value in vars(self).items() if name not in former}
        draft._learnt = set(vars(draft)) - set(own)
        draft.__dict__ = own | draft.__dict__

    @property
    def learns_from_bins(self) -> bool:
        """Whether `fit` uses only the binned values, so that they can be shared with others.

        Without weights, it must then bin columns by `max_bins` alone, whatever the target is.
        """
        return False

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        """Fit, and set the results on the draft; `self` holds the results of the last fit.

        `n_samples` counts the rows that were given, those of zero weight included.
        """
        raise NotImplementedError

    def _describe_target(self, draft: Self, admitted: Admitted) -> None:
        """Set what the task remembers of the target on the draft."""
        raise NotImplementedError

    def _copy(self, *, without_results: bool = False) -> Self:
        """A copy with the same parameters, and the same results unless told otherwise."""
        twin = type(self).__new__(type(self))
        twin.__dict__ = {
            name: value
            for name, value in vars(self).items()
            if not (without_results and name.endswith("_"))
        }
        return twin

    def _settled(self) -> Self:
        """The estimator as it is now, whatever a `fit` in another thread does meanwhile."""
        check_is_fitted(self)
        twin = type(self).__new__(type(self))
        # Shared, not copied: a fit puts another dict in place and leaves this one alone.
        twin.__dict__ = self.__dict__
        return twin

    def _admit(self, X: Any) -> Table:
        host = host_of(X)
        if host is not None:  # all rows would come here unasked
            raise host.NotDistributedError.of(f"This method of {type(self).__name__}")
        return self._admitting(X, lambda rows: admit_predict(self, rows))

    def _mean_vote(self, X: Any) -> NDArray[np.float64]:
        """Weighted mean of the members' votes, shape (n_samples, n_outputs)."""
        raw = self.pool_.raw(self._admit(X), n_threads=thread_count(self.n_jobs))
        raw /= self.pool_.weights.sum()
        return raw

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        members = self._tag_members() if self._members_read else []
        theirs = [get_tags(m).input_tags for m in members if hasattr(m, "__sklearn_tags__")]
        tags.input_tags.sparse = all(tag.sparse for tag in theirs)
        tags.input_tags.allow_nan = all(tag.allow_nan for tag in theirs)
        tags.target_tags.multi_output = self.multi_output and self.task != "none"
        tags.target_tags.required = self.task != "none"
        return tags
