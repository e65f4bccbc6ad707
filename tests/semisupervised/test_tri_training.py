"""Tri-training: its rule, the paper's conditions and a case worked out by hand."""

from fractions import Fraction

import numpy as np
import pytest

from coterie import BaggingClassifier, DecisionTreeClassifier, TriTrainingClassifier
from coterie.semisupervised import tri_training_update
from coterie.semisupervised.tri_training import PluralityVote

HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("before", "n_before", "error", "n_rows", "taken", "counted"),
    [
        (HALF, 0, Fraction(1, 10), 50, 4, 1),
        (HALF, 0, Fraction(1, 4), 50, 3, 2),
        (Fraction(1, 5), 10, Fraction(1, 10), 50, 19, 10),
        (Fraction(1, 5), 10, Fraction(1, 10), 15, 15, 10),
        (Fraction(1, 5), 10, Fraction(3, 20), 30, 13, 10),
        (HALF, 0, Fraction(0), 3, 3, 1),
        (HALF, 0, Fraction(0), 1, 0, 1),
        (Fraction(3, 10), 2, Fraction(1, 5), 40, 0, 2),
        (HALF, 0, Fraction(2, 5), 6, 6, 5),
        (HALF, 0, Fraction(2, 5), 4, 0, 5),
    ],
)
def test_the_rule(before, n_before, error, n_rows, taken, counted):
    assert tri_training_update(before, n_before, error, n_rows) == (taken, counted)
    # Floats stand for the ratios they were written as.
    assert tri_training_update(float(before), n_before, float(error), n_rows) == (taken, counted)


def test_ratios_are_exact():
    assert np.floor(0.15 / (0.2 - 0.15) + 1) == 3
    assert tri_training_update(0.2, 0, 0.15, 100).before == 4


@pytest.mark.slow
def test_every_update_lowers_the_bound():
    for e_before in range(1, 26):
        for e in range(e_before):
            for n_before in range(1, 60, 7):
                for n_rows in (1, 10, 45, 400):
                    args = Fraction(e_before, 50), n_before, Fraction(e, 50), n_rows
                    taken = tri_training_update(*args).taken
                    assert taken == 0 or e * taken < e_before * n_before


class Stump(DecisionTreeClassifier):
    """The best threshold of one column, ties to the lower one."""

    def __init__(self, column=0):
        self.column = column

    def fit(self, X, y, sample_weight=None):
        values = np.unique(X[:, self.column])
        cuts = (values[1:] + values[:-1]) / 2
        errors = [np.sum((X[:, self.column] > cut) != y) for cut in cuts]
        self.cut_, self.classes_ = cuts[int(np.argmin(errors))], np.array([0, 1])
        return self

    def predict(self, X):
        return (X[:, self.column] > self.cut_).astype(int)

    def predict_proba(self, X):
        return np.eye(2)[self.predict(X)]


L = np.array([[1, 1, 4], [2, 3, 1], [3, 2, 2], [6, 5, 6], [7, 8, 3], [8, 6, 7]], dtype=float)
U = np.array(
    [[2.5, 4.5, 2], [5.5, 7, 5], [4, 4, 6.5], [5, 2.5, 1], [6.5, 3, 6], [3.5, 6.5, 7]], dtype=float
)
Y = [0, 0, 0, 1, 1, 1] + [-1] * 6


def by_hand(**params):
    stumps = [Stump(column) for column in range(3)]
    model = TriTrainingClassifier(estimator=stumps, bootstrap=False, n_folds=None, **params)
    return model.fit(np.vstack([L, U]), Y)


def test_three_stumps_by_hand():
    model = by_hand()
    assert [member.cut_ for member in model.estimators_] == [3.25, 4.75, 2.5]
    assert model.transduction_.tolist() == [0, 0, 0, 1, 1, 1, 0, 1, 1, 0, 1, 1]
    assert model.trace_["taken"].tolist() == [3, 3, 2, 0, 0, 0]
    assert model.trace_["e"].tolist() == [0] * 6
    assert model.trace_["l_before"][:3].tolist() == [1, 1, 1]
    assert (model.termination_condition_, model.n_iter_) == ("no_change", 2)
    assert model.labeled_iter_.tolist() == [0] * 6 + [1] * 6


def test_with_disagreement_less_is_taught():
    assert (
        by_hand(disagreement=True).trace_["candidates"].sum() < by_hand().trace_["candidates"].sum()
    )


def test_out_of_bag_errors_are_larger():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    y = (X[:, 0] + rng.normal(size=400) > 0).astype(int)
    y[100:] = -1
    settings = {"random_state": 0, "n_folds": None, "max_iter": 1}
    seen, unseen = (
        TriTrainingClassifier(error=error, **settings).fit(X, y).trace_["e"]
        for error in ("resubstitution", "oob")
    )
    assert (unseen > seen + 0.05).all()


def test_without_unlabelled_rows_it_is_bagging():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), rng.integers(0, 3, 80)
    model = TriTrainingClassifier(random_state=5).fit(X, y)
    bag = BaggingClassifier(n_estimators=3, random_state=5).fit(X, y)
    assert model.termination_condition_ == "all_labeled"
    votes = [tree.predict_proba(X) for tree in model.estimators_]
    np.testing.assert_array_equal(votes, [tree.predict_proba(X) for tree in bag.estimators_])


def test_plurality_decides_and_probabilities_break_ties():
    votes = np.array([[0.6, 0.4, 0.0], [0.6, 0.4, 0.0], [0.0, 1.0, 0.0]])
    assert PluralityVote(3)(votes).sum(axis=0).argmax() == 0  # the mean says 1
    split = np.array([[0.4, 0.3, 0.3], [0.3, 0.5, 0.2], [0.1, 0.4, 0.5]])
    assert PluralityVote(3)(split).sum(axis=0).argmax() == 1
    np.testing.assert_allclose(PluralityVote(3)(split).sum(axis=1), 1)


def test_a_list_has_three():
    with pytest.raises(ValueError, match="three members, but estimator is a list of 2"):
        TriTrainingClassifier(estimator=[Stump(0), Stump(1)]).fit(L, Y[:6])


class Witness(Stump):
    """Remembers the weights it was fitted with."""

    def fit(self, X, y, sample_weight=None):
        self.seen_ = None if sample_weight is None else np.sort(sample_weight)
        return super().fit(X, y)


def test_weights_of_rows_and_of_their_errors():
    weight = np.r_[1.0, 1, 3, 1, 1, 1, 0.5, 0.25, 2, 2, 2, 2]
    model = TriTrainingClassifier(
        estimator=[Witness(column) for column in range(3)],
        bootstrap=False,
        n_folds=None,
        max_iter=1,
    )
    rows = np.vstack([L, U])
    rows[2] = [7.5, 7, 2]  # the first two stumps are wrong there
    model.fit(rows, Y, weight)
    assert model.trace_["e"].tolist()[2] == pytest.approx(3 / 8)
    for member, taken in zip(model.estimators_, model.trace_["taken"], strict=True):
        assert len(member.seen_) == 6 + taken
        assert (member.seen_ == 1).sum() == 5  # of the labelled rows alone
        assert set(member.seen_.tolist()) <= set(weight.tolist())
    assert (model.trace_["taken"] > 0).any()
