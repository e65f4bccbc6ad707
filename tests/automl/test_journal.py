"""What is noted, and what is found again."""

import pickle

import numpy as np

from coterie.automl.journal import Journal
from coterie.combining.members import Seat


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

    seats = [Seat({"number": k}, None) for k in range(3)]
    page = Journal(tmp_path, save, load).open("print")
    page.keep("a", seats)
    assert page.models("a", 3) == [{"number": k} for k in range(3)]
    assert page.models("a", 4) is None
    without = Journal(tmp_path).open("print")
    without.keep("b", seats)
    assert without.models("b", 3) is None
