"""What the short and the long suite leave out."""

from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from conftest import CASES, LONG_THINNING, THINNING, _is_slow, _repeated, _thinned


class Item:
    """As much of a collected test as is looked at."""

    def __init__(self, name: str, mark: Any = None, **params: Any) -> None:
        self.name, self.originalname = name, name.partition("[")[0]
        self.path = Path("test_it.py")
        self.marks = [] if mark is None else [mark.mark]
        self.callspec = SimpleNamespace(params=params, id=name.partition("[")[2].rstrip("]"))

    def iter_markers(self, name: str) -> list[Any]:
        return [mark for mark in self.marks if mark.name == name]

    def get_closest_marker(self, name: str) -> Any:
        return next(iter(self.iter_markers(name)), None)


@pytest.mark.parametrize(
    ("item", "slow"),
    [
        (Item("test_a[x]"), False),
        (Item("test_a[x]", pytest.mark.slow), True),
        (Item("test_a[LPBoost-two]", pytest.mark.slow("three", "LPBoost")), True),
        (Item("test_a[AdaBoost-two]", pytest.mark.slow("three", "LPBoost")), False),
        (Item("test_LPBoost[two]", pytest.mark.slow("LPBoost")), False),
    ],
)
def test_slow_means_a_test_or_some_of_its_cases(item, slow):
    assert _is_slow(item) is slow


@pytest.mark.parametrize(("name", "slow"), [("a.b.some_function", False), ("a.b.SomeClass", True)])
def test_examples_of_classes_are_slow(request, name, slow):
    file = pytest.Dir.from_parent(request.session, path=request.path.parent)
    assert (
        _is_slow(pytest.DoctestItem.from_parent(file, name=name, runner=None, dtest=None)) is slow
    )


def test_of_many_cases_a_few_are_kept():
    items = [Item(f"test_{name}[{k}]") for k in range(10) for name in "ab"] + [Item("test_c")]
    items += [Item(f"test_d[{k}]") for k in range(CASES)]
    items += [Item(f"test_e[{k}]", pytest.mark.every_case) for k in range(10)]
    dropped = _repeated(items)
    kept = [item.name for item in items if item not in dropped]
    spread = [f"test_{name}[{k}]" for k in (0, 5) for name in "ab"]
    assert kept == [*spread, *(item.name for item in items[20:])]


@pytest.mark.parametrize("thinning", [THINNING, LONG_THINNING])
@pytest.mark.parametrize(("n_classes", "n_cases"), [(100, 60), (3, 5), (100, 1), (1, 60)])
def test_every_estimator_and_every_case_is_met(n_classes, n_cases, thinning):
    classes = [type(f"Class{k}x", (), {}) for k in range(n_classes)]
    items = [
        Item(f"test_{case % 4}[{cls.__name__}-{case}]", cls=cls, case=case)
        for case in range(n_cases)
        for cls in classes
    ]
    dropped = _thinned(items, thinning)
    kept = [item for item in items if item not in dropped]
    assert {item.callspec.params["cls"] for item in kept} == set(classes)
    assert len({item.name.rpartition("-")[2] for item in kept}) == n_cases
    assert len(kept) <= n_classes * n_cases / thinning + n_classes + n_cases


def test_checks_are_one_case_for_all_estimators():
    items = [Item(f"test_a[{k}]", estimator=k, check=partial(print, k, end="")) for k in range(9)]
    assert len(set(items) - _thinned(items)) == 1


def test_several_instances_of_a_class_are_one_estimator():
    items = [
        Item(f"test_a[{k}-{kind}]", estimator=1.0 * k, kind=kind) for k in range(9) for kind in "xy"
    ]
    assert len(set(items) - _thinned(items)) == 2
    # The long suite takes all of them in the case that it takes, and meets the other case once.
    assert len(set(items) - _thinned(items, LONG_THINNING)) == 10
