"""Error-correcting output codes as a classifier."""

from itertools import combinations

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
from coterie.bagging.ecoc import (
    CODES,
    LOSSES,
    bch,
    bch_generator,
    check_code,
    dense_random,
    exhaustive,
    hamming,
    loss_based,
    make_code,
    one_vs_one,
    one_vs_rest,
    probability,
    reliability,
    row_distance,
    sparse_random,
    weighted,
)


def least_distance(code):
    distance = row_distance(code)
    return min(distance[pair] for pair in combinations(range(len(code)), 2))


def bits(text):
    return np.array([[2 * int(bit) - 1 for bit in word] for word in text.split()])


def test_exhaustive_codes_of_the_paper():
    np.testing.assert_array_equal(exhaustive(4), bits("1111111 0000111 0011001 0101010"))
    five = "111111111111111 000000001111111 000011110000111 001100110011001 010101010101010"
    np.testing.assert_array_equal(exhaustive(5), bits(five))


@pytest.mark.parametrize("n_classes", [3, 4, 5, 6, 7])
def test_exhaustive_rows_are_equally_far_apart(n_classes):
    code = exhaustive(n_classes)
    distance = row_distance(code)[~np.eye(n_classes, dtype=bool)]
    assert set(distance) == {2 ** (n_classes - 2)}
    columns = {tuple(column * column[0]) for column in code.T}
    assert len(columns) == code.shape[1] == 2 ** (n_classes - 1) - 1


def test_exhaustive_code_of_many_classes_is_refused():
    with pytest.raises(ValueError, match="'dense', 'sparse' or 'bch'"):
        exhaustive(12)


def test_generator_polynomials_of_the_tables():
    # Lin & Costello list these for the primitive polynomials used here.
    assert bch_generator(4, 1) == 0b10011
    assert bch_generator(4, 2) == 0b111010001
    assert bch_generator(4, 3) == 0b10100110111
    dimension = {(5, 3): 16, (6, 5): 36}
    for (m, tau), size in dimension.items():
        assert 2**m - 1 - (bch_generator(m, tau).bit_length() - 1) == size


@pytest.mark.parametrize(("tau", "distance"), [(1, 3), (2, 5), (3, 7)])
def test_words_of_a_bch_code_keep_their_distance(tau, distance):
    generator = bch_generator(4, tau)
    size = 15 - generator.bit_length() + 1
    words = []
    for message in range(1, 2**size):
        word = 0
        for j in range(size):
            word ^= (generator << j) * (message >> j & 1)
        words.append(word.bit_count())
    assert min(words) == distance  # a linear code: the lightest word is the closest pair


@pytest.mark.parametrize("n_classes", [3, 5, 12, 40])
@pytest.mark.parametrize("draw", [dense_random, sparse_random, bch])
def test_random_codes_are_valid(draw, n_classes):
    code = draw(n_classes, np.random.default_rng(0), 50)
    assert set(np.unique(code)) <= {-1, 0, 1}
    assert (code == 1).any(axis=0).all()
    assert (code == -1).any(axis=0).all()
    turned = {tuple(column * column[column != 0][0]) for column in code.T.astype(int)}
    assert len(turned) == code.shape[1], "a column twice, or its opposite"
    assert least_distance(code) >= 1


@pytest.mark.parametrize(
    ("n_classes", "dense", "sparse"),
    [(10, 34, 50), (26, 48, 71)],
)
def test_random_codes_are_as_long_as_published(n_classes, dense, sparse):
    rng = np.random.default_rng(0)
    assert dense - 3 <= dense_random(n_classes, rng, 20).shape[1] <= dense
    found = sparse_random(n_classes, rng, 20)
    assert sparse - 6 <= found.shape[1] <= sparse
    assert 0.4 < (found == 0).mean() < 0.6


def test_more_candidates_give_rows_farther_apart():
    few = least_distance(dense_random(10, np.random.default_rng(0), 1))
    many = least_distance(dense_random(10, np.random.default_rng(0), 500))
    assert many > few


def test_bch_beats_random_codes_of_the_same_length():
    code = bch(20, np.random.default_rng(0))
    rng = np.random.default_rng(0)
    rivals = 2 * rng.integers(0, 2, size=(200, *code.shape)) - 1
    assert least_distance(code) > max(map(least_distance, rivals))


def test_pairs_and_single_classes():
    np.testing.assert_array_equal(one_vs_rest(3), [[1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
    pairs = one_vs_one(5)
    assert pairs.shape == (5, 10)
    assert np.all((pairs != 0).sum(axis=0) == 2)


@pytest.mark.parametrize("name", CODES)
def test_two_classes_are_one_problem(name):
    rng = np.random.default_rng(0)
    np.testing.assert_array_equal(make_code(name, 2, rng), [[-1], [1]])
    np.testing.assert_array_equal(make_code(name, 1, rng), [[1]])


@pytest.mark.parametrize(
    ("code", "complaint"),
    [
        ([[1, -1], [-1, 1]], "one row for each of the 3"),
        ([[1], [-1], [2]], "only -1, 0 and 1"),
        ([[1, 1], [-1, 0], [0, 1]], "column 1 has no class on one"),
        (np.zeros((3, 0)), "at least one column"),
    ],
)
def test_bad_matrices_are_refused(code, complaint):
    with pytest.raises(ValueError, match=complaint):
        check_code(np.asarray(code), 3)


def test_a_matrix_is_taken_as_it_is():
    code = make_code([[1, 1], [-1, 1], [0, -1]], 3, np.random.default_rng(0))
    np.testing.assert_array_equal(code, [[1, 1], [-1, 1], [0, -1]])


ALL = np.array([[-0.2, -0.5, -0.1]])


def test_one_vs_rest_by_hand():
    code = one_vs_rest(3)
    np.testing.assert_array_equal(hamming(code, ALL), [[1, 1, 1]])
    expected = {
        "exponential": [2.732771, 3.372289, 2.530432],
        "hinge": [2.6, 3.2, 2.4],
        "logistic": [1.824416, 2.424416, 1.624416],
    }
    for loss, distance in expected.items():
        np.testing.assert_allclose(loss_based(code, ALL, loss)[0], distance, atol=1e-6)


def test_one_vs_one_by_hand():
    code, scores = one_vs_one(3), np.array([[0.4, -0.6, 0.1]])
    np.testing.assert_array_equal(hamming(code, scores), [[1.5, 1.5, 1.5]])
    found = loss_based(code, scores, "exponential")
    np.testing.assert_allclose(found, [[3.492439, 3.396662, 2.653983]], atol=1e-6)


def test_loss_of_every_row_one_by_one():
    rng = np.random.default_rng(0)
    code = rng.integers(-1, 2, size=(4, 9))
    scores, weights = rng.normal(size=(5, 9)), rng.random((4, 9))
    for name, ell in LOSSES.items():
        margins = code[None] * scores[:, None]
        np.testing.assert_allclose(loss_based(code, scores, name), ell(margins).sum(-1))
        expected = (weights * ell(margins)).sum(-1)
        np.testing.assert_allclose(weighted(code, scores, weights, name), expected)


@pytest.mark.parametrize("loss", LOSSES)
def test_labels_alone_make_loss_decoding_hamming_decoding(loss):
    rng = np.random.default_rng(1)
    code = exhaustive(5)
    labels = rng.choice([-1.0, 1.0], size=(50, code.shape[1]))
    low, high = (float(LOSSES[loss](np.array(z))) for z in (1.0, -1.0))
    expected = hamming(code, labels) * (high - low) + low * code.shape[1]
    np.testing.assert_allclose(loss_based(code, labels, loss), expected)


def test_exhaustive_code_of_five_classes_mends_any_three_errors():
    code = exhaustive(5)
    flips = [list(c) for r in range(4) for c in combinations(range(15), r)]
    received = np.repeat(code[:, None, :], len(flips), axis=1).astype(float)
    for number, flip in enumerate(flips):
        received[:, number, flip] *= -1
    decoded = hamming(code, received.reshape(-1, 15)).argmin(axis=1).reshape(5, -1)
    np.testing.assert_array_equal(decoded, np.arange(5)[:, None].repeat(len(flips), axis=1))


def test_logistic_loss_of_half_log_odds_is_probability_decoding():
    rng = np.random.default_rng(2)
    code = rng.integers(-1, 2, size=(4, 7))
    p = rng.uniform(0.05, 0.95, size=(6, 7))
    by_loss = loss_based(code, np.log(p / (1 - p)) / 2, "logistic")
    np.testing.assert_allclose(probability(code, 2 * p - 1), by_loss, atol=1e-9)


def test_one_column_gives_its_probability_back():
    p = np.array([[0.1], [0.7]])
    distance = probability(np.array([[-1], [1]]), 2 * p - 1)
    np.testing.assert_allclose(np.exp(-distance), np.column_stack([1 - p, p]), atol=1e-9)


def test_certain_columns_do_not_overflow():
    scores = np.array([[1e6, -1e6, 0.0]])
    for loss in LOSSES:
        assert np.isfinite(loss_based(one_vs_rest(3), scores, loss)).all()
    assert np.isfinite(probability(one_vs_rest(3), np.sign(scores))).all()


def test_unreliable_columns_count_less():
    code = one_vs_one(3)
    hits = np.array([[1.0, 0.2, 0.0], [1.0, 0.0, 0.0], [0.0, 0.2, 0.0]])
    weights = reliability(code, hits)
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    assert weights[0, 0] > weights[0, 1]
    assert not weights[code == 0].any()
    never_right = reliability(code, np.zeros((3, 3)))
    np.testing.assert_allclose(never_right, (code != 0) / 2)


X, Y = load_digits(return_X_y=True)
LEARN, TRY = slice(None, None, 2), slice(1, None, 2)


@pytest.mark.slow
@pytest.mark.parametrize("code", ["dense", "sparse", "bch"])
def test_codes_mend_the_errors_of_single_trees(code):
    tree = DecisionTreeClassifier(random_state=0).fit(X[LEARN], Y[LEARN])
    model = ECOCClassifier(code=code, random_state=0).fit(X[LEARN], Y[LEARN])
    assert model.score(X[TRY], Y[TRY]) > tree.score(X[TRY], Y[TRY]) + 0.05
    assert model.code_.shape == (10, len(model.estimators_))


@pytest.mark.slow
def test_longer_codes_mend_more():
    short = ECOCClassifier(code="one-vs-rest", random_state=0).fit(X[LEARN], Y[LEARN])
    long = ECOCClassifier(code="bch", random_state=0).fit(X[LEARN], Y[LEARN])
    assert long.score(X[TRY], Y[TRY]) > short.score(X[TRY], Y[TRY]) + 0.1


@pytest.mark.slow
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
    tree = DecisionTreeClassifier(max_depth=3, max_bins=255)  # with more, two splits tie
    model = ECOCClassifier(tree, decoding="probability", max_bins=255).fit(X, y)
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
