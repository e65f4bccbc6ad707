import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from coterie.data import Table, Target
from coterie.learners import ForeignLearner, ForeignMember, adapt, seeded, takes_weight
from coterie.learners.member_votes import NO_SCORE

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
LABELS = np.array(["a", "b", "c"])[RNG.integers(0, 3, 60)]
TABLE, TARGET = Table.read(X), Target.labels(LABELS)


def identity(output):
    return output


def test_weights_are_passed_on_where_they_are_taken():
    weight = RNG.random(60)
    member = ForeignLearner(LogisticRegression(), "predict_proba").fit(TABLE, TARGET, weight, RNG)
    alone = LogisticRegression().fit(X, LABELS, sample_weight=weight)
    np.testing.assert_allclose(member.predict(TABLE), alone.predict_proba(X))
    np.testing.assert_array_equal(member.estimator.predict(X), alone.predict(X))


def test_rows_are_drawn_where_weights_are_not_taken():
    assert not takes_weight(KNeighborsClassifier())
    weight = np.where(LABELS == "a", 0.0, 1.0)
    member, vote = ForeignLearner(KNeighborsClassifier(1)).train(
        TABLE, TARGET, weight, np.random.default_rng(0), identity
    )
    assert set(member.estimator.classes_) == {"b", "c"}
    assert (vote[:, 0] == 0).all()
    np.testing.assert_array_equal(vote.sum(axis=1), 1)


@pytest.mark.parametrize("estimator", [LogisticRegression(), KNeighborsClassifier(1), LinearSVC()])
@pytest.mark.parametrize("method", [None, "predict", "decision_function"])
def test_one_class_left_is_a_constant(estimator, method):
    weight = np.where(LABELS == "b", 1.0, 0.0)
    member = ForeignLearner(estimator, method).fit(TABLE, TARGET, weight, RNG)
    np.testing.assert_array_equal(member.predict(TABLE), np.tile([0.0, 1.0, 0.0], (60, 1)))


def test_a_class_that_was_not_seen():
    some, classes = LABELS != "b", TARGET.classes
    for model, method, nothing in (
        (GaussianNB(), "predict_proba", 0.0),
        (GaussianNB(), "predict", 0.0),
        (LinearSVC(), "decision_function", NO_SCORE),
    ):
        fitted = model.fit(X[some], LABELS[some])
        said = ForeignMember(fitted, classes, method).ask(X)
        assert said.shape == (60, 3)
        assert (said[:, 1] == nothing).all()
        assert classes[0][said.argmax(axis=1)].tolist() == fitted.predict(X).tolist()


def test_classes_that_go_by_other_names():
    codes = np.searchsorted(["a", "c"], LABELS[LABELS != "b"])
    tree = DecisionTreeClassifier(max_depth=2).fit(X[LABELS != "b"], codes)
    for method in ("predict", "predict_proba"):
        member = ForeignMember(tree, TARGET.classes, method, known=np.array(["a", "c"]))
        said = member.predict(TABLE)
        assert np.array(["a", "b", "c"])[said.argmax(axis=1)].tolist() == [
            "ac"[code] for code in tree.predict(X)
        ]
        assert member.places.tolist() == [0, 2]


def test_several_labels():
    y = np.column_stack([LABELS, np.where(X[:, 0] > 0, "p", "q")])
    target = Target.labels(y)
    for estimator in (DecisionTreeClassifier(max_depth=2), MultiOutputClassifier(LinearSVC())):
        member = ForeignLearner(estimator).fit(TABLE, target, None, RNG)
        said = member.predict(TABLE)
        assert said.shape == (60, 5)
        assert np.array(["p", "q"])[said[:, 3:].argmax(axis=1)].tolist() == [
            second for _, second in member.estimator.predict(X)
        ]


def test_of_several_labels_those_never_seen_have_no_chance():
    labels = np.column_stack([np.arange(6) % 2, np.zeros(6), np.ones(6)]).astype(int)
    tree = DecisionTreeClassifier().fit(np.arange(6.0)[:, None], labels)
    said = ForeignMember(tree, (), "predict_proba").ask(np.arange(6.0)[:, None])
    np.testing.assert_array_equal(said, labels)


def test_what_members_are_asked_for():
    classes, bayes, linear = TARGET.classes, GaussianNB(), LinearSVC()
    assert adapt(bayes, classes).method == "predict_proba"
    assert adapt(linear, classes).method == "predict"
    assert adapt(linear, classes, "decision_function").method == "decision_function"
    assert adapt(bayes, classes, "decision_function").method == "predict_proba"
    assert adapt(bayes, ()).method == "predict"


def test_cut_columns():
    learner = ForeignLearner(LogisticRegression()).among(np.array([2, 0]))
    member = learner.fit(TABLE, TARGET, None, RNG)
    assert member.estimator.n_features_in_ == 2
    np.testing.assert_array_equal(
        member.predict(TABLE), member.estimator.predict_proba(X[:, [2, 0]])
    )


def test_every_seed_is_set():
    rng = np.random.default_rng(0)
    member = make_pipeline(StandardScaler(), SGDClassifier())
    first, second = seeded(member, rng), seeded(member, rng)
    seeds = {m[-1].random_state for m in (first, second)}
    assert len(seeds) == 2
    assert None not in seeds
    assert member[-1].random_state is None
    assert seeded(StandardScaler(), rng).get_params() == StandardScaler().get_params()


def test_seeds_that_are_given_are_kept_if_that_is_wanted():
    source = np.random.SeedSequence(3)
    given = SGDClassifier(random_state=7)
    assert seeded(given, source, keep=True).random_state == 7
    assert seeded(given, source).random_state != 7
    states = {seeded(SGDClassifier(), source, keep=True).random_state for _ in range(2)}
    assert len(states) == 1


def test_errors_name_the_position_in_fit_and_predict():
    learner = ForeignLearner(LogisticRegression(C=-1)).numbered(4)
    with pytest.raises(ValueError, match=r"The member 4 \(LogisticRegression\) failed: The 'C'"):
        learner.fit(TABLE, TARGET, None, RNG)
    member = (
        ForeignLearner(LogisticRegression(), name="lr").numbered(4).fit(TABLE, TARGET, None, RNG)
    )
    with pytest.raises(ValueError, match=r"The member 'lr' .* failed: X has 2 features"):
        member.predict(TABLE[:, [0, 1]])


def test_numbers():
    target = Target.numbers(X[:, 0])
    member = ForeignLearner(KNeighborsRegressor(1)).fit(
        TABLE, target, np.ones(60), np.random.default_rng(0)
    )
    assert member.predict(TABLE).shape == (60, 1)


@pytest.mark.parametrize("drop", [False, True])
def test_members_see_the_frame_as_it_was_given(drop):
    frame = pd.DataFrame({"kind": np.where(X[:, 0] > 0, "up", "down"), "x": X[:, 1]})
    y = np.where(X[:, 0] > 0, 1, 0)
    pipe = make_pipeline(
        make_column_transformer((OneHotEncoder(), ["kind"]), remainder="passthrough"),
        LogisticRegression(),
    )
    weight = np.ones(60)
    weight[:5] = 0.0 if drop else 1.0
    table = Table.read(frame)
    member = ForeignLearner(pipe).fit(table, Target.labels(y), weight, np.random.default_rng(0))
    assert (member.predict(table).argmax(axis=1) == y).all()
