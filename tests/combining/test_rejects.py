"""Marks among labels; what voting does with them is tested in test_voting."""

import numpy as np

from coterie.combining.rejects import RejectingVotes, a_reject_label


class Voter(RejectingVotes):
    reject, threshold, reject_label = True, 0.5, "auto"
    classes_ = np.array(["no", "yes"])


def test_marks_survive_labels_of_any_kind():
    support = np.array([[2.0, 1.0], [1.0, 1.0]])
    labels = np.array(["no", "no"])
    voter = Voter()
    assert voter._marked(labels, support).tolist() == ["no", None]
    voter.reject = False
    assert voter._marked(labels, support).tolist() == ["no", "no"]
    voter.reject, voter.classes_ = True, np.array([3, 4], dtype=np.uint8)
    assert voter._marked(np.array([3, 3], dtype=np.uint8), support).tolist() == [3, -1]


def test_what_can_mark():
    assert all(map(a_reject_label.admits, (None, -1, "unsure", np.int64(3), 0.5)))
    assert not any(map(a_reject_label.admits, (float("nan"), b"x", object())))
