"""The search."""

import itertools
import time
from dataclasses import replace

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from coterie.automl.candidates import DEEP, DEFAULT, Candidate, choose_candidates
from coterie.automl.choice import choose_combination
from coterie.automl.clock import Clock, OutOfTime, WorkClock
from coterie.automl.combine import WAYS, affordable_rows
from coterie.automl.journal import Journal
from coterie.automl.makers import gradient
from coterie.automl.search import Search
from coterie.automl.second_layer import LAYER
from coterie.automl.splits import Plan
from coterie.automl.trial import Attempt
from coterie.trees import DecisionTreeClassifier as NativeTree
from tests.automl.material import labelled


class Broken(LogisticRegression):
    def fit(self, X, y, sample_weight=None):
        raise ValueError("it does not like this table")


class Interrupted(LogisticRegression):
    def fit(self, X, y, sample_weight=None):
        raise KeyboardInterrupt


class Endless(LogisticRegression):
    """Grows trees, or computes in Python, until somebody ends it."""

    def __init__(self, native=True):
        self.native = native

    def fit(self, X, y, sample_weight=None):
        while True:
            if self.native:
                NativeTree().fit(X, y)
            else:
                time.sleep(0.001)


def candidate(name, estimator, **more):
    return Candidate(name, "own", lambda s: clone(estimator), **more)


LINEAR = candidate("linear", LogisticRegression())
# Not sure enough of itself: what draws it towards the shares of the classes makes it worse.
TIMID = candidate("linear", LogisticRegression(C=0.03))
TREE = candidate("tree", DecisionTreeClassifier(max_depth=3, random_state=0))


def search(clock=None, events=None, page=None, weight=None):
    situation, material, folds, metric = labelled(weight=weight)
    tell = None if events is None else events.append
    made = Search(situation, material, metric, clock or Clock(1e6), tell, page)
    return made, folds


def test_all_that_happens_is_told_and_remembered():
    events = []
    found, _ = search(events=events)
    found.run([LINEAR, candidate("broken", Broken()), candidate("never", LINEAR, fits=lambda s: 0)])
    assert [(e.kind, e.name) for e in events] == [
        ("try", "linear"),
        ("done", "linear"),
        ("try", "broken"),
        ("failed", "broken"),
        ("skipped", "never"),
    ]
    assert "does not like" in events[3].message
    assert [h["kind"] for h in found.history] == ["done", "failed", "skipped"]
    assert found.stopped == "finished"


def test_best_so_far_never_gets_worse():
    found, _ = search()
    found.run([candidate("prior", DummyClassifier()), LINEAR, TREE])
    best = [h["best"] for h in found.history]
    assert best == sorted(best, reverse=True)
    assert best[-1] == min(found.scores)


def test_an_interrupt_keeps_what_there_is():
    found, folds = search()
    found.run([LINEAR, candidate("interrupted", Interrupted()), TREE])
    assert found.stopped == "interrupted"
    assert [trial.name for trial in found.trials] == ["linear"]
    assert choose_combination(found, folds, WAYS, hold_out=False)[0].blend.weights.tolist() == [1.0]
    nothing, _ = search()
    with pytest.raises(KeyboardInterrupt):
        nothing.run([candidate("interrupted", Interrupted()), LINEAR])


def test_no_time_left_means_no_more_candidates():
    found, _ = search(Clock(100.0, spent=99.0))
    found.run([LINEAR, TREE])
    assert [t.name for t in found.trials] == ["linear"]  # one is always tried
    assert found.stopped == "time"


@pytest.mark.slow("2-")
@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_fit_that_runs_when_time_is_up_is_stopped(native, n_jobs):
    found, _ = search()
    found.run([LINEAR])
    found.clock = Clock(1.0, spent=0.5)
    with joblib.parallel_config(n_jobs=n_jobs, backend="threading"):
        found.run([candidate("endless", Endless(native)), TREE])
    assert [trial.name for trial in found.trials] == ["linear"]
    assert found.stopped == "time"
    assert [h["kind"] for h in found.history] == ["done", "skipped", "skipped"]


@pytest.mark.slow
def test_after_a_fit_that_was_stopped_only_what_is_quick_is_begun(monkeypatch):
    found, _ = search(Clock(0.5))
    monkeypatch.setattr("coterie.automl.search.is_quick", lambda *_: False)
    found.run([candidate(f"endless {k}", Endless()) for k in range(20)])
    assert [trial.name for trial in found.trials] == ["prior"]
    assert [h["note"] for h in found.history][1:20] == ["no time was left"] * 19


def test_after_the_time_nothing_large_is_begun(monkeypatch):
    found, _ = search(Clock(1.0, spent=2.0))
    monkeypatch.setattr("coterie.automl.search.is_quick", lambda *_: False)
    found.run([LINEAR, TREE])
    assert [h["note"] for h in found.history][:2] == ["no time was left"] * 2
    assert [trial.name for trial in found.trials] == ["prior"]


def test_many_classes_are_not_combined_without_time():
    found, _ = search(Clock(1e-6))
    found.run([LINEAR])
    wide = replace(found.out_of_fold(), profile=np.broadcast_to(1e-4, (3, 500, 10_000)))
    assert affordable_rows(wide, WAYS, found.clock, 4) == 0


def test_nothing_that_fits_is_an_error():
    found, _ = search()
    with pytest.raises(ValueError, match="does not like this table"):
        found.run([candidate("broken", Broken())])


def test_members_without_weights_are_left_out_if_there_are_weights():
    found, _ = search(weight=np.ones(150))
    found.run([LINEAR, candidate("neighbours", KNeighborsClassifier())])
    assert [t.name for t in found.trials] == ["linear"]


@pytest.mark.slow
def test_a_resumed_search_reads_what_was_done(tmp_path):
    page = Journal(tmp_path).open("x")
    first, folds = search(page=page)
    first.run([LINEAR, candidate("broken", Broken())])
    prior, _ = search(page=page)
    # Would fail if it were fitted prior.
    prior.run([candidate("linear", Broken()), candidate("broken", LINEAR), TREE])
    assert [t.name for t in prior.trials] == ["linear", "tree"]
    np.testing.assert_array_equal(prior.trials[0].unseen, first.trials[0].unseen)
    assert prior.trials[0].models == []
    whole, _ = search()
    whole.run([LINEAR, TREE])
    one, other = (choose_combination(s, folds, WAYS, hold_out=False)[0] for s in (prior, whole))
    np.testing.assert_array_equal(one.blend.weights, other.blend.weights)


def test_combinations_learn_from_as_many_rows_as_time_allows():
    found, _ = search(Clock(1e6))
    situation, material, _, metric = labelled(3_000)
    ample = Search(situation, material, metric, Clock(1e6))
    short = Search(situation, material, metric, Clock(1e-6))
    found.run([LINEAR])
    for one, rows in ((ample, 20_000), (short, 300)):
        one.run([LINEAR])
        assert affordable_rows(one.out_of_fold(), WAYS, one.clock, 4) == rows
    assert affordable_rows(found.out_of_fold(), WAYS, found.clock, 4) == 150


def test_what_adds_nothing_is_left_after_the_first_splits(monkeypatch):
    monkeypatch.setattr(Search, "_generous", property(lambda self: False))
    fitted = []

    class Counted(DummyClassifier):
        def fit(self, X, y, sample_weight=None):
            fitted.append(len(y))
            return super().fit(X, y)

    found, _ = search()
    found.run([TIMID, candidate("nothing", Counted()), TREE])
    assert len(fitted) == 2
    assert [t.name for t in found.trials] == ["linear", "tree"]
    assert {h["name"]: h["note"] for h in found.history}["nothing"].startswith("does not improve")


def test_with_time_for_all_nothing_is_left_out():
    found, _ = search()
    found.run([LINEAR, candidate("nothing", DummyClassifier())])
    assert [t.name for t in found.trials] == ["linear", "nothing"]


def test_what_takes_long_for_little_comes_last(monkeypatch):
    monkeypatch.setattr(Search, "_generous", property(lambda self: False))
    monkeypatch.setattr("coterie.automl.search._LITTLE", 1e9)
    monkeypatch.setattr(
        Attempt,
        "rest_seconds",
        property(lambda self: 1e5 if self.candidate.name == "long" else 1e-3),
    )
    found, _ = search(Clock(2e5))
    deep = DecisionTreeClassifier(max_depth=4, random_state=0)
    found.run([LINEAR, candidate("long", deep), TREE])
    assert [t.name for t in found.trials] == ["linear", "tree", "long"]


def test_further_candidates_are_tried_until_they_add_nothing():
    found, _ = search()
    endless = (candidate(f"prior {k}", DummyClassifier()) for k in itertools.count())
    found.run([TIMID], endless)
    assert [t.name for t in found.trials] == ["linear"]
    tried = [h["name"] for h in found.history if h["name"].startswith("prior")]
    assert tried == [f"prior {k}" for k in range(8)]
    assert found.stopped == "finished"


def test_what_had_no_time_is_tried_prior_with_more(tmp_path):
    page = Journal(tmp_path).open("x")
    short, _ = search(Clock(100.0, spent=99.0), page=page)
    short.run([LINEAR, TREE])
    same, _ = search(Clock(100.0, spent=99.0), page=page)
    same.run([LINEAR, TREE])
    assert [t.name for t in same.trials] == ["linear"]
    longer, _ = search(Clock(1e6, spent=99.0), page=page)
    longer.run([LINEAR, TREE])
    assert [t.name for t in longer.trials] == ["linear", "tree"]


def test_a_search_that_judged_by_a_few_splits_goes_on_with_them(tmp_path):
    page = Journal(tmp_path).open("x")
    plan = Plan(6)
    situation, material, _, metric = labelled(300, plan)
    clock = WorkClock(6 * situation.booster_seconds)
    first = Search(situation, material, metric, clock, page=page)
    first.run([LINEAR])
    assert (len(first.material.splits), first.owed) == (2, 4)
    assert len(first.material.further) == 4
    assert clock.share > Clock(1.0).share
    ample = WorkClock(60 * situation.booster_seconds)
    again = Search(situation, material, metric, ample, page=page)
    again.run([LINEAR])
    assert (len(again.material.splits), again.owed) == (2, 4)
    np.testing.assert_array_equal(again.trials[0].unseen, first.trials[0].unseen)
    whole = Search(situation, material, metric, WorkClock(60 * situation.booster_seconds))
    whole.run([LINEAR])
    assert (len(whole.material.splits), whole.owed) == (6, 0)


def test_the_first_candidate_is_not_lost_for_a_measurement(monkeypatch):
    def late(*args):
        raise OutOfTime("none was left")

    monkeypatch.setattr("coterie.automl.search.gain_of_mean", late)
    found, _ = search()
    boost, forest, *_ = choose_candidates("auto", interpretable=False)
    found.run([boost])
    usual = 0.01 * found.scores[0]
    assert [(t.name, t.noise) for t in found.trials] == [(DEFAULT, pytest.approx(usual))]
    monkeypatch.setattr("coterie.automl.search.gain_of_mean", lambda *args: (0.25, 0.0))
    found, _ = search()
    found.run([boost, forest])
    assert [trial.noise for trial in found.trials] == [0.25, 0.0]


def test_nothing_is_measured_that_takes_much_of_the_time(monkeypatch):
    """What the mean of models gains is then taken to be as on other tables."""
    asked = []
    monkeypatch.setattr("coterie.automl.search.gain_of_mean", lambda *args: asked.append(1))
    boost, *_ = choose_candidates("auto", interpretable=False)
    found, _ = search(Clock(10.0))
    finish = Attempt.finish

    def slow(self):
        self.seconds += 9.0
        return finish(self)

    monkeypatch.setattr(Attempt, "finish", slow)
    found.run([boost])
    assert not asked
    assert found.trials[0].noise == pytest.approx(0.01 * found.scores[0])


def test_no_boosters_are_begun_that_could_learn_little():
    """They would need a quarter of what the first one took; further ones are not even named."""
    events = []
    found, _ = search(Clock(1e6), events)
    boost = Candidate(DEFAULT, "own", gradient(max_iter=2, learning_rate=0.3), rounds=True)
    found.run([boost])
    found.trials[0].fit_seconds = 1e7
    events.clear()
    found._race([replace(boost, name="another"), TREE])
    found._go_on(replace(boost, name=f"drawn {k}") for k in itertools.count())
    assert [(e.kind, e.name) for e in events] == [
        ("skipped", "another"),
        ("try", "tree"),
        ("done", "tree"),
    ]
    assert events[0].is_late
    assert found.stopped == "time"


@pytest.mark.parametrize(("rounds", "early"), [(2, True), (400, False)])
def test_deep_trees_come_early_where_boosting_would_go_on(rounds, early):
    """After the first few; two rounds are never enough, and of 400 the best is before the end."""
    events = []
    found, _ = search(events=events)
    boost = Candidate(DEFAULT, "own", gradient(max_iter=rounds, learning_rate=0.3), rounds=True)
    few = [candidate(f"tree {k}", DecisionTreeClassifier(max_depth=1)) for k in range(5)]
    found.run([boost, *few, candidate(DEEP, DecisionTreeClassifier(max_depth=2))])
    tried = [e.name for e in events if e.kind == "try"]
    before = [few[4].name, DEEP]
    assert tried == [boost.name, *(c.name for c in few[:4]), *(before[::-1] if early else before)]


def test_time_is_scarce_where_the_first_booster_took_much_of_it():
    found, _ = search(clock=Clock(1e6))
    found.run([LINEAR])
    assert found._generous
    found.trials[0].fit_seconds = 1e5
    assert not found._generous


def test_what_was_fitted_first_is_not_lost_when_the_rest_takes_too_long(monkeypatch):
    """The first splits were done; the machine then became too slow for the others."""
    finish = Attempt.finish

    def slow(self):
        if len(self.material.splits) > len(self.models):
            raise OutOfTime("stopped during its fit")
        return finish(self)

    monkeypatch.setattr(Attempt, "finish", slow)
    found, folds = search()
    found.run([LINEAR])
    assert [t.name for t in found.trials] == ["linear"]
    assert len(found.trials[0].models) == len(found.material.splits) == 2
    assert found.owed == 1
    choose_combination(found, folds, WAYS, hold_out=False)


@pytest.mark.slow
def test_members_of_a_second_layer_see_those_of_the_first_alone(monkeypatch):
    monkeypatch.setattr("coterie.automl.search.is_worth", lambda *_: True)
    situation, material, _, metric = labelled(1_000)
    found = Search(situation, material, metric, Clock(1e6), stacks=True)
    names = ["linear", "extra trees", "neighbours"]
    found.run(choose_candidates(names, interpretable=False))
    assert [trial.name for trial in found.trials[3:]] == [candidate.name for candidate in LAYER]
    for trial in found.trials[3:]:
        seen = {id(base) for base in trial.models[0].estimator.bases}
        assert seen == {id(first.models[0]) for first in found.trials[:3]}
