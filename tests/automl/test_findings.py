"""Leaks and traps are found where they are, and not where they are not."""

import numpy as np
import pytest

from coterie.automl.columns import read_columns
from coterie.automl.findings import Subject, find_traps
from coterie.automl.twins import find_twins
from coterie.data import Table

pandas = pytest.importorskip("pandas")
N = 400


def clean(seed=0):
    rng = np.random.default_rng(seed)
    return pandas.DataFrame(
        {"a": rng.normal(size=N), "b": rng.normal(size=N), "c": rng.choice(list("xyz"), N)}
    )


def codes(frame):
    rng = np.random.default_rng(9)
    return (frame["a"].to_numpy() + rng.normal(0, 1, len(frame)) > 0).astype(int)


def find(frame, truth, classes=("no", "yes")):
    names, table = list(frame.columns), Table.read(frame)
    reading = read_columns(table, names, [""] * len(names))
    truth = np.asarray(truth)
    twins = find_twins(table, truth, [column.distinct for column in reading.columns])
    found = find_traps(Subject(table, truth, list(classes), reading, names, twins=twins))
    return {finding.kind: finding for finding in found}


@pytest.mark.slow
def test_a_clean_table_has_none():
    for seed in range(5):
        frame = clean(seed)
        assert find(frame, codes(frame)) == {}
        assert find(frame, frame["a"] + frame["b"], ()) == {}


def test_copies_of_the_target():
    frame = clean()
    y = codes(frame)
    named = frame.assign(copy=np.where(y == 1, "sold", "kept"), shifted=7 - 2 * y)
    found = find(named, y)["target copy"]
    assert found.columns == ["copy", "shifted"]
    assert found.level == "danger"
    number = frame["a"] * 3 + frame["b"]
    found = find(frame.assign(euros=number * 1.1 + 2), number, ())
    assert found["target copy"].columns == ["euros"]


def test_a_strong_column_is_no_copy():
    frame = clean()
    y = (frame["a"] > 0).astype(int).to_numpy(copy=True)
    y[::20] = 1 - y[::20]
    assert "target copy" not in find(frame, y)


def test_identifiers_constants_and_gaps():
    frame = clean().assign(key=np.arange(N), same=1.0, rare=np.nan)
    frame.loc[::3, "rare"] = np.arange(len(frame.loc[::3])) % 5
    found = find(frame, codes(frame))
    assert found["identifier"].columns == ["key"]
    assert found["constant"].columns == ["same"]
    assert found["missing"].columns == ["rare"]


def test_one_column_and_several_are_told_in_proper_english():
    frame = clean().assign(same=1.0)
    assert find(frame, codes(frame))["constant"].message == (
        "'same' has only one value, and is not used."
    )
    frame = frame.assign(other=2.0)
    assert find(frame, codes(frame))["constant"].message == (
        "'same', 'other' have only one value, and are not used."
    )


def test_duplicates_and_those_that_contradict():
    frame = clean()
    y = codes(frame)
    twice = pandas.concat([frame, frame[:40]], ignore_index=True)
    found = find(twice, np.append(y, y[:40]))["duplicates"]
    assert found.message.startswith("40 rows (9.1%) seem to be duplicates")
    assert "chance" in found.message
    assert "kept in the same fold" in found.advice
    found = find(twice, np.append(y, 1 - y[:40]))["duplicates"]
    assert "40 of them with a different target" in found.message
    assert "do not look like accidental duplicates" in found.advice


def test_what_there_was_no_time_for_is_told():
    frame = clean().assign(copy=codes(clean()) * 2.0)
    assert find(frame, codes(frame))["target copy"].columns == ["copy"]
    names, table = list(frame.columns), Table.read(frame)
    reading = read_columns(table, names, [""] * len(names))
    subject = Subject(table, codes(frame), ["a", "b"], reading, names, left=lambda: 0.0)
    (found,) = [f for f in find_traps(subject) if f.kind == "no time"]
    assert "4 of 4 columns" in found.message


def test_imbalance_and_rare_classes():
    frame, y = clean(), np.zeros(N, dtype=int)
    y[:30] = 1
    assert set(find(frame, np.random.default_rng(0).permutation(y))) == {"imbalance"}
    y[:26] = 0
    found = find(frame, np.random.default_rng(0).permutation(y))
    assert "'yes'" in found["rare class"].message
    long = find(frame, np.random.default_rng(0).permutation(y), ["no", "y" * 10**6])
    assert len(long["rare class"].message) < 200


def test_a_target_that_drifts():
    frame = clean()
    later = (np.linspace(-1, 1, N) + np.random.default_rng(0).normal(size=N) > 0).astype(int)
    assert "time order" in find(frame, later)
    assert "time order" in find(frame, np.linspace(0, 1, N) + codes(frame), ())


@pytest.mark.parametrize(("slope", "level"), [(0.05, None), (0.3, "info"), (1.0, "warning")])
def test_a_slight_drift_is_no_reason_to_worry(slope, level):
    rng, n = np.random.default_rng(0), 8_000
    frame = pandas.DataFrame({"a": rng.normal(size=n)})
    found = find(frame, slope * np.linspace(-1, 1, n) + rng.normal(size=n), ())
    assert (found["time order"].level if "time order" in found else None) == level


def test_rows_in_the_order_of_time():
    frame = clean().assign(month=np.repeat(np.arange(8), N // 8))
    found = find(frame, codes(frame))["time order"]
    assert found.columns == ["month"]
    assert "blocks" in found.message
    shuffled = frame.sample(frac=1.0, random_state=0)
    assert "time order" not in find(shuffled, codes(shuffled))


def test_order_is_told_by_the_name_of_the_column_the_user_knows():
    frame = clean().assign(**{"sold.days": np.arange(N) // 2})
    names, table = list(frame.columns), Table.read(frame)
    origin = [*names[:-1], "sold"]
    reading = read_columns(table, names, [""] * len(names))
    subject = Subject(table, codes(frame), ["no", "yes"], reading, names, origin=origin)
    found = [f for f in find_traps(subject) if "blocks" in f.message]
    assert [f.columns for f in found] == [["sold"]]
