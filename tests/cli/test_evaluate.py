import json

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, log_loss, root_mean_squared_error

import coterie
from coterie.files import read_table


def test_scores_are_scikit_learns(call, credit):
    said = call("evaluate", credit.model, credit.test, "--json")
    found = json.loads(said.out)
    model = coterie.load(credit.model / "model.coterie")
    table = read_table(credit.test).table
    truth = table.column("credit").to_pylist()
    chances = model.predict_proba(table.drop_columns(["credit"]))
    assert (found["rows"], found["task"]) == (300, "classification")
    assert found["scores"]["log_loss"]["score"] == pytest.approx(log_loss(truth, chances))
    said = np.array(["bad", "good"])[chances.argmax(axis=1)]
    accuracy = found["scores"]["accuracy"]
    assert accuracy["score"] == pytest.approx(accuracy_score(truth, said))
    assert accuracy["low"] < accuracy["score"] < accuracy["high"]


def test_numbers(call, prices):
    found = json.loads(call("evaluate", prices.model, prices.test, "--json").out)
    model = coterie.load(prices.model / "model.coterie")
    table = read_table(prices.test).table
    expected = root_mean_squared_error(
        table.column("price").to_pylist(), model.predict(table.drop_columns(["price"]))
    )
    assert found["scores"]["rmse"]["score"] == pytest.approx(expected)


@pytest.mark.slow
def test_a_table_for_people(call, credit):
    said = call("evaluate", credit.model, credit.test)
    assert said.code == 0
    assert "log_loss" in said.out
    assert said.out.startswith(f"{credit.model / 'model.coterie'} on 300 rows")


def test_what_cannot_be_measured(call, credit, write):
    header = "checking_status,duration,age,housing"
    said = call("evaluate", credit.model, write("a.csv", f"{header}\n<0,1,2,own\n"))
    assert said.code == 1
    assert "needs the true target" in said.err
    said = call("evaluate", credit.model, write("b.csv", f"{header},credit\n<0,1,2,own,fair\n"))
    assert "1 rows have classes that the model does not know: fair" in said.err
    said = call("evaluate", credit.model, write("c.csv", f"{header},credit\n<0,1,2,own,\n"))
    assert "no row has a target value" in said.err
