"""A member that sees what others say."""

from dataclasses import replace

import numpy as np
import pytest

from coterie import TableClassifier
from coterie.automl.candidates import choose_candidates
from coterie.automl.clock import Clock
from coterie.automl.combine import OutOfFold
from coterie.automl.metrics import NUMBER_METRICS
from coterie.automl.second_layer import (
    LAYER,
    SecondLayer,
    can_stack,
    choose_bases,
    fit_second_layer,
    is_worth,
)
from coterie.automl.splits import Plan
from coterie.automl.trial import Trial, run_trial
from coterie.export import load, save
from tests.automl.material import labelled, numbered

LONG = 1e6


def bases(make):
    situation, material, _, metric = make(200)
    names = ["linear", "extra trees", "neighbours"]
    chosen = choose_candidates(names, interpretable=False)
    trials = [run_trial(c, situation, material, Clock(LONG)) for c in chosen]
    return trials, situation, material, metric


@pytest.mark.slow
@pytest.mark.parametrize("candidate", LAYER)
@pytest.mark.parametrize("make", [labelled, numbered])
def test_models_of_a_split_ask_members_that_do_not_know_its_rows(make, candidate):
    trials, situation, material, _ = bases(make)
    trial = fit_second_layer(candidate, trials, situation, material, Clock(LONG))
    assert np.isfinite(trial.unseen).all()
    for k, (_, test) in enumerate(material.splits):
        layer = trial.models[k].estimator
        assert all(a is b.models[k] for a, b in zip(layer.bases, trials, strict=True))
        np.testing.assert_allclose(
            trial.models[k].ask(material.matrix[test]), trial.unseen[test], atol=1e-12
        )


@pytest.mark.slow
def test_it_is_saved_and_loaded(tmp_path):
    trials, situation, material, _ = bases(labelled)
    trial = fit_second_layer(LAYER[0], trials, situation, material, Clock(LONG))
    layer = trial.models[0].estimator
    model = TableClassifier(members="fast").fit(material.matrix, material.truth)
    model.members_[0].models.append(layer)
    save(model, tmp_path / "table.model")
    again = load(tmp_path / "table.model").members_[0].models[-1]
    assert isinstance(again, SecondLayer)
    rows = material.matrix[:20]
    np.testing.assert_array_equal(again.predict_proba(rows), layer.predict_proba(rows))


def test_few_members_of_a_family_are_chosen():
    one = Trial("a", "forest", np.zeros((2, 1)), models=[None])
    names = ["a", "b", "c", "d"]
    trials = [replace(one, name=name) for name in names]
    trials[3] = replace(trials[3], family="linear")
    assert [t.name for t in choose_bases(trials, [3.0, 2.0, 1.0, 9.0])] == ["c", "b", "d"]
    assert choose_bases(trials[:3], [3.0, 2.0, 1.0]) == []


def test_only_large_tables_whose_rows_were_all_held_out():
    situation, material, _, _ = labelled(1_000)
    assert can_stack(situation, material)
    assert not can_stack(replace(situation, n_rows=999), material)
    part = labelled(1_000, Plan(3, hold_out=True))[1]
    assert not can_stack(situation, part)


def test_what_is_not_clearly_better_is_left_out():
    rng = np.random.default_rng(0)
    truth = rng.normal(size=300)
    said = truth + rng.normal(size=(2, 300))
    oof = OutOfFold(said[:, :, None], truth, NUMBER_METRICS["rmse"])
    assert is_worth(oof, truth[:, None])
    assert not is_worth(oof, oof.profile.mean(axis=0))
