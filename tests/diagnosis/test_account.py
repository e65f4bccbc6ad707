import json

import numpy as np
import pytest

from coterie import diagnose
from coterie.diagnosis import Diagnosis, Finding
from tests.diagnosis.pools import SaysNumbers, copies, independent, pool


@pytest.fixture
def account():
    findings = [
        Finding("accurate?", "yes", True, "Error 0.1."),
        Finding(
            "diverse?", "too similar", False, "It counts as 1.", "Make members differ.", {"e": 1}
        ),
        Finding("oversized?", "unknown", None, "No members."),
    ]
    return Diagnosis("Some", "classification", 10, 3, "member", findings, ["a", "b"])


def test_the_text(account):
    assert str(account).splitlines() == [
        "Some: 3 members, evaluated on 10 rows, 2 classes",
        "+ accurate?   yes          Error 0.1.",
        "! diverse?    too similar  It counts as 1.",
        "? oversized?  unknown      No members.",
        "What to try next",
        "1. Make members differ.",
    ]
    assert repr(account) == str(account)


def test_answers_are_found_by_question(account):
    assert account["diverse"] is account["diverse?"] is account.findings[1]
    assert (account.fine, account.advice) == (False, ["Make members differ."])
    with pytest.raises(KeyError, match="not a question"):
        account["beautiful?"]


def test_nothing_to_do(account):
    fine = Diagnosis("Some", "regression", 1, 1, "", [account.findings[0], account.findings[2]])
    assert fine.fine
    assert str(fine).splitlines()[-1] == "No changes are suggested. Unknown: oversized?"
    assert str(fine).startswith("Some: evaluated on 1 row\n")


def test_plain_data(account):
    found = json.loads(json.dumps(account.to_dict()))
    assert found["findings"][1]["numbers"] == {"e": 1}
    assert (found["name"], found["n_parts"], found["advice"]) == ("Some", 3, account.advice)


def test_long_accounts_stay_short():
    rng = np.random.default_rng(0)
    worst = independent(40, 200, 0.6)
    worst[:20] = rng.random(200) > 0.7
    lines = str(diagnose(*pool(worst))).splitlines()
    assert len(lines) <= 25
    assert max(len(line) for line in lines) <= 100


@pytest.mark.slow
@pytest.mark.parametrize("labels", [True, False])
def test_pictures(labels):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    if labels:
        found = diagnose(*pool(copies(5, 60)))
    else:
        X = np.random.default_rng(0).normal(size=(60, 3))
        found = diagnose([SaysNumbers(t) for t in range(3)], X, X[:, 0])
    axes = found.plot()
    assert len(axes[0].lines) > 0
    np.testing.assert_allclose(axes[0].lines[0].get_ydata(), found["oversized?"].numbers["errors"])
    assert axes[1].axison == labels
    plt.close("all")
