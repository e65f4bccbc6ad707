"""What every estimator promises."""

import pickle
from copy import deepcopy

import joblib
import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import coterie
from tests.contract.exported import (
    ENSEMBLES,
    ESTIMATORS,
    fitted,
    has_parameter,
    make,
    outputs,
    problem,
    same_bits,
    shallow,
)

pytestmark = pytest.mark.contract
every = pytest.mark.parametrize("cls", ESTIMATORS)
every_ensemble = pytest.mark.parametrize("cls", ENSEMBLES)


@every
def test_clone_is_unfitted_and_fits_to_the_same_bits(cls):
    X, y = problem(cls)
    copy = clone(fitted(cls))
    before = copy.get_params()
    assert repr(before) == repr(fitted(cls).get_params())  # members are not compared by value
    with pytest.raises(NotFittedError):
        copy.predict(X)
    assert same_bits(outputs(copy.fit(X, y), X), outputs(fitted(cls), X))
    after = copy.get_params()
    assert all(after[name] is before[name] for name in before)


@every
def test_skops_takes_models_apart_and_together(cls):
    skops = pytest.importorskip("skops.io")
    X, _ = problem(cls)
    saved = skops.dumps(fitted(cls))
    again = skops.loads(saved, trusted=skops.get_untrusted_types(data=saved))
    assert same_bits(outputs(again, X), outputs(fitted(cls), X))


@every
def test_pickle_keeps_predictions_and_not_the_data(cls):
    X, y = problem(cls, 2000)
    model = make(cls, **shallow(cls)).fit(X, y)
    saved = pickle.dumps(model)
    assert same_bits(outputs(pickle.loads(saved), X), outputs(model, X))
    assert same_bits(outputs(deepcopy(model), X), outputs(model, X))
    # Nearest neighbours are training rows: all members together keep them once.
    # What all members say of the judged rows is what dynamic selection goes by.
    keepers = {
        # Ten boosters of fifty rounds are larger than these few rows.
        coterie.EasyEnsembleClassifier: 1.2,
        coterie.KNNEnsembleClassifier: 1.5,
        coterie.DynamicSelectionClassifier: 3.0,
        coterie.DynamicSelectionRegressor: 10.0,
        # Members are kept twice: as a pool that votes, and in an ensemble of their own kind.
        coterie.PrunedEnsembleClassifier: 0.6,
        coterie.PrunedEnsembleRegressor: 0.6,
        # What the ensemble and its members say of all rows is what reports are made of.
        coterie.TableClassifier: 2.0,
        coterie.TableRegressor: 2.0,
        # Two hundred trees.
        coterie.CoTrainingClassifier: 1.2,
        coterie.CoTrainingByCommitteeClassifier: 0.7,
        coterie.SelfTrainingClassifier: 0.7,
        # Honest answers for all rows are kept.
        coterie.DeepForestClassifier: 1.2,
        coterie.DeepForestRegressor: 1.2,
        # Leaves have curves, not numbers.
        coterie.RandomSurvivalForest: 2.0,
    }
    share = keepers.get(cls, 0.5)
    assert len(saved) < share * X.nbytes


@every
def test_seeds_of_all_kinds(cls):
    X, y = problem(cls)
    for seed in (2**63, None, np.random.RandomState(0)):
        make(cls, random_state=seed).fit(X, y)
    twice = [make(cls, random_state=np.random.default_rng(3)).fit(X, y) for _ in range(2)]
    assert same_bits(outputs(twice[0], X), outputs(twice[1], X))


@every
def test_workers_do_not_change_a_bit(cls):
    X, y = problem(cls)
    for n_jobs in (2, -1, 100_000):
        together = make(cls, n_jobs=n_jobs).fit(X, y)
        assert same_bits(outputs(fitted(cls), X), outputs(together, X))
        assert pickle.dumps(fitted(cls).pool_) == pickle.dumps(together.pool_)


@pytest.mark.slow("loky")
@pytest.mark.parametrize("backend", ["loky", "threading", "sequential"])
def test_backends_are_respected(backend):
    cls = ENSEMBLES[0]
    X, y = problem(cls)
    alone = make(cls).fit(X, y)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        together = make(cls).fit(X, y)
    assert same_bits(outputs(alone, X), outputs(together, X))


@every
def test_weights_are_repetitions(cls):
    X, y = problem(cls)
    X = np.round(X, 1)
    times = np.random.default_rng(0).integers(0, 4, len(y))
    # What is drawn by weights by default, as in scikit-learn, can be told to draw repetitions.
    sampler = make(cls)._sampler() if has_parameter(cls, "draw") else None
    drawn = sampler is not None and sampler.by_weight
    settings = {"draw": "repeats"} if drawn else {}
    weighted = make(cls, **settings).fit(X, y, times)
    repeated = make(cls, **settings).fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    for a, b in zip(outputs(weighted, X), outputs(repeated, X), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9)


@every
def test_order_of_rows_does_not_matter(cls):
    X, y = problem(cls)
    X, y = np.append(X, X, axis=0), np.append(y, y)
    order = np.random.default_rng(0).permutation(len(y))
    for weight in (np.ones(len(y)), np.random.default_rng(1).uniform(0.5, 2, len(y))):
        first, second = make(cls), make(cls)
        first.fit(X, y, weight)
        second.fit(X[order], y[order], weight[order])
        for a, b in zip(outputs(first, X), outputs(second, X), strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-9)


@every
def test_zero_weight_is_a_dropped_row(cls):
    X, y = problem(cls)
    weight = np.random.default_rng(0).uniform(0.5, 2, len(y))
    weight[::3] = 0
    kept = weight > 0
    X_bad, y_bad = X.copy(), y.copy()
    X_bad[~kept] = np.inf
    weighted, dropped = make(cls), make(cls)
    weighted.fit(X_bad, y_bad, weight)
    dropped.fit(X[kept], y[kept], weight[kept])
    assert same_bits(outputs(weighted, X), outputs(dropped, X))


@every_ensemble
def test_prefix_is_a_shorter_fit(cls):
    X, y = problem(cls)
    # Calibrated costs keep a map for every round.
    own = {"method": "adac2"} if cls is coterie.CostSensitiveBoostClassifier else {}
    long = make(cls, **own).fit(X, y) if own else deepcopy(fitted(cls))
    short = make(cls, n_estimators=3, **own).fit(X, y)
    assert pickle.dumps(long.pool_[:3]) == pickle.dumps(short.pool_)
    long.pool_ = long.pool_[:3]
    assert same_bits(outputs(long, X), outputs(short, X))


@every
def test_failed_fit_changes_nothing(cls):
    X, y = problem(cls)
    model = deepcopy(fitted(cls))
    attributes = set(vars(model))
    with pytest.raises(ValueError, match="NaN"):
        model.fit(X[:, :3], np.full(len(y), np.nan))
    assert set(vars(model)) == attributes
    assert same_bits(outputs(model, X), outputs(fitted(cls), X))


@every
def test_refit_forgets_the_last_fit(cls):
    pandas = pytest.importorskip("pandas")
    X, y = problem(cls)
    names = list("abcdef")
    model = make(cls).fit(pandas.DataFrame(X, columns=names), y)
    assert model.feature_names_in_.tolist() == names
    model.fit(X[:, :4], y)
    assert not hasattr(model, "feature_names_in_")
    assert model.n_features_in_ == 4


@every
@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_are_arrays_with_names(cls, library):
    frames = pytest.importorskip(library)
    X, y = problem(cls)
    frame = frames.DataFrame({name: X[:, j] for j, name in enumerate("abcdef")})
    model = make(cls).fit(frame, y)
    assert same_bits(outputs(model, frame), outputs(fitted(cls), X))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[list("fedcba")])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(X)


@every
def test_dtypes_and_layouts_agree(cls):
    X, y = problem(cls)
    X = X.astype(np.float32)
    expected = outputs(make(cls).fit(X, y), X)
    for variant in (np.asfortranarray(X.astype(float)), np.repeat(X, 2, axis=1)[:, ::2]):
        assert same_bits(outputs(make(cls).fit(variant, y), variant), expected)


@every
def test_works_in_pipelines_and_searches(cls):
    X, y = problem(cls)
    pipeline = make_pipeline(StandardScaler(), make(cls))
    bins = {f"{cls.__name__.lower()}__max_bins": [4, 255]}
    search = GridSearchCV(pipeline, bins, cv=2, refit=False).fit(X, y)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


@every
def test_several_outputs(cls):
    X, y = problem(cls)
    Y = np.column_stack([y, y[::-1]])
    if not cls.multi_output:
        with pytest.raises(ValueError, match="1d array|multilabel"):
            make(cls).fit(X, Y)
        return
    model = make(cls).fit(X, Y)
    assert model.predict(X).shape == Y.shape
    assert model.n_outputs_ == 2
    if is_classifier(model):
        assert [p.shape for p in model.predict_proba(X)] == [(len(X), 3)] * 2


@every
def test_repr_shows_what_was_chosen(cls):
    assert repr(cls(max_bins=31)).startswith(f"{cls.__name__}(max_bins=31")
    assert "<style" in make(cls)._repr_html_()


@pytest.mark.parametrize("cls", [cls for cls in ESTIMATORS if has_parameter(cls, "warm_start")])
def test_warm_start_refuses_other_columns_and_classes(cls):
    pd = pytest.importorskip("pandas")
    X, y = problem(cls)
    X[:, 0] = X[:, 0] > 0
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["a"] = frame["a"].map({0.0: "no", 1.0: "yes"}).astype("category")
    model = make(cls, warm_start=True).fit(frame, y)
    before = outputs(model, frame)
    size = "max_iter" if has_parameter(cls, "max_iter") else "n_estimators"
    model.set_params(**{size: 9})
    recoded = frame.assign(a=frame["a"].cat.rename_categories({"no": "never"}))
    wrong = [
        ("X has 5 columns, but had 6", frame.drop(columns="f"), y),
        ("Column 1 of X is 'x', but was 'b'", frame.rename(columns={"b": "x"}), y),
        ("different categories .new: 'never'; gone: 'no'", recoded, y),
    ]
    if is_classifier(model):
        wrong += [
            ("different classes .new: 3; gone: 0", frame, y + 1),
            ("different classes .new: 3", frame, np.r_[3, y[1:]]),
        ]
    elif cls.multi_output:
        wrong += [("y has 2 outputs, but had 1", frame, np.c_[y, y])]
    for words, rows, target in wrong:
        with pytest.raises(ValueError, match=words + ".*warm_start=False"):
            model.fit(rows, target)
    assert same_bits(outputs(model, frame), before)


@every
def test_rows_alone_are_answered_as_among_others(cls):
    """Bit for bit; there are only native members in them."""
    X, _ = problem(cls)
    model = fitted(cls)
    whole = outputs(model, X)
    for size in (1, 7, 100):
        rows = 20 if size == 1 else len(X)
        parts = [outputs(model, X[i : min(i + size, rows)]) for i in range(0, rows, size)]
        glued = [np.concatenate(part) for part in zip(*parts, strict=True)]
        assert same_bits(glued, [part[:rows] for part in whole])
