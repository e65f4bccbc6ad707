"""Distillation: an ensemble as one small tree, a list of rules, or a linear model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import is_classifier
from sklearn.metrics import accuracy_score, r2_score

from coterie.base import ClassifierTask, RegressorTask
from coterie.core import Allowed, at_least, between, growing_stream, one_of
from coterie.interpretation.students import (
    cooled,
    soft_target,
    teach_linear,
    teach_list,
)
from coterie.interpretation.teaching import TAUGHT, Taught, TransferSet
from coterie.interpretation.terms import Term
from coterie.interpretation.twice import teach_classes
from coterie.learners import ForeignLearner
from coterie.trees import DecisionTreeClassifier, DecisionTreeRegressor, export_text
from coterie.trees.growth import SHAPE

_DISTILLED: dict[str, Allowed] = {
    **TAUGHT,
    "student": one_of("tree", "rules", "linear"),
    "max_size": at_least(2),
    "max_depth": SHAPE["max_depth"],
}


def fidelity(student: Any, teacher: Any, X: Any) -> float:
    """How well a student imitates a teacher on given rows, without labels.

    Parameters
    ----------
    student, teacher : fitted estimators
        Two classifiers, or two regressors.
    X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        Rows, preferably ones that neither model has seen.

    Returns
    -------
    float
        Share of equal labels, or of the variance of the teacher's predictions that is explained.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie import DistilledClassifier, RandomForestClassifier, fidelity
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(random_state=0).fit(X[::2], y[::2])
    >>> tree = DistilledClassifier(forest, prefit=True, random_state=0).fit(X[::2], y[::2])
    >>> fidelity(tree, forest, X[1::2]) > 0.9
    True
    """
    said, wanted = student.predict(X), teacher.predict(X)
    if is_classifier(student) != is_classifier(teacher):
        raise TypeError("Both models must be classifiers, or both regressors.")
    measure = accuracy_score if is_classifier(teacher) else r2_score
    return float(measure(wanted, said))


@dataclass(eq=False, repr=False, kw_only=True)
class Distilled(Taught):
    """An ensemble, imitated by something small.

    Parameters
    ----------
    student : {"tree", "rules", "linear"}, default="tree"
        Kind of student: a tree; a rule list, in which the first rule that holds decides; or a
        linear model (of the log-odds for classification), with a term for each category.
    max_size : int, default=16
        Maximum number of leaves or rules.
    max_depth : int or None, default=None
        Maximum number of conditions on the path to a leaf or in a rule; by default 3 for rules.
    mix : float, default=1.0
        Weight of the teacher's prediction for a training row; the remaining weight goes to its own
        label.
    unseen : bool, default=False
        Whether training rows are labelled by members of a bagged teacher that have not seen them.
        The aim is to imitate the ensemble, so by default they are not.
    """

    student: Literal["tree", "rules", "linear"] = "tree"
    max_size: int = 16
    max_depth: int | None = None
    mix: float = 1.0
    unseen: bool = False

    # Known after a fit.
    size_: int = field(init=False)
    terms_: list[Term] = field(init=False)

    allowed: ClassVar[Mapping[str, Allowed]] = _DISTILLED

    def _learn(self, draft: Self, transfer: TransferSet, seed: int) -> Any:
        if self.student == "linear":
            model, support = teach_linear(transfer, labels=self.task == "classification")
            draft.terms_ = model.terms(support)
            draft.size_ = len(draft.terms_)
            return model
        if self.student == "rules":
            depth = 3 if self.max_depth is None else min(self.max_depth, transfer.table.n_rows)
            listed = teach_list(transfer, self.max_size, depth, seed)
            draft.size_ = len(listed.rules)
            return listed
        member = self._tree(transfer, seed)
        leaves = getattr(member.estimator, "get_n_leaves", None)
        draft.size_ = 1 if leaves is None else int(leaves())
        return member

    def _tree(self, transfer: TransferSet, seed: int) -> Any:
        raise NotImplementedError

    def _tree_settings(self) -> dict[str, Any]:
        return {
            "max_leaf_nodes": self.max_size,
            "max_depth": self.max_depth,
            "max_bins": self.max_bins,
            "categorical_features": self.categorical_features,
        }

    def to_text(self) -> str:
        """The student as text.

        Returns
        -------
        str
        """
        this = self._settled()
        classes = getattr(this, "classes_", None)
        if this.student == "linear":
            start = this.student_.constants
            lines = [f"{_signed(start)}  always"]
            for term in this.terms_:
                told = f"if {term.text}" if term.kind == "rule" else f"times {term.text}"
                lines.append(f"{_signed(np.atleast_1d(term.coefficient))}  {told}")
            return "\n".join(lines)
        if this.student == "rules":
            return str(this.student_.text(classes))
        if not hasattr(this.student_, "tree_"):
            return f"always {classes[0]}" if classes is not None else "always"
        return export_text(this.student_, feature_names=getattr(this, "feature_names_in_", None))


def _signed(values: Any) -> str:
    return " ".join(f"{value:+.4g}" for value in values)


@dataclass(eq=False, repr=False, kw_only=True)
class DistilledClassifier(ClassifierTask, Distilled):
    r"""Distils an ensemble of classifiers into one tree, rule list or linear model.

    The student learns the teacher's probabilities for training rows and synthetic rows, at
    temperature :math:`\tau`: :math:`p_k^{1/\tau} / \sum_j p_j^{1/\tau}`, so that less probable
    classes are visible to the student. Use `TwiceLearningClassifier` for the most accurate tree;
    here the aim is a small student that imitates its teacher.

    Parameters
    ----------
    temperature : float, default=1.0
        Values above one give the student more information about improbable classes.

    Attributes
    ----------
    student_ : classifier, RuleList or RuleModel
        The student; ``to_text()`` shows it.
    fidelity_ : float
        How often student and teacher agree on synthetic rows new to the student.
    size_ : int
        Leaves, rules or terms.
    terms_ : list of Term
        Terms of a linear student, the most important first.
    n_virtual_ : int
        Number of synthetic rows.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    pool_ : Pool
        The student.

    References
    ----------
    .. [1] Bucila, Caruana & Niculescu-Mizil, "Model compression", KDD (2006).
    .. [2] Hinton, Vinyals & Dean, "Distilling the knowledge in a neural network",
       arXiv:1503.02531 (2015).
    .. [3] Deng, "Interpreting tree ensembles with inTrees", Int. J. Data Sci. Anal. 7 (2019).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie import DistilledClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = DistilledClassifier(student="rules", max_size=3, random_state=0).fit(X, y)
    >>> model.score(X, y) > 0.9
    True
    """

    temperature: float = 1.0

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **_DISTILLED,
        "temperature": between(0.0, 1e6, closed="right"),
    }

    def _learn(self, draft: Self, transfer: TransferSet, seed: int) -> Any:
        if self.temperature != 1.0:
            transfer = transfer._replace(said=cooled(transfer.said, self.temperature))
        return super()._learn(draft, transfer, seed)

    def _tree(self, transfer: TransferSet, seed: int) -> Any:
        tree = DecisionTreeClassifier(**self._tree_settings())
        return teach_classes(tree, transfer, seed, soft=True)


@dataclass(eq=False, repr=False, kw_only=True)
class DistilledRegressor(RegressorTask, Distilled):
    r"""Distils an ensemble of regressors into one tree, rule list or linear model.

    The student learns the predictions of the teacher N for training rows and synthetic rows by
    least squares, :math:`\min_f \sum_i (f(x_i) - N(x_i))^2`. A linear student of a linear teacher
    is the teacher.

    Attributes
    ----------
    student_ : regressor, RuleList or RuleModel
        The student; ``to_text()`` shows it.
    fidelity_ : float
        Share of the variance of the teacher's predictions on new synthetic rows that is explained.
    size_ : int
        Leaves, rules or terms.
    terms_ : list of Term
        Terms of a linear student, the most important first.
    n_virtual_ : int
        Number of synthetic rows.
    pool_ : Pool
        The student.

    References
    ----------
    .. [1] Bucila, Caruana & Niculescu-Mizil, "Model compression", KDD (2006).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from coterie import DistilledRegressor
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = DistilledRegressor(student="linear", random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > 0.4
    True
    """

    def _tree(self, transfer: TransferSet, seed: int) -> Any:
        tree = DecisionTreeRegressor(**self._tree_settings())
        return ForeignLearner(tree).fit(
            transfer.table, soft_target(transfer), transfer.weight, growing_stream(seed)
        )
