import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import time

import pytest

import coterie
from coterie.automl.clock import Clock
from coterie.files import delimited

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


@pytest.mark.slow
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


@pytest.mark.slow
def test_rows_without_a_target_are_left_out(call, write, tmp_path):
    lines = [f"{k % 7},{'ab'[k % 7 > 3]}" for k in range(60)] + ["1,", "2,NA"]
    path = write("a.csv", "\n".join(["x,y", *lines]))
    said = call("fit", path, "--target", "y", "--members", "fast", "--out", tmp_path / "m")
    assert said.code == 0
    assert "2 rows without a target value are ignored" in said.err


@pytest.mark.slow
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
    assert "keeping the best model so far" in text
    assert "the search was interrupted" in text
    assert coterie.load(tmp_path / "m" / "model.coterie").stopped_ == "interrupted"


@pytest.mark.slow
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


@pytest.mark.slow
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
    assert 'line 6, column "x": found "abc"' in said.err


@pytest.mark.parametrize("how", ["--stream", "--no-stream"])
def test_one_class_leaves_nothing_behind(call, write, tmp_path, how):
    path = write("a.csv", "x,y\n" + "".join(f"{k * 7 % 11},same\n" for k in range(50)))
    said = call("fit", path, "--target", "y", how, "--out", tmp_path / "m")
    assert said.code == 1
    assert "only one class, 'same'" in said.err
    assert not (tmp_path / "m").exists()


@pytest.mark.slow
def test_an_interrupted_fit_goes_on(call, credit, tmp_path, monkeypatch):
    from coterie.automl.trial import Attempt

    first_splits = Attempt.open

    def interrupt_second(attempt):
        if attempt.thorough:
            raise KeyboardInterrupt
        return first_splits(attempt)

    command = ("fit", credit.train, "--target", "credit", *FAST, "--out", tmp_path / "m")
    monkeypatch.setattr(Attempt, "open", interrupt_second)
    assert call(*command).code == 0
    assert coterie.load(tmp_path / "m" / "model.coterie").stopped_ == "interrupted"
    monkeypatch.undo()
    said = call(*command, "--resume")
    assert said.code == 0, said.err
    assert "already finished" not in said.out
    assert coterie.load(tmp_path / "m" / "model.coterie").stopped_ == "finished"
    assert "already finished" in call(*command, "--resume").out


@pytest.mark.slow
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
    assert "settings.json is damaged" in said.err
    assert "--overwrite" in said.err


class Late(Clock):
    """A clock by which most of the time is over when reading begins."""

    @property
    def elapsed(self):
        return 0.5 * self.limit


@pytest.mark.slow
def test_what_there_was_no_time_to_read_is_told(call, write, tmp_path, monkeypatch):
    monkeypatch.setattr("coterie.automl.clock.Clock", Late)
    monkeypatch.setattr(delimited, "BLOCK_BYTES", 1000)
    path = write("a.csv", "x,y\n" + "".join(f"{k % 50},{'ab'[k % 3 > 1]}\n" for k in range(1000)))
    for number, more in enumerate([(), ("--stream",)]):
        out = tmp_path / str(number)
        said = call("fit", path, "--target", "y", "--members", "fast", "--out", out, *more)
        assert said.code == 0, said.err
        assert "to read more than the first" in said.err
        first = coterie.load(out / "model.coterie").findings_[0]
        assert (first.kind, first.level) == ("not read", "warning")
    path = write("b.csv", "x,y\n" + "".join(f"{k},{'ab'[k > 900]}\n" for k in range(1000)))
    said = call("fit", path, "--target", "y", "--members", "fast", "--out", tmp_path / "one")
    assert said.code == 1
    assert "only one class" in said.err
    assert "set a longer --time" in said.err


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="limits of files")
def test_a_full_disk_leaves_the_former_model(credit, tmp_path):
    """Wherever in the fit it is that nothing more can be written."""
    copy = shutil.copytree(credit.model, tmp_path / "m")
    before = {path.name: path.read_bytes() for path in copy.glob("*.*")}
    for most in (0, 300, 5_000, 40_000):
        limit = f"import resource as r; r.setrlimit(r.RLIMIT_FSIZE, ({most}, {most}));"
        start = "import sys; from coterie.cli import main; main(sys.argv[1:])"
        command = [sys.executable, "-c", limit + start, "fit", credit.train, "--target", "credit"]
        command += [*FAST, "--out", copy, "--overwrite", "--quiet"]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 1, done.stderr
        assert "File too large" in done.stderr
        assert "Traceback" not in done.stderr
        assert {path.name: path.read_bytes() for path in copy.glob("*.*")} == before


@pytest.mark.slow
def test_columns_have_roles(call, credit, tmp_path):
    """One is left out, one weighs rows, and the model is measured on a file of its own."""
    with open(credit.train) as file:
        header, *rows = list(csv.reader(file))
    other = next(name for name in header if name != "credit")
    train = tmp_path / "train.csv"
    with train.open("w", newline="") as file:
        csv.writer(file).writerows(
            [[*header, "w"], *([*row, 1 + k % 2] for k, row in enumerate(rows))]
        )
    options = ["--drop", other, "--weight", "w", "--cost", "fp=1,fn=9", "--simple", "--explain"]
    done = call(
        "fit",
        train,
        "--target",
        "credit",
        *FAST,
        *options,
        *("--test", credit.test, "--out", tmp_path / "m"),
    )
    assert done.code == 0, done.err
    model = coterie.load(tmp_path / "m" / "model.coterie")
    assert not {other, "w", "credit"} & set(model.feature_names_in_)
    assert model.simple
    assert 0 < model.threshold_ < 1
    assert "when a column is shuffled" in done.out
    assert "better is" in done.out


@pytest.mark.slow
def test_rows_that_have_a_time_are_judged_by_later_ones(call, prices, tmp_path):
    done = call(
        *("fit", prices.train, "--target", "price", "--time-column", "day", *FAST),
        *("--out", tmp_path / "m"),
    )
    assert done.code == 0, done.err
    model = coterie.load(tmp_path / "m" / "model.coterie")
    assert "blocks" in model.made_["splits"]


def test_columns_that_are_not_there_are_named(call, credit, tmp_path):
    done = call(
        *("fit", credit.train, "--target", "credit", "--drop", "nothing", *FAST),
        *("--out", tmp_path / "m"),
    )
    assert done.code != 0
    assert "nothing" in done.err


@pytest.mark.slow
def test_a_finished_fit_goes_on_with_more_time(call, credit, tmp_path):
    command = ("fit", credit.train, "--target", "credit", "--members", "linear", "--out", tmp_path)
    assert call(*command, "--time", "5s").code == 0
    first = coterie.load(tmp_path / "model.coterie")
    said = call(*command, "--resume", "--time", "+30s")
    assert said.code == 0, said.err
    model = coterie.load(tmp_path / "model.coterie")
    assert model.time_limit == 35.0
    assert model.made_["splits"] == first.made_["splits"]
    again = call(*command, "--resume", "--time", "+1m")
    assert again.code == 0, again.err
    assert coterie.load(tmp_path / "model.coterie").time_limit == 95.0
    assert call(*command, "--time", "+1m").code != 0


@pytest.mark.slow
def test_long_labels_are_cut_short(call, write, tmp_path):
    rows = [f"{k},{'yes' if k % 3 else 'n' * 50_000}" for k in range(60)]
    path = write("long.csv", "\n".join(["a,t", *rows]) + "\n")
    said = call("fit", path, "--target", "t", "--members", "fast", "--out", tmp_path / "m")
    assert said.code == 0
    assert len(said.out + said.err) < 10_000


@pytest.fixture(scope="module")
def two_targets(tmp_path_factory):
    """A table of two targets, of which a row lacks one."""
    path = tmp_path_factory.mktemp("targets") / "sales.csv"
    lines = [f"{k % 17},{k % 17 * 3 + k % 2},{'yes' if k % 17 > 8 else 'no'}" for k in range(120)]
    lines[5] = "5,,no"
    path.write_text("\n".join(["size,price (€),sold", *lines]))
    return path


@pytest.mark.slow
def test_several_targets_have_a_model_each(call, two_targets, tmp_path):
    of_all = ["--target", "price (€)", "--target", "sold"]
    into = [*FAST, "--out", tmp_path / "m"]
    done = call("fit", two_targets, *of_all, *into)
    assert done.code == 0, done.err
    assert {p.name for p in tmp_path.glob("m/*")} == {
        *("target_price", "target_sold", "model.coterie", "run"),
    }
    assert list(coterie.load(tmp_path / "m" / "model.coterie")) == ["price (€)", "sold"]
    said = call("predict", tmp_path / "m", two_targets, "--probabilities", "--interval", "0.9")
    assert said.out.splitlines()[0].split(",") == [
        *("price (€)_prediction", "price (€)_low", "price (€)_high"),
        *("sold_prediction", "sold_probability_no", "sold_probability_yes"),
    ]
    assert "ignored" not in said.err
    alone = call("predict", tmp_path / "m" / "target_sold", two_targets)
    assert [line.split(",")[3] for line in said.out.splitlines()[1:]] == alone.out.split()[1:]
    told = call("evaluate", tmp_path / "m", two_targets, "--json")
    assert "1 row without" in told.err
    assert "not know" not in told.err
    scores = json.loads(told.out)
    assert {name: one["rows"] for name, one in scores.items()} == {"price (€)": 119, "sold": 120}
    one = call("evaluate", tmp_path / "m", two_targets, "--target", "sold", "--json")
    assert json.loads(one.out) == {"sold": scores["sold"]}
    assert "target_price" in call("report", tmp_path / "m").err
    assert "--resume" in call("fit", two_targets, *of_all, *into).err
    done = call("fit", two_targets, *of_all, *into, "--resume")
    assert done.out.count("already finished") == 2
    done = call("fit", two_targets, "--target", "sold", *into, "--resume")
    assert "different settings" in done.err


@pytest.mark.slow
def test_several_targets_need_the_whole_table(call, two_targets, tmp_path):
    of_all = ["--target", "price (€)", "--target", "sold", "--out", tmp_path / "m"]
    assert "Several targets need" in call("fit", two_targets, *of_all, "--stream").err
    assert call("fit", two_targets, *of_all, "--target", "none").code == 1
    assert not (tmp_path / "m").exists()
