"""Models that look at no column."""

import numpy as np
import pytest

from coterie.automl.prior import PriorClassifier, PriorRegressor
from coterie.export import ModelFileError, load, save

ROWS = np.zeros((3, 2))


def test_half_a_row_is_added_to_every_class():
    model = PriorClassifier(n_classes=4).fit(ROWS, [0, 0, 2])
    expected = np.array([2.5, 0.5, 1.5, 0.5]) / 5
    np.testing.assert_allclose(model.predict_proba(ROWS), [expected] * 3)
    assert model.predict(ROWS).tolist() == [0, 0, 0]


def test_integer_weights_are_repetitions_and_others_shares_of_the_rows():
    model = PriorClassifier().fit(ROWS, ["a", "b", "b"], sample_weight=np.array([4, 1, 1]))
    np.testing.assert_allclose(model.frequencies_, [4.5 / 7, 2.5 / 7])
    model = PriorClassifier().fit(ROWS, ["a", "b", "b"], sample_weight=np.array([0.2, 0.05, 0.05]))
    np.testing.assert_allclose(model.frequencies_, [2.5 / 4, 1.5 / 4])
    assert model.predict(ROWS[:1]) == ["a"]
    assert PriorRegressor().fit(ROWS, [1, 2, 6], [1, 1, 2]).predict(ROWS).tolist() == [3.75] * 3


@pytest.mark.parametrize(
    ("model", "name", "wrong"),
    [
        (PriorClassifier(), "frequencies_", np.array([0.9, 0.2])),
        (PriorClassifier(), "frequencies_", np.array([1.0])),
        (PriorClassifier(), "frequencies_", np.array([np.nan, 1.0])),
        (PriorRegressor(), "mean_", np.inf),
    ],
)
def test_files_hold_them_without_a_foreign_part(tmp_path, model, name, wrong):
    model.fit(ROWS, [0, 1, 1])
    save(model, tmp_path / "model")
    assert b"sklearn" not in (tmp_path / "model").read_bytes()
    np.testing.assert_array_equal(load(tmp_path / "model").predict(ROWS), model.predict(ROWS))
    setattr(model, name, wrong)
    save(model, tmp_path / "wrong")
    with pytest.raises(ModelFileError, match=name):
        load(tmp_path / "wrong")
