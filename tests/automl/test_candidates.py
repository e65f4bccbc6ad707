"""The portfolio."""

import warnings
from importlib.util import find_spec

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

import coterie
from coterie.automl.candidates import FAST, LARGE, PORTFOLIO, READABLE, choose_candidates, in_turn
from coterie.automl.makers import linear, prior
from coterie.automl.situation import Situation

TASKS = {"binary": 2, "multiclass": 3, "regression": 0}


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("candidate", [*PORTFOLIO, *FAST, *LARGE, *READABLE], ids=lambda c: c.name)
def test_every_candidate_fits_what_it_says_it_does(candidate, task, tmp_path):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.normal(size=(90, 3)), rng.integers(0, 4, 90)])
    X[::9, 0] = np.nan
    s = Situation(task, 90, TASKS[task], np.array([0, 0, 0, 4]), missing=True)
    if candidate.fits is not None and not candidate.fits(s):
        return
    y = X[:, 1] if task == "regression" else np.digitize(X[:, 1], [-0.5, 0.5][: TASKS[task] - 1])
    model = candidate.make(s)
    if candidate.rounds:
        model.set_params(max_iter=10)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # searches do so too
        model.fit(X, y)
        said = model.predict(X) if task == "regression" else model.predict_proba(X)
    assert np.isfinite(said).all()
    assert said.shape == ((90,) if task == "regression" else (90, TASKS[task]))
    _check_file(model, X, tmp_path)


def _check_file(model, X, tmp_path):
    """Files of what a search may choose are loaded without being trusted by name."""
    if not find_spec("skops"):
        return
    coterie.save(model, tmp_path / "model")
    again = coterie.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_members_for_many_columns_come_back_from_a_file(task, tmp_path):
    X = np.random.default_rng(0).normal(size=(40, 101))
    s = Situation(task, 40, TASKS[task], np.zeros(101, dtype=int))
    y = X[:, 0] if task == "regression" else X[:, 0] > 0
    for make in (linear, prior):
        _check_file(make(s).fit(X, y), X, tmp_path)


def test_names_are_unique():
    for part in (PORTFOLIO, FAST, READABLE):
        assert len({c.name for c in part}) == len(part)


def test_members_by_name_and_of_the_users_own():
    own = DummyClassifier()
    chosen = choose_candidates(["linear", ("mine", own)], interpretable=False)
    assert [c.name for c in chosen] == ["linear", "mine"]
    made = chosen[1].make(Situation("binary", 10, 2, np.zeros(1, dtype=int)))
    assert isinstance(made, DummyClassifier)
    assert made is not own
    assert choose_candidates("auto", interpretable=True) == READABLE
    with pytest.raises(ValueError, match="lineer"):
        choose_candidates(["lineer"], interpretable=False)
    with pytest.raises(ValueError, match="best"):
        choose_candidates("best", interpretable=False)


def test_native_members_alone():
    native = choose_candidates("native", interpretable=False)
    assert len(native) > 5
    assert all(candidate.native for candidate in native)
    assert set(native) < set(choose_candidates("auto", interpretable=False))
    readable = choose_candidates("native", interpretable=True)
    assert [candidate.name for candidate in readable] == ["tree", "additive model"]
    binned = choose_candidates("auto", interpretable=False, binned=True)
    assert binned == choose_candidates("native", interpretable=False, binned=True)
    assert all(candidate.native for candidate in binned)


@pytest.mark.parametrize(
    ("n_rows", "columns", "early"),
    [
        (60_000, np.zeros(784, dtype=int), True),
        (60_000, np.zeros(20, dtype=int), False),
        (60_000, np.full(784, 3), False),
        (1_000, np.zeros(784, dtype=int), False),
    ],
)
def test_networks_come_early_where_columns_are_many(n_rows, columns, early):
    names = [c.name for c in in_turn(PORTFOLIO, Situation("multiclass", n_rows, 10, columns))]
    assert sorted(names) == sorted(c.name for c in PORTFOLIO)
    assert names[0] == PORTFOLIO[0].name
    assert (names[1] == "network") is early
    rest = [name for name in names if name != "network"]
    assert rest == [c.name for c in PORTFOLIO if c.name != "network"]
