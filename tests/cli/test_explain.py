import json
import re

import click
import pytest
from pyarrow import csv

import coterie
from coterie.cli.explain import parse_rows


def test_what_the_fit_found(call, credit):
    found = json.loads(call("explain", credit.model, "--json").out)
    model = coterie.load(credit.model / "model.coterie")
    assert {name: (one["mean"], one["std"]) for name, one in found.items()} == model.importances_
    means = [one["mean"] for one in found.values()]
    assert means == sorted(means, reverse=True)


def test_columns_shuffled_in_a_file(call, prices):
    said = call("explain", prices.model, prices.test, "--most", 2)
    lines = said.out.splitlines()
    assert [line.split()[0] for line in lines[3:]] == ["size", "town"]
    assert "rmse" in lines[0]


def test_single_rows(call, prices):
    found = json.loads(call("explain", prices.model, prices.test, "--rows", "3,5", "--json").out)
    assert [one["row"] for one in found] == [3, 5]
    for one in found:
        assert (one["method"], one["scale"]) == ("exact", "answer")
        total = one["base"] + sum(column["adds"] for column in one["columns"])
        assert total == pytest.approx(one["answer"])
    third = prices.test.read_text().splitlines()[3].split(",")
    assert found[0]["columns"][1]["value"] == third[1]


def test_single_rows_of_classes_for_people(call, credit):
    said = call("explain", credit.model, credit.test, "--rows", "1", "--most", 3)
    assert said.code == 0
    assert "row 1: " in said.out
    assert "probability" in said.out
    assert "Shapley values)" in said.out


def test_scores_of_boosters_for_people(call, credit, tmp_path):
    table = csv.read_csv(credit.train)
    model = coterie.GradientBoostingClassifier(max_iter=5)
    model.fit(table.select(["age", "housing"]), table["credit"].to_pylist())
    coterie.save(model, tmp_path / "boost.coterie")
    said = call("explain", tmp_path / "boost.coterie", credit.test, "--rows", "1")
    assert said.code == 0
    assert re.search(r"row 1: \w+, probability [\d.]+, score \S+; score \S+ on average", said.out)
    assert "(exact Shapley values)" in said.out


def test_rows():
    assert parse_rows("2, 4-6,9") == [(2, 2), (4, 6), (9, 9)]
    for text in ("0", "a", "3-", ""):
        with pytest.raises(click.BadParameter):
            parse_rows(text)


def test_rows_that_are_not_there(call, credit):
    assert "row 999" in call("explain", credit.model, credit.test, "--rows", "999").err
    assert call("explain", credit.model, "--rows", "1").code == 2


def test_a_range_beyond_the_file_is_told_without_making_it(call, prices):
    said = call("explain", prices.model, prices.test, "--rows", "1-99999999999")
    assert said.code == 1
    assert "no row 99,999,999,999: the file has 300 rows" in said.err
    assert call("explain", prices.model, prices.test, "--rows", "5-3").code == 2
