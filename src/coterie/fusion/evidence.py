"""Evidence of members: Dempster's rule for masses on single classes and on ignorance."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from coterie.data.errors import DataError
from coterie.data.outputs import numbers_of

Array = NDArray[np.float64]


class Evidence(NamedTuple):
    """Combined evidence.

    Parameters
    ----------
    masses : ndarray of shape (samples, classes + 1)
        Mass of each class, and last that of all classes together: ignorance.
    conflict : ndarray of shape (samples,)
        Mass that fell on contradictions before it was divided out, from 0 to 1.

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.dempster([[[0.6, 0.0, 0.4]], [[0.5, 0.3, 0.2]]]).conflict
    array([0.18])
    """

    masses: Array
    conflict: Array


def dempster(masses: Any, *, on_conflict: Literal["raise", "ignorance"] = "raise") -> Evidence:
    r"""Combine the evidence of members by Dempster's rule.

    .. math:: m(A) = \frac{1}{1 - \kappa} \sum_{B \cap C = A} m_1(B) \, m_2(C), \qquad
        \kappa = \sum_{B \cap C = \emptyset} m_1(B) \, m_2(C)

    for masses on single classes and on their whole set :math:`\Theta`, which are closed under the
    rule: :math:`m(\{k\}) \propto \prod_t (m_t(\{k\}) + m_t(\Theta)) - \prod_t m_t(\Theta)` [1]_.

    Parameters
    ----------
    masses : array-like of shape (members, samples, classes + 1)
        Masses of the classes and, last, of ignorance; not negative, and they sum to one.
    on_conflict : {"raise", "ignorance"}, default="raise"
        What to do where members contradict each other completely: raise an error, or return full
        ignorance.

    Returns
    -------
    Evidence

    References
    ----------
    .. [1] Dempster, "Upper and lower probabilities induced by a multivalued mapping", Ann. Math.
       Stat. 38 (1967); Shafer, "A mathematical theory of evidence" (1976).

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.dempster([[[0.6, 0.0, 0.4]], [[0.5, 0.3, 0.2]]])
    Evidence(masses=array([[0.756, 0.146, 0.098]]), conflict=array([0.18]))
    """
    members: Array = numbers_of(masses, "masses", (3,))
    if on_conflict not in ("raise", "ignorance"):
        raise ValueError(f'on_conflict must be "raise" or "ignorance", not {on_conflict!r}.')
    if members.shape[2] < 2 or members.min() < 0:
        raise DataError("Masses of at least one class, and of ignorance, must not be negative.")
    if np.abs(members.sum(axis=2) - 1.0).max() > 1e-9:
        raise DataError("The masses of each member must sum to one.")
    with np.errstate(divide="ignore"):
        unknown = np.log(members[:, :, -1:]).sum(axis=0)
        open_to = np.log(members[:, :, :-1] + members[:, :, -1:]).sum(axis=0)
    top = np.maximum(open_to.max(axis=1, keepdims=True), unknown)
    lost = ~np.isfinite(top[:, 0])
    if lost.any() and on_conflict == "raise":
        raise DataError(
            f"Members contradict each other completely in sample {int(lost.argmax())}. Assign "
            'some mass to ignorance, or set on_conflict="ignorance".'
        )
    shift = np.where(np.isfinite(top), top, 0.0)
    rest = np.exp(unknown - shift)
    combined = np.hstack([np.maximum(np.exp(open_to - shift) - rest, 0.0), rest])
    combined[lost, -1] = 1.0
    total = combined.sum(axis=1)
    agreed = np.where(lost, 0.0, np.exp(shift[:, 0]) * total)
    return Evidence(combined / total[:, None], np.clip(1.0 - agreed, 0.0, 1.0))


def support_of_masses(
    masses: Any, by: Literal["pignistic", "belief", "plausibility"] = "pignistic"
) -> Array:
    r"""Support of each class by combined evidence.

    .. math:: m(\{k\}) + \frac{m(\Theta)}{K}, \qquad m(\{k\}), \qquad m(\{k\}) + m(\Theta)

    The pignistic probability shares ignorance equally, belief leaves it out, plausibility gives all
    of it to each class; all three choose the same class [1]_.

    Parameters
    ----------
    masses : array-like of shape (samples, classes + 1)
        Masses of the classes and, last, of ignorance.
    by : {"pignistic", "belief", "plausibility"}, default="pignistic"
        Which of the three.

    Returns
    -------
    ndarray of shape (samples, classes)

    References
    ----------
    .. [1] Smets & Kennes, "The transferable belief model", Artif. Intell. 66 (1994).

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.support_of_masses([[0.5, 0.3, 0.2]])
    array([[0.6, 0.4]])
    """
    table: Array = numbers_of(masses, "masses", (2,))
    shares = {"pignistic": 1.0 / (table.shape[1] - 1), "belief": 0.0, "plausibility": 1.0}
    if by not in shares:
        raise ValueError(f"by must be one of {', '.join(map(repr, shares))}, not {by!r}.")
    return np.asarray(table[:, :-1] + shares[by] * table[:, -1:])
