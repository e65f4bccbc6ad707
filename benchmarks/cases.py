"""What is measured: cases, and the suites made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from benchmarks.contenders import BASE, BOOSTED, CONTENDERS, OURS, Family
from benchmarks.tables import REAL, Task, task_of

Suite = Literal["quick", "default", "full", "boosting", "bagging", "forests", "gradient"]
Size = Literal["quick", "default", "full"]
FORESTS = ("covertype", "letter", "magic", "adult", "flights", "housing")


@dataclass(frozen=True)
class Allowance:
    """How many full-depth trees a contender is asked for, as measured to take 5 to 20 s.

    LightGBM and XGBoost are not made for full-depth forests: LightGBM's time per tree grows
    with the square of the rows (0.13 s at 10,000, 7 s at 100,000, 94 s at a million and its
    limit of leaves), XGBoost's is about twice scikit-learn's. They are compared by the time
    of one tree, over fewer trees.
    """

    trees: float  # on 10,000 rows of two classes
    power: float  # of the rows, by which trees get slower
    regression: float  # times slower with a number to predict, and all columns tried

    def of(self, rows: int, task: Task) -> float:
        """Trees on that many rows; a fraction where even one would take too long."""
        slower = self.regression if task == "regression" else 1.0
        return self.trees / slower * (10_000 / rows) ** self.power


ALLOWANCES = {"LightGBM": Allowance(100, 2, 3), "XGBoost": Allowance(100, 1, 8)}
LEAST = 0.5  # of a tree: a contender allowed less is left out, unless all is to be measured


@dataclass(frozen=True)
class Case:
    """One model on one table."""

    family: Family
    table: str
    rows: int
    trees: int
    all_cores: bool = False  # measured on all cores too, not only on one
    alone: bool = False  # others would take hours

    @property
    def name(self) -> str:
        """What ``--only`` matches.

        >>> Case("forest", "higgs", 100_000, 20).name
        'forest/higgs/100k'
        """
        return f"{self.family}/{self.table}/{short(self.rows)}"

    @property
    def task(self) -> Task:
        """Classification or regression."""
        return task_of(self.table)

    def trees_for(self, contender: str, *, full: bool = False) -> int:
        """Trees asked of a contender; 0 leaves it out.

        >>> case = Case("forest", "higgs", 100_000, 20)
        >>> [case.trees_for(c) for c in ("coterie", "scikit-learn", "LightGBM", "XGBoost")]
        [20, 20, 1, 10]
        """
        if self.family not in CONTENDERS[contender].families or (self.alone and contender != OURS):
            return 0
        if self.family in ("tree", "gradient") or contender not in ALLOWANCES:
            return self.trees
        allowed = ALLOWANCES[contender].of(self.rows, self.task)
        if allowed < LEAST and not full:
            return 0
        return min(self.trees, max(1, int(allowed)))


def short(rows: int) -> str:
    """A number of rows in few letters.

    >>> short(10_000), short(1_000_000), short(435_759), short(300)
    ('10k', '1M', '436k', '300')
    """
    if rows >= 1_000_000:
        return f"{rows / 1e6:.3g}M"
    return f"{rows / 1e3:.0f}k" if rows >= 1000 else str(rows)


def _trees(suite: Suite, rows: int, task: Task) -> int:
    """Trees of a forest: 100 where that takes seconds, fewer on large tables.

    Time per tree does not depend on their number (what is done once per forest, such as
    binning, weighs more on a small one, which is to our disadvantage).
    """
    if suite == "full":
        return 100
    row_trees = 2_000_000 if task == "classification" else 1_000_000
    usual = max(10, min(100, row_trees // rows))
    return max(5, usual // 10) if suite == "quick" else usual


def _synthetic(suite: Suite, sizes: Sequence[int]) -> list[Case]:
    plan: list[tuple[Family, str]] = [
        ("tree", "higgs"),
        ("tree", "energy"),
        ("forest", "higgs"),
        ("extra", "higgs"),
        ("forest", "energy"),
    ]
    cases = []
    for family, table in plan:
        for rows in sizes:
            trees = 1 if family == "tree" else _trees(suite, rows, task_of(table))
            many = rows >= 100_000 and (family, table) not in (
                ("extra", "higgs"),
                ("tree", "energy"),
            )
            case = Case(family, table, rows, trees, all_cores=many or suite == "full")
            # scikit-learn's regression forest tries all 28 columns: minutes for a few trees
            if (family, table) == ("forest", "energy") and rows > 100_000 and suite != "full":
                continue
            cases.append(case)
    return cases


def _real(suite: Suite) -> list[Case]:
    cases = [Case("tree", "covertype", REAL["covertype"].rows, 1)]
    for table in FORESTS:
        real = REAL[table]
        rows = min(real.rows, 100_000) if table == "flights" and suite != "full" else real.rows
        trees = _trees(suite, rows, real.task)
        if table == "covertype":  # the targets are set on it, and its trees grow quickly
            trees = max(trees, 50)
        cases.append(Case("forest", table, rows, trees, table == "covertype" or suite == "full"))
    return cases


def _boosting(sizes: Sequence[int] | None) -> list[Case]:
    """AdaBoost: 100 stumps, 50 trees of depth 3, and a thousand stumps on a million rows."""
    cases = []
    for rows in sizes or (100_000,):
        cases.append(Case("stumps", "higgs", rows, 100, all_cores=sizes is None))
        cases.append(Case("depth3", "higgs", rows, 50))
    if sizes is None:
        cases.append(Case("stumps", "higgs", 1_000_000, 1000, alone=True))
    return cases


def _bagging(sizes: Sequence[int] | None) -> list[Case]:
    """A hundred full trees in bags, and in random halves of the columns."""
    cases = [Case("bagging", "higgs", rows, 100) for rows in sizes or (10_000,)]
    if sizes is None:
        for table in ("magic", "spambase", "letter", "housing"):
            cases.append(Case("bagging", table, REAL[table].rows, 100))
        for table in ("magic", "spambase", "letter"):
            cases.append(Case("subspace", table, REAL[table].rows, 100))
    return cases


def _forests(sizes: Sequence[int] | None) -> list[Case]:
    """Forests, extra trees and bagged trees as they come, at every size, and on real tables.

    Meant to take under 20 minutes on two idle cores. Five trees are grown on a million rows, where
    scikit-learn takes a quarter of a minute for each, and only of the kinds that try few columns:
    its trees on all columns take minutes there. Ask for them with ``--rows 1M``.

    >>> [c.name for c in _forests(None) if c.rows == 1_000_000]
    ['forest/normal/1M', 'extra/normal/1M']
    """
    cases = []
    for rows in sizes or (10_000, 100_000, 1_000_000):
        trees = 100 if rows <= 10_000 else 20 if rows <= 100_000 else 5
        cases.append(Case("forest", "normal", rows, trees))
        cases.append(Case("extra", "normal", rows, trees))
        if sizes is None and rows > 100_000:
            continue
        cases.append(Case("forest", "higgs", rows, trees))
        few = 1 if rows > 100_000 else trees // 4
        cases.append(Case("bagging", "higgs", rows, few))
        cases.append(Case("forest", "energy", rows, few))
    if sizes is None:
        cases.append(Case("forest", "covertype", REAL["covertype"].rows, 20))
        cases.append(Case("extra", "covertype", REAL["covertype"].rows, 20))
        for table in ("letter", "magic", "adult", "spambase", "german", "vehicle", "housing"):
            cases.append(Case("forest", table, REAL[table].rows, 100))
        cases.append(Case("extra", "letter", REAL["letter"].rows, 100))
    return cases


def _rounds(size: Size, rows: int, classes: int) -> int:
    """Rounds of gradient boosting: 100 where that takes seconds, fewer on large tables.

    >>> _rounds("default", 100_000, 2), _rounds("default", 435_759, 7), _rounds("full", 10**6, 2)
    (100, 20, 100)
    """
    if size == "full":
        return 100
    work = rows * (classes if classes > 2 else 1)
    usual = next((r for limit, r in ((200_000, 100), (1_200_000, 40)) if work <= limit), 20)
    return usual // 4 if size == "quick" else usual


def _gradient(size: Size, sizes: Sequence[int] | None) -> list[Case]:
    """Gradient boosting with equal settings: two synthetic tables, and all real ones."""
    usual = (10_000,) if size == "quick" else (100_000, 1_000_000)
    cases = []
    for rows in sizes or usual:
        for table in ("higgs", "energy"):
            many = size == "full" or (rows >= 1_000_000 and table == "higgs")
            classes = 2 if table == "higgs" else 0
            cases.append(Case("gradient", table, rows, _rounds(size, rows, classes), many))
    for table, real in REAL.items():
        if size == "quick" and table not in ("letter", "concrete"):
            continue
        most = real.rows if size == "full" else {"flights": 100_000, "mnist": 10_000}.get(table)
        rows = min(real.rows, most or real.rows)
        rounds = _rounds(size, rows, real.classes)
        if table == "mnist" and size != "full":  # of ten classes and 784 columns
            rounds = 10
        cases.append(Case("gradient", table, rows, rounds, all_cores=size == "full"))
    return cases


def build(
    suite: Suite,
    sizes: Sequence[int] | None = None,
    trees: int | None = None,
    size: Size = "default",
) -> list[Case]:
    """Cases of a suite; ``sizes`` and ``trees`` override its table sizes and forest sizes.

    ``size`` is how much of gradient boosting is measured.
    """
    if suite == "gradient":
        cases = _gradient(size, sizes)
    elif suite == "boosting":
        cases = _boosting(sizes)
    elif suite == "bagging":
        cases = _bagging(sizes)
    elif suite == "forests":
        cases = _forests(sizes)
    elif suite == "quick":
        cases = _synthetic(suite, sizes or (10_000,))
        if sizes is None:
            cases.insert(1, Case("tree", "higgs", 100_000, 1))
        cases += [c for c in _real(suite) if c.table in ("letter", "housing")]
        cases = [replace(c, all_cores=c.name == "forest/higgs/10k") for c in cases]
    else:
        cases = _synthetic(suite, sizes or (10_000, 100_000, 1_000_000)) + _real(suite)
    if trees is not None:
        cases = [c if c.family == "tree" else replace(c, trees=trees) for c in cases]
    return cases


def select(cases: Sequence[Case], only: Sequence[str]) -> list[Case]:
    """Cases whose name contains one of ``only`` (all when empty).

    >>> [c.name for c in select(build("quick"), ["tree/higgs"])]
    ['tree/higgs/10k', 'tree/higgs/100k']
    """
    return [c for c in cases if not only or any(part in c.name for part in only)]


def is_serial(case: Case, contender: str) -> bool:
    """Whether more cores would change nothing, so that it need not be measured again."""
    return contender == BASE and (case.family == "tree" or case.family in BOOSTED)
