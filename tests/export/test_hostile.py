"""Files with right checksums and wrong contents neither crash nor hang whoever loads them."""

import io
import zipfile

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import coterie
from coterie.export.errors import ModelFileError
from coterie.native.forest import NODE
from tests.export.goldens import FOLDER, table
from tests.export.hostile import watch
from tests.export.kinds import newest, write_good
from tests.export.mutations import pack, unpack
from tests.export.test_foreign_trees import with_state

X = np.random.default_rng(0).normal(size=(60, 3))
Y = X[:, 0] > 0.2 * X[:, 1]


@pytest.mark.slow
def test_hostile_files_end_well(tmp_path):
    rows = table()[0].to_numpy(dtype=object)[:12]
    for path in FOLDER.glob("*.coterie"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
        np.save((tmp_path / path.name).with_suffix(".npy"), rows)
    end, lines = watch(tmp_path, range(70), 60.0, 2500)
    assert end == ""
    said = [line["result"] for line in lines if "result" in line]
    assert len(said) == 70
    assert {result.partition(":")[0] for result in said} == {"refused", "sound"}
    assert sum(result.startswith("refused") for result in said) > 35


@pytest.mark.slow
def test_hostile_files_of_the_newest_kinds_end_well(tmp_path):
    write_good(tmp_path, newest())
    end, lines = watch(tmp_path, range(200), 60.0, 2500)
    assert end == ""
    said = [line for line in lines if "result" in line]
    assert len(said) == 200
    assert {line["result"].partition(":")[0] for line in said} == {"refused", "sound"}


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
        ("values", 1e300, "too large"),
        ("values", 7.0, "not probabilities"),
        ("weight", np.nan, "finite"),
        ("impurity", np.inf, "finite"),
        ("n_samples", -1, "negative"),
    ],
)
def test_numbers_out_of_range_are_refused(tree, part, value, problem):
    edited(tree, part, lambda array: array.fill(value))
    with pytest.raises(ModelFileError, match=problem):
        coterie.load(tree)


def test_tuples_in_tuples_are_refused(tree):
    header, blocks = unpack(tree)
    deep = 0
    for _ in range(300):
        deep = {"tuple": [deep]}
    header["objects"][-1]["state"]["max_depth"] = deep
    tree.write_bytes(pack(header, blocks))
    with pytest.raises(ModelFileError, match="levels deep"):
        coterie.load(tree)


def test_long_ranges_are_refused(tree):
    header, blocks = unpack(tree)
    header["objects"][-1]["state"]["max_depth"] = {"range": [0, 2**40, 1]}
    tree.write_bytes(pack(header, blocks))
    with pytest.raises(ModelFileError, match="range of 1099511627776 numbers"):
        coterie.load(tree)


# ------------------------------------------------------------------- members of other packages


def voting(member):
    """A committee of a member of others and a tree."""
    pytest.importorskip("skops")
    pair = [("a", member), ("b", coterie.DecisionTreeClassifier(max_depth=2))]
    return coterie.VotingClassifier(pair).fit(X, Y)


def wider(model):
    """Its tree asks for columns that it says it does not have."""
    wide = DecisionTreeClassifier(random_state=0).fit(np.hstack([X[:, ::-1], X]), X[:, 0] > 0)
    model.estimators_[0].tree_ = wide.tree_


def two_parents(model):
    model.estimators_[0].tree_ = with_state(model.estimators_[0].tree_, left_child=2)


def without_coefficients(model):
    machine = model.estimators_[0]
    machine.dual_coef_ = machine._dual_coef_ = machine._dual_coef_[:, :0]


@pytest.mark.parametrize(
    ("member", "damage", "problem"),
    [
        (DecisionTreeClassifier(random_state=0), wider, "tree_ does not match"),
        (DecisionTreeClassifier(random_state=0), two_parents, "two parents"),
        (SVC(), without_coefficients, "dual_coef_ does not match"),
    ],
    ids=lambda part: getattr(part, "__name__", ""),
)
def test_damaged_members_of_others_are_refused(member, damage, problem, tmp_path):
    model = voting(member)
    damage(model)
    coterie.save(model, tmp_path / "model")
    with pytest.raises(ModelFileError, match=problem):
        coterie.load(tmp_path / "model")


def test_bombs_among_members_are_refused(tmp_path):
    coterie.save(voting(GaussianNB()), tmp_path / "model")
    coterie.load(tmp_path / "model", max_unpacked=10**6)
    header, blocks = unpack(tmp_path / "model")
    entry = next(e for e in header["objects"] if "foreign" in e)
    stream = io.BytesIO(blocks[entry["foreign"]].tobytes())
    with zipfile.ZipFile(stream, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("zeros.npy", bytes(2 * 10**6))
    blocks[entry["foreign"]] = np.frombuffer(stream.getvalue(), dtype=np.uint8)
    (tmp_path / "model").write_bytes(pack(header, blocks))
    assert (tmp_path / "model").stat().st_size < 10**5
    with pytest.raises(ModelFileError, match="max_unpacked"):
        coterie.load(tmp_path / "model", max_unpacked=10**6)
