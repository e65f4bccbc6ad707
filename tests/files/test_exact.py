import numpy as np
import pyarrow as pa
import pytest
from sklearn.linear_model import LogisticRegression

import coterie
from coterie.automl.combine import Blend
from coterie.files.attributions import sampled_shapley
from coterie.files.exact import exact_shapley
from coterie.files.models import Fitted

RNG = np.random.default_rng(0)
N = 200
ROWS = pa.table(
    {
        "a": RNG.normal(size=N),
        "word": RNG.choice(["x", "y", "z"], N),
        "day": [f"2024-{1 + k % 12:02d}-{1 + k % 28:02d}" for k in range(N)],
        "c": RNG.normal(size=N),
    }
)
A, WORD = np.asarray(ROWS["a"]), np.asarray(ROWS["word"].to_pylist())
NUMBERS = 2 * A + (WORD == "x") + 0.1 * np.arange(N) % 12
TWO = np.where(NUMBERS > 1, "yes", "no")
THREE = np.digitize(NUMBERS, [0.0, 1.5])
PLAIN = ROWS.select(["a", "word", "c"])


def explain(model, table, best, row=7):
    fitted = Fitted(model, None)
    return exact_shapley(fitted, table.slice(row, 1), table, best)


def members(task):
    own = {"categorical_features": [1]}
    return [
        ("trees", getattr(coterie, f"ExtraTrees{task}")(5, max_depth=4, random_state=0, **own)),
        ("tree", getattr(coterie, f"DecisionTree{task}")(max_depth=3, **own)),
    ]


def test_a_product_is_shared():
    cells = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    table = pa.table({"fever": cells[:, 0], "cough": cells[:, 1]})
    model = coterie.DecisionTreeRegressor().fit(table, [0.0, 0.0, 0.0, 80.0])
    found = exact_shapley(Fitted(model, None), table.slice(3, 1), table.slice(0, 1), None)
    assert (found.values.tolist(), found.base) == ([40.0, 40.0], 0.0)
    assert (found.method, found.scale) == ("exact", "answer")


@pytest.mark.parametrize("best", [0, 1, 2])
def test_probabilities_of_a_forest_add_up(best):
    model = coterie.RandomForestClassifier(9, random_state=0).fit(PLAIN, THREE)
    found = explain(model, PLAIN, best)
    said = model.predict_proba(PLAIN.slice(7, 1))[0, best]
    assert found.scale == "answer"
    assert found.base + found.values.sum() == pytest.approx(said)


@pytest.mark.parametrize("best", [0, 1])
def test_boosters_are_explained_by_their_score(best):
    model = coterie.HistGradientBoostingClassifier(max_iter=9).fit(PLAIN, TWO)
    found = explain(model, PLAIN, best)
    assert found.scale == "score"
    score = model.decision_function(PLAIN.slice(7, 1))[0] * (1 if best else -1)
    assert found.base + found.values.sum() == pytest.approx(score)


def test_estimates_are_of_the_same_values():
    model = coterie.RandomForestRegressor(9, random_state=0).fit(PLAIN, NUMBERS)
    found = explain(model, PLAIN, None)
    values, _ = sampled_shapley(model.predict, PLAIN.slice(7, 1), PLAIN, samples=3000)
    np.testing.assert_allclose(values, found.values, atol=0.1)
    assert np.abs(found.values).max() > 0.5


def test_columns_may_come_in_any_order():
    model = coterie.RandomForestRegressor(9, random_state=0).fit(PLAIN, NUMBERS)
    first = explain(model, PLAIN, None)
    other = explain(model, PLAIN.select(["c", "a", "word"]), None)
    assert other.values.tolist() == first.values[[2, 0, 1]].tolist()


@pytest.mark.slow
def test_tables_of_numbers_with_dates():
    table = ROWS.append_column("number", pa.array(np.arange(N) + 5))  # left out
    own = [("boost", coterie.HistGradientBoostingRegressor(max_iter=20))]
    model = coterie.TableRegressor(members=own).fit(table, NUMBERS)
    found = explain(model, table, None)
    assert found.base + found.values.sum() == pytest.approx(model.predict(table.slice(7, 1))[0])
    assert len(found.values) == 5
    assert found.values[4] == 0.0
    assert np.count_nonzero(found.values) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
def test_tables_of_forests(y):
    first, second = (
        coterie.TableClassifier(members=[pair]).fit(PLAIN, y) for pair in members("Classifier")
    )
    first.pool_ += second.pool_
    first.blend_ = Blend("mean", np.array([0.7, 0.3]))
    said = first.predict_proba(PLAIN.slice(7, 1))[0]
    for best in range(len(said)):
        found = explain(first, PLAIN, best)
        assert found.base + found.values.sum() == pytest.approx(said[best])
    first.blend_ = Blend("calibrated", np.array([0.7, 0.3]), tau=2.0)
    assert explain(first, PLAIN, 0) is None


@pytest.mark.slow
def test_means_of_probabilities_of_boosters_are_no_sums():
    own = [("boost", coterie.HistGradientBoostingClassifier(max_iter=5))]
    model = coterie.TableClassifier(members=own).fit(PLAIN, TWO)
    model.blend_ = Blend("best single", np.ones(1))
    assert explain(model, PLAIN, 1) is None


@pytest.mark.slow
def test_numbers_behind_a_link_are_no_sums():
    own = [("boost", coterie.HistGradientBoostingRegressor(max_iter=5, loss="gamma"))]
    model = coterie.TableRegressor(members=own).fit(PLAIN, np.exp(NUMBERS))
    assert explain(model, PLAIN, None) is None


@pytest.mark.slow
def test_models_of_others_are_not_explained():
    table = PLAIN.select(["a", "c"])
    model = LogisticRegression().fit(table.to_pandas(), TWO)
    assert explain(model, table, 1) is None
    tables = coterie.TableClassifier(members=["linear"]).fit(table, TWO)
    tables.blend_ = Blend("best single", np.ones(1))
    assert explain(tables, table, 1) is None
