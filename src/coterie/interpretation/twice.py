"""Twice-learning: an ensemble teaches one tree."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from coterie.base import ClassifierTask, RegressorTask
from coterie.core import Allowed, at_least, growing_stream, has, one_of
from coterie.data import Target
from coterie.interpretation.teaching import TAUGHT, Taught, TransferSet
from coterie.learners import ForeignLearner, takes_weight
from coterie.trees import DecisionTreeClassifier, DecisionTreeRegressor
from coterie.trees.growth import SHAPE

Array = NDArray[np.float64]

# Classes to which the teacher gives less are not worth a row of their own.
_LEAST = 1e-3

_STUDENT: dict[str, Allowed] = {
    **TAUGHT,
    "student": has("fit", "predict", "get_params") | one_of(None),
    "pruning": at_least(0.0) | at_least(0),
    **{name: SHAPE[name] for name in ("max_depth", "max_leaf_nodes")},
}


def default_tree(kind: Any, model: Any, transfer: TransferSet) -> Any:
    """The tree that is taught by default; pruning is in units of the impurity of its root."""
    spread = transfer.said - np.average(transfer.said, axis=0, weights=transfer.weight)
    # Of probabilities the Gini index is at least their variance: pruning is the same in both.
    impurity = float(np.average((spread**2).sum(axis=1), weights=transfer.weight))
    return kind(
        max_depth=model.max_depth,
        max_leaf_nodes=model.max_leaf_nodes,
        ccp_alpha=model.pruning * impurity,
        max_bins=model.max_bins,
        categorical_features=model.categorical_features,
    )


def soft_rows(said: Array) -> tuple[NDArray[np.intp], NDArray[np.intp], Array]:
    """Rows and classes of all pairs with a probability worth mentioning, and the probabilities.

    A learner with weights takes a row of probabilities p as a row of every class k of weight p_k:
    its Gini index is then the variance of the probabilities, its log-loss the cross-entropy.

    Examples
    --------
    >>> soft_rows(np.array([[0.2, 0.8], [1.0, 0.0]]))
    (array([0, 0, 1]), array([0, 1, 0]), array([0.2, 0.8, 1. ]))
    """
    rows, classes = np.nonzero(said > _LEAST)
    return rows, classes, said[rows, classes]


@dataclass(eq=False, repr=False, kw_only=True)
class TwiceLearningClassifier(ClassifierTask, Taught):
    r"""Twice-learning: an ensemble teaches a single tree (NeC4.5).

    A tree fits the noise in the labels; an ensemble does so much less, but is not interpretable. So
    the ensemble N is fitted first, and a tree is grown on its predictions: on :math:`\{(x_i,
    N(x_i))\}`, the training rows with their labels replaced, and on :math:`\lceil \mu n \rceil`
    synthetic rows :math:`(\tilde x, N(\tilde x))`, of which the ensemble can label as many as
    needed. Only the tree is kept.

    There are two additions to the original. The ensemble may return probabilities, so that the tree
    also learns where it is uncertain; and if it has out-of-bag members, those label the training
    rows (see `unseen`): bagged trees would otherwise reproduce the noisy labels.

    Parameters
    ----------
    student : classifier, default=None
        The model to teach; by default a native tree.
    soft : bool, default=True
        Whether the student learns probabilities, for which its `fit` must accept weights, or the
        most probable class.
    pruning : float, default=0.0003
        Penalty per leaf of the default student, in units of the impurity of its root; without it,
        the tree would fit every detail of the teacher's probabilities.
    max_depth, max_leaf_nodes : int or None, default=None
        Limits of the default student.

    Attributes
    ----------
    student_ : classifier
        The fitted student: a tree can be printed with `export_text`, and explained.
    fidelity_ : float
        How often student and teacher agree on rows that are new to the student: synthetic ones, or
        the training rows if there are none.
    n_virtual_ : int
        Number of synthetic rows.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    pool_ : Pool
        The student.

    References
    ----------
    .. [1] Zhou & Jiang, "NeC4.5: neural ensemble based C4.5", IEEE Trans. Knowl. Data Eng. 16
       (2004).
    .. [2] Breiman & Shang, "Born again trees", technical report, University of California (1996).
    .. [3] Bucila, Caruana & Niculescu-Mizil, "Model compression", KDD (2006).

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from coterie import DecisionTreeClassifier, TwiceLearningClassifier
    >>> X, y = make_moons(600, noise=0.35, random_state=0)
    >>> alone = DecisionTreeClassifier(random_state=0).fit(X[::2], y[::2])
    >>> taught = TwiceLearningClassifier(random_state=0).fit(X[::2], y[::2])
    >>> taught.score(X[1::2], y[1::2]) > alone.score(X[1::2], y[1::2])
    True
    """

    student: Any = None
    soft: bool = True
    pruning: float = 0.0003
    max_depth: int | None = None
    max_leaf_nodes: int | None = None

    allowed: ClassVar[Mapping[str, Allowed]] = {**_STUDENT, "soft": one_of(True, False)}

    def _learn(self, draft: Self, transfer: TransferSet, seed: int) -> Any:
        student = self.student
        if student is None:
            student = default_tree(DecisionTreeClassifier, self, transfer)
        if self.soft and not takes_weight(student):
            raise TypeError(
                f"{type(student).__name__}.fit does not accept weights, so it cannot learn "
                "probabilities. Set soft=False, or use another student."
            )
        return teach_classes(student, transfer, seed, soft=self.soft)


def teach_classes(student: Any, transfer: TransferSet, seed: int, *, soft: bool) -> Any:
    """A classifier fitted on probabilities, or on the most probable classes."""
    table, said, weight, target = transfer
    codes = said.argmax(axis=1)
    if soft:
        rows, codes, chance = soft_rows(said)
        table = table.take(rows)
        weight = chance if weight is None else chance * weight[rows]
    encoded = np.ascontiguousarray(codes[:, None], dtype=np.int32)
    labels: Target = replace(target, encoded=encoded)
    return ForeignLearner(student, name="student").fit(table, labels, weight, growing_stream(seed))


@dataclass(eq=False, repr=False, kw_only=True)
class TwiceLearningRegressor(RegressorTask, Taught):
    r"""Twice-learning: an ensemble teaches a single regression tree.

    The tree is grown on the predictions of the ensemble N for the training rows and for
    :math:`\lceil \mu n \rceil` synthetic rows, :math:`\{(x_i, N(x_i))\} \cup \{(\tilde x, N(\tilde
    x))\}`; see `TwiceLearningClassifier`.

    Parameters
    ----------
    student : regressor, default=None
        The model to teach; by default a native tree.
    pruning : float, default=0.0003
        Penalty per leaf of the default student, in units of the variance at its root.
    max_depth, max_leaf_nodes : int or None, default=None
        Limits of the default student.

    Attributes
    ----------
    student_ : regressor
        The fitted student.
    fidelity_ : float
        Share of the variance of the teacher's predictions, on rows new to the student, that the
        student explains.
    n_virtual_ : int
        Number of synthetic rows.
    pool_ : Pool
        The student.

    References
    ----------
    .. [1] Zhou & Jiang, "NeC4.5: neural ensemble based C4.5", IEEE Trans. Knowl. Data Eng. 16
       (2004).
    .. [2] Breiman & Shang, "Born again trees", technical report, University of California (1996).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from coterie import DecisionTreeRegressor, TwiceLearningRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> alone = DecisionTreeRegressor(random_state=0).fit(X[::2], y[::2])
    >>> taught = TwiceLearningRegressor(random_state=0).fit(X[::2], y[::2])
    >>> taught.score(X[1::2], y[1::2]) > alone.score(X[1::2], y[1::2])
    True
    """

    student: Any = None
    pruning: float = 0.0003
    max_depth: int | None = None
    max_leaf_nodes: int | None = None

    allowed: ClassVar[Mapping[str, Allowed]] = _STUDENT

    def _learn(self, draft: Self, transfer: TransferSet, seed: int) -> Any:
        student = self.student
        if student is None:
            student = default_tree(DecisionTreeRegressor, self, transfer)
        numbers: Target = replace(transfer.target, encoded=np.ascontiguousarray(transfer.said))
        return ForeignLearner(student, name="student").fit(
            transfer.table, numbers, transfer.weight, growing_stream(seed)
        )
