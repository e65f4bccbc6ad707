import numpy as np
import pytest
from sklearn.utils.class_weight import compute_sample_weight

from coterie.base.class_weight import a_class_weight, class_factors, times
from coterie.core import ParameterError
from coterie.data import Target

LABELS = np.array(["a", "a", "a", "b", "b", "c"])
TARGET = Target.labels(LABELS)


def test_no_weights():
    assert class_factors(None, TARGET, None) is None


@pytest.mark.parametrize("weight", [{"a": 2.0, "b": 0.5, "c": 1.0}, {"b": 3.0}])
def test_dicts(weight):
    expected = [weight.get(label, 1.0) for label in LABELS]
    np.testing.assert_array_equal(class_factors(weight, TARGET, None), expected)


def test_balanced_counts_sample_weights():
    np.testing.assert_allclose(
        class_factors("balanced", TARGET, None), compute_sample_weight("balanced", LABELS)
    )
    weight = np.array([1.0, 2.0, 1.0, 1.0, 3.0, 2.0])
    repeated = compute_sample_weight("balanced", np.repeat(LABELS, weight.astype(int)))
    first = np.cumsum(weight).astype(int) - 1
    np.testing.assert_allclose(class_factors("balanced", TARGET, weight), repeated[first])


def test_effective_numbers_of_rows():
    codes = np.repeat([0, 1, 2], [8000, 1000, 10])
    factors = class_factors("effective", Target.labels(codes), None)
    # Cui et al., equation 2 with beta = 0.999: 999.7, 632.3 and 9.96 rows.
    known = [(1 - 0.999**n) / 0.001 for n in (8000, 1000, 10)]
    a, b, c = factors[[0, 8000, -1]]
    np.testing.assert_allclose([a / b, b / c], [known[1] / known[0], known[2] / known[1]])
    assert factors.mean() == pytest.approx(1.0)


def test_effective_numbers_count_whole_weights_as_rows():
    weight = np.array([1.0, 2.0, 1.0, 1.0, 3.0, 2.0])
    repeated = Target.labels(np.repeat(LABELS, weight.astype(int)))
    first = np.cumsum(weight).astype(int) - 1
    expected = class_factors("effective", repeated, None)[first]
    np.testing.assert_allclose(class_factors("effective", TARGET, weight), expected)
    # Importances have no unit.
    halves = class_factors("effective", TARGET, weight / 7.0)
    np.testing.assert_allclose(class_factors("effective", TARGET, weight / 3.5), halves)


def test_one_dict_per_output():
    both = np.column_stack([[0, 1, 1], [1, 1, 0]])
    factors = class_factors([{0: 2.0}, {1: 3.0}], Target.labels(both), None)
    np.testing.assert_array_equal(factors, [6.0, 3.0, 1.0])
    with pytest.raises(ValueError, match="multi-output"):
        class_factors([{0: 2.0}], Target.labels(both), None)


@pytest.mark.parametrize("bad", [{"a": -1.0}, {"a": np.nan}, {"a": 0, "b": 0, "c": 0}])
def test_weights_must_make_sense(bad):
    with pytest.raises(ParameterError, match="class_weight"):
        class_factors(bad, TARGET, None)


def test_unknown_classes_are_refused():
    with pytest.raises(ValueError, match="not in class_weight"):
        class_factors({"a": 1.0, "z": 2.0}, TARGET, None)


def test_words():
    assert all(map(a_class_weight.admits, ("balanced", None, {}, [{}])))
    assert not any(map(a_class_weight.admits, ("even", 3)))


def test_times():
    ones, twos = np.ones(2), np.full(2, 2.0)
    assert times(None, None) is None
    assert times(None, ones) is ones
    assert times(twos, None) is twos
    np.testing.assert_array_equal(times(twos, twos), [4, 4])
