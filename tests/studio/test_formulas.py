"""Formulas fit the facts of their methods."""

import re

import pytest

import coterie
from coterie.studio.formulas import formulas_of

BOOSTERS = [name for name in coterie.__all__ if "Boost" in name and "Survival" not in name]


@pytest.mark.slow
@pytest.mark.parametrize("name", BOOSTERS)
def test_facts_in_braces_are_facts_of_the_trace(name, moons):
    cls = getattr(coterie, name)
    size = "n_estimators" if "n_estimators" in cls().get_params() else "max_iter"
    few = {size: 3} if size in cls().get_params() else {}
    X, y = moons
    model = cls(**few).fit(X, X[:, 0] if name.endswith("Regressor") else y)
    wanted = set(re.findall(r"\{(\w+)\}", " ".join(text for _, text in formulas_of(model))))
    if not hasattr(model, "trace_"):
        assert not wanted
        return
    # The bound of some is computed from their loss.
    assert wanted - {"bound"} <= set(model.trace_.names)


def test_bags_have_formulas_too():
    assert formulas_of(coterie.RandomForestClassifier())[1][0] == "Members are averaged"
