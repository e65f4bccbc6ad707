"""A second layer: members that see what others say, besides the columns.

What it learns from are answers about rows that the members had not seen, and it is fitted to the
same splits: the model of a split asks the members' models of that split, none of which knows the
held-out rows. It may still look better than it is, since members were fitted with the targets of
those rows in all other splits; so it takes more than for others to let it in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from coterie.automl.candidates import Candidate
from coterie.automl.clock import Clock
from coterie.automl.combine import OutOfFold, greedy
from coterie.automl.makers import forest, gradient
from coterie.automl.material import Material
from coterie.automl.situation import Situation
from coterie.automl.trial import Attempt, Trial, ask_unseen
from coterie.forests import ExtraTreesClassifier, ExtraTreesRegressor
from coterie.learners import ForeignMember
from coterie.tags import tagged

Array = NDArray[np.float64]

FAMILY = "second layer"
LAYER = (
    Candidate(
        FAMILY,
        FAMILY,
        gradient(
            max_leaf_nodes=16,
            learning_rate=0.05,
            max_features=0.5,
            subsample=0.8,
            min_samples_leaf=20,
            l2_regularization=5.0,
        ),
        rounds=True,
    ),
    Candidate(
        f"{FAMILY}, extra trees",
        FAMILY,
        forest(ExtraTreesClassifier, ExtraTreesRegressor, min_samples_leaf=5),
    ),
)
_FEWEST_ROWS = 1_000
_FEWEST, _MOST, _OF_A_FAMILY = 3, 6, 2  # members that it sees
_LEAST_CHANCE = 1e-6
_WORTH = 1.0  # standard errors that it must gain


@tagged
@dataclass(frozen=True)
class SecondLayer:
    """A model, and those whose answers it sees besides the columns.

    Parameters
    ----------
    bases : tuple of ForeignMember
        The latter.
    model : ForeignMember
        The former.
    n_classes : int
        Zero for numbers.
    """

    bases: tuple[ForeignMember, ...]
    model: ForeignMember
    n_classes: int

    @property
    def classes_(self) -> NDArray[np.intp]:
        """Codes of the classes."""
        return np.arange(self.n_classes)

    def predict_proba(self, X: Any) -> Array:
        """Probabilities, or numbers as a column."""
        said = [said_columns(base.ask(X)) for base in self.bases]
        return self.model.ask(np.column_stack([X, *said]))

    def predict(self, X: Any) -> Array:
        """Numbers."""
        return self.predict_proba(X)[:, 0]


def said_columns(said: Array) -> Array:
    """What a member says, as columns: logarithms of chances but for the first, or numbers.

    Examples
    --------
    >>> said_columns(np.array([[0.5, 0.5], [0.9, 0.1]])).round(2)
    array([[ 0. ],
           [-2.2]])
    """
    if said.shape[1] == 1:
        return said
    logs = np.log(np.maximum(said, _LEAST_CHANCE))
    return np.asarray(logs[:, 1:] - logs[:, :1])


def choose_bases(trials: Sequence[Trial], losses: Sequence[float]) -> list[Trial]:
    """The best members, few of a family; none if there are too few."""
    seen: Counter[str] = Counter()
    chosen = []
    for k in np.argsort(losses, kind="stable"):
        trial = trials[k]
        seen[trial.family] += 1
        if trial.models and seen[trial.family] <= _OF_A_FAMILY:
            chosen.append(trial)
    return chosen[:_MOST] if len(chosen) >= _FEWEST else []


def can_stack(situation: Situation, material: Material) -> bool:
    """Whether all rows were held out, and there are enough of them, as plain numbers."""
    whole = len(material.covered) == len(material.truth)
    return whole and isinstance(material.matrix, np.ndarray) and situation.n_rows >= _FEWEST_ROWS


def fit_second_layer(
    candidate: Candidate,
    bases: Sequence[Trial],
    situation: Situation,
    material: Material,
    clock: Clock,
) -> Trial:
    """Fit a member of the second layer to every split.

    Parameters
    ----------
    candidate : Candidate
        What it is.
    bases : sequence of Trial
        The members that it sees.
    situation, material : Situation, Material
        The table.
    clock : Clock
        The time that is left.

    Raises
    ------
    OutOfTime
        When the time does not suffice.
    """
    said = np.column_stack([said_columns(base.unseen) for base in bases])
    wider = replace(material, matrix=np.column_stack([material.matrix, said]))
    kinds = np.append(situation.cardinalities, np.zeros(said.shape[1], dtype=np.intp))
    attempt = Attempt(
        candidate, replace(situation, cardinalities=kinds), wider, clock, thorough=True
    )
    attempt.open()
    trial = attempt.finish()
    trial.models = [
        material.seat(SecondLayer(tuple(b.models[k] for b in bases), seat, material.n_classes))
        for k, seat in enumerate(trial.models)
    ]
    trial.unseen = ask_unseen(trial.models, material)
    trial.note += ", on " + ", ".join(base.name for base in bases)
    return trial


def is_worth(oof: OutOfFold, unseen: Array) -> bool:
    """Whether half of it makes the best combination of the others better, and clearly so."""
    before = greedy(oof)(oof.profile)
    after = 0.5 * before + 0.5 * unseen
    rows = oof.metric.rows
    if rows is None:
        return bool(oof.loss(after) < oof.loss(before))
    gain = rows(oof.truth, oof.shaped(before)) - rows(oof.truth, oof.shaped(after))
    return bool(gain.mean() > _WORTH * gain.std() / np.sqrt(len(gain)))
