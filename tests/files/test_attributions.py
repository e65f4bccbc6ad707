import numpy as np
import pyarrow as pa
import pytest

from coterie.files.attributions import sampled_shapley, shuffled_losses

RNG = np.random.default_rng(0)
ROWS = pa.table({"a": RNG.normal(size=200), "b": RNG.normal(size=200), "c": RNG.normal(size=200)})


def numbers(table):
    return [np.asarray(column) for column in table.columns]


def test_columns_that_are_not_used_do_not_matter():
    truth = 3 * numbers(ROWS)[0] + numbers(ROWS)[1]

    def loss(table):
        a, b, _ = numbers(table)
        return 7.0 + float(np.mean((3 * a + b - truth) ** 2))

    found = shuffled_losses(loss, ROWS)
    # Shuffling a column of weight w costs 2 w² of its variance.
    assert found["a"][0] == pytest.approx(18 * np.var(numbers(ROWS)[0]), rel=0.15)
    assert found["a"][0] > found["b"][0] > 0
    assert found["c"] == (0.0, 0.0)


def test_values_of_a_sum_are_its_terms():
    row = ROWS.slice(3, 1)
    background = ROWS.slice(0, 1)

    def ask(table):
        a, b, c = numbers(table)
        return 2 * a - b + 0 * c

    values, base = sampled_shapley(ask, row, background, samples=5)
    a, b, _ = (
        float(new[0] - old[0]) for new, old in zip(numbers(row), numbers(background), strict=True)
    )
    assert values == pytest.approx([2 * a, -b, 0.0])
    assert base == pytest.approx(float(ask(background)[0]))


def test_a_product_is_shared_and_all_adds_up():
    row = pa.table({"a": [1.0], "b": [1.0]})
    zero = pa.table({"a": [0.0], "b": [0.0]})

    def ask(table):
        a, b = numbers(table)
        return 80 * a * b

    values, base = sampled_shapley(ask, row, zero, samples=2000)
    assert values.sum() + base == pytest.approx(80.0)
    assert values == pytest.approx([40.0, 40.0], abs=4)
