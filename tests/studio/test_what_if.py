"""What a model says about one row."""

import pytest

from coterie.automl import fit_table
from coterie.export import save
from coterie.serve.problems import Problem
from coterie.serve.shelf import Shelf
from coterie.studio.what_if import what_if


def test_answer_parts_members_and_neighbours(tmp_path):
    pandas = pytest.importorskip("pandas")
    rows = range(60)
    frame = pandas.DataFrame({"a": [k / 2 // 1 for k in rows], "b": [k * 7 % 5 for k in rows]})
    frame["y"] = ["yes" if k > 30 else "no" for k in rows]
    frame.to_csv(tmp_path / "t.csv", index=False)
    model = fit_table(frame, "y", time_limit=3, members="fast", random_state=0)
    save(model, tmp_path / "m.coterie")
    (served,) = Shelf((f"m={tmp_path / 'm.coterie'}",)).open().all()
    found = what_if(served, tmp_path / "t.csv", {"a": 27, "b": 2})
    assert found["answer"]["prediction"] == "yes"
    chances = model.predict_proba(pandas.DataFrame({"a": [27.0], "b": [2]}))[0]
    assert found["answer"]["probability_yes"] == pytest.approx(chances[1], abs=1e-6)
    assert found["adds"]["values"]["a"] > abs(found["adds"]["values"]["b"])
    assert [one["name"] for one in found["members"]] == [one.name for one in model.members_]
    for one in found["nearest"]:
        assert 0 <= one["share"] <= 1
        assert float(one["row"]["a"]) >= 15
    with pytest.raises(Problem, match="A row must be an object"):
        what_if(served, tmp_path / "t.csv", [1, 2])
