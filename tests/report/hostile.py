"""Names that try to be markup."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np

from coterie.automl.records import Column, Finding
from tests.report.fitted import insights

EVIL = "<script>alert('x')</script>\"&{{ 7 * 7 }}"


def hostile(model: Any) -> SimpleNamespace:
    """The same model, but everything that a user can name is called by a script."""
    names = [f"{EVIL}{i}" for i in range(len(model.feature_names_in_))]
    changed = SimpleNamespace(**vars(model))
    changed.feature_names_in_ = np.array(names, dtype=object)
    changed.columns_ = [Column(name, EVIL, 0.5, 3, True, EVIL) for name in names]
    changed.importances_ = {name: (0.1, 0.01) for name in names}
    changed.findings_ = [Finding(EVIL, "danger", names[:2], EVIL, EVIL)]
    changed.target_name_ = EVIL
    changed.made_ = {EVIL: EVIL, "settings": {EVIL: EVIL}, "date": EVIL}
    if model.classes_ is not None:
        changed.classes_ = np.array([f"{EVIL}{i}" for i in range(len(model.classes_))])
    evil = insights(names, 1 if model.classes_ is None else len(model.classes_))
    changed.effects_ = [replace(one, values=[EVIL] * len(one.values)) for one in evil["effects_"]]
    changed.contributions_ = evil["contributions_"]
    changed.subgroups_ = [replace(one, category=EVIL) for one in evil["subgroups_"]]
    changed.learning_curve_ = replace(evil["learning_curve_"], member=EVIL)
    changed.history_ = [{"name": EVIL, "score": 0.5, "elapsed": 1.0}]
    return changed
