"""Pages for those who come from elsewhere name what is answered, and classes that exist."""

import re
from pathlib import Path

import pytest

import coterie
from coterie.boosting.gradient.foreign_names import FOREIGN_NAMES

GUIDE = Path(__file__).parents[1] / "docs" / "guide"
THEIRS = {"TunedThresholdClassifierCV", "MultiClassClassifier", "FilteredClassifier"}
THEIRS |= {"CostSensitiveClassifier", "LGBMClassifier"}


def test_every_name_that_is_answered_is_listed():
    text = (GUIDE / "from_boosters.rst").read_text(encoding="utf-8")
    parts = re.split(r"\n(LightGBM|XGBoost|CatBoost)\n-+\n", text)
    pages = dict(zip(parts[1::2], parts[2::2], strict=True))
    for one in FOREIGN_NAMES:
        if one.library in pages:
            assert f"``{one.name}``" in pages[one.library], one
            assert one.here in pages[one.library], one


@pytest.mark.parametrize("page", ["from_boosters", "from_matlab", "from_weka", "from_scikit_learn"])
def test_classes_exist(page):
    text = (GUIDE / f"{page}.rst").read_text(encoding="utf-8")
    named = set(re.findall(r"\b[A-Z][A-Za-z0-9]+(?:Classifier|Regressor)\b", text)) - THEIRS
    assert len(named) > 1
    assert not [name for name in named if not hasattr(coterie, name)]
