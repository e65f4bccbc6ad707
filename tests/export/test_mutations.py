"""A thousand damaged model files: clean errors, and never another prediction."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

import coterie
from coterie.export import ModelFileError
from coterie.native.forest import NODE
from tests.export.mutations import blind, knowing, pack, resign, unpack

SCRIPT = Path(__file__).with_name("mutations.py")
ROOT = Path(__file__).parents[2]
RNG = np.random.default_rng(0)
X = np.round(RNG.normal(size=(60, 4)), 2)
X[::7, 1] = np.nan
X[:, 3] = RNG.integers(0, 5, 60)
Y = np.where(np.nan_to_num(X[:, 0] + X[:, 1]) > 0.3 * X[:, 3] - 0.6, "yes", "no")
MODELS = {
    "forest": coterie.RandomForestClassifier(
        3, max_depth=4, categorical_features=[3], random_state=0
    ),
    "gradient": coterie.HistGradientBoostingClassifier(
        max_iter=4, min_samples_leaf=3, categorical_features=[3]
    ),
    "adaboost": coterie.AdaBoostClassifier(n_estimators=4, random_state=0),
    "voting": coterie.VotingClassifier(
        [("a", coterie.DecisionTreeClassifier(max_depth=3)), ("b", coterie.ExtraTreeClassifier())]
    ),
    "neighbours": coterie.KNNEnsembleClassifier(n_estimators=3, random_state=0),
}
if find_spec("skops"):
    MODELS["foreign"] = coterie.VotingClassifier(
        [("a", DecisionTreeClassifier(max_depth=3)), ("b", coterie.DecisionTreeClassifier())]
    )


@pytest.fixture(scope="module")
def numbers():
    """How many files of a model are damaged, by kind."""
    return {"blind": 200, "knowing": 120}


@pytest.fixture(scope="module")
def tried(tmp_path_factory, numbers):
    """What every file gave in another process, by model and by kind of damage."""
    folder = tmp_path_factory.mktemp("files")
    np.save(folder / "X.npy", X)
    for name, model in MODELS.items():
        path = folder / f"{name}-healthy-0.coterie"
        coterie.save(model.fit(X, Y), path)
        data, rng = path.read_bytes(), np.random.default_rng(1)
        damages = {
            "blind": blind(data, numbers["blind"], rng),
            "knowing": knowing(path, numbers["knowing"], rng),
        }
        for kind, files in damages.items():
            for number, damaged in enumerate(files):
                (folder / f"{name}-{kind}-{number}.coterie").write_bytes(damaged)
    run = subprocess.run(
        [sys.executable, str(SCRIPT), str(folder)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=300,
    )
    lines = [json.loads(line) for line in run.stdout.splitlines()]
    assert run.returncode == 0, f"died of {lines[-1]}: {run.stderr}"
    results = {}
    for begun, ended in zip(lines[::2], lines[1::2], strict=True):
        name, kind, _ = begun["file"].split("-")
        results.setdefault((name, kind), []).append(ended["result"])
    return results


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_blind_damage_is_always_noticed(name, tried, numbers):
    assert tried[name, "blind"] == ["refused"] * numbers["blind"]


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_damage_with_right_checksums_never_crashes(name, tried, numbers):
    found = tried[name, "knowing"]
    assert len(found) == numbers["knowing"]
    # Another leaf value is another model, which is in order; what cannot be is refused.
    assert found.count("refused") > numbers["knowing"] // 6


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_the_healthy_file_gives_the_healthy_prediction(name, tried):
    assert tried[name, "healthy"] == [repr(MODELS[name].predict(X).tolist())]


@pytest.mark.slow
def test_every_bit_of_a_small_file_counts(tmp_path):
    path = tmp_path / "model"
    coterie.save(coterie.DecisionTreeRegressor(max_depth=1).fit(X[:9, :1], X[:9, 3]), path)
    data = path.read_bytes()
    header = 64 + int.from_bytes(data[16:24], "little")
    for at in [*range(64), *range(header, len(data), 3)]:
        path.write_bytes(data[:at] + bytes([data[at] ^ 4]) + data[at + 1 :])
        with pytest.raises(ModelFileError):
            coterie.load(path)


def forest_of(header):
    return next(entry for entry in header["objects"] if entry.get("class") == "Forest")["state"]


def change(part, edit):
    """A change of one array of the first forest in a file."""

    def apply(header, blocks):
        entry = header["objects"][forest_of(header)[part]["ref"]]
        number = entry["array"]
        dtype = NODE if entry["dtype"] == "node" else np.dtype(entry["dtype"])
        array = blocks[number].view(dtype).reshape(entry["shape"])
        new = edit(array)
        array = array if new is None else np.ascontiguousarray(new)
        entry["shape"] = list(array.shape)
        entry["dtype"] = "node" if array.dtype == NODE else array.dtype.str
        blocks[number] = array.reshape(-1).view(np.uint8)

    return apply


def field(name, value):
    """A change of one field of the root of the first tree."""

    def edit(nodes):
        nodes[name][0] = value

    return change("nodes", edit)


def at(position, value):
    def edit(array):
        array[position] = value

    return edit


def whole(edit):
    """A change of the state of the first forest."""
    return lambda header, blocks: edit(forest_of(header))


STRUCTURAL = {
    "child far away": field("left", 10**6),
    "child is itself": field("left", 0),
    "leaf that is not there": field("left", -(10**6)),
    "column that is not there": field("column", 4),
    "threshold that is no number": field("threshold", np.nan),
    "category set that is not there": field("column", 1 << 30),
    "nodes cut off": change("nodes", lambda nodes: nodes[:-1]),
    "nodes as numbers": change("nodes", lambda nodes: nodes["threshold"]),
    "samples cut off": change("n_samples", lambda array: array[:-1]),
    "samples as floats": change("n_samples", lambda array: array.astype("<f4")),
    "weights as integers": change("weight", lambda array: array.astype("<i4")),
    "values of another kind": change("values", lambda array: array.astype("<f4")),
    "values flat": change("values", lambda array: array.ravel()),
    "values cut off": change("values", lambda array: array[:-1]),
    "value that is no number": change("values", at(0, np.nan)),
    "offsets that begin late": change("node_offsets", at(0, 1)),
    "offsets that go back": change("node_offsets", at(1, -5)),
    "offsets beyond the end": change("leaf_offsets", at(-1, 10**12)),
    "offsets missing": change("leaf_offsets", lambda array: array[:-1]),
    "category offsets beyond the end": change("category_offsets", at(-1, 10**12)),
    "no columns": whole(lambda state: state.update(n_features=0)),
    "fewer columns": whole(lambda state: state.update(n_features=1)),
    "columns as text": whole(lambda state: state.update(n_features="4")),
    "a part missing": whole(lambda state: state.pop("categories")),
    "a part too many": whole(lambda state: state.update(_checked=None)),
}


@pytest.mark.parametrize("damage", STRUCTURAL)
def test_forests_that_lead_nowhere_are_refused(damage, tmp_path):
    path = tmp_path / "model"
    coterie.save(MODELS["forest"].fit(X, Y), path)
    header, blocks = unpack(path)
    path.write_bytes(pack(header, blocks))
    coterie.load(path)  # as long as nothing is changed
    STRUCTURAL[damage](header, blocks)
    path.write_bytes(pack(header, blocks))
    with pytest.raises(ModelFileError):
        coterie.load(path)


def edit_object(tag, **changes):
    def apply(header):
        entry = next(entry for entry in header["objects"] if entry.get("class") == tag)
        entry["state"].update(changes)

    return apply


HEADERS = {
    "another class": lambda h: h["objects"][-1].update({"class": "subprocess.Popen"}),
    "a class that is no part of models": lambda h: h["objects"][-1].update({"class": "Table"}),
    "a method replaced": edit_object("RandomForestClassifier", predict=3),
    "a property replaced": edit_object("RandomForestClassifier", feature_importances_=3),
    "a special name": edit_object("RandomForestClassifier", __class__="x"),
    "no name at all": edit_object("RandomForestClassifier", **{"a b": 1}),
    "a circle": edit_object("Pool", weights={"ref": 10**6}),
    "a later object": lambda h: h["objects"][0].update(
        {"class": "Pool", "state": {"members": {"ref": 1}}}
    ),
    "a function of others": edit_object("Pool", cast={"function": "os.system"}),
    "a method of others": edit_object("Pool", cast={"method": [{"ref": 0}, "tofile"]}),
    "no weights": edit_object("Pool", weights=None),
    "a width that does not fit": edit_object("Pool", width=2),
    "a width of nothing": edit_object("Pool", width=0),
    "no members": edit_object("Pool", members={"tuple": []}),
    "labels of no column": edit_object("Schema", labels={"dict": [[9, {"ref": 0}]]}),
    "names for some": edit_object("Schema", names={"tuple": ["a"]}),
    "a kind of value": lambda h: h.update(root={"pickle": "gASVAAAA"}),
    "no root": lambda h: h.pop("root"),
    "no objects": lambda h: h.pop("objects"),
    "a shape that is negative": lambda h: h["objects"][0].update(shape=[-1]),
    "a shape that is huge": lambda h: h["objects"][0].update(shape=[2**62, 2**62]),
    "an array of objects": lambda h: h["objects"][0].update(dtype="|O"),
    "a block that is not there": lambda h: h["objects"][0].update(array=10**6),
}


@pytest.mark.parametrize("damage", HEADERS)
def test_headers_that_say_what_cannot_be_are_refused(damage, tmp_path):
    path = tmp_path / "model"
    coterie.save(MODELS["forest"].fit(X, Y), path)
    header, blocks = unpack(path)
    HEADERS[damage](header)
    path.write_bytes(pack(header, blocks))
    try:
        model = coterie.load(path)
    except ModelFileError:
        return
    pytest.fail(f"loaded {model}")


@pytest.mark.parametrize("edit", ["overlap", "gap", "beyond", "negative", "swapped"])
def test_blocks_lie_one_after_the_other(edit, tmp_path):
    path = tmp_path / "model"
    coterie.save(MODELS["forest"].fit(X, Y), path)
    data = path.read_bytes()
    end = 64 + int.from_bytes(data[16:24], "little")
    header = json.loads(data[64:end])
    first, second = header["blocks"][:2]
    if edit == "swapped":
        header["blocks"][:2] = [second, first]
    else:
        new = {"overlap": 0, "gap": 1 << 12, "beyond": 1 << 40, "negative": -64}[edit]
        second["offset"] = new
    text = json.dumps(header, separators=(",", ":")).encode().ljust(end - 64)
    if len(text) > end - 64:
        text = text[: end - 64]  # an offset with more digits; then the text is cut off
    path.write_bytes(resign(data[:64] + text + data[end:]))
    with pytest.raises(ModelFileError, match="damaged"):
        coterie.load(path)
