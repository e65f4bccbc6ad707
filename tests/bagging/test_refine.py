import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.metrics import log_loss
from sklearn.tree import DecisionTreeClassifier as Cart

from coterie import BaggingClassifier, BaggingRegressor, DecisionTreeRegressor
from coterie.bagging.epochs import EarlyStopping
from coterie.bagging.refine import REFINEMENTS, Posteriors, Pruning

X, y = load_breast_cancer(return_X_y=True)
NOISY = np.where(np.random.default_rng(0).random(len(y)) < 0.2, 1 - y, y)


def bagged(use, **params):
    return BaggingClassifier(n_estimators=30, oob_use=use, random_state=0, **params)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.5, 1.0])
def test_every_tree_is_pruned_by_rows_outside_its_bag(share):
    plain = bagged(None).fit(X, NOISY)
    pruned = bagged("prune", oob_split=share).fit(X, NOISY)
    assert all(
        np.array_equal(a, b)
        for a, b in zip(plain.estimators_samples_, pruned.estimators_samples_, strict=True)
    )
    sizes = [model.pool_.forest.leaf_counts() for model in (pruned, plain)]
    assert (sizes[0] < sizes[1]).all()
    for number in range(3):
        free = pruned.bags_.free(number)
        mine = (pruned.bags_.counts(number) == 0) & ~free
        assert mine.sum() == pytest.approx(share * 0.368 * len(y), rel=0.25)
        errors = [
            (m.estimators_[number].predict(X[mine]) != NOISY[mine]).mean() for m in (pruned, plain)
        ]
        assert errors[0] <= errors[1]


@pytest.mark.slow
def test_rows_that_pruned_do_not_judge():
    model = bagged("prune", oob_score=True).fit(X, NOISY)
    outside = [len(rows) / len(y) for rows in model.oob_samples()]
    assert np.mean(outside) == pytest.approx(0.184, abs=0.02)
    with pytest.raises(ValueError, match="every member saw every row"):
        bagged("prune", oob_split=1.0, oob_score=True).fit(X, NOISY)


@pytest.mark.slow
def test_honest_leaves_are_better_probabilities():
    plain, honest = bagged(None).fit(X[::2], NOISY[::2]), bagged("posterior")
    honest.fit(X[::2], NOISY[::2])
    losses = [log_loss(NOISY[1::2], m.predict_proba(X[1::2])) for m in (honest, plain)]
    assert losses[0] < losses[1]
    np.testing.assert_allclose(honest.predict_proba(X).sum(axis=1), 1)


@pytest.mark.slow
def test_objects_with_settings_and_columns():
    keep = bagged(Pruning(empty="keep"), max_features=0.5).fit(X, NOISY)
    cut = bagged(Pruning(), max_features=0.5).fit(X, NOISY)
    assert keep.pool_.forest.leaf_counts().sum() > cut.pool_.forest.leaf_counts().sum()
    priced = bagged(Pruning(method="price"), oob_score=True).fit(X, NOISY)
    plain = bagged(None, oob_score=True).fit(X, NOISY)
    assert priced.pool_.forest.leaf_counts().mean() < plain.pool_.forest.leaf_counts().mean() / 2
    assert priced.oob_score_ > plain.oob_score_ - 0.03
    stiff = bagged(Posteriors(strength=1e9)).fit(X, NOISY).predict_proba(X)
    assert np.ptp(stiff, axis=0).max() < 1e-3  # nothing but the prior
    assert set(REFINEMENTS) == {"prune", "posterior", "stop"}


@pytest.mark.slow
def test_groups_are_the_members_as_a_whole():
    groups = np.arange(len(y)) // 7
    model = bagged("prune").fit(X, NOISY, groups=groups)
    for number in range(3):
        free = model.bags_.free(number)
        whole = np.array(
            [free[groups == g].all() or not free[groups == g].any() for g in range(80)]
        )
        assert whole.all()


@pytest.mark.slow
def test_numbers():
    Z, target = load_diabetes(return_X_y=True)
    for use in ("prune", "posterior"):
        model = BaggingRegressor(n_estimators=40, oob_use=use, oob_score=True, random_state=0)
        assert model.fit(Z, target).oob_score_ > 0.35
    tree = DecisionTreeRegressor(criterion="absolute_error")
    with pytest.raises(ValueError, match="absolute_error"):
        BaggingRegressor(tree, oob_use="prune").fit(Z, target)


def test_refusals():
    for use, name in (
        (Pruning(method="luck"), "'method' .* Got 'luck'"),
        (Posteriors(strength=-1.0), "'strength' .* Got -1.0"),
        (EarlyStopping(patience=0), "'patience' .* Got 0"),
    ):
        with pytest.raises(ValueError, match=name):
            bagged(use).fit(X, y)
    with pytest.raises(ValueError, match="native trees"):
        BaggingClassifier(Cart(), oob_use="prune").fit(X, y)
    with pytest.raises(ValueError, match="every member sees every row"):
        BaggingClassifier(bootstrap=False, oob_use="prune").fit(X, y)
    with pytest.raises(ValueError, match="cannot be stopped early"):
        BaggingClassifier(oob_use="stop").fit(X, y)
