"""Error-correcting output codes as a classifier."""

import numpy as np
import pytest
from scipy.special import softmax
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from coterie import DecisionTreeClassifier
from coterie.bagging import ECOCClassifier
from coterie.bagging.ecoc_codes import CODES
from coterie.bagging.ecoc_decoding import hamming, loss_based, probability

X, Y = load_digits(return_X_y=True)
LEARN, TRY = slice(None, None, 2), slice(1, None, 2)


@pytest.mark.parametrize("code", ["dense", "sparse", "bch"])
def test_codes_mend_the_errors_of_single_trees(code):
    tree = DecisionTreeClassifier(random_state=0).fit(X[LEARN], Y[LEARN])
    model = ECOCClassifier(code=code, random_state=0).fit(X[LEARN], Y[LEARN])
    assert model.score(X[TRY], Y[TRY]) > tree.score(X[TRY], Y[TRY]) + 0.05
    assert model.code_.shape == (10, len(model.estimators_))


def test_longer_codes_mend_more():
    short = ECOCClassifier(code="one-vs-rest", random_state=0).fit(X[LEARN], Y[LEARN])
    long = ECOCClassifier(code="bch", random_state=0).fit(X[LEARN], Y[LEARN])
    assert long.score(X[TRY], Y[TRY]) > short.score(X[TRY], Y[TRY]) + 0.1


def test_decoding_is_that_of_the_members_answers():
    bark = DecisionTreeClassifier(max_depth=4)
    for decoding, distance in (
        ("hamming", hamming),
        ("loss", loss_based),
        ("probability", probability),
    ):
        model = ECOCClassifier(bark, code="sparse", decoding=decoding, random_state=0)
        model.fit(X[LEARN], Y[LEARN])
        chances = [member.predict_proba(X[TRY]) for member in model.estimators_]
        scores = np.stack([p[:, 1] - p[:, 0] for p in chances], axis=1)
        expected = distance(model.code_, scores)
        np.testing.assert_allclose(model.predict_proba(X[TRY]), softmax(-expected, axis=1))
        np.testing.assert_allclose(model.decision_function(X[TRY]), -expected)
        np.testing.assert_array_equal(model.predict(X[TRY]), expected.argmin(axis=1))


def test_members_see_their_classes_only():
    model = ECOCClassifier(code="one-vs-one", random_state=0).fit(X, Y)
    counts = np.bincount(Y)
    for column, member in zip(model.code_.T, model.estimators_, strict=True):
        assert member.tree_.n_node_samples[0] == counts[column != 0].sum()
        assert member.classes_.tolist() == [-1, 1]
        seen = column[Y] != 0
        np.testing.assert_array_equal(member.predict(X[seen]), column[Y[seen]])


def test_two_classes_are_one_member():
    X, y = load_breast_cancer(return_X_y=True)
    tree = DecisionTreeClassifier(max_depth=3)
    model = ECOCClassifier(tree, decoding="probability").fit(X, y)
    assert len(model.estimators_) == 1
    np.testing.assert_allclose(model.predict_proba(X), tree.fit(X, y).predict_proba(X), atol=1e-9)
    assert model.decision_function(X).shape == (len(X),)


def test_one_vs_rest_is_that_of_scikit_learn():
    X, y = load_wine(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    ours = ECOCClassifier(LogisticRegression(), code="one-vs-rest", loss="linear").fit(X, y)
    theirs = OneVsRestClassifier(LogisticRegression()).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_one_vs_one_finds_what_scikit_learn_does():
    X, y = load_iris(return_X_y=True)
    ours = ECOCClassifier(GaussianNB(), code="one-vs-one", decoding="hamming").fit(X, y)
    theirs = OneVsOneClassifier(GaussianNB()).fit(X, y)
    # Ties among three votes of one each are broken in other ways.
    agree = ours.predict(X) == theirs.predict(X)
    clear = np.ptp(hamming(ours.code_, ours._scores(ours._admit(X))), axis=1) > 0
    assert agree[clear].all()
    assert clear.mean() > 0.95


def test_decision_functions_are_scores():
    X, y = load_wine(return_X_y=True)
    member = make_pipeline(StandardScaler(), RidgeClassifier())
    model = ECOCClassifier(member, code="exhaustive", random_state=0).fit(X, y)
    scores = np.stack([m.decision_function(X) for m in model.estimators_], axis=1)
    np.testing.assert_allclose(-model.decision_function(X), loss_based(model.code_, scores))
    assert model.score(X, y) > 0.97


def test_weighted_decoding_trusts_columns_that_were_right():
    X, y = load_wine(return_X_y=True)
    stump = DecisionTreeClassifier(max_depth=1)
    model = ECOCClassifier(stump, code="one-vs-rest", decoding="weighted", random_state=0)
    model.fit(X, y)
    right = np.array(
        [
            [(m.predict(X[y == k]) == model.code_[k, s]).mean() for k in range(3)]
            for s, m in enumerate(model.estimators_)
        ]
    ).T
    expected = right / right.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.column_weights_, expected)
    assert not hasattr(ECOCClassifier(stump).fit(X, y), "column_weights_")


def test_a_code_of_ones_own():
    X, y = load_iris(return_X_y=True)
    code = [[1, 1], [-1, 1], [-1, -1]]
    model = ECOCClassifier(code=code).fit(X, y)
    np.testing.assert_array_equal(model.code_, code)
    with pytest.raises(ValueError, match="one row for each of the 10"):
        ECOCClassifier(code=code).fit(load_digits().data, load_digits().target)


@pytest.mark.parametrize("code", CODES)
def test_names_of_classes_do_not_matter(code):
    X, y = load_wine(return_X_y=True)
    names = np.array(["oak", "ash", "yew"])[y]
    plain = ECOCClassifier(code=code, random_state=0).fit(X, y)
    named = ECOCClassifier(code=code, random_state=0).fit(X, names)
    assert named.classes_.tolist() == ["ash", "oak", "yew"]
    assert np.mean(named.predict(X) == np.array(["oak", "ash", "yew"])[plain.predict(X)]) == 1
