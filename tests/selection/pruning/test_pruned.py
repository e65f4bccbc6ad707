"""Where the rows come from, and how many members are kept, whatever is predicted."""

from functools import partial

import numpy as np
import pytest
from sklearn import ensemble
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, make_classification, make_friedman1
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import coterie
from coterie import PrunedEnsembleClassifier, PrunedEnsembleRegressor
from coterie.native import Forest
from coterie.selection import NUMBER_ORDERS, ORDERS, gasen_order
from coterie.selection.pruning.pruned import draws_bags

X, Y = make_classification(240, 6, n_informative=4, n_classes=3, flip_y=0.1, random_state=0)
# Folds go by the bits of rows, and the last ones come from the BLAS of this machine.
X = np.round(X, 6)
BAG = coterie.BaggingClassifier(n_estimators=24, random_state=0)


@pytest.mark.parametrize(("size", "kept"), [(5, 5), (0.25, 6), (0.01, 1), (1.0, 24), (24, 24)])
def test_sizes(size, kept):
    model = PrunedEnsembleClassifier(BAG, size=size, random_state=0).fit(X, Y)
    assert model.size_ == len(model.pool_) == len(model.estimators_) == kept
    assert model.n_members_ == 24
    np.testing.assert_array_equal(model.members_, np.sort(model.order_[:kept]))


@pytest.mark.slow
def test_chosen_sizes():
    bag = clone(BAG).set_params(random_state=1)
    auto, best, most = (
        PrunedEnsembleClassifier(bag, random_state=0, **more).fit(X, Y)
        for more in ({}, {"size": "best"}, {"size": "best", "max_size": 0.25})
    )
    curve = auto.curve_
    least = curve.choice_error.argmin()
    assert best.size_ == curve.sizes[least]
    # The one-standard-error rule: no smaller size is within it.
    within = curve.choice_error <= curve.choice_error[least] + curve.gap_deviation
    assert auto.size_ < best.size_
    assert within[auto.size_ - 1]
    assert not within[: auto.size_ - 1].any()
    assert most.size_ == curve.best(most=6) <= 6
    assert auto.curve_.sizes.tolist() == list(range(1, 25))
    with pytest.raises(ValueError, match="more than the"):
        PrunedEnsembleClassifier(BAG, size=25).fit(X, Y)


@pytest.mark.slow
def test_bags_judge_by_default():
    assert draws_bags(BAG)
    assert draws_bags(ensemble.RandomForestClassifier())
    assert not draws_bags(coterie.ExtraTreesClassifier())
    assert not draws_bags([GaussianNB()])
    model = PrunedEnsembleClassifier(BAG, random_state=0).fit(X, Y)
    oob = PrunedEnsembleClassifier(BAG, validate="oob", random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.order_, oob.order_)
    # The pool has seen all rows: it is the one that was given.
    whole = BAG.fit(X, Y)
    np.testing.assert_array_equal(
        model.ensemble_.predict_proba(X), whole.pruned(model.members_).predict_proba(X)
    )


@pytest.mark.slow
def test_a_fitted_bag_is_judged_by_the_rows_of_its_fit():
    weight = np.random.default_rng(0).integers(0, 3, 240)
    fitted = coterie.BaggingClassifier(n_estimators=24, random_state=0).fit(X, Y, weight)
    given = PrunedEnsembleClassifier(fitted, validate="oob", prefit=True, random_state=0)
    given.fit(X, Y, weight)
    inside = PrunedEnsembleClassifier(BAG, validate="oob", random_state=0).fit(X, Y, weight)
    np.testing.assert_array_equal(given.order_, inside.order_)
    with pytest.raises(ValueError, match="its training rows"):
        given.fit(X[:100], Y[:100])
    with pytest.raises(ValueError, match="not yet fitted"):
        PrunedEnsembleClassifier(fitted, validate=0.3, prefit=True).fit(X, Y)


def test_new_rows_judge_a_fitted_pool():
    fitted = coterie.BaggingClassifier(n_estimators=24, random_state=0).fit(X[:120], Y[:120])
    model = PrunedEnsembleClassifier(fitted, prefit=True, random_state=0).fit(X[120:], Y[120:])
    votes = np.stack([tree.predict_proba(X[120:]) for tree in fitted.estimators_])
    expected = coterie.selection.reduced_error_order(votes, Y[120:])
    np.testing.assert_array_equal(model.order_, expected)
    assert len(fitted.pool_) == 24  # the given one is left alone


class Recorder(DecisionTreeClassifier):
    """Remembers the rows it was fitted on."""

    def fit(self, X, y, sample_weight=None):
        self.seen_ = len(X)
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize(("validate", "seen"), [(0.25, 180), (0.5, 120), (3, 240), ("auto", 180)])
def test_lists_are_judged_by_rows_aside_or_folds(validate, seen):
    pool = [Recorder(max_depth=d) for d in (1, 2, 4, 8)] + [GaussianNB()]
    model = PrunedEnsembleClassifier(pool, validate=validate, size=3, random_state=0).fit(X, Y)
    trees = [tree for tree in model.estimators_ if isinstance(tree, Recorder)]
    assert {tree.seen_ for tree in trees} == {seen}
    hands = np.mean([member.predict_proba(X) for member in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict_proba(X), hands)
    assert model.order_[0] != 0  # a stump on three classes is never the best


@pytest.mark.slow
def test_orders_of_your_own():
    def backwards(votes, truth, *, sample_weight):
        assert votes.shape[0] == 24
        assert np.isnan(votes).any()
        assert len(truth) == len(sample_weight) == votes.shape[1]
        return np.arange(24)[::-1]

    model = PrunedEnsembleClassifier(BAG, order=backwards, size=2).fit(X, Y)
    assert model.members_.tolist() == [22, 23]
    PrunedEnsembleClassifier(BAG, order=partial(gasen_order, solver="ga"), size=2).fit(X, Y)
    with pytest.raises(ValueError, match="each of the 24 members"):
        PrunedEnsembleClassifier(BAG, order=lambda v, t, sample_weight: [0]).fit(X, Y)


@pytest.mark.parametrize("pool", ["ours", "booster"])
def test_native_members_stay_native(pool):
    pools = {"ours": BAG, "booster": coterie.AdaBoostClassifier(n_estimators=24)}
    model = PrunedEnsembleClassifier(pools[pool], size=4, random_state=0).fit(X, Y)
    forest = model.pool_.members
    assert isinstance(forest, Forest)
    assert len(forest) == 4
    assert len(forest.nodes) == forest.node_offsets[-1]  # nothing of the others is left


@pytest.mark.slow
def test_scikit_learns_bags():
    bag = ensemble.BaggingClassifier(LogisticRegression(), 10, max_features=0.5, random_state=0)
    model = PrunedEnsembleClassifier(bag, size=4, random_state=0).fit(X, Y)
    bag.fit(X, Y)
    some = [(bag.estimators_[t], bag.estimators_features_[t]) for t in model.members_]
    hands = np.mean([member.predict_proba(X[:, shown]) for member, shown in some], axis=0)
    np.testing.assert_allclose(model.predict_proba(X), hands)


@pytest.mark.slow
def test_too_few_rows_keep_all():
    # Four rows, so often that every bag has them all.
    rows = np.repeat(np.array([0, 1, 2, 3]), 40)
    with pytest.warns(UserWarning, match="all members are kept"):
        model = PrunedEnsembleClassifier(BAG, validate="oob").fit(X[rows], Y[rows])
    assert model.size_ == model.n_members_ == 24
    aside = PrunedEnsembleClassifier(BAG).fit(X[rows], Y[rows])  # one of them judges instead
    assert aside.size_ == 24
    assert np.isnan(aside.curve_.choice_error).all()


CANCER_X, CANCER_Y = load_breast_cancer(return_X_y=True)
NAMES = np.array(["harmless", "tumour"])[CANCER_Y]


@pytest.mark.slow
@pytest.mark.parametrize("order", ORDERS)
def test_every_order_prunes(order):
    bag = coterie.BaggingClassifier(n_estimators=25, random_state=0)
    model = PrunedEnsembleClassifier(bag, order=order, max_size=0.4, random_state=0)
    model.fit(CANCER_X[::2], NAMES[::2])
    assert 1 <= model.size_ <= 10
    assert model.score(CANCER_X[1::2], NAMES[1::2]) > 0.88
    assert model.classes_.tolist() == ["harmless", "tumour"]
    # As if the members were asked one by one.
    hands = np.mean([tree.predict_proba(CANCER_X) for tree in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict_proba(CANCER_X), hands)
    np.testing.assert_array_equal(model.predict(CANCER_X), model.ensemble_.predict(CANCER_X))


@pytest.mark.slow
@pytest.mark.parametrize("order", NUMBER_ORDERS)
def test_every_order_prunes_numbers(order):
    X, y = make_friedman1(400, random_state=0)
    bag = coterie.BaggingRegressor(n_estimators=25, random_state=0)
    model = PrunedEnsembleRegressor(bag, order=order, max_size=0.4, random_state=0)
    model.fit(X[::2], y[::2])
    assert 1 <= model.size_ <= 10
    assert model.score(X[1::2], y[1::2]) > 0.6
    hands = np.mean([tree.predict(X) for tree in model.estimators_], axis=0)
    np.testing.assert_allclose(model.predict(X), hands)


@pytest.mark.slow
def test_useless_members_are_left_out():
    # Half of the trees learn nothing: a chosen half is better than all.
    rng = np.random.default_rng(0)
    good = [coterie.DecisionTreeClassifier(max_depth=3, random_state=t) for t in range(6)]
    learn, judge, test = CANCER_X[:200], CANCER_X[200:400], CANCER_X[400:]
    fitted = [tree.fit(learn, CANCER_Y[:200]) for tree in good]
    noise = [
        coterie.DecisionTreeClassifier(random_state=t).fit(learn, rng.permutation(CANCER_Y[:200]))
        for t in range(12)
    ]
    model = PrunedEnsembleClassifier(fitted + noise, prefit=True).fit(judge, CANCER_Y[200:400])
    everyone = PrunedEnsembleClassifier(fitted + noise, size=1.0, prefit=True)
    everyone.fit(judge, CANCER_Y[200:400])
    assert model.score(test, CANCER_Y[400:]) > everyone.score(test, CANCER_Y[400:]) + 0.02
    assert model.order_[0] < 6


def test_weights_of_rows_decide():
    # Members that know one class each; rows of the other weigh nearly nothing.
    rows = [np.flatnonzero(CANCER_Y == 0), np.flatnonzero(CANCER_Y == 1)]
    always = [coterie.DecisionTreeClassifier().fit(CANCER_X[some], CANCER_Y[some]) for some in rows]
    for k in (0, 1):
        weight = np.full(len(CANCER_Y), 0.01)
        weight[rows[k]] = 1.0
        model = PrunedEnsembleClassifier(always, size=1, prefit=True).fit(
            CANCER_X, CANCER_Y, weight
        )
        assert model.members_.tolist() == [k]


def test_a_pool_that_knows_more_classes():
    forest = coterie.RandomForestClassifier(n_estimators=10, random_state=0).fit(CANCER_X, CANCER_Y)
    model = PrunedEnsembleClassifier(forest, size=4, prefit=True).fit(
        CANCER_X[CANCER_Y == 1], CANCER_Y[CANCER_Y == 1]
    )
    assert model.classes_.tolist() == [0, 1]
    assert model.predict_proba(CANCER_X).shape == (len(CANCER_X), 2)
