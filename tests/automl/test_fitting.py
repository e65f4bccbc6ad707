"""All steps together."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

from coterie import DecisionTreeClassifier, TableClassifier, TableRegressor
from coterie.automl.fitting import fingerprint
from coterie.automl.metrics import CLASS_METRICS

X, Y = load_iris(return_X_y=True)


@pytest.mark.slow
def test_published_predictions_are_honest_and_fit_the_leaderboard():
    model = TableClassifier(members="fast").fit(X, Y)
    entry = next(e for e in model.leaderboard_ if e.kind == "ensemble" and e.chosen)
    assert CLASS_METRICS["log_loss"](model.truth_, model.out_of_fold_) == pytest.approx(entry.score)
    for member, said in zip(model.members_, model.member_out_of_fold_, strict=True):
        own = next(e for e in model.leaderboard_ if e.name == member.name)
        assert CLASS_METRICS["log_loss"](model.truth_, said) == pytest.approx(own.score)
        assert own.weight == pytest.approx(member.weight)
    assert model.out_of_fold_.shape == (150, 3)
    np.testing.assert_array_equal(model.classes_[model.truth_], Y)


@pytest.mark.slow
def test_prediction_is_the_blend_of_means_over_folds():
    members = [("linear", LogisticRegression(max_iter=500)), ("tree", DecisionTreeClassifier())]
    model = TableClassifier(members=members, random_state=3).fit(X, Y)
    profile = np.stack(
        [
            np.mean([fold.predict_proba(X) for fold in member.models], axis=0)
            for member in model.members_
        ]
    )
    np.testing.assert_allclose(model.predict_proba(X), model.blend_(profile))


@pytest.mark.slow
def test_importances_name_the_columns_that_matter():
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    frame = pandas.DataFrame(rng.normal(size=(300, 3)), columns=["much", "little", "none"])
    frame["same"] = 1.0
    y = 5 * frame["much"] + frame["little"]
    model = TableRegressor(members="fast").fit(frame, y)
    means = {name: mean for name, (mean, _) in model.importances_.items()}
    assert means["much"] > means["little"] > abs(means["none"])
    assert "same" not in means
    assert [c.used for c in model.columns_] == [True, True, True, False]


def test_fingerprint_is_of_the_content():
    first = fingerprint(X, Y, ["a"])
    assert first == fingerprint(X.copy(order="F"), Y.copy(), ["a"])
    changed = X.copy()
    changed[3, 1] += 1e-9
    assert first != fingerprint(changed, Y, ["a"])
    assert first != fingerprint(X, Y, ["b"])
    assert len(fingerprint(sparse.csr_array(X), Y, ["a"])) == 64


def test_too_few_rows_are_told_and_not_judged():
    model = TableClassifier(members="fast").fit(X[::30], Y[::30])
    assert model.findings_[-1].kind == "too few rows"
    assert model.leaderboard_ == []
    assert np.isnan(model.out_of_fold_).all()
    assert model.predict(X).shape == (150,)


@pytest.mark.slow
def test_what_was_made_is_on_record():
    model = TableClassifier(members="fast", random_state=5).fit(X, Y)
    assert model.made_["seed"] == 5
    assert model.made_["rows"] == 150
    assert model.made_["columns"] == 4
    assert set(model.made_["versions"]) >= {"coterie", "numpy", "scikit-learn", "python"}
    assert model.made_["settings"]["members"] == "fast"
    assert model.size_curve_[-1][0] == len(model.members_)


@pytest.mark.slow
def test_the_baseline_looks_at_no_column():
    model = TableRegressor(members="fast").fit(X[:, :2], X[:, 2])
    assert X[:, 2].std() < model.baseline_ < 1.01 * X[:, 2].std()  # the mean of other rows
    labels = TableClassifier(members="fast").fit(X, Y)
    assert np.log(3) < labels.baseline_ < 1.01 * np.log(3)
