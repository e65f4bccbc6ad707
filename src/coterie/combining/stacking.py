"""Stacking: an estimator learns from the members' out-of-fold predictions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression, RidgeCV
from sklearn.multioutput import MultiOutputClassifier
from sklearn.utils.metaestimators import available_if

from coterie.base import Admitted, ClassifierTask, RegressorTask
from coterie.base.elsewhere import where_rows_are
from coterie.base.signature import own_first
from coterie.combining.meta import as_probabilities
from coterie.combining.stack import STACK, Stack
from coterie.core import Allowed
from coterie.data import DataError
from coterie.learners import adapt

Array = NDArray[np.float64]


def _final_has(method: str) -> Any:
    def check(stack: Any) -> bool:
        final = getattr(stack, "final_estimator_", stack.final_estimator)
        if final is None or isinstance(stack.final_estimator, str):
            return method != "decision_function" or final is None
        getattr(final, method)  # its AttributeError says what is missing
        return True

    return check


@own_first
@dataclass(eq=False, repr=False)
class StackingClassifier(ClassifierTask, Stack):
    r"""Stacking: a classifier that learns from the members' out-of-fold predictions.

    Members are fitted on folds and predict the held-out rows; the final estimator learns from these
    predictions, and the members are refitted on all rows:

    .. math:: z_i = \big(h_1^{(-i)}(x_i), \dots, h_T^{(-i)}(x_i)\big), \qquad
        H(x) = h'\big(h_1(x), \dots, h_T(x)\big)

    All parameters of scikit-learn's class of this name mean the same. In addition there are splits
    that need not be a partition, such as those of time series; out-of-bag rows instead of folds;
    fold models that are kept; cached members; and named second levels. As in scikit-learn, ``y``
    may be a multilabel indicator matrix, if members and the final estimator accept one; by default
    the latter is then a logistic regression for each label.

    Parameters
    ----------
    cv : None, int, "loo", "oob", "prefit", splitter or list of splits, default=None
        How out-of-fold predictions are made; see `VotingClassifier`. A single split into two parts
        is known as blending.

    Attributes
    ----------
    estimators_ : list of classifiers
        The fitted members that are not dropped; lists of the models of folds with
        ``refit="folds"``.
    named_estimators_ : Bunch
        Members by name; dropped ones are "drop".
    final_estimator_ : estimator
        The fitted second-level model.
    stack_method_ : list of str
        The method that is called on each member.
    cv_risk_ : Bunch
        Mean log-loss on unseen rows of each member, and of the stack ("stack", to which these
        rows are not new); if the final estimator is one of the names.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    pool_ : Pool
        The members.

    References
    ----------
    .. [1] Wolpert, "Stacked generalization", Neural Netw. 5 (1992).
    .. [2] Ting & Witten, "Issues in stacked generalization", J. Artif. Intell. Res. 10 (1999).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from coterie import DecisionTreeClassifier, StackingClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(random_state=0))]
    >>> model = StackingClassifier(members).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    >>> model = StackingClassifier(members, "super_learner").fit(X[::2], y[::2])
    >>> model.cv_risk_.stack <= min(model.cv_risk_.bayes, model.cv_risk_.tree)
    True
    """

    final_estimator: Any = None
    _: KW_ONLY
    cv: Any = None
    stack_method: Literal["auto", "predict_proba", "decision_function", "predict"] = "auto"
    n_jobs: int | None = None
    passthrough: bool = False
    verbose: Any = 0
    meta_features: Any = None

    member_kind: ClassVar[str] = "any"
    multi_label: ClassVar[bool] = True
    allowed: ClassVar[Mapping[str, Allowed]] = STACK

    def _default_final(self) -> Any:
        several = getattr(self, "n_outputs_", 1) > 1
        return MultiOutputClassifier(LogisticRegression()) if several else LogisticRegression()

    def _describe_target(self, draft: Any, admitted: Admitted) -> None:
        super()._describe_target(draft, admitted)
        if draft.n_outputs_ == 1:
            return
        numbers = all(classes.dtype.kind in "biuf" for classes in draft.classes_)
        if not numbers or not all(np.isin(classes, (0, 1)).all() for classes in draft.classes_):
            raise DataError(
                "y should be a 1d array, or have a column of zeros and ones for each label. Fit "
                "one estimator per column, for example with sklearn.multioutput."
            )
        if self._knows_inputs or (isinstance(self.cv, str) and self.cv == "oob"):
            raise ValueError(
                "cv='oob' and named final estimators support a single label per row, but y has "
                f"{draft.n_outputs_} columns. Use another cv and final_estimator, or fit one "
                "estimator per column."
            )

    def _mean_vote(self, X: Any) -> Array:
        if self._knows_inputs:
            return as_probabilities(self._by_profile(X))
        classes = (self.classes_,) if self.n_outputs_ == 1 else ()
        return adapt(self.final_estimator_, classes, "predict_proba").ask(self._shown(X))

    @where_rows_are
    def predict(self, X: Any, **predict_params: Any) -> NDArray[Any]:
        """Predictions of the final estimator.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        **predict_params : dict
            Parameters for the final estimator; with scikit-learn's metadata routing, those that it
            requests.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        this = self._settled()
        if this._knows_inputs:
            return np.asarray(this.classes_[this._by_profile(X).argmax(axis=1)])
        said: NDArray[Any] = this._final_predict(X, predict_params)
        return said

    @available_if(_final_has("predict_proba"))
    @where_rows_are
    def predict_proba(self, X: Any) -> Any:
        """Probabilities of the final estimator.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            Of several labels what the final estimator gives, mostly a list of such arrays.
        """
        this = self._settled()
        if this.n_outputs_ > 1:
            return this.final_estimator_.predict_proba(this._shown(X))
        return super().predict_proba(X)

    @available_if(_final_has("predict_proba"))
    @where_rows_are
    def predict_log_proba(self, X: Any) -> Any:
        """Logarithm of `predict_proba`.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        return super().predict_log_proba(X)

    @available_if(_final_has("decision_function"))
    @where_rows_are
    def decision_function(self, X: Any) -> Array:
        """Decision function of the final estimator.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        this = self._settled()
        return np.asarray(this.final_estimator_.decision_function(this._shown(X)))


@own_first
@dataclass(eq=False, repr=False)
class StackingRegressor(RegressorTask, Stack):
    r"""Stacking: a regressor that learns from the members' out-of-fold predictions.

    .. math:: z_i = \big(h_1^{(-i)}(x_i), \dots, h_T^{(-i)}(x_i)\big), \qquad
        H(x) = h'\big(h_1(x), \dots, h_T(x)\big)

    All parameters of scikit-learn's class of this name mean the same; see `StackingClassifier` for
    the additions.

    Parameters
    ----------
    cv : None, int, "loo", "oob", "prefit", splitter or list of splits, default=None
        How out-of-fold predictions are made; see `VotingClassifier`.

    Attributes
    ----------
    estimators_ : list of regressors
        The fitted members that are not dropped.
    named_estimators_ : Bunch
        Members by name; dropped ones are "drop".
    final_estimator_ : estimator
        The fitted second-level model.
    stack_method_ : list of str
        The method that is called on each member.
    cv_risk_ : Bunch
        Mean squared error on unseen rows of each member, and of the stack ("stack", to which
        these rows are not new); if the final estimator is one of the names.
    pool_ : Pool
        The members.

    References
    ----------
    .. [1] Wolpert, "Stacked generalization", Neural Netw. 5 (1992).
    .. [2] Breiman, "Stacked regressions", Mach. Learn. 24 (1996).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import Ridge
    >>> from coterie import RandomForestRegressor, StackingRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> members = [("linear", Ridge(0.1)), ("forest", RandomForestRegressor(20, random_state=0))]
    >>> model = StackingRegressor(members, "super_learner").fit(X, y)
    >>> model.cv_risk_.stack <= min(model.cv_risk_.linear, model.cv_risk_.forest)
    True
    """

    final_estimator: Any = None
    _: KW_ONLY
    cv: Any = None
    n_jobs: int | None = None
    passthrough: bool = False
    verbose: Any = 0
    meta_features: Any = None

    member_kind: ClassVar[str] = "regressor"
    stack_method = "predict"
    allowed: ClassVar[Mapping[str, Allowed]] = {
        name: word for name, word in STACK.items() if name != "stack_method"
    }

    def _default_final(self) -> Any:
        return RidgeCV()

    @where_rows_are
    def predict(self, X: Any, **predict_params: Any) -> Any:
        """Predictions of the final estimator.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        **predict_params : dict
            Parameters for the final estimator, for example ``return_std=True`` if it accepts that.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        this = self._settled()
        if this._knows_inputs:
            return this._by_profile(X)[:, 0]
        return this._final_predict(X, predict_params)
