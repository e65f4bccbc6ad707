import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import RandomTreesEmbedding as TheirEmbedding

from coterie import RandomTreesEmbedding

X = np.random.default_rng(0).normal(size=(200, 2))


def test_rows_have_a_one_for_every_tree():
    model = RandomTreesEmbedding(n_estimators=10, max_depth=3, random_state=0)
    codes = model.fit_transform(X)
    assert isinstance(codes, sparse.csr_matrix)
    assert codes.shape == (200, sum(tree.get_n_leaves() for tree in model.estimators_))
    np.testing.assert_array_equal(np.asarray(codes.sum(axis=1)).ravel(), 10)
    assert np.asarray(codes.sum(axis=0)).min() > 0


def test_codes_are_those_of_an_encoder_of_leaves():
    model = RandomTreesEmbedding(n_estimators=6, random_state=0).fit(X)
    expected = model.one_hot_encoder_.transform(model.apply(X))
    np.testing.assert_array_equal(model.transform(X).toarray(), expected.toarray())
    dense = RandomTreesEmbedding(n_estimators=6, random_state=0, sparse_output=False).fit(X)
    np.testing.assert_array_equal(dense.transform(X), expected.toarray())


def test_names_are_those_of_scikit_learn():
    ours = RandomTreesEmbedding(n_estimators=2, max_depth=2, random_state=0).fit(X)
    theirs = TheirEmbedding(n_estimators=2, max_depth=2, random_state=0).fit(X)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    with pytest.raises(ValueError, match="should have length equal"):
        ours.get_feature_names_out(["a"])


def test_close_rows_share_leaves():
    codes = RandomTreesEmbedding(n_estimators=200, random_state=0).fit_transform(X).toarray()
    shared = codes @ codes.T / 200
    distance = np.linalg.norm(X[:, None] - X[None], axis=2)
    assert np.corrcoef(shared.ravel(), distance.ravel())[0, 1] < -0.6


def test_missing_values_and_categories_are_taken():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": X[:, 0], "kind": np.where(X[:, 1] > 0, "a", "b")})
    frame.loc[::9, "x"] = np.nan
    codes = RandomTreesEmbedding(n_estimators=20, random_state=0).fit_transform(frame)
    np.testing.assert_array_equal(np.asarray(codes.sum(axis=1)).ravel(), 20)


def test_rows_of_weight_zero_grow_no_leaves():
    weight = np.r_[np.ones(100), np.zeros(100)]
    weighted = RandomTreesEmbedding(n_estimators=5, random_state=0).fit(X, sample_weight=weight)
    dropped = RandomTreesEmbedding(n_estimators=5, random_state=0).fit(X[:100])
    np.testing.assert_array_equal(weighted.transform(X).toarray(), dropped.transform(X).toarray())


def test_warm_start_adds_trees():
    model = RandomTreesEmbedding(n_estimators=3, random_state=0, warm_start=True).fit(X)
    before = model.transform(X).toarray()
    after = model.set_params(n_estimators=5).fit(X).transform(X).toarray()
    np.testing.assert_array_equal(after[:, : before.shape[1]], before)


def test_defaults_are_those_of_scikit_learn():
    ours, theirs = RandomTreesEmbedding().get_params(), TheirEmbedding().get_params()
    assert {name: ours[name] for name in theirs} == theirs


def test_what_noise_has_no_use_for_is_not_a_parameter():
    with pytest.raises(TypeError, match="oob_score"):
        RandomTreesEmbedding(oob_score=True)
