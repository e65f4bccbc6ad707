"""Labels of members as votes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.data.errors import DataError
from coterie.data.outputs import label_codes, numbers_of

Array = NDArray[np.float64]


def one_hot(labels: Any, classes: Any = None) -> Array:
    r"""Labels as votes: 1 for the class that is named, 0 for the others.

    .. math:: h_t^k(x_i) = 1[h_t(x_i) = c_k]

    The hard votes of the textbooks [1]_.

    Parameters
    ----------
    labels : array-like of shape (samples,) or (members, samples)
        Labels.
    classes : array-like of shape (classes,), optional
        All classes in increasing order; by default those that occur.

    Returns
    -------
    ndarray of shape (samples, classes) or (members, samples, classes)

    References
    ----------
    .. [1] Zhou, "Ensemble methods: foundations and algorithms" (2012), section 4.3.

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.one_hot([["a", "b"]], ["a", "b", "c"])
    array([[[1., 0., 0.],
            [0., 1., 0.]]])
    """
    array = np.asarray(labels)
    codes, known = coded(np.atleast_2d(array), classes)
    votes = (codes[..., None] == np.arange(len(known))).astype(np.float64)
    return np.asarray(votes[0] if array.ndim == 1 else votes)


def hard_votes(members: Sequence[Any], classes: Any = None) -> NDArray[Any]:
    r"""Labels of members of which some return labels and some probabilities.

    .. math:: h_t(x) = c_{k^*}, \qquad k^* = \arg\max_k P_t(c_k | x)

    Probabilities of different kinds of members cannot be compared unless they are calibrated; their
    labels can [1]_. Ties go to the first class.

    Parameters
    ----------
    members : sequence of array-like, of shape (samples,) or (samples, classes) each
        The prediction of each member.
    classes : array-like of shape (classes,), optional
        Classes of the probability columns; by default 0, 1, and so on.

    Returns
    -------
    ndarray of shape (members, samples)

    References
    ----------
    .. [1] Zhou, "Ensemble methods: foundations and algorithms" (2012), section 4.3.

    Examples
    --------
    >>> from coterie import fusion
    >>> fusion.hard_votes([["no", "yes"], [[0.2, 0.8], [0.5, 0.5]]], ["no", "yes"])
    array([['no', 'yes'],
           ['yes', 'no']], dtype='<U3')
    """
    rows = []
    for number, member in enumerate(members):
        said = np.asarray(member)
        if said.ndim == 2:
            chances = numbers_of(said, f"member {number}", (2,))
            known = np.arange(chances.shape[1]) if classes is None else np.asarray(classes)
            if len(known) != chances.shape[1]:
                raise DataError(
                    f"Member {number} has {chances.shape[1]} columns for {len(known)} classes."
                )
            said = known[chances.argmax(axis=1)]
        elif said.ndim != 1:
            raise DataError(f"Member {number} must return labels or probabilities for each sample.")
        rows.append(said)
    if len({len(row) for row in rows}) != 1:
        raise DataError("There must be at least one member, and all must predict the same samples.")
    if len({row.dtype.kind in "OSU" for row in rows}) > 1:
        raise DataError(
            "Some members return text and some return numbers: pass `classes` for the latter."
        )
    return np.stack(rows)


def coded(labels: NDArray[Any], classes: Any) -> tuple[NDArray[np.integer], NDArray[Any]]:
    """Labels as positions among the classes, which must hold them all."""
    codes, _, found = label_codes(labels)
    if classes is None:
        return codes, found
    known = np.asarray(classes)
    if known.ndim != 1 or not len(known) or (known[1:] <= known[:-1]).any():
        raise DataError("`classes` must be distinct labels in increasing order.")
    places = np.clip(np.searchsorted(known, found), 0, len(known) - 1)
    strange = known[places] != found
    if strange.any():
        raise DataError(
            f"Members predict {found[strange].tolist()[0]!r}, which is not one of {known}."
        )
    return places[codes], known
