from types import SimpleNamespace

import pytest

from coterie.base.lazy_members import LazyMembers


class Made(LazyMembers[SimpleNamespace]):
    """Members that know their number, and count how many were made."""

    count = 0

    def _make(self, number):
        self.count += 1
        member = SimpleNamespace(number=number)
        self._share(member, ("classes_", "n_outputs_"))
        return member


def made():
    return Made(SimpleNamespace(pool_=range(4), estimator_=1.5, classes_="ab", n_features_in_=2))


def test_members_are_made_when_asked_for():
    members = made()
    assert len(members) == 4
    assert members.count == 0
    assert members[-1].number == 3
    assert members.count == 1
    assert [member.number for member in members[1:3]] == [1, 2]
    assert [member.number for member in members] == [0, 1, 2, 3]
    with pytest.raises(IndexError):
        members[4]


def test_members_get_what_their_owner_has():
    assert vars(made()[0]) == {"number": 0, "classes_": "ab"}


def test_the_estimator_is_named():
    assert repr(made()) == "<4 fitted float>"
