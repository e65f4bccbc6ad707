"""Votes: scikit-learn's behaviour, and what goes beyond."""

import numpy as np
import pytest
import sklearn
import sklearn.ensemble as peer
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from coterie import RandomForestClassifier, RowFolds, VotingClassifier, fusion

X, y = load_iris(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
NAMES = np.array(["setosa", "versicolor", "virginica"])


def members():
    return [
        ("linear", LogisticRegression()),
        ("bayes", GaussianNB()),
        ("tree", DecisionTreeClassifier(max_depth=1, random_state=0)),
    ]


@pytest.mark.parametrize("labels", [np.arange(3), NAMES, np.array([-5, 2, 7])])
@pytest.mark.parametrize("weights", [None, [1, 2, 5]])
@pytest.mark.parametrize("voting", ["hard", "soft"])
def test_same_as_scikit_learn(voting, weights, labels):
    ours = VotingClassifier(members(), voting=voting, weights=weights).fit(X, labels[y])
    theirs = peer.VotingClassifier(members(), voting=voting, weights=weights).fit(X, labels[y])
    assert ours.predict(X).tolist() == theirs.predict(X).tolist()
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), rtol=1e-12)
    assert ours.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    if voting == "soft":
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-12)
        flat = clone(ours).set_params(flatten_transform=False).fit(X, labels[y])
        assert flat.transform(X).shape == (3, 150, 3)


def test_weighted_votes_as_scikit_learn():
    weight = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    ours = VotingClassifier(members(), voting="soft").fit(X, y, sample_weight=weight)
    kept = weight > 0
    theirs = peer.VotingClassifier(members(), voting="soft")
    theirs.fit(X[kept], y[kept], sample_weight=weight[kept])
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-6)


@pytest.mark.slow
def test_members_by_name():
    model = VotingClassifier(members(), voting="soft")
    assert "linear__C" in model.get_params()
    assert "linear" not in model.get_params(deep=False)
    model.set_params(linear__C=0.5, bayes="drop").fit(X, y)
    assert [type(m).__name__ for m in model.estimators_] == [
        "LogisticRegression",
        "DecisionTreeClassifier",
    ]
    assert model.named_estimators_.linear.C == 0.5
    assert model.named_estimators_.bayes == "drop"
    both = VotingClassifier([members()[0], members()[2]], voting="soft").fit(X, y)
    both.set_params(linear__C=0.5).fit(X, y)
    np.testing.assert_array_equal(both.predict_proba(X), model.predict_proba(X))
    weighted = model.set_params(weights=[1, 100, 3]).fit(X, y)
    assert weighted.weights_.tolist() == [1, 3]
    search = GridSearchCV(VotingClassifier(members()), {"linear__C": [0.1, 1]}, cv=2).fit(X, y)
    assert search.best_params_["linear__C"] in (0.1, 1)


@pytest.mark.parametrize(
    ("estimators", "message"),
    [
        ([], "non-empty list"),
        ([GaussianNB()], "non-empty list"),
        ([("a", GaussianNB()), ("a", GaussianNB())], "not unique"),
        ([("voting", GaussianNB())], "conflict with constructor"),
        ([("a__b", GaussianNB())], "must not contain __"),
        ([("a", "drop")], "All estimators are dropped"),
        ([("a", 3)], "Member 'a' has no"),
        ([("a", peer.RandomForestRegressor())], "should be a classifier"),
    ],
)
def test_members_that_are_refused(estimators, message):
    with pytest.raises(ValueError, match=message):
        VotingClassifier(estimators).fit(X, y)


def test_numbers_of_weights_and_missing_methods():
    with pytest.raises(ValueError, match="got 2 weights, 3 estimators"):
        VotingClassifier(members(), weights=[1, 2]).fit(X, y)
    with pytest.raises(ValueError, match="does not use weights"):
        VotingClassifier(members(), voting="median", weights=[1, 2, 3]).fit(X, y)
    with pytest.raises(ValueError, match="does not implement the method predict_proba"):
        VotingClassifier([("svm", LinearSVC())], voting="soft").fit(X, y)
    assert not hasattr(VotingClassifier(members()).fit(X, y), "predict_proba")
    with pytest.raises(AttributeError, match="predict_proba"):
        VotingClassifier(members()).predict_proba(X)


def test_fitted_members_are_taken_as_they_are():
    fitted = [(name, member.fit(X, NAMES[y])) for name, member in members()]
    model = VotingClassifier(fitted, voting="soft", cv="prefit").fit(X[:60], NAMES[y[:60]])
    # Only two classes are in the rows given, but members know three.
    assert model.classes_.tolist() == NAMES.tolist()
    assert all(ours is theirs for ours, (_, theirs) in zip(model.estimators_, fitted, strict=True))
    whole = VotingClassifier(members(), voting="soft").fit(X, NAMES[y])
    np.testing.assert_array_equal(model.predict_proba(X), whole.predict_proba(X))
    with pytest.raises(NotFittedError):
        VotingClassifier(members(), cv="prefit").fit(X, y)


@pytest.mark.parametrize(
    "rule", ["product", "geometric", "min", "max", "median", "trimmed", "borda"]
)
def test_rules_by_name(rule):
    model = VotingClassifier(members(), voting=rule).fit(X, y)
    profile = np.stack([member.predict_proba(X) for member in model.estimators_])
    support = fusion.RULES[rule](profile)
    np.testing.assert_allclose(
        model.predict_proba(X), support / support.sum(axis=1, keepdims=True), rtol=1e-12
    )
    own = VotingClassifier(members(), voting=fusion.RULES[rule]).fit(X, y)
    np.testing.assert_array_equal(own.predict(X), model.predict(X))


class Says(GaussianNB):
    """Always names the same class."""

    def __init__(self, label=0):
        super().__init__()
        self.label = label

    def predict(self, X):
        return np.full(len(X), self.classes_[self.label])


def says(*labels):
    return [(f"m{t}", Says(label)) for t, label in enumerate(labels)]


@pytest.mark.parametrize("kind", [np.array([0, 1, 2]), NAMES, np.array([0.0, 1.0, 2.0])])
def test_majority_with_reject(kind):
    # Votes 2:1:1 are a plurality, but no majority.
    plural = VotingClassifier(says(1, 1, 0, 2)).fit(X, kind[y])
    assert (plural.predict(X) == kind[1]).all()
    assert plural.reject_mask(X).all()
    model = VotingClassifier(says(1, 1, 0, 2), reject=True).fit(X, kind[y])
    mark = {"i": -1, "U": None, "f": np.nan}[kind.dtype.kind]
    np.testing.assert_array_equal(model.predict(X), np.full(150, mark))
    most = VotingClassifier(says(1, 1, 1, 2), reject=True).fit(X, kind[y])
    assert (most.predict(X) == kind[1]).all()
    assert not most.reject_mask(X).any()
    all_of_them = VotingClassifier(says(1, 1, 1, 2), reject=True, threshold=0.9).fit(X, kind[y])
    assert all_of_them.reject_mask(X).all()


def test_mark_of_rejects_must_be_no_class():
    model = VotingClassifier(says(1, 1, 0, 2), reject=True, reject_label="unsure")
    assert set(model.fit(X, NAMES[y]).predict(X)) == {"unsure"}
    assert model.score(X, NAMES[y]) == 0
    with pytest.raises(ValueError, match="is one of the classes"):
        model.set_params(reject_label="setosa").fit(X, NAMES[y])


def test_ties():
    tied = says(2, 0)
    assert (VotingClassifier(tied).fit(X, y).predict(X) == 0).all()
    skewed = np.append(y, [2] * 9)
    rows = np.vstack([X, X[-9:]])
    assert (VotingClassifier(tied, ties="prior").fit(rows, skewed).predict(X) == 2).all()
    sure = VotingClassifier(tied, ties="confidence").fit(X, y)
    chances = GaussianNB().fit(X, y).predict_proba(X)
    assert sure.predict(X).tolist() == np.where(chances[:, 2] > chances[:, 0], 2, 0).tolist()
    chance = VotingClassifier(tied, ties="random", random_state=0).fit(X, y)
    said = chance.predict(X)
    assert set(said.tolist()) == {0, 2}
    assert 0.3 < (said == 0).mean() < 0.7
    # The same row is decided alike wherever it stands.
    order = np.random.default_rng(0).permutation(150)[:40]
    np.testing.assert_array_equal(chance.predict(X[order]), said[order])


@pytest.mark.slow
@pytest.mark.parametrize("rule", ["accuracy", "inverse_error", "log_odds"])
def test_weights_are_learnt_from_unseen_rows(rule):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(300, 3))
    labels = (table[:, 0] > 0).astype(int)
    # The neighbour knows all rows it has seen by heart; that must not count.
    noisy = np.where(rng.random(300) < 0.3, 1 - labels, labels)
    pairs = [("heart", KNeighborsClassifier(1)), ("linear", LogisticRegression())]
    model = VotingClassifier(pairs, weights=rule, cv=5).fit(table, noisy)
    assert model.weights_[0] < model.weights_[1]
    right = [
        np.mean(
            np.concatenate(
                [
                    clone(member).fit(table[train], noisy[train]).predict(table[test])
                    == noisy[test]
                    for train, test in splits(table, noisy)
                ]
            )
        )
        for _, member in pairs
    ]
    known = {
        "accuracy": fusion.accuracy_weights(right),
        "inverse_error": fusion.inverse_error_weights(1 - np.array(right)),
        "log_odds": fusion.log_odds_weights(right, n_samples=300),
    }
    np.testing.assert_allclose(model.weights_, known[rule], rtol=1e-9)


def test_rows_count_what_they_weigh_where_weights_are_learnt():
    weight = np.random.default_rng(0).uniform(0.1, 5.0, len(y))
    pairs, right = members()[1:], []
    for _, member in pairs:
        hit = np.empty(len(y))
        for train, test in splits(X, y):
            fitted = clone(member).fit(X[train], y[train], weight[train])
            hit[test] = fitted.predict(X[test]) == y[test]
        right.append(np.average(hit, weights=weight))
    model = VotingClassifier(pairs, weights="accuracy", cv=5).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.weights_, fusion.accuracy_weights(right))


def splits(table, labels):
    from sklearn.model_selection import StratifiedKFold

    return StratifiedKFold(5).split(table, labels)


@pytest.mark.slow
def test_soft_weights_minimise_the_loss():
    members_ = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier(random_state=0))]
    for rule in ("log_loss", "simplex"):
        model = VotingClassifier(members_, voting="soft", weights=rule, cv=RowFolds(5)).fit(X, y)
        assert model.weights_[0] > 0.5
        assert abs(model.weights_.sum() - 1) < 1e-9
    with pytest.raises(ValueError, match="log_odds"):
        VotingClassifier(members_, voting="soft", weights="log_odds").fit(X, y)


def test_members_of_any_kind():
    pairs = [("ridge", RidgeClassifier()), ("forest", RandomForestClassifier(10, random_state=0))]
    assert VotingClassifier(pairs).fit(X, NAMES[y]).score(X, NAMES[y]) > 0.8
    frames = pytest.importorskip("pandas")
    frame = frames.DataFrame(X, columns=list("abcd"))
    model = VotingClassifier(pairs).fit(frame, y)
    assert all(m.feature_names_in_.tolist() == list("abcd") for m in model.estimators_)
    out = model.set_output(transform="pandas").transform(frame)
    assert out.columns.tolist() == ["votingclassifier_ridge", "votingclassifier_forest"]


def test_metadata_reach_members():
    class Taking(GaussianNB):
        def fit(self, X, y, sample_weight=None, extra=None):
            self.extra_ = None if extra is None else list(extra)
            return super().fit(X, y)

    with pytest.raises(ValueError, match="enable_metadata_routing=True"):
        VotingClassifier([("m", Taking())]).fit(X, y, extra=np.arange(150))
    with sklearn.config_context(enable_metadata_routing=True):
        member = Taking().set_fit_request(extra=True)
        model = VotingClassifier([("m", member)]).fit(X, y, extra=np.arange(150))
        assert model.estimators_[0].extra_ == list(range(150))


class Weighed(GaussianNB):
    """Keeps the weights it was handed."""

    def fit(self, X, y, sample_weight=None):
        self.handed_ = sample_weight
        return super().fit(X, y, sample_weight)


def test_routed_weights_go_to_members_that_request_them():
    weight = np.where(np.arange(150) % 2, 2.0, 0.5)
    with sklearn.config_context(enable_metadata_routing=True):
        with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
            VotingClassifier([("m", Weighed())]).fit(X, y, weight)
        pairs = [
            ("asks", Weighed().set_fit_request(sample_weight=True)),
            ("not", Weighed().set_fit_request(sample_weight=False)),
            ("never", KNeighborsClassifier()),
        ]
        model = VotingClassifier(pairs).fit(X, y, weight)
    asks, other, _ = model.estimators_
    assert asks.handed_.tolist() == weight.tolist()
    assert other.handed_ is None


def test_routed_weights_may_have_another_name():
    weight = np.where(np.arange(150) % 2, 2.0, 0.5)
    with sklearn.config_context(enable_metadata_routing=True):
        member = Weighed().set_fit_request(sample_weight="trust")
        model = VotingClassifier([("m", member)]).fit(X, y, trust=weight)
    assert model.estimators_[0].handed_.tolist() == weight.tolist()


def test_verbose_tells_of_members_on_standard_output(capsys):
    members = [("bayes", GaussianNB()), ("tree", DecisionTreeClassifier())]
    model = VotingClassifier(members, verbose=True).fit(X, y)
    told = capsys.readouterr()
    lines = told.out.splitlines()
    assert [line.startswith("[Voting] .") for line in lines] == [True, True]
    assert "(1 of 2) Processing bayes, total=" in lines[0]
    assert "(2 of 2) Processing tree, total=" in lines[1]
    assert told.err == ""
    assert model.named_estimators.bayes is members[0][1]
    model.set_params(tree="drop")
    assert model.named_estimators.tree == "drop"


def test_several_outputs_are_not_implemented():
    with pytest.raises(NotImplementedError, match="1d array"):
        VotingClassifier([("bayes", GaussianNB())]).fit(X, np.column_stack([y, y]))


def test_a_single_row_must_be_a_table_for_members_of_ones_own_too():
    X, y = np.arange(40.0).reshape(20, 2) % 7, np.arange(20) % 2
    model = VotingClassifier([("tree", DecisionTreeClassifier())]).fit(X, y)
    with pytest.raises(ValueError, match="Reshape your data"):
        model.predict(X[0])
