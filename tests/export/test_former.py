"""Members in files of former versions, whose classes had other names and attributes."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.svm import LinearSVC

from coterie.data import Table
from coterie.export.decode import Decoder, revive
from coterie.export.errors import ModelFileError
from coterie.export.former import as_today
from coterie.export.registry import class_of, tag_of
from coterie.learners import ForeignMember

X = np.arange(12.0).reshape(6, 2)
Y = np.array(["a", "c"] * 3)
CLASSES = np.array(["a", "b", "c"])
SURE, SCORING = LogisticRegression().fit(X, Y), LinearSVC().fit(X, Y)
NUMBERS = LinearRegression().fit(X, X[:, 0])
PLACES = np.array([0, 2])


def labels(said):
    return CLASSES[said.argmax(axis=1)].tolist()


def revived(tag, **state):
    return revive(class_of(tag), as_today(tag, state))


@pytest.mark.parametrize(
    ("tag", "state"),
    [
        ("ForeignMember", {"classes": CLASSES, "gives": "proba"}),
        ("Guest", {"classes": (CLASSES,), "columns": None}),
        ("Seat", {"classes": CLASSES, "method": "predict_proba"}),
        ("Voter", {"n_classes": 3, "known": Y[:2], "places": PLACES, "columns": None}),
    ],
)
def test_classifiers(tag, state):
    member = revived(tag, estimator=SURE, **state)
    assert isinstance(member, ForeignMember)
    said = member.predict(Table.read(X))
    np.testing.assert_array_equal(said[:, PLACES], SURE.predict_proba(X))
    assert (said[:, 1] == 0).all()
    if "method" not in state and "gives" not in state:
        assert labels(revived(tag, estimator=SCORING, **state).predict(Table.read(X))) == list(
            SCORING.predict(X)
        )


@pytest.mark.parametrize(
    ("tag", "state"),
    [
        ("ForeignMember", {"classes": None, "gives": "score"}),
        ("Guest", {"classes": (), "columns": None}),
        ("Seat", {"classes": None, "method": "predict"}),
        ("Seat", {"classes": CLASSES, "method": "predict"}),
        ("Voter", {"n_classes": 0, "known": None, "places": None, "columns": None}),
    ],
)
def test_regressors(tag, state):
    member = revived(tag, estimator=NUMBERS, **state)
    np.testing.assert_allclose(member.predict(Table.read(X))[:, 0], NUMBERS.predict(X))


def test_members_of_today_are_left_as_they_are():
    member = ForeignMember(SURE, (CLASSES,), "predict_proba", name="lr")
    assert revived("ForeignMember", **vars(member)) == member
    assert tag_of(ForeignMember) == "ForeignMember"


def test_what_is_damaged_is_refused():
    with pytest.raises(ModelFileError, match="a Voter is invalid"):
        as_today("Voter", {"estimator": SURE, "places": PLACES, "n_classes": 10**15})
    with pytest.raises(ModelFileError, match="a Seat is invalid"):
        as_today("Seat", {"estimator": SURE})
    with pytest.raises(ModelFileError, match="a ForeignMember is invalid"):
        as_today("ForeignMember", {"estimator": SURE, "evil": 1})


@pytest.mark.parametrize(
    ("tag", "state"),
    [
        ("ForeignMember", {"classes": (CLASSES[:2],), "method": "predict_proba"}),
        ("Guest", {"classes": (CLASSES[:2],), "columns": None}),
        ("Seat", {"classes": CLASSES[:2], "method": "predict_proba"}),
        ("Voter", {"n_classes": 2, "known": Y[:2], "places": PLACES, "columns": None}),
        ("Voter", {"n_classes": 3, "known": Y[:1], "places": PLACES[:1], "columns": None}),
    ],
)
def test_members_of_other_labels_are_refused(tag, state):
    decoder = Decoder([], ())
    decoder.objects = [SURE, *state.values()]
    entry = {"class": tag, "state": {"estimator": {"ref": 0}}}
    entry["state"] |= {name: {"ref": number} for number, name in enumerate(state, start=1)}
    with pytest.raises(ValueError, match="not one of the classes|classes of a member do not match"):
        decoder._instance(entry)
