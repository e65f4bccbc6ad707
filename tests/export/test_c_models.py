"""Compiled C says what the models say it was made from."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
from sklearn.base import is_classifier

import coterie
from coterie.export import OnnxError
from tests.export.runtime import NUMBERS, SCORE, THREE, TWO, X, codes

COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")


def build(model, tmp_path):
    """The functions of the compiled source."""
    coterie.to_c(model, tmp_path / "it.c", name="it")
    library = tmp_path / "it.so"
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-O0", "-shared", "-fPIC"]
    done = subprocess.run(
        [
            COMPILER,
            *flags,
            "-Wno-unused-function",
            str(tmp_path / "it.c"),
            "-o",
            str(library),
            "-lm",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[:2000]
    return ctypes.CDLL(str(library))


def ask(library, rows, width):
    out, labels = np.empty((len(rows), width)), np.empty(len(rows), dtype=int)
    double = ctypes.POINTER(ctypes.c_double)
    for k, row in enumerate(np.ascontiguousarray(rows, dtype=np.float64)):
        labels[k] = library.it_predict(row.ctypes.data_as(double), out[k].ctypes.data_as(double))
    return out, labels


def agree(model, tmp_path):
    library = build(model, tmp_path)
    if not is_classifier(model):
        said, _ = ask(library, codes(model), model.n_outputs_)
        expected = model.predict(X).reshape(said.shape)
        np.testing.assert_allclose(said, expected, rtol=1e-12, atol=1e-12)
        return
    expected = model.predict_proba(X)
    said, labels = ask(library, codes(model), expected.shape[1])
    np.testing.assert_allclose(said, expected, rtol=1e-10, atol=1e-12)
    top = np.sort(expected, axis=1)
    clear = top[:, -1] - top[:, -2] > 1e-10
    assert clear.mean() > 0.5
    np.testing.assert_array_equal(model.classes_[labels][clear], model.predict(X)[clear])


@needs_compiler
@pytest.mark.parametrize(
    ("model", "y"),
    [
        (coterie.RandomForestClassifier(3, categorical_features=[3], random_state=0), THREE),
        (coterie.RandomForestRegressor(3, random_state=0), np.stack([SCORE, NUMBERS], 1)),
        (coterie.HistGradientBoostingClassifier(max_iter=5, categorical_features=[3]), TWO),
        (coterie.HistGradientBoostingClassifier(max_iter=5), THREE),
        (coterie.HistGradientBoostingRegressor(max_iter=5, loss="poisson"), NUMBERS),
        (coterie.AdaBoostClassifier(n_estimators=5, random_state=0), THREE),
        (coterie.RealAdaBoostClassifier(n_estimators=5, random_state=0), TWO),
        (coterie.AdaBoostMHClassifier(n_estimators=5, random_state=0), THREE),
        (
            coterie.VotingClassifier(
                [
                    ("f", coterie.RandomForestClassifier(2, random_state=0)),
                    ("g", coterie.HistGradientBoostingClassifier(max_iter=2)),
                ],
                voting="soft",
            ),
            TWO,
        ),
    ],
    ids=lambda value: type(value).__name__,
)
def test_the_same_predictions(model, y, tmp_path):
    agree(model.fit(X, y), tmp_path)


@needs_compiler
def test_words_are_looked_up_and_unknown_ones_are_missing(tmp_path):
    pandas = pytest.importorskip("pandas")
    words = np.array(["plain", 'say "no"\\?', "größe\n", "else"])
    frame = pandas.DataFrame({"a": X[:, 0], "w": pandas.Categorical(words[np.arange(200) % 4])})
    y = np.isin(frame["w"], words[:2]) ^ (np.nan_to_num(X[:, 0]) > 0)
    model = coterie.HistGradientBoostingClassifier(max_iter=10).fit(frame, y)
    library = build(model, tmp_path)
    found = [library.it_code(1, word.encode()) for word in [*words, "new"]]
    assert sorted(found[:4]) == [0, 1, 2, 3]
    assert found[4] == -1
    for word, code in zip([*words, "new"], found, strict=True):
        row = pandas.DataFrame({"a": [0.3], "w": pandas.Categorical([word])})
        said, _ = ask(library, [[0.3, code]], 2)
        np.testing.assert_allclose(said, model.predict_proba(row), rtol=1e-12)


def test_what_cannot_be_written_is_refused(tmp_path):
    with pytest.raises(OnnxError, match="cannot be exported to C"):
        coterie.to_c(coterie.KNNEnsembleClassifier().fit(np.nan_to_num(X), TWO))
    model = coterie.DecisionTreeClassifier(max_depth=1).fit(X, TWO)
    with pytest.raises(ValueError, match="identifier"):
        coterie.to_c(model, tmp_path / "it.c", name="a b")
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_leaves_both_files_as_they_were(tmp_path):
    resource = pytest.importorskip("resource")
    tree = coterie.DecisionTreeRegressor().fit(np.arange(90.0)[:, None], np.arange(90.0))
    header, source = tmp_path / "m.h", tmp_path / "m.c"
    header.write_text("old header")
    source.write_text("old source")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limits[1]))  # enough for the header alone
    try:
        with pytest.raises(OSError, match="File too large") as caught:
            coterie.to_c(tree, source)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert caught.value.filename == str(source)
    assert (header.read_text(), source.read_text()) == ("old header", "old source")
    assert len(list(tmp_path.iterdir())) == 2
