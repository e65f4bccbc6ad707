"""Combining by what members typically say of each class: decision templates and evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from coterie import fusion
from coterie.base.signature import own_first
from coterie.combining.combiner import COMBINER
from coterie.combining.profiles import LevelOneData, ProfiledClassifier
from coterie.core import Allowed, at_least, one_of

if TYPE_CHECKING:
    Mixin = ProfiledClassifier
else:
    Mixin = object

Array = NDArray[np.float64]


class Templated(Mixin):
    """A classifier that compares profiles with the mean profile of each class."""

    def _learn(self, draft: Self, level_one: LevelOneData) -> None:
        profile, codes, weight = level_one
        learnt = fusion.decision_templates(profile, codes, sample_weight=weight)
        draft.templates_ = fusion.DecisionTemplates(learnt.templates, draft.classes_)

    def _support(self, profile: Array) -> Array:
        raise NotImplementedError

    def _mean_vote(self, X: Any) -> Array:
        support = self._support(self._profile(X))
        total = support.sum(axis=1, keepdims=True)
        even = np.full_like(support, 1.0 / support.shape[1])
        return np.divide(support, total, out=even, where=total > 0)


@own_first
@dataclass(eq=False, repr=False, kw_only=True)
class DecisionTemplatesClassifier(Templated, ProfiledClassifier):
    r"""The class whose typical profile is closest to the members' predictions: decision templates.

    .. math:: \mu_k(x) = 1 - \frac{1}{TK} \sum_{t,j} \big(DT_k(t, j) - P_t(c_j | x)\big)^2

    where the template :math:`DT_k` is the mean out-of-fold prediction of the members for rows of
    class k. This way even a member that is systematically wrong is useful.

    Parameters
    ----------
    measure : {"squared", "symmetric_difference"}, default="squared"
        How the distance of a profile and a template is measured.

    Attributes
    ----------
    estimators_ : list of classifiers
        The fitted members that are not dropped.
    named_estimators_ : Bunch
        Members by name; dropped ones are "drop".
    templates_ : DecisionTemplates
        The templates, with methods for profiles.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    pool_ : Pool
        The members.

    References
    ----------
    .. [1] Kuncheva, Bezdek & Duin, "Decision templates for multiple classifier fusion: an
       experimental comparison", Pattern Recognit. 34 (2001).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from coterie import DecisionTemplatesClassifier, DecisionTreeClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(random_state=0))]
    >>> model = DecisionTemplatesClassifier(members).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    """

    measure: Literal["squared", "symmetric_difference"] = "squared"

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **COMBINER,
        "measure": one_of("squared", "symmetric_difference"),
    }

    def _support(self, profile: Array) -> Array:
        return self.templates_.similarity(profile, self.measure)


@own_first
@dataclass(eq=False, repr=False, kw_only=True)
class DempsterShaferClassifier(Templated, ProfiledClassifier):
    r"""Combines the members' evidence by Dempster-Shafer theory.

    A member's evidence for class k is how close its prediction is to its typical prediction for k.
    "belief" multiplies the belief of the members,

    .. math:: b_{kt} = \frac{\phi_{kt} \prod_{j \ne k} (1 - \phi_{jt})}
        {1 - \phi_{kt} [1 - \prod_{j \ne k} (1 - \phi_{jt})]}, \qquad
        \phi_{kt} \propto \frac{1}{1 + \|DT_k^t - P_t(x)\|^2}

    "masses" leaves each member some ignorance g, and combines masses by Dempster's rule:

    .. math:: m_t(\{k\}) \propto e^{-\|DT_k^t - P_t(x)\|^2}, \qquad m_t(\Theta) \propto g

    Parameters
    ----------
    form : {"belief", "masses"}, default="belief"
        Which of the two.
    ignorance : float, default=1.0
        :math:`g`, for "masses".
    decide : {"pignistic", "belief", "plausibility"}, default="pignistic"
        How masses are converted to class support; `predict_proba` is this, normalised.

    Attributes
    ----------
    estimators_ : list of classifiers
        The fitted members that are not dropped.
    named_estimators_ : Bunch
        Members by name; dropped ones are "drop".
    templates_ : DecisionTemplates
        Typical predictions of the members for each class.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    pool_ : Pool
        The members.

    References
    ----------
    .. [1] Rogova, "Combining the results of several neural network classifiers", Neural Netw. 7
       (1994).
    .. [2] Al-Ani & Deriche, "A new technique for combining multiple classifiers using the
       Dempster-Shafer theory of evidence", J. Artif. Intell. Res. 17 (2002).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from coterie import DecisionTreeClassifier, DempsterShaferClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(random_state=0))]
    >>> model = DempsterShaferClassifier(members, form="masses").fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.9
    True
    >>> model.evidence(X[:1]).masses.shape  # three classes, and ignorance
    (1, 4)
    """

    form: Literal["belief", "masses"] = "belief"
    ignorance: float = 1.0
    decide: Literal["pignistic", "belief", "plausibility"] = "pignistic"

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **COMBINER,
        "form": one_of("belief", "masses"),
        "ignorance": at_least(0.0),
        "decide": one_of("pignistic", "belief", "plausibility"),
    }

    def _support(self, profile: Array) -> Array:
        if self.form == "belief":
            return self.templates_.belief(profile)
        return fusion.support_of_masses(self._evidence(profile).masses, self.decide)

    def _evidence(self, profile: Array) -> fusion.Evidence:
        masses = self.templates_.masses(profile, self.ignorance)
        return fusion.dempster(masses, on_conflict="ignorance")

    def evidence(self, X: Any) -> fusion.Evidence:
        """Combined masses of the classes and of ignorance, and the conflict between members.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        Evidence
            Masses of shape (n_samples, n_classes + 1), and the conflict of shape (n_samples,).
        """
        this = self._settled()
        return this._evidence(this._profile(X))
