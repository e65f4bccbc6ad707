"""Files with right checksums and wrong contents neither crash nor hang whoever loads them."""

import numpy as np
import pytest

import coterie
from coterie.export.errors import ModelFileError
from coterie.native.forest import NODE
from tests.export.goldens import FOLDER
from tests.export.hostile import watch
from tests.export.mutations import pack, unpack

X = np.random.default_rng(0).normal(size=(60, 3))
Y = X[:, 0] > 0.2 * X[:, 1]


def test_hostile_files_end_well(tmp_path):
    for path in FOLDER.glob("*.coterie"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
        np.save((tmp_path / path.name).with_suffix(".npy"), np.zeros((3, 3)))
    end, lines = watch(tmp_path, range(70), 60.0, 2500)
    assert end == ""
    said = [line["result"] for line in lines if "result" in line]
    assert len(said) == 70
    assert sum(result.startswith("refused") for result in said) > 35


@pytest.fixture
def tree(tmp_path):
    coterie.save(coterie.DecisionTreeClassifier().fit(X, Y), tmp_path / "model")
    return tmp_path / "model"


def edited(path, part, edit):
    """The file with one array of its forest changed."""
    header, blocks = unpack(path)
    state = next(e for e in header["objects"] if e.get("class") == "Forest")["state"]
    entry = header["objects"][state[part]["ref"]]
    dtype = NODE if part == "nodes" else np.dtype(entry["dtype"])
    edit(blocks[entry["array"]].view(dtype).reshape(entry["shape"]))
    path.write_bytes(pack(header, blocks))


def test_nodes_with_two_parents_are_refused(tree):
    def share(nodes):
        nodes["left"][0] = nodes["left"].max()

    edited(tree, "nodes", share)
    with pytest.raises(ModelFileError, match="two parents"):
        coterie.load(tree)


@pytest.mark.parametrize(
    ("part", "value", "problem"),
    [
        ("values", np.inf, "finite"),
        ("values", 7.0, "probabilities"),
        ("weight", np.nan, "finite"),
        ("impurity", np.inf, "finite"),
        ("n_samples", -1, "negative"),
    ],
)
def test_numbers_out_of_range_are_refused(tree, part, value, problem):
    edited(tree, part, lambda array: array.fill(value))
    with pytest.raises(ModelFileError, match=problem):
        coterie.load(tree)
