"""The estimators, beyond what the contract tests check of every estimator."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, make_classification

from coterie import TableClassifier, TableRegressor
from coterie.automl import Journal
from coterie.automl.estimators import best_threshold

pandas = pytest.importorskip("pandas")


class Stop(BaseException):
    """As good as being killed: nothing catches it."""


def killer(after):
    """Progress that ends the process, as it were, after so many finished candidates."""
    done = []

    def progress(event):
        if event.kind == "done":
            done.append(event.name)
            if len(done) == after:
                raise Stop

    return progress


NAMES = ["gradient boosting", "extra trees", "linear"]


@pytest.mark.slow
@pytest.mark.parametrize("n_values", [2, 12])
def test_a_table_of_few_distinct_rows_is_learnt(n_values):
    x = np.tile(np.arange(float(n_values)), 300 // n_values)[:, None]
    y = x[:, 0].astype(int) * 7 % 3 % 2
    assert TableClassifier(members="fast").fit(x, y).score(x, y) == 1.0
    assert TableRegressor(members="fast").fit(x, 1.0 * y).score(x, y) > 0.9


@pytest.mark.slow
def test_copies_do_not_make_scores_too_good():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(150, 4)), rng.integers(0, 2, 150)
    model = TableClassifier(members="fast", metric="accuracy")
    model.fit(np.vstack([X, X]), np.append(y, y))
    assert model.leaderboard_[0].score < 0.65
    assert "duplicates" in [finding.kind for finding in model.findings_]


@pytest.mark.slow
def test_a_killed_search_goes_on_to_the_same_model(tmp_path):
    X, y = make_classification(150, 5, random_state=0)
    whole = TableClassifier(members=NAMES, time_limit=None).fit(X, y)
    journal = Journal(tmp_path)
    for after in (1, 1):
        with pytest.raises(Stop):
            TableClassifier(members=NAMES, time_limit=None).fit(
                X, y, journal=journal, progress=killer(after)
            )
    names = []
    resumed = TableClassifier(members=NAMES, time_limit=None).fit(
        X, y, journal=journal, progress=lambda e: names.append((e.kind, e.name))
    )
    assert ("try", "gradient boosting") not in names
    np.testing.assert_array_equal(resumed.predict_proba(X), whole.predict_proba(X))
    assert [h["name"] for h in resumed.history_] == [h["name"] for h in whole.history_]


@pytest.mark.slow
def test_another_table_has_a_journal_of_its_own(tmp_path):
    X, y = make_classification(100, 5, random_state=0)
    journal = Journal(tmp_path)
    TableClassifier(members="fast", time_limit=None).fit(X, y, journal=journal)
    other = TableClassifier(members="fast", time_limit=None).fit(X + 1, y, journal=journal)
    again = TableClassifier(members="fast", time_limit=None).fit(X + 1, y)
    np.testing.assert_array_equal(other.predict_proba(X), again.predict_proba(X))
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.slow
def test_threads_are_not_part_of_a_search_but_groups_are(tmp_path):
    X, y = make_classification(120, 5, random_state=0)
    journal, names = Journal(tmp_path), []

    def fit(n_jobs, groups=None):
        names.clear()
        model = TableClassifier(members="fast", time_limit=None, n_jobs=n_jobs)
        model.fit(
            X, y, groups=groups, journal=journal, progress=lambda e: names.append((e.kind, e.name))
        )
        return model.predict_proba(X), ("try", "extra trees") in names

    first, tried = fit(1)
    assert tried
    again, tried = fit(2)
    assert not tried
    np.testing.assert_array_equal(again, first)
    _, tried = fit(1, np.arange(120) % 9)
    assert tried
    assert not fit(1, np.arange(120) % 9)[1]
    assert fit(1, np.arange(120) % 8)[1]


@pytest.mark.slow
def test_groups_are_never_on_both_sides():
    """Rows of a group are copies but for noise: without groups they would be known already."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(40), 6)
    X = rng.normal(size=(40, 4))[groups] + 0.01 * rng.normal(size=(240, 4))
    y = rng.integers(0, 2, 40)[groups]
    scores = {}
    for name, given in (("with", groups), ("without", None)):
        model = TableClassifier(members="fast", metric="accuracy").fit(X, y, groups=given)
        scores[name] = next(e.score for e in model.leaderboard_ if e.chosen)
    assert scores["with"] < 0.7
    assert scores["without"] > 0.9


@pytest.mark.slow
def test_readable_models_are_single_and_small():
    X, y = load_breast_cancer(return_X_y=True)
    model = TableClassifier(interpretable=True, time_limit=30).fit(X, y)
    assert len(model.members_) == 1
    assert model.members_[0].family in ("tree", "linear", "additive")
    assert model.score(X, y) > 0.9


@pytest.mark.slow
def test_dates_are_columns_like_others():
    rng = np.random.default_rng(0)
    days = pandas.Timestamp("2020-01-01") + pandas.to_timedelta(rng.integers(0, 700, 300), "D")
    frame = pandas.DataFrame({"day": days, "noise": rng.normal(size=300)})
    y = (frame["day"].dt.day_of_week >= 5).astype(int)
    model = TableClassifier(members="fast").fit(frame, y)
    assert model.feature_names_in_.tolist() == ["day", "noise"]
    assert model.n_features_in_ == 2
    assert model.score(frame, y) > 0.95
    text = frame.assign(day=frame["day"].dt.strftime("%Y-%m-%d"))
    np.testing.assert_array_equal(model.predict(text), model.predict(frame))
    assert "time order" in {f.kind for f in model.findings_}


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["mae", "r2", "rmsle"])
def test_other_metrics_of_numbers(metric):
    X, y = load_diabetes(return_X_y=True)
    model = TableRegressor(members="fast", metric=metric).fit(X[::3], y[::3])
    assert model.metric_ == metric
    assert model.greater_is_better_ == (metric == "r2")


@pytest.mark.slow
def test_time_that_is_too_short_ends_the_search():
    X, y = make_classification(1000, 20, n_informative=10, n_classes=5, random_state=0)
    model = TableClassifier(time_limit=2.0).fit(X, y)
    assert model.stopped_ == "time"
    assert "skipped" in {h["kind"] for h in model.history_}
    assert model.score(X, y) > 0.5


@pytest.mark.slow
def test_large_predictions_are_made_in_blocks(monkeypatch):
    from coterie.automl import estimators

    X, y = load_diabetes(return_X_y=True)
    model = TableRegressor(members="fast").fit(X, y)
    expected = model.predict(X)
    monkeypatch.setattr(estimators, "_BLOCK", 100)
    np.testing.assert_array_equal(model.predict(X), expected)


def test_the_threshold_costs_least():
    rng = np.random.default_rng(0)
    chances = rng.random(300).round(2)
    truth = (rng.random(300) < chances).astype(int)
    for fp, fn in ((1.0, 1.0), (1.0, 5.0), (7.0, 2.0)):

        def cost(threshold, fp=fp, fn=fn):
            said = chances >= threshold
            return fp * np.sum(said & (truth == 0)) + fn * np.sum(~said & (truth == 1))

        found = best_threshold(chances, truth, fp, fn)
        assert cost(found) == min(cost(t) for t in np.arange(-0.005, 1.01, 0.005))


@pytest.mark.slow
def test_the_same_work_gives_the_same_model():
    """However long it takes: the members that a budget allows for do not depend on the clock."""
    X, y = make_classification(300, 5, random_state=0)
    models = [TableClassifier(work=work, n_jobs=jobs).fit(X, y) for work, jobs in ((3, 1), (3, 2))]
    first, second = (model.predict_proba(X) for model in models)
    np.testing.assert_array_equal(first, second)
    names = [[h["name"] for h in model.history_] for model in models]
    assert names[0] == names[1]
    assert models[0].stopped_ == "time"
