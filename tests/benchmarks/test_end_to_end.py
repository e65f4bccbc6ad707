"""The harness measures one tiny case, each contender in its own process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks import scaling
from benchmarks.__main__ import main
from benchmarks.cases import Case
from benchmarks.contenders import CONTENDERS
from benchmarks.measure import _Scale, model_mb
from benchmarks.runner import installed

FIGURES = {"fit_wall", "fit_cpu", "fit_peak", "base_mb", "model_mb", "batch_wall", "score"}

pytestmark = pytest.mark.slow


def test_one_tiny_case(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = "forest/higgs"
    present = [name for name in ("coterie", "scikit-learn") if name in installed()]
    options = ["--quick", "--only", case, "--rows", "300", "--trees", "2", "--threads", "1"]
    main([*options, "--contenders", ",".join(present), "--out", str(tmp_path)])
    found = json.loads((tmp_path / "quick.json").read_text(encoding="utf-8"))
    assert [r["contender"] for r in found["records"]] == present
    for record in found["records"]:
        assert "error" not in record
        assert record.keys() >= FIGURES
    assert f"| {case}/300" in capsys.readouterr().out
    assert (tmp_path / "quick.md").is_file()


def test_boosting_has_a_suite_of_its_own(tmp_path: Path) -> None:
    options = ["--suite", "boosting", "--only", "stumps", "--rows", "300", "--trees", "2"]
    main([*options, "--threads", "1", "--contenders", "coterie", "--out", str(tmp_path)])
    found = json.loads((tmp_path / "boosting.json").read_text(encoding="utf-8"))
    assert {r["case"] for r in found["records"]} == {"stumps/higgs/300"}
    assert all(r.keys() >= FIGURES for r in found["records"])
    assert {t["target"] for t in found["targets"]} == {
        "100 boosted stumps, fit 50x",
        "50 boosted depth-3 trees, fit 20x",
    }


def test_gradient_boosting_has_a_suite_of_its_own(tmp_path: Path) -> None:
    options = ["--suite", "gradient", "--quick", "--only", "gradient/energy", "--rows", "300"]
    options += ["--trees", "2", "--threads", "1", "--contenders", "coterie,scikit-learn"]
    main([*options, "--out", str(tmp_path)])
    found = json.loads((tmp_path / "gradient-quick.json").read_text(encoding="utf-8"))
    assert [r["contender"] for r in found["records"]] == ["coterie", "scikit-learn"]
    ours, theirs = found["records"]
    assert all(r.keys() >= {*FIGURES, "loss", "row_median"} for r in (ours, theirs))
    assert theirs["behind"] == pytest.approx(ours["loss"] - theirs["loss"])
    assert theirs["behind_se"] > 0
    assert (tmp_path / "gradient-quick.md").is_file()


def test_growth_of_time_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("matplotlib")
    case = Case("gradient", "higgs-30", 300, 2)
    monkeypatch.setattr(scaling, "points", lambda size: [scaling.Point("columns", 30, case)])
    options = ["--suite", "gradient", "--quick", "--scaling", "--contenders", "coterie"]
    main([*options, "--out", str(tmp_path)])
    found = json.loads((tmp_path / "gradient-quick-scaling.json").read_text(encoding="utf-8"))
    assert [(r["axis"], r["at"], r["columns"]) for r in found["records"]] == [("columns", 30, 30)]
    assert "</svg>" in (tmp_path / "gradient-quick-scaling.svg").read_text(encoding="utf-8")


def test_sizes_are_refused_where_there_are_none() -> None:
    with pytest.raises(SystemExit, match="--quick has no meaning"):
        main(["--suite", "boosting", "--quick"])


def test_a_measurement_given_up_is_reported(tmp_path: Path) -> None:
    options = ["--quick", "--only", "tree/higgs/300", "--rows", "300", "--limit", "0.001"]
    main([*options, "--contenders", "scikit-learn", "--out", str(tmp_path)])
    found = json.loads((tmp_path / "quick.json").read_text(encoding="utf-8"))
    assert [r["error"] for r in found["records"]] == ["given up after 0 s"]


def test_model_size_is_that_of_its_pickle() -> None:
    assert model_mb(b"x" * 2**20) == pytest.approx(1.0, abs=1e-3)
    assert _Scale().write(memoryview(b"abc")) == 3


def test_cases_can_be_listed(capsys: pytest.CaptureFixture[str]) -> None:
    main(["--list", "--only", "tree/higgs"])
    assert capsys.readouterr().out.split()[0] == "tree/higgs/10k"


def test_unknown_contenders_are_refused() -> None:
    with pytest.raises(SystemExit, match="unknown contender"):
        main(["--contenders", "abacus"])
    assert "abacus" not in CONTENDERS
