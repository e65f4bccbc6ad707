"""Archives are measured before they are unpacked."""

import io
import json
import zipfile

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.tree import DecisionTreeRegressor

import coterie
from coterie.export.errors import ModelFileError
from coterie.export.foreign_archive import open_archive

skops_io = pytest.importorskip("skops.io")


def archive(schema, **files):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("schema.json", json.dumps(schema))
        for name, data in files.items():
            made.writestr(name, data)
    return stream.getvalue()


def node(loader="ListNode", **parts):
    return {"__loader__": loader, "__module__": "builtins", "__class__": "list", **parts}


def test_bombs_are_refused():
    with pytest.raises(ModelFileError, match="max_unpacked"):
        open_archive(archive(node(content=[]), zeros=bytes(10**6)), 10**5)


def test_a_file_that_is_read_often_counts_as_often():
    often = node(content=[node("NdArrayNode", file="zeros")] * 50)
    assert open_archive(archive(often, zeros=bytes(1000)), 10**6).inflated > 50_000
    with pytest.raises(ModelFileError, match="max_unpacked"):
        open_archive(archive(often, zeros=bytes(1000)), 40_000)


def test_archives_within_archives_count():
    inner = io.BytesIO()
    np.savez_compressed(inner, a=np.zeros(10**5))
    sparse = {"a.npz": inner.getvalue()}
    with pytest.raises(ModelFileError, match="max_unpacked"):
        open_archive(archive(node(content=[]), **sparse), 10**5)


@pytest.mark.parametrize(
    "schema",
    [
        node("CachedNode"),
        node(content=[node(__id__=1, content=[]), node(__id__=1, content=[node()])]),
    ],
    ids=["reference", "namesake"],
)
def test_sharing_is_refused(schema):
    with pytest.raises(ModelFileError):
        open_archive(archive(schema), 10**6)


def test_trees_of_scikit_learn_need_their_arrays():
    """Their compiled code takes None for an array."""
    made = skops_io.dumps(DecisionTreeRegressor().fit([[0.0], [1.0]], [0.0, 1.0]))
    with zipfile.ZipFile(io.BytesIO(made)) as read:
        schema = json.loads(read.read("schema.json"))
        files = {name: read.read(name) for name in read.namelist() if name != "schema.json"}
    open_archive(archive(schema, **files), 10**6)
    parts = schema["content"]["content"]["tree_"]["content"]["content"]
    nodes = parts["nodes"]
    for bad in (
        parts["max_depth"] | {"content": "null"},
        nodes | {"file": parts["values"]["file"]},
    ):
        parts["nodes"] = bad
        with pytest.raises(ModelFileError, match="scikit-learn tree"):
            open_archive(archive(schema, **files), 10**6)


def test_the_limit_is_a_parameter_of_load(tmp_path):
    X = np.arange(12.0).reshape(6, 2)
    model = coterie.BaggingRegressor(LinearRegression(), n_estimators=2).fit(X, X[:, 0])
    coterie.save(model, tmp_path / "model")
    with pytest.raises(ModelFileError, match="max_unpacked"):
        coterie.load(tmp_path / "model", max_unpacked=1000)
    coterie.load(tmp_path / "model", max_unpacked=10**6)
