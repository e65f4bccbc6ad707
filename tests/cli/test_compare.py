import json

import numpy as np
import pytest

import coterie
from coterie.cli.compare import compare_answers
from coterie.files import read_table
from coterie.files.errors import CommandError
from coterie.files.file_predictions import Answers


@pytest.mark.slow
def test_several_models_on_one_table(call, credit, tmp_path):
    table = read_table(credit.train).table
    X, y = table.drop_columns(["credit"]), np.array(table.column("credit").to_pylist())
    poor = coterie.DecisionTreeClassifier(max_depth=12, random_state=0).fit(X, y)
    coterie.save(poor, tmp_path / "tree.coterie")
    said = call("compare", tmp_path / "tree.coterie", credit.model, "--on", credit.test)
    assert said.code == 0, said.err
    assert f"{credit.model} is significantly better than the others." in said.out
    options = ["--on", credit.test, "--metric", "accuracy", "--json"]
    found = json.loads(call("compare", tmp_path / "tree.coterie", credit.model, *options).out)
    best, other = found["models"]
    assert (best["model"], best["p_value"]) == (str(credit.model), None)
    assert best["score"] - other["score"] == pytest.approx(other["difference"])
    assert other["low"] < other["difference"] < other["high"]


def answers(*numbers):
    return Answers("regression", np.zeros(len(numbers)), np.array(numbers, dtype=float))


def test_equal_models_cannot_be_told_apart():
    name, found = compare_answers({"a": answers(1, 2, 1), "b": answers(2, 1, 1)}, "auto")
    assert name == "rmse"
    assert found[1]["p_value"] == pytest.approx(1.0)


def test_what_cannot_be_compared(call, credit):
    chances = Answers("classification", np.array([0]), np.array([[1.0, 0.0]]))
    with pytest.raises(CommandError, match="others are regressors"):
        compare_answers({"a": chances, "b": answers(1)}, "auto")
    with pytest.raises(CommandError, match="not a mean over rows"):
        compare_answers({"a": answers(1), "b": answers(1)}, "r2")
    assert call("compare", credit.model, "--on", credit.test).code == 2
