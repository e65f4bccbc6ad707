from coterie.automl import Event
from coterie.automl.records import NO_TIME
from coterie.cli.console import Console
from coterie.cli.progress import Watcher, watch

EVENTS = [
    Event("start", message="5 folds", time_limit=60.0),
    Event("try", "tree", elapsed=1.0, time_limit=60.0),
    Event("done", "tree", 0.5, 1.0, 2.0, 60.0),
    Event("try", "forest", elapsed=2.0, time_limit=60.0),
    Event("done", "forest", 0.4, 1.0, 3.0, 60.0),
    Event("skipped", "kernel", elapsed=3.0, time_limit=60.0, message="too slow"),
]


def test_plain_lines_say_what_is_tried_and_what_came_of_it(capsys):
    with watch(Console()) as watcher:
        for event in EVENTS:
            watcher(event)
        assert not watcher.finishing
        watcher(Event("combine", elapsed=4.0))
        assert watcher.finishing
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(" s  ", 1)[1].split("  ")[0] for line in lines] == [
        "5 folds",
        "trying tree",
        "tree",
        "trying forest",
        "forest",
        "kernel",
        "combining them",
    ]
    assert lines[4].endswith("best so far")
    assert lines[5].endswith("too slow")
    assert "\x1b" not in "".join(lines)


def test_the_best_depends_on_the_direction():
    for greater, best in ((False, "forest"), (True, "tree")):
        watcher = Watcher(Console(quiet=True), greater)
        for event in EVENTS:
            watcher(event)
        assert watcher.best is not None
        assert watcher.best[1] == best


def test_the_live_line_has_trial_score_and_time_left():
    watcher = Watcher(Console(quiet=True))
    for event in EVENTS[:4]:
        watcher(event)
    assert watcher.status().startswith("forest   best 0.5 (tree)   ")
    assert watcher.status().endswith("58 s left")


def test_quiet_prints_nothing(capsys):
    with watch(Console(quiet=True)) as watcher:
        for event in EVENTS:
            watcher(event)
    assert capsys.readouterr().out == ""


def test_candidates_that_had_no_time_are_one_line(capsys):
    watcher = Watcher(Console())
    for name in ("linear", "network"):
        watcher(Event("skipped", name, elapsed=5.0, message=NO_TIME))
    watcher(Event("try", "random forest"))
    watcher(Event("skipped", "random forest", message="no time: only 3% of the time it needs"))
    watcher(Event("skipped", "kernel machine", message="not suited to tables of this size"))
    watcher(Event("skipped", "extra trees", message=NO_TIME))
    watcher(Event("end"))
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[-1] for line in lines] == [
        "trying random forest",
        NO_TIME,
        "not suited to tables of this size",
        NO_TIME,
    ]
    assert "3 candidates" in lines[1]
    assert "extra trees" in lines[3]
