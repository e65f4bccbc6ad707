"""Decision templates: the members' typical predictions for each class, and two ways to use them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from coterie.data.errors import DataError
from coterie.data.outputs import numbers_of, sample_weights
from coterie.tags import tagged

Array = NDArray[np.float64]


@tagged
@dataclass(frozen=True)
class DecisionTemplates:
    r"""Mean decision profile of each class.

    A decision profile holds the probabilities all members give to all classes, for one sample.

    Parameters
    ----------
    templates : ndarray of shape (classes, members, classes)
        Mean profile of the samples of each class; NaN for a class without samples.
    classes : ndarray of shape (classes,)
        Labels, in increasing order.

    Examples
    --------
    >>> from coterie import fusion
    >>> profiles = [[[0.8, 0.2], [0.3, 0.7]], [[0.7, 0.3], [0.1, 0.9]]]
    >>> fitted = fusion.decision_templates(profiles, [0, 1])
    >>> fitted.similarity([[[0.6, 0.4]], [[0.4, 0.6]]])
    array([[0.935, 0.91 ]])
    >>> fitted.belief([[[0.6, 0.4]], [[0.4, 0.6]]])
    array([[0.544, 0.456]])
    """

    templates: Array
    classes: NDArray[Any]

    def similarity(
        self, profiles: Any, measure: Literal["squared", "symmetric_difference"] = "squared"
    ) -> Array:
        r"""How close a profile is to each template.

        .. math:: \mu_k = 1 - \frac{1}{TK} \sum_{t,j} (DT_k(t, j) - DP(t, j))^2

        or, as a symmetric difference, :math:`\max(\min(a, 1-b), \min(1-a, b))` in place of the
        square. A class without a template gets 0.

        Parameters
        ----------
        profiles : array-like of shape (members, samples, classes)
            Probabilities given by the members.
        measure : {"squared", "symmetric_difference"}, default="squared"
            How the distance is measured.

        Returns
        -------
        ndarray of shape (samples, classes)
        """
        members = self._profiles(profiles)
        if measure not in ("squared", "symmetric_difference"):
            raise ValueError(
                f'measure must be "squared" or "symmetric_difference", not {measure!r}.'
            )
        support = np.zeros((members.shape[1], len(self.classes)))
        for k in np.flatnonzero(self._known):
            own = self.templates[k][:, None]
            if measure == "squared":
                apart = (own - members) ** 2
            else:
                apart = np.maximum(np.minimum(own, 1 - members), np.minimum(1 - own, members))
            # One sum after the other: over both at once, the order depends on the number of rows.
            support[:, k] = 1.0 - apart.sum(axis=0).sum(axis=1) / own.size
        return support

    def belief(self, profiles: Any) -> Array:
        r"""Belief in each class by Dempster and Shafer, from the distances to the templates.

        .. math::
            \phi_{kt} \propto \frac{1}{1 + \|DT_k^t - P_t\|^2}, \qquad
            b_{kt} = \frac{\phi_{kt} \prod_{j \ne k} (1 - \phi_{jt})}
            {1 - \phi_{kt} [1 - \prod_{j \ne k} (1 - \phi_{jt})]}, \qquad
            \mu_k \propto \prod_t b_{kt}

        Parameters
        ----------
        profiles : array-like of shape (members, samples, classes)
            Probabilities given by the members.

        Returns
        -------
        ndarray of shape (samples, classes)
            They sum to one; a class without a template gets 0.
        """
        near = 1.0 / (1.0 + self._distances(profiles))
        near[:, :, ~self._known] = 0.0
        near /= near.sum(axis=2, keepdims=True)
        if self._known.sum() == 1:
            return np.repeat(self._known[None].astype(np.float64), near.shape[1], axis=0)
        others = np.log1p(-near)
        others = np.exp(others.sum(axis=2, keepdims=True) - others)
        belief = near * others / (1.0 - near * (1.0 - others))
        with np.errstate(divide="ignore"):
            logs = np.log(belief).sum(axis=0)
        support = np.exp(logs - logs.max(axis=1, keepdims=True))
        return np.asarray(support / support.sum(axis=1, keepdims=True))

    def masses(self, profiles: Any, ignorance: float = 1.0) -> Array:
        r"""Evidence of each member, to be combined by `dempster`.

        .. math:: m_t(\{k\}) = \frac{d_{kt}}{\sum_j d_{jt} + g}, \qquad
            m_t(\Theta) = \frac{g}{\sum_j d_{jt} + g}, \qquad d_{kt} = e^{-\|DT_k^t - P_t\|^2}

        The form of Al-Ani and Deriche (2002), with the templates as they are.

        Parameters
        ----------
        profiles : array-like of shape (members, samples, classes)
            Probabilities given by the members.
        ignorance : float, default=1
            The amount of ignorance :math:`g`, not negative.

        Returns
        -------
        ndarray of shape (members, samples, classes + 1)
            Masses of the classes and, last, of ignorance.
        """
        if not ignorance >= 0:
            raise ValueError(f"ignorance must not be negative, but is {ignorance}.")
        near = np.exp(-self._distances(profiles))
        near[:, :, ~self._known] = 0.0
        whole = np.concatenate([near, np.full((*near.shape[:2], 1), ignorance)], axis=2)
        return np.asarray(whole / whole.sum(axis=2, keepdims=True))

    @property
    def _known(self) -> NDArray[np.bool_]:
        return np.asarray(np.isfinite(self.templates).all(axis=(1, 2)))

    def _profiles(self, profiles: Any) -> Array:
        members: Array = numbers_of(profiles, "profiles", (3,))
        if members.shape[::2] != self.templates.shape[1:]:
            shape = f"({self.templates.shape[1]}, samples, {self.templates.shape[2]})"
            raise DataError(f"profiles must have shape {shape}, not {members.shape}.")
        return members

    def _distances(self, profiles: Any) -> Array:
        """Squared distances of each member's row to its row in each template."""
        members = self._profiles(profiles)
        apart = np.empty(members.shape)
        for k, template in enumerate(np.nan_to_num(self.templates)):
            apart[:, :, k] = ((members - template[:, None]) ** 2).sum(axis=2)
        return apart


def decision_templates(
    profiles: Any, y: Any, *, classes: Any = None, sample_weight: Any = None
) -> DecisionTemplates:
    r"""Mean decision profile of the samples of each class.

    .. math:: DT_k = \frac{1}{n_k} \sum_{i: y_i = c_k} DP(x_i)

    They are the typical predictions of the members for a class, right or wrong, so even a member
    that is systematically wrong is useful [1]_; belief functions based on them are due to Rogova
    [2]_.

    Parameters
    ----------
    profiles : array-like of shape (members, samples, classes)
        The members' probabilities for samples they have not seen.
    y : array-like of shape (samples,)
        True labels.
    classes : array-like of shape (classes,), optional
        Classes of the columns, in increasing order; by default 0, 1, and so on.
    sample_weight : array-like of shape (samples,), optional
        Weight of each sample.

    Returns
    -------
    DecisionTemplates
        With the methods `similarity`, `belief` and `masses` for new profiles.

    References
    ----------
    .. [1] Kuncheva, Bezdek & Duin, "Decision templates for multiple classifier fusion: an
       experimental comparison", Pattern Recognit. 34 (2001).
    .. [2] Rogova, "Combining the results of several neural network classifiers", Neural Netw. 7
       (1994).

    Examples
    --------
    >>> from coterie import fusion
    >>> profiles = [[[0.8, 0.2], [0.3, 0.7]], [[0.7, 0.3], [0.1, 0.9]]]
    >>> fusion.decision_templates(profiles, [0, 1]).templates[0]
    array([[0.8, 0.2],
           [0.7, 0.3]])
    """
    members: Array = numbers_of(profiles, "profiles", (3,))
    known = np.arange(members.shape[2]) if classes is None else np.asarray(classes)
    truth = np.asarray(y)
    if known.shape != members.shape[2:] or truth.shape != members.shape[1:2]:
        raise DataError("There must be one label for each sample and one class for each column.")
    own = known[:, None] == truth
    if not own.any(axis=0).all():
        raise DataError("y contains a label that is not one of the classes.")
    weight = sample_weights(sample_weight, len(truth))
    share = own.astype(np.float64) if weight is None else own * weight
    total = share.sum(axis=1)
    with np.errstate(invalid="ignore"):
        share = share / total[:, None]
    return DecisionTemplates(np.tensordot(share, members, axes=(1, 1)), known)
