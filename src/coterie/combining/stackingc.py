"""StackingC and multi-response linear regression as estimators of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from coterie.base import ClassifierTask
from coterie.base.elsewhere import where_rows_are
from coterie.base.signature import own_first
from coterie.combining.meta import LinearStack, as_probabilities
from coterie.combining.stack import STACK, Stack
from coterie.core import Allowed, one_of

Array = NDArray[np.float64]


@own_first
@dataclass(eq=False, repr=False, kw_only=True)
class StackingCClassifier(ClassifierTask, Stack):
    r"""StackingC: stacking with a linear model for each class, on the support for that class only.

    .. math:: g_k(x) = b_k + \sum_t a_{kt} P_t(c_k | x), \qquad H(x) = c_{\arg\max_k g_k(x)}

    fitted by least squares to 1 for rows of class k and 0 for others. With many classes it has
    far fewer coefficients than multi-response linear regression, which sees the support of all
    classes (``inputs="all"``); for two classes both are the same.

    Parameters
    ----------
    inputs : {"class", "all"}, default="class"
        Whether the model of a class uses the support for that class, or for all classes.
    nonneg : bool, default=False
        Whether coefficients are constrained to be non-negative, as proposed by Ting and Witten.
    fit_intercept : bool, default=True
        Whether the models have intercepts :math:`b_k`.

    Attributes
    ----------
    estimators_ : list of classifiers
        The fitted members that are not dropped.
    named_estimators_ : Bunch
        Members by name; dropped ones are "drop".
    coef_ : ndarray of shape (n_classes, n_inputs)
        Coefficients.
    intercept_ : ndarray of shape (n_classes,)
        Intercepts.
    cv_risk_ : Bunch
        Mean log-loss on unseen rows of each member, and of the stack.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    pool_ : Pool
        The members.

    References
    ----------
    .. [1] Seewald, "How to make stacking better and faster while also taking care of an unknown
       weakness", ICML (2002).
    .. [2] Ting & Witten, "Issues in stacked generalization", J. Artif. Intell. Res. 10 (1999).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from coterie import DecisionTreeClassifier, StackingCClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(random_state=0))]
    >>> model = StackingCClassifier(members).fit(X[::2], y[::2])
    >>> model.coef_.shape, model.score(X[1::2], y[1::2]) > 0.9
    ((3, 2), True)
    """

    inputs: Literal["class", "all"] = "class"
    nonneg: bool = False
    fit_intercept: bool = True

    member_kind: ClassVar[str] = "classifier"
    final_estimator = "stackingc"
    passthrough = False
    stack_method = "auto"
    allowed: ClassVar[Mapping[str, Allowed]] = {
        **{n: w for n, w in STACK.items() if n in ("estimators", "cv", "refit", "memory")},
        **{n: w for n, w in STACK.items() if n in ("random_state", "n_jobs", "verbose")},
        **{n: w for n, w in STACK.items() if n in ("max_bins", "categorical_features")},
        "inputs": one_of("class", "all"),
        "nonneg": one_of(True, False),
        "fit_intercept": one_of(True, False),
    }

    def _second_level(
        self, profile: Array, truth: Array, weight: Array | None, meta: Array | None
    ) -> LinearStack:
        return LinearStack.learn(
            profile,
            truth,
            weight,
            inputs=self.inputs,
            nonneg=self.nonneg,
            fit_intercept=self.fit_intercept,
        )

    @property
    def coef_(self) -> Array:
        """Coefficients of the classes."""
        return np.asarray(self.final_estimator_.coef)

    @property
    def intercept_(self) -> Array:
        """Intercepts of the classes."""
        return np.asarray(self.final_estimator_.intercept)

    def _mean_vote(self, X: Any) -> Array:
        return as_probabilities(self._by_profile(X))

    @where_rows_are
    def predict(self, X: Any) -> NDArray[Any]:
        """The class of the largest linear model.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        this = self._settled()
        return np.asarray(this.classes_[this._by_profile(X).argmax(axis=1)])
