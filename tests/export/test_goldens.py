"""Files of earlier versions load, and say what they said."""

import json

import numpy as np
import pytest

import coterie
from coterie.export import describe
from tests.export.goldens import FOLDER, answers, models, table

EXPECTED = {
    name: said
    for path in sorted(FOLDER.glob("v*.json"))
    for name, said in json.loads(path.read_text(encoding="utf-8")).items()
}


def test_there_are_files_of_every_format():
    assert {name.split("-")[0] for name in EXPECTED} == {"v1"}
    assert len(EXPECTED) == len(models())
    assert {path.name for path in FOLDER.glob("*.coterie")} == set(EXPECTED)


@pytest.mark.parametrize("name", EXPECTED)
def test_golden_files_say_what_they_said(name):
    frame, labels, numbers = table()
    model = coterie.load(FOLDER / name)
    np.testing.assert_allclose(answers(model, frame), EXPECTED[name], rtol=1e-12, atol=1e-15)
    model.fit(frame, labels if hasattr(model, "predict_proba") else numbers)
    # Gradient boosting once went by the shorter of its two names.
    assert type(model).__name__.endswith(describe(FOLDER / name)["model"])
    assert type(model).__name__ == type(models()[name[3 : -len(".coterie")]]).__name__


def test_golden_files_load_mapped():
    frame = table()[0]
    model = coterie.load(FOLDER / "v1-forest.coterie", mmap=True)
    np.testing.assert_array_equal(answers(model, frame), EXPECTED["v1-forest.coterie"])
