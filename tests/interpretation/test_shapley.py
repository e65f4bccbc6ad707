import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier as PeerTree
from sklearn.tree import DecisionTreeRegressor as PeerRegressor

import coterie
from coterie.interpretation import shap_values

N = 200


@pytest.fixture(scope="module")
def frame():
    """Numbers with gaps, and a column of text."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(N, 4)), columns=list("abcd")).mask(rng.random((N, 4)) < 0.1)
    return X.assign(kind=pd.Categorical(rng.choice(["oak", "elm", "ash"], N)))


@pytest.fixture(scope="module")
def targets(frame):
    filled = frame[list("abcd")].fillna(0.0)
    score = filled["a"] * filled["b"] + (frame["kind"] == "elm")
    two = np.where(score > 0.3, "yes", "no")
    return {
        "two": two,
        "three": np.where(filled["c"] > 0.6, "third", two),
        "numbers": (score + filled["d"] ** 2).to_numpy(),
    }


def small(name):
    """A model of a few members."""
    model = getattr(coterie, name)(random_state=0)
    return model.set_params(n_estimators=6) if hasattr(model, "n_estimators") else model


def adds_up(explanation, said):
    whole = explanation.base_values + explanation.values.sum(axis=1)
    np.testing.assert_allclose(whole, said, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("with_background", [False, True])
@pytest.mark.parametrize("task", ["two", "three"])
@pytest.mark.parametrize(
    "name",
    [
        "AdaBoostClassifier",
        "AdaBoostM2Classifier",
        "AdaBoostMHClassifier",
        "AnyBoostClassifier",
        "EasyEnsembleClassifier",
        "GentleBoostClassifier",
        "LogitBoostClassifier",
        "MultiBoostClassifier",
        "RUSBoostClassifier",
        "RealAdaBoostClassifier",
    ],
)
def test_boosters_are_explained_by_their_scores(name, task, with_background, frame, targets):
    model = small(name).fit(frame, targets[task])
    background = frame[:4] if with_background else None
    explanation = shap_values(model, frame[:30], background=background)
    said = model.decision_function(frame[:30])
    assert explanation.values.shape == (30, 5, *said.shape[1:])
    adds_up(explanation, said)
    assert explanation.output_names == (None if task == "two" else ["no", "third", "yes"])
    if with_background:
        base = model.decision_function(background).mean(axis=0)
        np.testing.assert_allclose(explanation.base_values[0], base, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("task", ["two", "three"])
@pytest.mark.parametrize(
    "name",
    [
        "DecisionTreeClassifier",
        "ExtraTreeClassifier",
        "ExtraTreesClassifier",
        "RandomForestClassifier",
    ],
)
def test_forests_are_explained_by_probabilities(name, task, frame, targets):
    model = small(name).fit(frame, targets[task])
    explanation = shap_values(model, frame)
    adds_up(explanation, model.predict_proba(frame))
    assert explanation.output_names == list(model.classes_)


@pytest.mark.parametrize(
    "name",
    ["DecisionTreeRegressor", "ExtraTreeRegressor", "ExtraTreesRegressor", "RandomForestRegressor"],
)
def test_regressors_are_explained_by_predictions(name, frame, targets):
    model = small(name).fit(frame, targets["numbers"])
    explanation = shap_values(model, frame)
    assert explanation.values.shape == (N, 5)
    adds_up(explanation, model.predict(frame))


def test_several_outputs(frame, targets):
    labels = np.column_stack([targets["two"], targets["three"]])
    model = small("RandomForestClassifier").fit(frame, labels)
    explanation = shap_values(model, frame)
    adds_up(explanation, np.concatenate(model.predict_proba(frame), axis=1))
    assert explanation.output_names == ["0: no", "0: yes", "1: no", "1: third", "1: yes"]
    numbers = np.column_stack([targets["numbers"], -targets["numbers"]])
    model = small("RandomForestRegressor").fit(frame, numbers)
    explanation = shap_values(model, frame)
    adds_up(explanation, model.predict(frame))
    np.testing.assert_allclose(explanation.values[..., 0], -explanation.values[..., 1])


def test_a_forest_is_the_mean_of_its_trees(frame, targets):
    model = small("RandomForestRegressor").fit(frame, targets["numbers"])
    each = [shap_values(tree, frame[:20]).values for tree in model.estimators_]
    np.testing.assert_allclose(shap_values(model, frame[:20]).values, np.mean(each, axis=0))


def test_what_the_columns_are_called(frame, targets):
    model = small("RandomForestRegressor").fit(frame, targets["numbers"])
    explanation = shap_values(model, frame)
    assert explanation.feature_names == ["a", "b", "c", "d", "kind"]
    assert explanation.display_data[:, 4].tolist() == frame["kind"].tolist()
    np.testing.assert_array_equal(explanation.data[:, :4], frame.to_numpy()[:, :4].astype(float))
    np.testing.assert_array_equal(
        explanation.importances(), np.abs(explanation.values).mean(axis=0)
    )
    plain = frame[["c", "d"]].to_numpy()
    model = small("DecisionTreeRegressor").fit(plain, targets["numbers"])
    explanation = shap_values(model, plain)
    assert explanation.feature_names == ["x0", "x1"]
    np.testing.assert_array_equal(explanation.display_data, plain)


def test_unknown_labels_are_missing(frame, targets):
    model = small("RandomForestRegressor").fit(frame, targets["numbers"])
    strange = frame[:3].assign(kind=["oak", "yew", None])
    explanation = shap_values(model, strange)
    assert explanation.display_data[:, 4].tolist() == ["oak", None, None]
    adds_up(explanation, model.predict(strange))


def test_sparse_rows_are_explained_like_dense_ones(targets):
    X = np.random.default_rng(0).normal(size=(N, 6)) * (np.arange(6) % 2)
    model = small("RandomForestRegressor").fit(sparse.csr_array(X), targets["numbers"])
    thin, dense = shap_values(model, sparse.csr_array(X)), shap_values(model, X)
    np.testing.assert_array_equal(thin.values, dense.values)
    np.testing.assert_array_equal(thin.data, X)


def test_any_number_of_threads(frame, targets):
    model = small("RandomForestRegressor").fit(frame, targets["numbers"])
    alone = shap_values(model, frame).values
    np.testing.assert_array_equal(shap_values(model.set_params(n_jobs=2), frame).values, alone)


def test_a_booster_without_members():
    model = coterie.GentleBoostClassifier(n_estimators=3)
    model.fit(np.zeros((6, 2)), [0, 0, 0, 0, 1, 1])
    explanation = shap_values(model, np.zeros((2, 2)))
    assert not explanation.values.any()
    adds_up(explanation, model.decision_function(np.zeros((2, 2))))


@pytest.mark.parametrize("name", ["AdaBoostRegressor", "AdaBoostRTRegressor"])
def test_medians_are_no_sums(name, frame, targets):
    model = small(name).fit(frame, targets["numbers"])
    with pytest.raises(ValueError, match=f"{name}.predict is not a sum over the trees"):
        shap_values(model, frame)
    tree = model.estimators_[0]
    adds_up(shap_values(tree, frame), tree.predict(frame))


def test_votes_on_votes_are_no_sums(frame, targets):
    model = coterie.BoostByFilteringClassifier(random_state=0).fit(frame, targets["two"])
    with pytest.raises(ValueError, match="is not a sum"):
        shap_values(model, frame)


def test_what_predicts_nothing_has_nothing_to_explain():
    X = np.random.default_rng(0).normal(size=(20, 2))
    embedding = coterie.RandomTreesEmbedding(n_estimators=2, random_state=0).fit(X)
    with pytest.raises(TypeError, match="RandomTreesEmbedding makes no predictions"):
        shap_values(embedding, X)


def test_only_trees_of_this_package_are_explained(frame, targets):
    numbers = frame[["a", "b"]].fillna(0.0)
    with pytest.raises(NotFittedError):
        shap_values(coterie.RandomForestClassifier(), numbers)
    with pytest.raises(TypeError, match="LogisticRegression has no pool of trees"):
        shap_values(LogisticRegression().fit(numbers, targets["two"]), numbers)
    boosted = coterie.AdaBoostClassifier(PeerTree(max_depth=1), n_estimators=3)
    with pytest.raises(TypeError, match="native trees"):
        shap_values(boosted.fit(numbers, targets["two"]), numbers)


def test_the_package_shap_agrees():
    shap = pytest.importorskip("shap")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 5))
    y = X[:, 0] * X[:, 1] + X[:, 2]
    # A small table and no ties: the same tree as scikit-learn's.
    ours = coterie.DecisionTreeRegressor(min_samples_leaf=10).fit(X, y)
    peer = PeerRegressor(min_samples_leaf=10, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.predict(X), peer.predict(X))
    explainer = shap.TreeExplainer(peer, feature_perturbation="tree_path_dependent")
    explanation = shap_values(ours, X)
    np.testing.assert_allclose(explanation.values, explainer.shap_values(X), atol=1e-9)
    np.testing.assert_allclose(explanation.base_values[0], explainer.expected_value, atol=1e-9)


def test_explanations_go_over_to_the_package_shap(frame, targets):
    shap = pytest.importorskip("shap")
    model = small("RandomForestClassifier").fit(frame, targets["three"])
    explanation = shap_values(model, frame)
    theirs = explanation.to_shap()
    assert isinstance(theirs, shap.Explanation)
    np.testing.assert_array_equal(theirs[:, :, "third"].values, explanation.values[..., 1])
    np.testing.assert_array_equal(theirs[3].base_values, explanation.base_values[3])
    assert theirs.feature_names == explanation.feature_names


def test_the_package_shap_is_asked_for_by_its_extra(frame, targets, monkeypatch):
    explanation = shap_values(small("DecisionTreeClassifier").fit(frame, targets["two"]), frame)
    monkeypatch.setitem(sys.modules, "shap", None)
    with pytest.raises(ImportError, match=r"coterie\[explain\]"):
        explanation.to_shap()


@pytest.mark.parametrize("settings", [{}, {"multiclass": "vector"}, {"boosting": "dart"}])
@pytest.mark.parametrize("task", ["two", "three"])
def test_gradient_boosting_adds_up(frame, targets, task, settings):
    model = coterie.HistGradientBoostingClassifier(
        max_iter=8, min_samples_leaf=5, random_state=0, **settings
    ).fit(frame, targets[task])
    adds_up(shap_values(model, frame), model.decision_function(frame))


@pytest.mark.parametrize("loss", ["squared_error", "absolute_error", "poisson"])
def test_gradient_boosting_regressors_add_up_before_their_link(frame, targets, loss):
    y = np.exp(0.2 * targets["numbers"])
    model = coterie.HistGradientBoostingRegressor(loss=loss, max_iter=8, min_samples_leaf=5)
    model.fit(frame, y)
    said = model.predict(frame)
    adds_up(shap_values(model, frame), np.log(said) if loss == "poisson" else said)


def test_values_of_target_statistics_belong_to_their_column():
    rng = np.random.default_rng(1)
    X = pd.DataFrame({"town": rng.integers(0, 90, 900).astype(str), "size": rng.normal(size=900)})
    y = (X["town"].astype(int) % 3).to_numpy()
    model = coterie.HistGradientBoostingClassifier(
        max_iter=5, max_bins=32, high_cardinality="ordered", random_state=0
    ).fit(X.assign(town=X["town"].astype("category")), y)
    explanation = shap_values(model, X.assign(town=X["town"].astype("category")))
    assert explanation.values.shape == (900, 2, 3)
    assert explanation.feature_names == ["town", "size"]
    town, size = np.abs(explanation.values).mean(axis=(0, 2))
    assert town > 3 * size


@pytest.mark.slow("LPBoost")
@pytest.mark.parametrize(
    "name",
    [
        "BaggingClassifier",
        "BalancedRandomForestClassifier",
        "LPBoostClassifier",
        "MadaBoostClassifier",
        "RandomPatchesClassifier",
        "RandomSubspaceClassifier",
    ],
)
def test_further_ensembles_add_up(name, frame, targets):
    model = small(name).fit(frame, targets["two"])
    ask = getattr(model, "decision_function", model.predict_proba)
    adds_up(shap_values(model, frame[:30]), ask(frame[:30]))


def test_means_of_models_are_means_of_explanations(frame, targets):
    members = [
        ("forest", coterie.RandomForestRegressor(5, random_state=0)),
        ("bag", coterie.BaggingRegressor(n_estimators=5, random_state=0)),
    ]
    model = coterie.VotingRegressor(members, weights=[1, 3]).fit(frame, targets["numbers"])
    explanation = shap_values(model, frame[:30], background=frame[:10])
    adds_up(explanation, model.predict(frame[:30]))
    first, second = (
        shap_values(member, frame[:30], background=frame[:10]) for member in model.estimators_
    )
    np.testing.assert_allclose(explanation.values, 0.25 * first.values + 0.75 * second.values)


def test_soft_votes_add_up_and_hard_ones_do_not(frame, targets):
    members = [
        ("tree", coterie.DecisionTreeClassifier(max_depth=3, random_state=0)),
        ("forest", coterie.ExtraTreesClassifier(5, random_state=0)),
    ]
    soft = coterie.VotingClassifier(members, voting="soft").fit(frame, targets["three"])
    adds_up(shap_values(soft, frame), soft.predict_proba(frame))
    with pytest.raises(ValueError, match="is not a sum over the trees"):
        shap_values(coterie.VotingClassifier(members).fit(frame, targets["three"]), frame)
