"""What is noted, and what is found again."""

import pickle

import numpy as np
import pytest

from coterie.automl.journal import Journal
from coterie.learners import ForeignMember


def test_facts_and_predictions_come_back(tmp_path):
    page = Journal(tmp_path / "deep" / "run").open("print")
    unseen = np.random.default_rng(0).random((5, 2))
    assert page.read("a candidate") is None
    assert page.elapsed == 0.0
    page.write("a candidate", {"note": "n", "elapsed": 3.0}, unseen)
    page.write("another", {"note": "m", "elapsed": 2.0})
    facts, found = page.read("a candidate")
    assert facts["note"] == "n"
    np.testing.assert_array_equal(found, unseen)
    assert page.read("another")[1] is None
    assert page.elapsed == 3.0


def test_half_a_file_is_no_file(tmp_path):
    """Killed while writing: the name appears with the last step only."""
    page = Journal(tmp_path).open("print")
    (page.folder / "a.json.part").write_text("{")
    assert page.read("a") is None
    assert not list(page.folder.glob("*.json"))


def test_searches_do_not_see_each_other(tmp_path):
    journal = Journal(tmp_path)
    journal.open("one").write("a", {"elapsed": 1.0})
    assert journal.open("two").read("a") is None
    assert journal.open("one").read("a") is not None


def test_names_that_look_alike_are_kept_apart(tmp_path):
    page = Journal(tmp_path).open("print")
    page.write("a, b", {"elapsed": 1.0})
    page.write("a- b", {"elapsed": 2.0})
    assert page.read("a, b")[0]["elapsed"] == 1.0


def test_models_are_kept_by_the_functions_given(tmp_path):
    def save(model, path):
        path.write_bytes(pickle.dumps(model))

    def load(path):
        return pickle.loads(path.read_bytes())

    seats = [ForeignMember({"number": k}) for k in range(3)]
    page = Journal(tmp_path, save, load).open("print")
    page.keep("a", seats)
    assert page.models("a", 3) == [{"number": k} for k in range(3)]
    assert page.models("a", 4) is None
    without = Journal(tmp_path).open("print")
    without.keep("b", seats)
    assert without.models("b", 3) is None


@pytest.mark.parametrize("ending", [".json", ".npy"])
@pytest.mark.parametrize("how", ["cut", "changed"])
def test_what_is_not_as_it_was_written_is_not_believed(tmp_path, ending, how):
    page = Journal(tmp_path).open("print")
    page.write("linear", {"elapsed": 1.0}, np.zeros((3, 1)))
    [path] = page.folder.glob(f"*{ending}")
    data = path.read_bytes()
    changed = data.replace(b"1.0", b"9.0") if ending == ".json" else data[:-1] + b"\1"
    path.write_bytes(data[:-5] if how == "cut" else changed)
    with pytest.warns(UserWarning, match=path.name):
        assert page.read("linear") is None
    assert page.elapsed == (0.0 if ending == ".json" else 1.0)


def test_a_damaged_model_is_fitted_again(tmp_path):
    page = Journal(tmp_path, lambda model, path: path.write_text("x"), json_load).open("print")
    page.keep("a", [ForeignMember({})])
    with pytest.warns(UserWarning, match="fitted again"):
        assert page.models("a", 1) is None


def json_load(path):
    raise ValueError("no model")


def test_candidates_of_alike_names_are_kept_apart(tmp_path):
    page = Journal(tmp_path).open("abc")
    names = ("a+b-c", "a-b+c", "x" * 300, "x" * 299 + "y", "é/..")
    for place, name in enumerate(names):
        page.write(name, {"elapsed": place})
    assert [page.read(name)[0]["elapsed"] for name in names] == list(range(len(names)))
