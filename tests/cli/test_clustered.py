import json

import numpy as np
import pandas as pd
import pytest

import coterie
from coterie.cli import clustered
from coterie.files.errors import CommandError

dd = pytest.importorskip("dask.dataframe")


@pytest.fixture
def cluster():
    """Where two workers are, which start in no time."""
    from distributed import LocalCluster

    settings = {"protocol": "tcp://", "dashboard_address": ":0", "processes": False}
    with LocalCluster(n_workers=2, threads_per_worker=1, **settings) as there:
        yield there.scheduler_address


@pytest.fixture
def trips(tmp_path):
    """A folder of three files."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(240, 3)), columns=list("abc"))
    frame["late"] = np.where(frame["a"] + rng.normal(size=240) > 0, "yes", "no")
    frame.loc[5, "late"] = None
    folder = tmp_path / "trips"
    folder.mkdir()
    for k in range(3):
        frame[80 * k : 80 * (k + 1)].to_parquet(folder / f"{k}.parquet")
    return folder, frame


def test_files_are_read_by_folder_pattern_and_name(trips, tmp_path):
    folder, _ = trips
    for name, rows in (("", 240), ("[01].parquet", 160), ("2.parquet", 80)):
        assert len(clustered.read_files(folder / name)) == rows
    with pytest.raises(CommandError, match="no tables"):
        clustered.read_files(tmp_path / "nothing*")
    (folder / "x.csv").write_text("a\n1\n")
    with pytest.raises(CommandError, match=r"several formats \(\.csv, \.parquet\)"):
        clustered.read_files(folder)


@pytest.mark.slow
def test_partitions_are_small_beside_the_memory_of_a_worker(tmp_path):
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(40_000, 2)), columns=list("ab"))
    frame.to_parquet(tmp_path / "a.parquet", compression=None, row_group_size=5000)
    assert clustered.read_files(tmp_path).npartitions == 1
    there = clustered.read_files(tmp_path, "4MB")
    assert there.map_partitions(len).compute().tolist() == [5000] * 8
    np.testing.assert_array_equal(there.compute(), frame)
    text = tmp_path / "text"
    text.mkdir()
    frame.to_csv(text / "a.csv", index=False)
    assert clustered.read_files(text, "4MB").npartitions > 8


def test_only_one_may_say_who_works(call, trips):
    said = call("fit", trips[0], "--target", "late", "--workers", "2", "--cluster", "tcp://x:1")
    assert said.code == 2
    assert "exclude each other" in said.err


@pytest.mark.parametrize("option", [("--interpretable",), ("--groups", "a"), ("--resume",)])
def test_what_a_cluster_does_not_do_is_refused(call, trips, option):
    said = call("fit", trips[0], "--target", "late", "--workers", "2", *option)
    assert said.code == 2
    assert f"{option[0]} cannot be used with workers" in said.err


def test_memory_is_for_local_workers(call, trips):
    said = call("fit", trips[0], "--target", "late", "--cluster", "x", "--worker-memory", "1GB")
    assert said.code == 2
    assert "--worker-memory needs --workers" in said.err


@pytest.mark.slow
def test_the_search_on_one_file_is_spread_and_finds_the_same(call, trips, tmp_path):
    folder, frame = trips
    file, models = folder / "1.parquet", []
    for number, workers in enumerate(([], ["--workers", "2"])):
        out = tmp_path / f"model{number}"
        said = call(
            *("fit", file, "--target", "late", "--members", "fast", "--work", "2", "--out", out),
            *workers,
        )
        assert said.code == 0, said.err
        assert ("2 worker processes" in said.out) == bool(workers)
        assert (out / "report.html").exists()
        models.append(coterie.load(out / "model.coterie"))
    rows = frame.drop(columns="late")
    here, there = (model.predict_proba(rows) for model in models)
    np.testing.assert_array_equal(here, there)


@pytest.mark.slow
def test_a_folder_is_fitted_predicted_and_evaluated(call, trips, cluster, tmp_path):
    folder, frame = trips
    there = ("--cluster", cluster)
    out, answers = tmp_path / "model", tmp_path / "answers"
    said = call("fit", folder, "--target", "late", *there, "--time", "1s", "--out", out)
    assert said.code == 0, said.err
    assert "239 rows" in said.out
    assert "MB of bins, on 2 of 2 workers" in said.out
    model = coterie.load(out / "model.coterie")
    assert model.classes_.tolist() == ["no", "yes"]
    again = call("fit", folder, "--target", "late", *there, "--out", out)
    assert "already contains a model" in again.err
    said = call(
        *("predict", out, folder, *there, "--out", answers, "--probabilities"),
        *("--keep", "a"),
    )
    assert said.code == 0, said.err
    found = pd.read_parquet(answers)
    assert list(found) == ["a", "prediction", "probability_no", "probability_yes"]
    np.testing.assert_array_equal(
        found[["probability_no", "probability_yes"]], model.predict_proba(frame[list("abc")])
    )
    said = call("evaluate", out, folder, *there, "--json")
    assert said.code == 0, said.err
    assert json.loads(said.out)["rows"] == 239
