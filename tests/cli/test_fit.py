import csv
import io
import json
import os
import signal
import subprocess
import sys
import time

import pytest

import coterie

COMMAND = [sys.executable, "-c", "from coterie.cli import main; main()"]
FAST = ["--members", "fast"]


def predictions(model, path):
    return subprocess.run(
        [*COMMAND, "predict", model, path, "--probabilities"], capture_output=True, check=True
    ).stdout


def start(train, out, *more):
    arguments = ["fit", train, "--target", "credit", "--out", out, "--time", "10m", *more]
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def wait_for(process, word):
    """Read the lines of a process up to one that holds the word."""
    lines = []
    for line in process.stdout:
        lines.append(line)
        if word in line:
            return lines
    raise AssertionError("".join(lines))


def rest(process):
    """What else it says; `communicate` would not see what `wait_for` has read ahead."""
    with process:
        return process.stdout.read()


def test_a_directory_with_all_that_is_needed_later(credit):
    names = {path.name for path in credit.model.iterdir()}
    assert names == {"model.coterie", "report.html", "facts.json", "leaderboard.csv", "run"}
    with (credit.model / "leaderboard.csv").open() as file:
        entries = list(csv.DictReader(file))
    model = coterie.load(credit.model / "model.coterie")
    assert [float(entry["score"]) for entry in entries] == [e.score for e in model.leaderboard_]
    assert json.loads((credit.model / "facts.json").read_text())["target"] == "credit"
    assert model.target_name_ == "credit"
    assert model.file_columns_["kinds"] == {
        "checking_status": "text",
        "duration": "integer",
        "age": "integer",
        "housing": "text",
        "credit": "text",
    }


def test_what_is_printed(call, credit, tmp_path):
    said = call("fit", credit.train, "--target", "credit", "--members", "fast", "--out", tmp_path)
    assert said.code == 0
    assert "300 rows; columns: 3 text, 2 whole numbers" in said.out
    assert 'target "credit": classification, 2 classes: bad, good (detected' in said.out
    assert "trying extra trees" in said.out
    assert "95 % interval" in said.out
    assert said.out.endswith(f"report  {tmp_path / 'report.html'}\n")
    assert "\x1b" not in said.out + said.err


def test_the_task_can_be_overridden(call, write, tmp_path):
    path = write("a.csv", "\n".join(["x,y", *(f"{k / 7},{1 + k // 20}" for k in range(60))]))
    common = ["--target", "y", "--members", "fast", "--seed", 3]
    for task, expected in (("auto", "multiclass"), ("regression", "regression")):
        said = call("fit", path, *common, "--task", task, "--out", tmp_path / task)
        assert said.code == 0, said.err
        assert coterie.load(tmp_path / task / "model.coterie").task_ == expected


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--target", "Credits"], 'Did you mean "credit"?'),
        (["--target", "credit", "--groups", "house"], 'Did you mean "housing"?'),
        (["--target", "credit", "--metric", "goodness"], "log_loss"),
        (["--target", "credit", "--members", "oracle"], "random forest"),
        (["--target", "housing", "--task", "regression"], "not numbers"),
    ],
)
def test_errors_name_the_cure(call, credit, tmp_path, arguments, words):
    said = call("fit", credit.train, *arguments, "--out", tmp_path / "m")
    assert said.code == 1
    assert words in said.err
    assert "Traceback" not in said.err
    assert not (tmp_path / "m" / "model.coterie").exists()


def test_rows_without_a_target_are_left_out(call, write, tmp_path):
    lines = [f"{k % 7},{'ab'[k % 7 > 3]}" for k in range(60)] + ["1,", "2,NA"]
    path = write("a.csv", "\n".join(["x,y", *lines]))
    said = call("fit", path, "--target", "y", "--members", "fast", "--out", tmp_path / "m")
    assert said.code == 0
    assert "2 rows without a value of the target are left out" in said.err


def test_a_finished_fit_is_not_done_again(call, credit):
    said = call("fit", credit.train, "--target", "credit", "--out", credit.model)
    assert said.code == 1
    assert "--overwrite" in said.err
    again = ["--members", "fast", "--out", credit.model, "--resume"]
    report = credit.model / "report.html"
    before = report.read_text()
    report.unlink()
    said = call("fit", credit.train, "--target", "credit", *again)
    assert "already finished" in said.out
    assert len(report.read_text()) == len(before)


@pytest.mark.slow
def test_killed_and_resumed_is_the_same_model(credit, tmp_path):
    whole = start(credit.train, tmp_path / "whole", *FAST)
    assert whole.communicate()[0].endswith("report.html\n")
    process = start(credit.train, tmp_path / "killed", *FAST)
    wait_for(process, "trying extra trees")
    process.kill()
    process.communicate()
    assert not (tmp_path / "killed" / "model.coterie").exists()
    resumed = start(credit.train, tmp_path / "killed", *FAST, "--resume")
    text = resumed.communicate()[0]
    assert resumed.returncode == 0, text
    assert "trying gradient boosting" not in text
    expected = predictions(tmp_path / "whole", credit.test)
    assert predictions(tmp_path / "killed", credit.test) == expected


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_keeps_the_best_so_far(credit, tmp_path):
    members = ("extra trees", "gradient boosting, slow", "gradient boosting, large", "network")
    process = start(credit.train, tmp_path / "m", *(f"--members={name}" for name in members))
    wait_for(process, "trying gradient boosting")
    process.send_signal(signal.SIGINT)
    text = rest(process)
    assert process.returncode == 0, text
    assert "keeping the best so far" in text
    assert "the search was interrupted" in text
    assert coterie.load(tmp_path / "m" / "model.coterie").stopped_ == "interrupted"


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_ctrl_c_before_there_is_a_result(credit, tmp_path):
    process = start(credit.train, tmp_path / "m", "--members", "gradient boosting, slow")
    wait_for(process, "trying")
    # The signal may come while the first candidate's first tree is grown.
    time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    text = rest(process)
    if process.returncode == 0:
        pytest.skip("the first candidate was faster")
    assert process.returncode == 130, text
    assert "Traceback" not in text
    assert not (tmp_path / "m" / "model.coterie").exists()


def slip(write):
    lines = [f"{k * 7 % 60},{'ab'[k % 7 > 3]}" for k in range(60)]
    lines[4] = "abc,a"
    return write("slip.csv", "\n".join(["x,y", *lines]))


def test_odd_cells_are_told_once_and_stand_in_the_report(call, write, tmp_path):
    said = call("fit", slip(write), "--target", "y", *FAST, "--out", tmp_path / "m")
    assert said.code == 0, said.err
    assert (said.out + said.err).count("abc") == 1
    assert 'line 6 "abc"' in said.err
    facts = json.loads((tmp_path / "m" / "facts.json").read_text())
    assert "abc" in json.dumps(facts["findings"])
    assert coterie.load(tmp_path / "m" / "model.coterie").file_columns_["kinds"]["x"] == "integer"
    said = call("predict", tmp_path / "m", slip(write), "--odd-cells", "error")
    assert said.code == 1
    assert 'line 6, column "x": "abc"' in said.err


@pytest.mark.parametrize("how", ["--stream", "--no-stream"])
def test_one_class_leaves_nothing_behind(call, write, tmp_path, how):
    path = write("a.csv", "x,y\n" + "".join(f"{k * 7 % 11},same\n" for k in range(50)))
    said = call("fit", path, "--target", "y", how, "--out", tmp_path / "m")
    assert said.code == 1
    assert "only one class, 'same'" in said.err
    assert not (tmp_path / "m").exists()


def test_an_interrupted_fit_goes_on(call, credit, tmp_path, monkeypatch):
    from coterie.automl import search

    fit_one = search.run_trial

    def interrupt_second(candidate, *arguments, **settings):
        if settings["thorough"]:
            raise KeyboardInterrupt
        return fit_one(candidate, *arguments, **settings)

    command = ("fit", credit.train, "--target", "credit", *FAST, "--out", tmp_path / "m")
    monkeypatch.setattr(search, "run_trial", interrupt_second)
    assert call(*command).code == 0
    assert coterie.load(tmp_path / "m" / "model.coterie").stopped_ == "interrupted"
    monkeypatch.undo()
    said = call(*command, "--resume")
    assert said.code == 0, said.err
    assert "already finished" not in said.out
    assert coterie.load(tmp_path / "m" / "model.coterie").stopped_ == "finished"
    assert "already finished" in call(*command, "--resume").out


def test_the_standard_input_is_a_file(call, credit, tmp_path, monkeypatch):
    def given():
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(credit.train.read_bytes())))

    given()
    assert call("fit", "-", "--target", "credit", *FAST).code == 2
    given()
    said = call("fit", "-", "--target", "credit", *FAST, "--out", tmp_path / "m")
    assert said.code == 0, said.err
    assert "standard input: 300 rows" in said.out
    given()
    said = call("predict", tmp_path / "m", "-", "--out", "-")
    assert said.code == 0
    assert said.out == call("predict", tmp_path / "m", credit.train).out


def test_a_damaged_note_of_the_settings_is_named(call, credit, tmp_path):
    (tmp_path / "m" / "run").mkdir(parents=True)
    (tmp_path / "m" / "run" / "settings.json").write_text('{"seed"')
    out = ("--out", tmp_path / "m", "--resume")
    said = call("fit", credit.train, "--target", "credit", *out)
    assert said.code == 1
    assert "settings.json: is damaged" in said.err
    assert "--overwrite" in said.err
