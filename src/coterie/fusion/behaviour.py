"""Tables of the true classes by the members' predictions: behaviour knowledge, naive Bayes."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from coterie.data.errors import DataError
from coterie.data.outputs import sample_weights
from coterie.fusion.labels import coded
from coterie.fusion.votes import with_rejects
from coterie.tags import tagged

Array = NDArray[np.float64]


@tagged
@dataclass(frozen=True)
class BehaviourKnowledge:
    """For each combination of labels that occurred, how often each class was true.

    Parameters
    ----------
    cells : ndarray of int of shape (cells, members)
        Combinations of labels, as positions among the classes.
    counts : ndarray of shape (cells, classes)
        Weight of the samples of each class in the cell.
    classes : ndarray of shape (classes,)
        Labels, in increasing order.

    Examples
    --------
    >>> from coterie import fusion
    >>> first, second = list("aab") * 5, list("abb") * 5
    >>> fitted = fusion.behaviour_knowledge([first, second], list("acb") * 5)
    >>> fitted.predict([["a", "b", "c"], ["b", "b", "c"]])
    array(['c', 'b', 'c'], dtype='<U1')
    """

    cells: NDArray[np.integer]
    counts: Array
    classes: NDArray[Any]

    def predict(
        self,
        labels: Any,
        *,
        unknown: Literal["vote", "nearest", "reject"] = "vote",
        threshold: float = 0.0,
        reject: Any = "auto",
    ) -> NDArray[Any]:
        """The most frequent class for this combination of labels.

        Parameters
        ----------
        labels : array-like of shape (members, samples)
            The members' labels.
        unknown : {"vote", "nearest", "reject"}, default="vote"
            What to do with a combination that never occurred: take the class with most votes, or
            the cells in which the fewest members differ, or reject. Ties within a cell are broken
            by the votes, unless rejected.
        threshold : float, default=0
            With "reject", also cells whose most frequent class has a smaller share are rejected.
        reject : object, default="auto"
            The reject label, as for `majority`.

        Returns
        -------
        ndarray of shape (samples,)
        """
        if unknown not in ("vote", "nearest", "reject"):
            raise ValueError(f'unknown must be "vote", "nearest" or "reject", not {unknown!r}.')
        codes, _ = coded(np.asarray(labels), self.classes)
        if len(codes) != self.cells.shape[1]:
            raise DataError(
                f"There were {self.cells.shape[1]} members at fit, but there are {len(codes)} now."
            )
        tuples, place = np.unique(codes.T, axis=0, return_inverse=True)
        found = self._found(tuples)
        counts = np.where((found >= 0)[:, None], self.counts[found], 0.0)
        if unknown == "nearest":
            counts[found < 0] = self._nearest(tuples[found < 0])
        votes = np.stack([(tuples == k).sum(axis=1) for k in range(len(self.classes))], axis=1)
        top = counts.max(axis=1)
        best = np.isclose(counts, top[:, None], rtol=1e-12, atol=0.0)
        winner = np.where(best, votes, -1).argmax(axis=1)
        if unknown != "reject":
            return np.asarray(self.classes[winner[place.ravel()]])
        doubtful = (best.sum(axis=1) > 1) | (top < threshold * counts.sum(axis=1)) | (top == 0)
        said = self.classes[winner[place.ravel()]]
        return with_rejects(said, doubtful[place.ravel()], self.classes, reject)

    def _found(self, tuples: NDArray[np.integer]) -> NDArray[np.intp]:
        """Number of the cell of each combination, -1 if there is none."""
        both = np.concatenate([self.cells, tuples])
        group = np.unique(both, axis=0, return_inverse=True)[1].ravel()
        cell = np.full(group.max() + 1, -1)
        cell[group[: len(self.cells)]] = np.arange(len(self.cells))
        return np.asarray(cell[group[len(self.cells) :]])

    def _nearest(self, tuples: NDArray[np.integer]) -> Array:
        """Counts of the cells that differ from each combination in fewest members."""
        apart = np.zeros((len(tuples), len(self.cells)))
        for said, known in zip(tuples.T, self.cells.T, strict=True):
            apart += said[:, None] != known
        nearest = apart == apart.min(axis=1, keepdims=True)
        return np.asarray(nearest.astype(np.float64) @ self.counts)


def behaviour_knowledge(
    labels: Any, y: Any, *, classes: Any = None, sample_weight: Any = None
) -> BehaviourKnowledge:
    r"""Count which class was true for each combination of labels: behaviour-knowledge space.

    .. math:: H(x) = \arg\max_k N_k(h_1(x), \dots, h_T(x))

    with :math:`N_k(s_1, \dots, s_T)` the number of samples of class :math:`k` on which members said
    :math:`s_1, \dots, s_T`. No assumption of independence is made, and no combination of the labels
    has a smaller error on the samples of the table; so it needs many samples and few members [1]_.

    Parameters
    ----------
    labels : array-like of shape (members, samples)
        The members' labels for samples they have not seen.
    y : array-like of shape (samples,)
        True labels.
    classes : array-like of shape (classes,), optional
        All classes in increasing order; by default those that occur.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    BehaviourKnowledge
        With the method `predict` for new labels. A warning says if there are fewer than five
        samples to a cell.

    References
    ----------
    .. [1] Huang & Suen, "A method of combining multiple experts for the recognition of
       unconstrained handwritten numerals", IEEE Trans. Pattern Anal. Mach. Intell. 17 (1995).

    Examples
    --------
    >>> from coterie import fusion
    >>> fitted = fusion.behaviour_knowledge([[0, 0, 1] * 5, [0, 1, 0] * 5], [0, 1, 1] * 5)
    >>> fitted.cells, fitted.counts
    (array([[0, 0],
           [0, 1],
           [1, 0]]), array([[5., 0.],
           [0., 5.],
           [0., 5.]]))
    """
    codes, truth, known = _with_truth(labels, y, classes)
    cells, place = np.unique(codes.T, axis=0, return_inverse=True)
    if codes.shape[1] < 5 * len(cells):
        warnings.warn(
            f"{codes.shape[1]} samples fall into {len(cells)} cells: too few to estimate the class "
            "in each. Use fewer members or more samples.",
            UserWarning,
            stacklevel=2,
        )
    weight = sample_weights(sample_weight, codes.shape[1])
    counts = np.bincount(
        place.ravel() * len(known) + truth, weights=weight, minlength=len(cells) * len(known)
    )
    return BehaviourKnowledge(cells, counts.reshape(len(cells), -1).astype(np.float64), known)


@tagged
@dataclass(frozen=True)
class NaiveBayesVotes:
    """Probabilities of each member's labels given the true class.

    Parameters
    ----------
    log_chances : ndarray of shape (members, classes, classes)
        Log-probability that a member predicts the label of the column if the class of the row is
        true.
    log_prior : ndarray of shape (classes,)
        Logarithms of the shares of the classes.
    classes : ndarray of shape (classes,)
        Labels, in increasing order.

    Examples
    --------
    >>> from coterie import fusion
    >>> fitted = fusion.naive_bayes_votes([[0, 0, 1, 1], [0, 1, 1, 0]], [0, 0, 1, 1])
    >>> fitted.support([[0], [1]])
    array([[0.833, 0.167]])
    """

    log_chances: Array
    log_prior: Array
    classes: NDArray[Any]

    def support(self, labels: Any, abstained: Any = None) -> Array:
        """Probabilities of the classes given the members' labels.

        Parameters
        ----------
        labels : array-like of shape (members, samples)
            The members' labels.
        abstained : array-like of bool of shape (members, samples), optional
            Where a member abstains; its label is then ignored.

        Returns
        -------
        ndarray of shape (samples, classes)
            They sum to one.
        """
        codes, _ = coded(np.asarray(labels), self.classes)
        if len(codes) != len(self.log_chances):
            raise DataError(
                f"There were {len(self.log_chances)} members at fit, but there are "
                f"{len(codes)} now."
            )
        silent = np.zeros(codes.shape, np.bool_) if abstained is None else np.asarray(abstained)
        if silent.shape != codes.shape or silent.dtype != np.bool_:
            raise DataError(f"abstained must be a boolean array of shape {codes.shape}.")
        score = np.repeat(self.log_prior[None], codes.shape[1], axis=0)
        for chances, said, skipped in zip(self.log_chances, codes, silent, strict=True):
            score += np.where(skipped, 0.0, chances[:, said]).T
        score -= score.max(axis=1, keepdims=True)
        support = np.exp(score)
        return np.asarray(support / support.sum(axis=1, keepdims=True))


def naive_bayes_votes(
    labels: Any, y: Any, *, classes: Any = None, sample_weight: Any = None
) -> NaiveBayesVotes:
    r"""Weight votes by the members' confusion matrices: the naive Bayes combiner.

    .. math:: \mu_k(x) \propto \pi_k \prod_t \hat P(h_t = s_t | y = c_k), \qquad
        \hat P(h_t = s | y = c_k) = \frac{N_{ks} + 1/K}{N_k + 1}

    Optimal if members are independent given the class [1]_.

    Parameters
    ----------
    labels : array-like of shape (members, samples)
        The members' labels for samples they have not seen.
    y : array-like of shape (samples,)
        True labels.
    classes : array-like of shape (classes,), optional
        All classes in increasing order; by default those that occur.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    NaiveBayesVotes
        With the method `support` for new labels.

    References
    ----------
    .. [1] Titterington et al., "Comparison of discrimination techniques applied to a complex data
       set of head injured patients", J. R. Stat. Soc. A 144 (1981); Kuncheva, "Combining pattern
       classifiers" (2004), section 4.4.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie import fusion
    >>> fitted = fusion.naive_bayes_votes([[0, 0, 1, 1]], [0, 0, 1, 1])
    >>> np.exp(fitted.log_chances[0])
    array([[0.833, 0.167],
           [0.167, 0.833]])
    """
    codes, truth, known = _with_truth(labels, y, classes)
    weight = sample_weights(sample_weight, codes.shape[1])
    n_classes = len(known)
    counts = np.stack(
        [np.bincount(truth * n_classes + row, weight, n_classes**2) for row in codes]
    ).reshape(-1, n_classes, n_classes)
    own = counts[0].sum(axis=1)
    chances = (counts + 1.0 / n_classes) / (own[:, None] + 1.0)
    with np.errstate(divide="ignore"):
        prior = np.log(own / own.sum())
    return NaiveBayesVotes(np.log(chances), prior, known)


def _with_truth(
    labels: Any, y: Any, classes: Any
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[Any]]:
    """Codes of members and of the truth, and the classes."""
    said, truth = np.asarray(labels), np.asarray(y)
    if said.ndim != 2 or truth.shape != said.shape[1:]:
        raise DataError(
            f"labels of shape {said.shape} and y of shape {truth.shape} must be (members, samples) "
            "and (samples,)."
        )
    if (said.dtype.kind in "OSU") != (truth.dtype.kind in "OSU"):
        raise DataError(
            "Members and y must use the same labels, but some are text and some are numbers."
        )
    codes, known = coded(np.concatenate([said, truth[None]]), classes)
    places = codes.astype(np.intp)
    return places[:-1], places[-1], known
