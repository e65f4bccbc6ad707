"""The candidates: a literal list, in the order in which they are tried.

The first few give most of the gain; those after them differ from the first in kind, so that a
combination of all is better than each.
"""

from __future__ import annotations

import difflib
import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from coterie.automl.makers import (
    MANY_ROWS,
    Make,
    adaboost,
    boosted,
    forest,
    gradient,
    kernel,
    linear,
    linear_ranks,
    neighbours,
    network,
    prior,
    tree,
)
from coterie.automl.situation import Situation
from coterie.core import ParameterError
from coterie.forests import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

_MANY_COLUMNS = 100
#: The candidate that all else has to be as good as.
DEFAULT = "gradient boosting"
#: What learns more from a round.
DEEP = "gradient boosting, deep symmetric"


@dataclass(frozen=True)
class Candidate:
    """Something to try.

    Parameters
    ----------
    name, family : str
        What it is called and what it is made of.
    make : callable
        ``(situation) -> estimator``, not fitted.
    native : bool, default=True
        Whether it takes gaps and categories as they are, and any size of table.
    rounds : bool, default=False
        Whether it is gradient boosting, whose number of rounds is chosen by held-out rows.
    fits : callable, optional
        ``(situation) -> bool``: whether it is worth trying.
    turns : tuple of dict, default=()
        Parameters that splits take in turn.
    """

    name: str
    family: str
    make: Make
    native: bool = True
    rounds: bool = False
    fits: Callable[[Situation], bool] | None = None
    turns: tuple[dict[str, Any], ...] = field(default=(), hash=False)


def _small(most: int) -> Callable[[Situation], bool]:
    return lambda s: s.n_rows <= most and s.width <= 2_000


def _labels(s: Situation) -> bool:
    return s.task != "regression"


PORTFOLIO: tuple[Candidate, ...] = (
    Candidate(
        DEFAULT,
        "gradient boosting",
        boosted,
        rounds=True,
        turns=({"growth": "leaf"}, {"growth": "symmetric"}),
    ),
    Candidate("extra trees", "forest", forest(ExtraTreesClassifier, ExtraTreesRegressor)),
    Candidate("linear", "linear", linear, native=False),
    Candidate("kernel machine", "kernel", kernel, native=False, fits=_small(3_000)),
    Candidate("network", "network", network((64, 64)), native=False, fits=_small(200_000)),
    Candidate(
        DEEP,
        "gradient boosting",
        gradient(
            learning_rate=0.06,
            growth="symmetric",
            max_depth=8,
            max_leaf_nodes=None,
            colsample_bylevel=0.6,
            l2_regularization=2.0,
            max_iter=4_000,
            min_samples_leaf=1,
        ),
        rounds=True,
    ),
    Candidate("random forest", "forest", forest(RandomForestClassifier, RandomForestRegressor)),
    Candidate("neighbours", "neighbours", neighbours, native=False, fits=_small(30_000)),
    Candidate(
        "gradient boosting, symmetric",
        "gradient boosting",
        gradient(
            learning_rate=0.05,
            growth="symmetric",
            max_leaf_nodes=None,
            max_iter=2_000,
            min_samples_leaf=1,
        ),
        rounds=True,
    ),
    Candidate(
        "gradient boosting, slow",
        "gradient boosting",
        gradient(
            large={"learning_rate": 0.04, "colsample_bytree": 0.6, "max_iter": 1_500},
            learning_rate=0.03,
            max_leaf_nodes=16,
            max_features=0.5,
            subsample=0.6,
            l2_regularization=5.0,
            max_iter=2_000,
        ),
        rounds=True,
    ),
    Candidate("linear on ranks", "linear", linear_ranks, native=False),
    Candidate(
        "gradient boosting, sampled",
        "gradient boosting",
        gradient(
            learning_rate=0.05,
            growth="level",
            max_depth=6,
            max_leaf_nodes=None,
            subsample=0.8,
            colsample_bylevel=0.7,
            l2_regularization=10.0,
            max_iter=1_000,
            min_samples_leaf=1,
        ),
        rounds=True,
    ),
    Candidate(
        "gradient boosting, large",
        "gradient boosting",
        gradient(
            max_leaf_nodes=127,
            learning_rate=0.05,
            max_features=0.4,
            subsample=0.7,
            l2_regularization=5.0,
            max_iter=2_000,
        ),
        rounds=True,
    ),
    Candidate(
        "gradient boosting, shallow",
        "gradient boosting",
        gradient(max_leaf_nodes=4, learning_rate=0.1, subsample=0.7, max_iter=1_000),
        rounds=True,
    ),
    Candidate("real AdaBoost", "AdaBoost", adaboost, fits=_labels),
    Candidate(
        "wide network",
        "network",
        network((128, 128), n_networks=4, max_iter=60),
        native=False,
        fits=_small(60_000),
    ),
    Candidate(
        "gradient boosting, gamma",
        "gradient boosting",
        gradient(loss="gamma", learning_rate=0.05, max_features=0.5, subsample=0.8, max_iter=1_000),
        rounds=True,
        fits=lambda s: s.positive and s.metric != "mae",
    ),
)
#: What is left where there is no time for anything.
PRIOR = Candidate("prior", "prior", prior)
FAST: tuple[Candidate, ...] = (
    # Their limits do not count rows, so that weights are as good as repeated rows.
    Candidate(DEFAULT, "gradient boosting", gradient(max_iter=20, min_samples_leaf=1)),
    Candidate(
        "extra trees", "forest", forest(ExtraTreesClassifier, ExtraTreesRegressor, n_estimators=20)
    ),
)
NATIVE: tuple[Candidate, ...] = tuple(c for c in PORTFOLIO if c.native)
# Trees stay small whatever the number of rows.
LARGE: tuple[Candidate, ...] = (
    Candidate(DEFAULT, "gradient boosting", gradient(), rounds=True),
    Candidate(
        "forest of some rows",
        "forest",
        forest(
            RandomForestClassifier,
            RandomForestRegressor,
            n_estimators=30,
            max_samples=0.05,
            max_leaf_nodes=4_000,
            min_samples_leaf=5,
        ),
    ),
    # Rows are not drawn, which would take as much memory again as the target.
    Candidate(
        "gradient boosting, deep",
        "gradient boosting",
        gradient(
            growth="level",
            max_depth=8,
            max_leaf_nodes=None,
            colsample_bylevel=0.7,
            l2_regularization=10.0,
        ),
        rounds=True,
    ),
)
READABLE: tuple[Candidate, ...] = (
    Candidate("tree", "tree", tree),
    Candidate("linear", "linear", linear, native=False),
    Candidate(
        "additive model",
        "additive",
        gradient(max_leaf_nodes=2, learning_rate=0.1, max_iter=600),
        rounds=True,
    ),
)


def choose_candidates(
    members: Any, *, interpretable: bool, binned: bool = False
) -> tuple[Candidate, ...]:
    """The candidates that `members` stands for.

    Parameters
    ----------
    members : {"auto", "native", "fast"}, or list of names or of (name, estimator)
        As the user gave it. Estimators of the user's get the table as native members do: numbers,
        codes of categories, NaN where something is missing.
    interpretable : bool
        Whether only models that people can read are wanted.
    binned : bool, default=False
        Whether the table is so large that only the bins of its cells are known.

    Examples
    --------
    >>> [c.name for c in choose_candidates(["linear"], interpretable=False)]
    ['linear']
    """
    sets = {"auto": PORTFOLIO, "native": NATIVE, "fast": FAST}
    if binned:
        sets |= {"auto": LARGE, "native": LARGE}
    if isinstance(members, str) and members in sets:
        readable = tuple(c for c in READABLE if c.native or members != "native")
        return readable if interpretable else sets[members]
    known = {c.name: c for c in (*PORTFOLIO, *READABLE, *LARGE)}
    known |= {c.name: c for c in sets["auto"]}
    if isinstance(members, str) or not len(members):
        raise ParameterError(
            f"members={members!r} is not valid. Choose one of {', '.join(map(repr, sets))}, or "
            f"pass a list of names, from {_quoted(known)}, or of (name, estimator) "
            f"pairs.{did_you_mean(members, known)}"
        )
    chosen = []
    for member in members:
        if isinstance(member, str):
            if member not in known:
                raise ParameterError(
                    f"members contains {member!r}, which is not one of "
                    f"{_quoted(known)}.{did_you_mean(member, known)}"
                )
            chosen.append(known[member])
            continue
        name, estimator = member
        chosen.append(Candidate(name, "own", _copier(estimator)))
    return tuple(chosen)


def in_turn(candidates: Sequence[Candidate], situation: Situation) -> list[Candidate]:
    """The order in which candidates are tried on a table.

    Where each of many columns says little, as points of a picture do, networks come early.

    Examples
    --------
    >>> import numpy as np
    >>> digits = Situation("multiclass", 60_000, 10, np.zeros(784, dtype=int))
    >>> [c.name for c in in_turn(PORTFOLIO, digits)][:3]
    ['gradient boosting', 'network', 'extra trees']
    """
    numbers = int((situation.cardinalities == 0).sum())
    if situation.n_rows <= MANY_ROWS or numbers < _MANY_COLUMNS:
        return list(candidates)
    return sorted(candidates, key=lambda c: c is not candidates[0] and c.name != "network")


def drawn(seed: int) -> Iterator[Candidate]:
    """Further boosters, without end: what time is left for when all others were tried.

    Ranges are those in which studies of many tables search.

    Examples
    --------
    >>> next(drawn(0)).name
    'gradient boosting, drawn 1'
    """
    rng = np.random.default_rng(seed)
    for number in itertools.count(1):
        rate = float(np.exp(rng.uniform(np.log(0.02), np.log(0.1))))
        settings: dict[str, Any] = {
            "learning_rate": rate,
            "max_iter": round(40 / rate),
            "subsample": float(rng.uniform(0.6, 1.0)),
            "max_features": float(rng.uniform(0.3, 1.0)),
            "l2_regularization": float(np.exp(rng.uniform(np.log(0.1), np.log(10.0)))),
            "min_samples_leaf": round(np.exp(rng.uniform(0.0, np.log(40.0)))),
        }
        if rng.random() < 0.5:
            depth = int(rng.integers(4, 9))
            settings |= {"growth": "symmetric", "max_leaf_nodes": None, "max_depth": depth}
        else:
            settings["max_leaf_nodes"] = round(np.exp(rng.uniform(np.log(4.0), np.log(128.0))))
        name = f"{DEFAULT}, drawn {number}"
        yield Candidate(name, "gradient boosting", gradient(**settings), rounds=True)


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))


def did_you_mean(name: Any, known: Iterable[str]) -> str:
    """A hint for whoever mistyped one of the known names; "" if none is near.

    Examples
    --------
    >>> did_you_mean("extra tree", ["linear", "extra trees"])
    " Did you mean 'extra trees'?"
    """
    lower = {str(other).lower(): other for other in known}
    near = difflib.get_close_matches(str(name).lower(), list(lower), n=1)
    return f" Did you mean {lower[near[0]]!r}?" if near else ""


def _copier(estimator: Any) -> Make:
    return lambda s: clone(estimator)
