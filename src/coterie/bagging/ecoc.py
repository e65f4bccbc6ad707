"""Error-correcting output codes: many classes by many two-class members.

A code is a matrix of -1, 0 and +1 with one row per class. Column s asks to tell the classes with +1
from those with -1 and leaves those with 0 out. Classes whose rows are far apart survive the errors
of some columns.

Decoding goes from the answers of the columns back to a class, by how far each row of the code is.
Scores are real, positive for the side of +1; their size says how sure a column is. Functions that
decode take a code of shape (K, L) and scores of shape (n, L) and return distances of shape (n, K):
the class of the smallest is the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray
from scipy.special import softmax

from coterie.bagging.bag import BAG, TreeEffort, tree_learner
from coterie.bagging.bag_members import Members, MembersShown
from coterie.base import (
    Admitted,
    ClassifierTask,
    Committee,
    JoblibExecutor,
    thread_count,
    worker_count,
)
from coterie.core import (
    Allowed,
    Bags,
    Learner,
    Member,
    ParameterError,
    Pool,
    RandomLike,
    View,
    a_list,
    at_least,
    draw_entropy,
    growing_stream,
    member_seeds,
    one_of,
)
from coterie.core.learner import numbered
from coterie.data import Table, Target
from coterie.learners import ForeignLearner, ForeignMember
from coterie.native import Forest
from coterie.tags import tagged
from coterie.trees import DecisionTreeClassifier
from coterie.trees.single import SingleTree, is_native

Array = NDArray[np.float64]

Code = NDArray[np.int8]

MOST_EXHAUSTIVE = 11  # classes; one more would double the 1023 columns again
_WORK = 1 << 30  # about as many additions are spent on comparing candidates
_CELLS = 1 << 22  # entries of candidates held at a time
# Primitive polynomials over two elements, bit j standing for the power j.
_PRIMITIVE = {
    4: 0b10011,
    5: 0b100101,
    6: 0b1000011,
    7: 0b10001001,
    8: 0b100011101,
    9: 0b1000010001,
    10: 0b10000001001,
}


def one_vs_rest(n_classes: int) -> Code:
    """Each class against all others."""
    return (2 * np.eye(n_classes) - 1).astype(np.int8)


def one_vs_one(n_classes: int) -> Code:
    """Each pair of classes, the others left out.

    Examples
    --------
    >>> one_vs_one(3)
    array([[ 1,  1,  0],
           [-1,  0,  1],
           [ 0, -1, -1]], dtype=int8)
    """
    pairs = np.array(list(combinations(range(n_classes), 2)))
    code = np.zeros((n_classes, len(pairs)), dtype=np.int8)
    columns = np.arange(len(pairs))
    code[pairs[:, 0], columns], code[pairs[:, 1], columns] = 1, -1
    return code


def exhaustive(n_classes: int) -> Code:
    """All ways to part the classes in two: any two rows differ in more than half the columns.

    References
    ----------
    .. [1] Dietterich & Bakiri, "Solving multiclass learning problems via error-correcting output
       codes", J. Artif. Intell. Res. 2 (1995).

    Examples
    --------
    >>> (exhaustive(4) > 0).astype(int)
    array([[1, 1, 1, 1, 1, 1, 1],
           [0, 0, 0, 0, 1, 1, 1],
           [0, 0, 1, 1, 0, 0, 1],
           [0, 1, 0, 1, 0, 1, 0]])
    """
    if n_classes > MOST_EXHAUSTIVE:
        raise ParameterError(
            f"code='exhaustive' would need {2 ** (n_classes - 1) - 1} columns for {n_classes} "
            "classes; use 'dense', 'sparse' or 'bch'."
        )
    numbers = np.arange(2 ** (n_classes - 1) - 1)
    runs = numbers >> np.arange(n_classes - 1, -1, -1)[:, None]
    bits = np.where(np.arange(n_classes)[:, None] == 0, 1, runs & 1)
    return (2 * bits - 1).astype(np.int8)


def row_distance(code: NDArray[Any]) -> NDArray[np.float64]:
    """In how many columns two rows differ, a zero counting one half; shape (..., K, K).

    Examples
    --------
    >>> row_distance(one_vs_one(3))[0]
    array([0.5, 2. , 2. ])
    """
    code = np.asarray(code, dtype=np.float64)
    return (code.shape[-1] - code @ np.swapaxes(code, -1, -2)) / 2


def dense_random(n_classes: int, rng: Generator, n_candidates: int = 1000) -> Code:
    r"""The best of many random codes of :math:`\lceil 10 \log_2 K \rceil` signs per class."""
    length = int(np.ceil(10 * np.log2(n_classes)))

    def draw(size: int) -> Code:
        signs = rng.integers(0, 2, size=(size, n_classes, length), dtype=np.int8)
        return (2 * signs - 1).astype(np.int8)

    return _best(draw, n_classes, length, n_candidates)


def sparse_random(n_classes: int, rng: Generator, n_candidates: int = 1000) -> Code:
    r"""The best of many random codes of :math:`\lceil 15 \log_2 K \rceil` entries, half zeros.

    References
    ----------
    .. [1] Allwein, Schapire & Singer, "Reducing multiclass to binary", J. Mach. Learn. Res. 1
       (2000).
    """
    length = int(np.ceil(15 * np.log2(n_classes)))

    def draw(size: int) -> Code:
        dice = rng.integers(0, 4, size=(size, n_classes, length), dtype=np.int8)
        return ((dice == 0).astype(np.int8) - (dice == 1)).astype(np.int8)

    return _best(draw, n_classes, length, n_candidates)


def bch(n_classes: int, rng: Generator, n_candidates: int = 100) -> Code:
    r"""Words of a code of Bose, Chaudhuri and Hocquenghem, the best of many choices of them.

    The shortest such code with at least :math:`10 \log_2 K` columns and K words is taken, of the
    largest designed distance. Columns that turn out constant, or equal or opposite to another
    one, are dropped.
    """
    m = max(4, int(np.ceil(np.log2(10 * np.log2(n_classes) + 1))))
    length = 2**m - 1
    generator = next(
        g
        for g in (bch_generator(m, tau) for tau in range(2 ** (m - 1) - 1, 0, -1))
        if 2 ** (length - g.bit_length() + 1) > n_classes
    )
    size = length - generator.bit_length() + 1
    taps = np.array([generator >> j & 1 for j in range(length)], dtype=np.int64)
    basis = np.stack([np.roll(taps, shift) for shift in range(size)])

    def draw(n_draws: int) -> Code:
        words = np.stack(
            [rng.choice(2**size - 1, n_classes, replace=False) + 1 for _ in range(n_draws)]
        )
        bits = words[:, :, None] >> np.arange(size) & 1
        return (2 * (bits @ basis % 2) - 1).astype(np.int8)

    return _best(draw, n_classes, length, n_candidates)


def bch_generator(m: int, tau: int) -> int:
    r"""Generator polynomial of the code of length :math:`2^m - 1` that mends `tau` errors.

    The least common multiple of the minimal polynomials of :math:`\alpha, \dots,
    \alpha^{2\tau}`; bit j of the result stands for the power j.

    Examples
    --------
    >>> f"{bch_generator(4, 2):b}"
    '111010001'
    """
    length = 2**m - 1
    powers = [1]
    for _ in range(length - 1):
        shifted = powers[-1] << 1
        powers.append(shifted ^ _PRIMITIVE[m] if shifted > length else shifted)
    logs = {element: exponent for exponent, element in enumerate(powers)}

    def times(a: int, b: int) -> int:
        return powers[(logs[a] + logs[b]) % length] if a and b else 0

    # The roots are all the powers conjugate to one of 1 to 2 tau.
    roots = {j * 2**i % length for j in range(1, 2 * tau + 1) for i in range(m)}
    product = [1]  # coefficients, lowest power first
    for root in sorted(roots):
        scaled = [*(times(c, powers[root]) for c in product), 0]
        product = [a ^ b for a, b in zip([0, *product], scaled, strict=True)]
    return sum(bit << j for j, bit in enumerate(product))


def check_code(code: NDArray[Any], n_classes: int) -> Code:
    """A matrix given by the user, or an error that says what is wrong with it."""
    matrix = np.asarray(code)
    if matrix.ndim != 2 or len(matrix) != n_classes or not matrix.shape[1]:
        raise ParameterError(
            f"code has shape {matrix.shape}, but must have one row for each of the {n_classes} "
            "classes and at least one column."
        )
    if not np.isin(matrix, (-1, 0, 1)).all():
        raise ParameterError("code must contain only -1, 0 and 1.")
    one_sided = np.flatnonzero(~((matrix == 1).any(axis=0) & (matrix == -1).any(axis=0)))
    if len(one_sided) and n_classes > 1:
        raise ParameterError(
            f"code: column {one_sided[0]} has no class on one of its two sides; every column "
            "needs a 1 and a -1."
        )
    return matrix.astype(np.int8)


CODES: dict[str, Callable[[int, Generator, int], Code]] = {
    "dense": dense_random,
    "sparse": sparse_random,
    "bch": bch,
    "exhaustive": lambda n_classes, rng, n_candidates: exhaustive(n_classes),
    "one-vs-one": lambda n_classes, rng, n_candidates: one_vs_one(n_classes),
    "one-vs-rest": lambda n_classes, rng, n_candidates: one_vs_rest(n_classes),
}


def make_code(code: Any, n_classes: int, rng: Generator, n_candidates: int = 1000) -> Code:
    """The code of a name, or a matrix as it was given.

    Two classes are one problem, whatever the code; so is one class, whose answer is known.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> make_code("dense", 2, rng)
    array([[-1],
           [ 1]], dtype=int8)
    >>> make_code("dense", 3, rng).shape
    (3, 3)
    """
    if not isinstance(code, str):
        return check_code(code, n_classes)
    if n_classes <= 2:
        return np.array([[-1], [1]][-n_classes:], dtype=np.int8)
    return CODES[code](n_classes, rng, n_candidates)


def _usable(codes: Code) -> NDArray[np.bool_]:
    """Columns with two sides, neither equal nor opposite to an earlier one; shape (size, L)."""
    two_sided = (codes == 1).any(axis=1) & (codes == -1).any(axis=1)
    first = np.argmax(codes != 0, axis=1)
    turned = codes * np.take_along_axis(codes, first[:, None, :], axis=1)
    alike = np.swapaxes(turned, 1, 2).astype(np.float32) @ turned.astype(np.float32)
    norms = np.abs(codes).sum(axis=1, dtype=np.float32)
    # Turned the same way, two columns of n and m entries are equal if their product is n = m.
    same = (alike == norms[:, :, None]) & (alike == norms[:, None, :])
    return two_sided & ~np.tril(same, -1).any(axis=2)


def _best(draw: Callable[[int], Code], n_classes: int, length: int, n_candidates: int) -> Code:
    """Of many codes, without useless columns, the one whose closest rows are farthest apart."""
    affordable = max(1, _WORK // (n_classes * length * max(n_classes, length)))
    left = min(n_candidates, affordable)
    best, record = None, -1.0
    while left > 0:
        size = min(left, max(1, _CELLS // (max(n_classes, length) ** 2)))
        left -= size
        codes = draw(size)
        usable = _usable(codes)
        kept = (codes * usable[:, None, :]).astype(np.float32)
        products, overlaps = kept @ np.swapaxes(kept, 1, 2), np.abs(kept)
        overlaps = overlaps @ np.swapaxes(overlaps, 1, 2)
        opposite = (overlaps - products) / 2
        distance = opposite + (usable.sum(axis=1)[:, None, None] - overlaps) / 2
        # Two classes that no column tells apart make a code worthless.
        distance[opposite < 1] = -1.0
        distance[:, np.arange(n_classes), np.arange(n_classes)] = np.inf
        nearest = distance.min(axis=(1, 2))
        at = int(nearest.argmax())
        if best is None or nearest[at] > record:
            best, record = codes[at][:, usable[at]], float(nearest[at])
    if best is None or record < 0:
        raise ParameterError(
            f"None of the {n_candidates} random codes separates all {n_classes} classes; increase "
            "n_candidates, or choose another code."
        )
    return best


_STEEP = 50.0  # exp of more is as good as certain, and sums stay exact
_FLOOR = 1e-12  # probabilities are not taken below
_DECIMALS = 10  # distances closer than rounding are ties, whatever the order of additions

#: Losses of a margin z, the larger the worse.
LOSSES: dict[str, Callable[[Array], Array]] = {
    "exponential": lambda z: np.exp(-np.clip(z, -_STEEP, _STEEP)),
    "logistic": lambda z: np.logaddexp(0.0, -2 * z),
    "hinge": lambda z: np.maximum(0.0, 1 - z),
    "squared": lambda z: (1 - z) ** 2,
    "linear": lambda z: -z,
}


def hamming(code: NDArray[np.int8], scores: Array) -> Array:
    r"""Answers that differ: :math:`\sum_s (1 - \operatorname{sign}(M_{ks} f_s)) / 2`.

    A zero of the code, or a score of zero, counts one half.

    Examples
    --------
    >>> hamming(np.array([[1, 1, 0], [-1, 0, 1], [0, -1, -1]]), np.array([[0.4, -0.6, 0.1]]))
    array([[1.5, 1.5, 1.5]])
    """
    return (code.shape[1] - np.sign(scores) @ code.T) / 2


def loss_based(code: NDArray[np.int8], scores: Array, loss: str = "exponential") -> Array:
    r"""Total loss were the class right: :math:`\sum_s \ell(M_{ks} f_s)`.

    References
    ----------
    .. [1] Allwein, Schapire & Singer, "Reducing multiclass to binary", J. Mach. Learn. Res. 1
       (2000).

    Examples
    --------
    >>> code = np.array([[1, 1, 0], [-1, 0, 1], [0, -1, -1]])
    >>> loss_based(code, np.array([[0.4, -0.6, 0.1]])).round(3)
    array([[3.492, 3.397, 2.654]])
    """
    return weighted(code, scores, np.ones(code.shape), loss)


def weighted(
    code: NDArray[np.int8], scores: Array, weights: Array, loss: str = "exponential"
) -> Array:
    r"""Loss with a weight for every class and column: :math:`\sum_s W_{ks}\,\ell(M_{ks} f_s)`.

    Parameters
    ----------
    code : ndarray of shape (n_classes, n_columns)
        The code.
    scores : ndarray of shape (n_rows, n_columns)
        Answers of the columns.
    weights : ndarray of shape (n_classes, n_columns)
        How much to trust each column about each class, see `reliability`.
    loss : str
        A name from `LOSSES`.

    References
    ----------
    .. [1] Escalera, Pujol & Radeva, "On the decoding process in ternary error-correcting output
       codes", IEEE Trans. Pattern Anal. Mach. Intell. 32 (2010).
    """
    ell = LOSSES[loss]
    # An entry is -1, 0 or 1: three sums of products stand for a tensor of (n, K, L).
    total = ell(scores) @ (weights * (code == 1)).T
    total += ell(-scores) @ (weights * (code == -1)).T
    total += ell(np.zeros(1)) * (weights * (code == 0)).sum(axis=1)
    return np.round(total, _DECIMALS)


def reliability(code: NDArray[np.int8], hits: Array) -> Array:
    """Weights of `weighted` from the share of rows of each class that each column has right.

    A zero of the code has weight zero, and the weights of a class sum to one, so that classes with
    more zeros are neither favoured nor punished.

    Parameters
    ----------
    code : ndarray of shape (n_classes, n_columns)
        The code.
    hits : ndarray of shape (n_classes, n_columns)
        Shares of right answers; whatever stands where the code is zero is not used.

    Examples
    --------
    >>> code = np.array([[1, 1, 0], [-1, 0, 1], [0, -1, -1]])
    >>> reliability(code, np.array([[1, 0.5, 0], [1, 0, 1], [0, 1, 1]])).round(2)
    array([[0.67, 0.33, 0.  ],
           [0.5 , 0.  , 0.5 ],
           [0.  , 0.5 , 0.5 ]])
    """
    weights = np.where(code == 0, 0.0, hits)
    # A class that no column ever has right still needs weights.
    weights = np.where(weights.any(axis=1, keepdims=True), weights, code != 0)
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def probability(code: NDArray[np.int8], scores: Array) -> Array:
    r"""Minus the log-probability of the row's bits: :math:`-\sum_s \log P(\text{bit}_s = M_{ks})`.

    Scores are :math:`2p - 1` for a probability p of the side of +1; a zero of the code has
    probability one half. Columns are taken as independent.

    Examples
    --------
    >>> np.exp(-probability(np.array([[1, 0], [-1, 1]]), np.array([[0.6, -0.2]]))).round(3)
    array([[0.4 , 0.08]])
    """
    log_up = np.log(np.clip((1 + scores) / 2, _FLOOR, 1.0))
    log_down = np.log(np.clip((1 - scores) / 2, _FLOOR, 1.0))
    total = log_up @ (code == 1).T.astype(np.float64)
    total += log_down @ (code == -1).T.astype(np.float64)
    total += np.log(0.5) * (code == 0).sum(axis=1)
    return np.round(-total, _DECIMALS)


_SIDES = (np.array([-1, 1]),)


@tagged
def side_score(output: Array) -> Array:
    """Twice the probability of the side of +1, less one: a score from -1 to 1."""
    return output[:, 1:] - output[:, :1]


@dataclass(eq=False, repr=False)
class ECOCClassifier(MembersShown, ClassifierTask, Committee):
    r"""Error-correcting output codes: each member separates some classes from the others.

    A code gives every class a row of signs, one column per member: member s separates the classes
    with +1 from those with -1 and does not see those with 0. Together the members predict a row of
    scores, and the class with the closest row is the prediction. If rows differ in d columns, any
    :math:`\lfloor (d-1)/2 \rfloor` members may err.

    Parameters
    ----------
    estimator : classifier, default=None
        The base estimator for each column of the code; by default a fully grown native tree. Scores
        are :math:`2p - 1` if members have probabilities p, otherwise their decision function,
        otherwise their labels.
    code : str or array-like of shape (n_classes, n_columns), default="dense"
        "one-vs-rest"; "one-vs-one"; "exhaustive", all :math:`2^{K-1} - 1` ways to divide K classes
        into two groups (up to 11 classes); "dense" and "sparse", random codes with :math:`10 \log_2
        K` signs, or with :math:`15 \log_2 K` entries, half of them zeros; "bch", words of an
        algebraic code, which are farther apart for many classes; or a matrix of -1, 0 and 1.
        Columns that are constant or repeat another are dropped, so there may be fewer.
    decoding : {"loss", "hamming", "weighted", "probability"}, default="loss"
        How the distance to a class is measured: total loss of the scores (:math:`\sum_s \ell(M_{ks}
        f_s)`); number of signs that differ; loss with columns weighted by how often they are right
        about a class in training, without zeros (equal weights if members fit their rows
        perfectly); or the negative log-probability of the signs.
    loss : {"exponential", "logistic", "hinge", "squared", "linear"}, default="exponential"
        :math:`\ell` of "loss" and "weighted": :math:`e^{-z}`, :math:`\log(1 + e^{-2z})`,
        :math:`\max(0, 1 - z)`, :math:`(1 - z)^2` or :math:`-z`.
    n_candidates : int, default=1000
        Number of random codes drawn, of which the one with the largest distance between rows is
        used; fewer if there are very many classes.
    random_state : int, RandomState, Generator or None, default=None
        Source of randomness.
    n_jobs : int, default=None
        Number of members fitted in parallel.
    verbose : int, default=0
        Progress messages.
    max_bins : int, default=65535
        Maximum number of bins per column in native trees.
    categorical_features : "from_dtype", array-like or None, default="from_dtype"
        Numeric columns to treat as categorical, in addition to text and categorical columns.

    Attributes
    ----------
    code_ : ndarray of shape (n_classes, n_columns)
        The code.
    estimators_ : sequence of classifiers
        The members, with labels -1 and 1.
    pool_ : Pool
        The members.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    column_weights_ : ndarray of shape (n_classes, n_columns)
        Weights for "weighted" decoding; absent otherwise.

    Notes
    -----
    Codes pay for many classes: three have only 3 different columns and four have 7, which leaves
    little room to mend errors, and two are one problem.

    `predict_proba` is the softmax of minus the distances. It ranks classes as `predict` does, but
    is not calibrated: with many columns it is over-confident.

    References
    ----------
    .. [1] Dietterich & Bakiri, "Solving multiclass learning problems via error-correcting output
       codes", J. Artif. Intell. Res. 2 (1995).
    .. [2] Allwein, Schapire & Singer, "Reducing multiclass to binary", J. Mach. Learn. Res. 1
       (2000).

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> X, y = load_digits(return_X_y=True)
    >>> model = ECOCClassifier(random_state=0).fit(X[::2], y[::2])
    >>> tree = DecisionTreeClassifier(random_state=0).fit(X[::2], y[::2])
    >>> model.score(X[1::2], y[1::2]) > tree.score(X[1::2], y[1::2]) + 0.05
    True
    """

    estimator: Any = None
    _: KW_ONLY
    code: Any = "dense"
    decoding: Literal["loss", "hamming", "weighted", "probability"] = "loss"
    loss: Literal["exponential", "logistic", "hinge", "squared", "linear"] = "exponential"
    n_candidates: int = 1000
    random_state: RandomLike = None
    n_jobs: int | None = None
    verbose: int = 0
    max_bins: int = 65_535
    categorical_features: Any = "from_dtype"

    multi_output: ClassVar[bool] = False
    allowed: ClassVar[Mapping[str, Allowed]] = {
        **{name: BAG[name] for name in ("estimator", "random_state", "n_jobs", "verbose")},
        **{name: BAG[name] for name in ("max_bins", "categorical_features")},
        "code": one_of(*CODES) | a_list,
        "decoding": one_of("loss", "hamming", "weighted", "probability"),
        "loss": one_of(*LOSSES),
        "n_candidates": at_least(1),
    }

    def _member(self) -> Any:
        return DecisionTreeClassifier() if self.estimator is None else self.estimator

    def _train(self, draft: Self, admitted: Admitted, n_samples: int) -> None:
        table, target, weight, _ = admitted
        threads = thread_count(self.n_jobs)
        table = table.bin(weight=weight, max_bins=self.max_bins, n_threads=threads)
        entropy = draw_entropy(self.random_state)
        chance = np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=(2**31,)))
        code = make_code(self.code, draft.n_classes_, chance, self.n_candidates)
        executor = JoblibExecutor(self.n_jobs, self.verbose)
        sides = Target("labels", np.zeros((target.n_rows, 1), dtype=np.int32), _SIDES)
        within = max(1, min(threads, worker_count(self.n_jobs)) // code.shape[1])
        learner = self._learner(View(table, sides), TreeEffort(within, executor.stop))
        fit = partial(_fit_column, learner, View(table, target, weight))
        seeds = member_seeds(entropy, 0, code.shape[1]).tolist()
        members = executor.map(fit, list(zip(range(code.shape[1]), code.T, seeds, strict=True)))
        draft.code_, draft.pool_ = code, Pool.of(members, cast=side_score)
        draft.bags_ = Bags(np.array(seeds), None, n_samples, admitted.kept)
        if self.decoding == "weighted":
            scores = draft._scores(table)
            draft.column_weights_ = reliability(code, _hits(code, scores, target, weight))

    def _learner(self, view: View, effort: TreeEffort) -> Learner:
        member = self._member()
        if is_native(member):
            return tree_learner(self, member, view, None, effort)
        return ForeignLearner(member)

    def _scores(self, table: Table) -> Array:
        """What every column says of every row, shape (n_rows, n_columns)."""
        pool, threads = self.pool_, thread_count(self.n_jobs)
        ask = partial(_score, table, n_threads=threads if isinstance(pool.members, Forest) else 1)
        parts = [pool[s : s + 1] for s in range(len(pool))]
        if isinstance(pool.members, Forest):
            return np.column_stack([ask(part) for part in parts])
        return np.column_stack(JoblibExecutor(self.n_jobs).map(ask, parts))

    def _distances(self, X: Any) -> Array:
        """How far the row of every class is, shape (n_rows, n_classes)."""
        scores = self._scores(self._admit(X))
        if self.decoding == "hamming":
            return hamming(self.code_, scores)
        if self.decoding == "probability":
            return probability(self.code_, scores)
        weights = self.column_weights_ if self.decoding == "weighted" else np.ones(self.code_.shape)
        return weighted(self.code_, scores, weights, self.loss)

    def _mean_vote(self, X: Any) -> Array:
        return np.asarray(softmax(-self._distances(X), axis=1))

    def decision_function(self, X: Any) -> Array:
        """The negative distance to each class; for two classes, by how much the second is closer.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
        """
        distances = self._settled()._distances(X)
        if distances.shape[1] == 2:
            return np.asarray(distances[:, 0] - distances[:, 1])
        return -distances

    @property
    def estimators_(self) -> Members:
        """The fitted members, with native trees created on access."""
        return _Columns(self._settled())


def _fit_column(learner: Learner, view: View, column: tuple[int, Code, int]) -> Member:
    """The member of one column of the code."""
    number, signs, seed = column
    side = signs[view.target.codes[:, 0]]
    weight = view.weight
    if not side.all():
        weight = np.where(side == 0, 0.0, 1.0 if weight is None else weight)
    sides = Target("labels", (side > 0).astype(np.int32)[:, None], _SIDES)
    stream = growing_stream(seed)
    return numbered(learner, number).fit(view.table, sides, weight, stream)


def _score(table: Table, part: Pool, *, n_threads: int = 1) -> Array:
    """What one column says of every row."""
    member = part.member(0)
    if isinstance(member, ForeignMember):
        estimator = member.estimator
        if not hasattr(estimator, "predict_proba") and hasattr(estimator, "decision_function"):
            return replace(member, method="decision_function").predict(table)[:, 0]
    return part.raw(table, n_threads=n_threads)[:, 0]


def _hits(code: Code, scores: Array, target: Target, weight: Array | None) -> Array:
    """Share of right answers by class and column, shape (n_classes, n_columns)."""
    codes = target.codes[:, 0]
    right = np.sign(scores) == code[codes]
    weight = np.ones(len(codes)) if weight is None else weight
    member_of = np.eye(len(code))[codes] * weight[:, None]
    return np.asarray(member_of.T @ right / member_of.sum(axis=0)[:, None])


class _Columns(Members):
    """Members whose labels are the two sides of a column."""

    def _tree(self, forest: Forest, number: int) -> SingleTree:
        tree = super()._tree(forest, number)
        tree.target_ = Target("labels", np.empty((0, 1), dtype=np.int32), _SIDES)
        tree.classes_, tree.n_classes_, tree.n_outputs_ = _SIDES[0], 2, 1
        return tree
