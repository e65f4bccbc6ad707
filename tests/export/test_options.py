"""Whatever a parameter is set to, the model comes back from its file."""

import re

import pytest

import coterie
from tests.contract.exported import ESTIMATORS, make, outputs, problem, same_bits

# Those that say nothing of what a model holds, or are searched by the clock.
ELSEWHERE = {"n_jobs", "categorical_features", "memory", "metrics"}
UNTIMED = [cls for cls in ESTIMATORS if not cls.__name__.startswith("Table")]


def settings(cls):
    """Every parameter by itself, with each of the words it takes."""
    for name, allowed in cls.allowed.items():
        if name not in ELSEWHERE:
            for word in re.findall(r"'([^' ]+)'", allowed.wording):
                yield {name: word}


@pytest.mark.slow("CostSensitive", "ERLPBoost")
@pytest.mark.contract
@pytest.mark.every_case  # each has settings of its own
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("cls", UNTIMED)
def test_every_setting_comes_back(cls, tmp_path):
    X, y = problem(cls, n_rows=60)
    path = tmp_path / "model.coterie"
    for setting in settings(cls):
        try:
            model = make(cls, **setting).fit(X, y)
            said = outputs(model, X)
        except ValueError:  # a setting that needs others, or another target
            continue
        coterie.save(model, path)
        assert same_bits(outputs(coterie.load(path), X), said), setting
