import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.ensemble import RandomForestRegressor
from sklearn.tree import DecisionTreeClassifier

import coterie
from coterie import diagnose, theory
from tests.diagnosis.pools import copies, independent, pool

CLASSES = [
    "accurate?",
    "diverse?",
    "oversized?",
    "overfitting?",
    "calibrated?",
    "even classes?",
    "equal members?",
]
NUMBERS = [*CLASSES[:4], "unbiased?", "even spread?", "equal members?"]


def test_questions():
    found = diagnose(*pool(independent(5, 200)))
    assert [finding.question for finding in found.findings] == CLASSES
    assert (found.task, found.n_rows, found.n_parts, found.unit) == (
        "classification",
        200,
        5,
        "member",
    )
    X, y = load_diabetes(return_X_y=True)
    forest = RandomForestRegressor(10, random_state=0).fit(X[::2], y[::2])
    found = diagnose(forest, X[1::2], y[1::2])
    assert [finding.question for finding in found.findings] == NUMBERS
    assert (found.task, found.classes, found.profile) == ("regression", None, None)


def test_copies_of_one_member():
    found = diagnose(*pool(copies(9)))
    assert [found[name].verdict for name in ("diverse?", "oversized?")] == ["too similar", "yes"]
    assert found["diverse?"].numbers["effective_members"] == pytest.approx(1.0)
    assert len(found.advice) == 2


@pytest.mark.slow
def test_everything_is_fine():
    hits = independent(5, 3000, 0.02)
    found = diagnose(*pool(hits))
    assert found["accurate?"].fine
    assert found["diverse?"].fine
    found = diagnose(DecisionTreeClassifier(max_depth=1).fit([[0.0], [1.0]], [0, 1]), *_halves())
    assert (found.fine, found.advice) == (True, [])
    assert "No changes are suggested." in str(found)


def _halves():
    X = np.repeat([0.0, 1.0], 50)
    return X[:, None], X.astype(int)


def test_the_profile_is_of_the_vote():
    models, X, y = pool(independent(5, 200))
    found = diagnose(models, X, y)
    expected = theory.dissent(X.T.astype(int), y)
    np.testing.assert_array_equal(found.profile.failing, expected.failing)
    assert found.profile.error == pytest.approx(found["accurate?"].numbers["error"])


@pytest.mark.slow
def test_rows_of_no_weight_are_absent():
    X, y = load_breast_cancer(return_X_y=True)
    forest = coterie.RandomForestClassifier(10, random_state=0).fit(X[:300], y[:300])
    weight = np.ones(269)
    weight[200:] = 0.0
    some = diagnose(forest, X[300:500], y[300:500]).to_dict()
    weighted = diagnose(forest, X[300:], y[300:], sample_weight=weight).to_dict()
    for one, other in zip(some["findings"], weighted["findings"], strict=True):
        if one["question"] in ("accurate?", "diverse?", "even classes?"):
            recalls = one["numbers"].pop("recalls", {})
            assert recalls == pytest.approx(other["numbers"].pop("recalls", {}))
            assert one["numbers"] == pytest.approx(other["numbers"]), one["question"]


@pytest.mark.slow
def test_frames_and_words():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame({"x": rng.normal(size=200), "k": rng.choice(["a", "b"], 200)})
    y = np.where((frame["x"] > 0) ^ (frame["k"] == "a"), "up", "down")
    forest = coterie.RandomForestClassifier(15, random_state=0).fit(frame[:100], y[:100])
    found = diagnose(forest, frame[100:], y[100:], X_train=frame[:100], y_train=y[:100])
    assert (found["accurate?"].verdict, found.classes) == ("yes", ["down", "up"])
    with pytest.raises(ValueError, match="not one of the classes"):
        diagnose(forest, frame[100:], np.full(100, "left"))


@pytest.mark.slow
def test_the_same_again():
    X, y = load_breast_cancer(return_X_y=True)
    forest = coterie.RandomForestClassifier(8, random_state=0).fit(X[::2], y[::2])
    first, again = (diagnose(forest, X[1::2], y[1::2]) for _ in range(2))
    assert first == again
    assert str(first) == str(again)
