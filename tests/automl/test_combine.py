"""Ways to combine, and the choice between them."""

from dataclasses import replace

import numpy as np
import pytest

from coterie.automl.combine import (
    WAYS,
    Blend,
    OutOfFold,
    ScoredBlend,
    alone,
    best_single,
    choose,
    convex,
    expected_loss,
    greedy,
    judge,
    stacked,
    tempered,
)
from coterie.automl.metrics import CLASS_METRICS, NUMBER_METRICS

RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 3, 600)


def softmax(raw):
    chances = np.exp(raw)
    return chances / chances.sum(axis=-1, keepdims=True)


def labels(noises, metric="log_loss", weight=None):
    """Members that see the class through noise of their own."""
    clear = 3.0 * np.eye(3)[CODES]
    rng = np.random.default_rng(1)
    profile = softmax(np.stack([clear + rng.normal(0, s, clear.shape) for s in noises]))
    return OutOfFold(profile, CODES, CLASS_METRICS[metric], weight)


def numbers(noises):
    rng = np.random.default_rng(2)
    y = rng.normal(size=400)
    profile = np.stack([y + rng.normal(0, s, 400) for s in noises])[:, :, None]
    return OutOfFold(profile, y, NUMBER_METRICS["rmse"])


def test_blend_by_hand():
    profile = np.array([[[0.5, 0.5]], [[0.9, 0.1]]])
    mean = Blend("", np.array([0.25, 0.75]))(profile)
    np.testing.assert_allclose(mean, [[0.8, 0.2]])
    sharper = Blend("", np.array([0.25, 0.75]), tau=0.5)(profile)
    np.testing.assert_allclose(sharper, [[0.64 / 0.68, 0.04 / 0.68]])
    pool = Blend("", np.array([1.0, 1.0]), logs=True, shift=np.array([0.0, np.log(3)]))(profile)
    np.testing.assert_allclose(pool, [[0.45 / 0.6, 0.15 / 0.6]])


def test_nothing_is_impossible():
    sure = np.array([[[1.0, 0.0]], [[1.0, 0.0]]])
    said = Blend("", np.array([0.5, 0.5]), floor=0.01)(sure)
    np.testing.assert_allclose(said, [[1 / 1.01, 0.01 / 1.01]])
    oof = labels([1.0, 3.0])
    oof.profile[0] = np.eye(3)[CODES]  # right and sure of it, so far
    found = judge(oof, np.arange(600) % 3)
    for one in found:
        if not one.blend.logs:
            zero = (one.blend.weights[:, None, None] * oof.profile).sum(axis=0) == 0.0
            chances = one.blend(oof.profile)[zero]
            assert (chances >= 0.5 / 601 / 2).all(), one.blend
        least = 0.2 * 0.5 / 601 / 3
        assert (one.blend(oof.profile) >= 0.99 * least).all(), one.blend
    other = judge(labels([1.0, 3.0], "accuracy"), np.arange(600) % 3)
    assert all(one.blend.floor == one.blend.least == 0.0 for one in other)


@pytest.mark.parametrize("tau", [1.0, 0.25])
def test_a_mixture_is_never_too_sure(tau):
    sure = np.array([[[0.999, 0.001]], [[0.997, 0.003]]])
    for logs in (False, True):
        said = Blend("", np.array([0.5, 0.5]), logs=logs, tau=tau, least=0.01)(sure)
        np.testing.assert_allclose(said[:, 1], 0.01 / (1 + 0.01), rtol=3e-3)


def test_a_member_alone_is_chosen_if_nothing_is_better():
    oof = labels([1.0, 1.0, 3.0])
    first, cooler = alone(oof, 0, "default")
    assert first.loss == oof.loss(oof.profile[0])
    assert cooler.blend.tau == pytest.approx(np.sqrt(tempered(first.blend, oof).tau))
    assert cooler.loss < first.loss
    worse = alone(oof, 2, "worse")[0]
    assert choose([first, worse], oof) is first
    assert choose([worse, first], oof) is first
    assert len(alone(oof.take(np.arange(200)), 0, "default")) == 1
    assert len(alone(numbers([1.0]), 0, "default")) == 1


def test_what_the_mean_of_models_gains_anyway_is_no_gain_of_a_combination():
    """Three members alike: all of what they gain together is noise that averages out."""
    oof = numbers([1.0, 1.0, 1.0])
    single = alone(oof, 0, "default")[0]
    together = next(
        one for one in judge(oof, np.arange(400) % 4) if one.blend.name != "best single"
    )
    assert choose([single, together], oof) is together
    assert expected_loss(single, 0.5) == single.loss - 0.5
    assert expected_loss(together, 0.6) == pytest.approx(together.loss - 0.2, abs=0.02)
    gain = single.loss - together.loss
    # It is but ahead by chance until it is so by two standard errors.
    assert choose([single, together], oof, noise=1.6 * gain) is together
    assert choose([single, together], oof, noise=3.0 * gain) is single
    # Of the others' noise nothing is known to a single one.
    assert choose([single, together], oof, noise=np.array([0.9, 9.0, 9.0]) * gain) is together


def test_a_single_member_is_chosen_only_if_it_is_clearly_better():
    """The better of two is so by chance, or because the other is useless."""
    oof = numbers([1.0, 1.0])
    mean = Blend("both", np.array([0.5, 0.5]))

    def told(blend, said):
        return ScoredBlend(blend, said, oof.score(said), oof.loss(said))

    said = mean(oof.profile)
    both, rng = told(mean, said), np.random.default_rng(0)
    lucky = told(Blend("one", np.eye(2)[0]), 0.95 * said + rng.normal(0, 0.1, said.shape))
    right = told(Blend("one", np.eye(2)[0]), 0.5 * said + 0.5 * oof.truth[:, None])
    lucky = replace(lucky, loss=0.99 * both.loss)
    assert choose([lucky, both], oof) is both
    assert choose([right, both], oof) is right
    assert choose([lucky], oof) is lucky
    # Nothing is known of the rows of other metrics.
    assert choose([lucky, both], replace(oof, metric=replace(oof.metric, rows=None))) is lucky


def test_best_single_is_the_member_of_least_loss():
    assert best_single(labels([3.0, 1.0, 2.0])).weights.tolist() == [0, 1, 0]
    assert best_single(numbers([3.0, 1.0, 2.0])).weights.tolist() == [0, 1, 0]


@pytest.mark.parametrize("way", [greedy, convex, stacked])
@pytest.mark.parametrize("make", [labels, numbers])
def test_a_combination_is_better_than_each_on_new_rows(way, make):
    oof = make([1.0, 1.2, 1.4, 6.0])
    half = np.arange(len(oof.truth)) % 2 == 0
    blend = way(oof.take(half))
    test = oof.take(~half)
    single = min(test.loss(said) for said in test.profile)
    assert test.loss(blend(test.profile)) < single
    # Noise is hardly listened to.
    assert blend.weights[3] < 0.2 * blend.weights[0]


def test_stacking_finds_the_pool_that_made_the_labels():
    """Labels drawn from exp(2 ln p1 + 0 ln p2 + shift), up to the penalty."""
    rng = np.random.default_rng(3)
    profile = softmax(rng.normal(0, 1, (2, 20_000, 2)))
    shift = np.array([0.5, -0.5])
    chances = softmax(2 * np.log(profile[0]) + shift)
    codes = (rng.random(20_000) > chances[:, 0]).astype(int)
    found = stacked(OutOfFold(profile, codes, CLASS_METRICS["log_loss"]))
    np.testing.assert_allclose(found.weights, [2, 0], atol=0.1)
    assert np.diff(found.shift) == pytest.approx(-1, abs=0.1)


def test_temperature_mends_members_that_are_too_sure():
    oof = labels([2.0])
    sure = OutOfFold(softmax(2 * np.log(oof.profile)), oof.truth, oof.metric)
    blend, before = (tempered(best_single(p), p) for p in (sure, oof))
    assert blend.tau == pytest.approx(2 * before.tau, rel=0.02)
    assert sure.loss(blend(sure.profile)) < sure.loss(sure.profile[0])


def test_weights_are_repetitions():
    times = np.random.default_rng(4).integers(1, 4, 600)
    oof = labels([1.0, 1.5, 2.0])
    weighted = OutOfFold(oof.profile, oof.truth, oof.metric, times.astype(float))
    repeated = oof.take(np.repeat(np.arange(600), times))
    for way in WAYS:
        np.testing.assert_allclose(
            way(weighted).weights, way(repeated).weights, rtol=1e-4, atol=1e-4
        )


def test_nested_scores_do_not_reward_luck():
    """Of fifty members that know nothing, the best looks good only where it was chosen."""
    rng = np.random.default_rng(5)
    y = rng.normal(size=60)
    oof = OutOfFold(rng.normal(size=(50, 60, 1)), y, NUMBER_METRICS["rmse"])
    (found,) = judge(oof, np.arange(60) % 3, WAYS[:1])
    assert found.score > 1.05 * oof.score(found.blend(oof.profile))


def test_nested_rows_are_scored_by_the_others_only():
    """Each part says what a blend that was learnt without it says."""
    oof, parts = labels([1.0, 1.3, 2.0]), np.arange(600) % 3
    found = judge(oof, parts, (greedy,))[0]
    for part in range(3):
        rest = greedy(oof.take(parts != part))
        said = rest(oof.profile[:, parts == part])
        np.testing.assert_allclose(found.nested[parts == part], said)


def test_the_best_is_chosen_or_something_simpler_if_that_is_wanted():
    oof = numbers([1.0, 1.0])
    one, other = oof.profile
    simple = ScoredBlend(Blend("simple", np.ones(2)), one, oof.score(one), 1.0)
    # Squared errors that are by turns a bit larger and as much smaller.
    away = one - oof.truth[:, None]
    turns = 1e-9 * np.resize([1, -1], away.shape)
    tiny = oof.truth[:, None] + np.sign(away) * np.sqrt(np.maximum(away**2 + turns, 0))
    same = ScoredBlend(Blend("same", np.ones(2)), tiny, oof.score(tiny), 0.9999)
    better = (one + other) / 2
    much = ScoredBlend(Blend("much", np.ones(2)), better, oof.score(better), 0.7)
    assert choose([simple, same], oof, simple=True) is simple
    assert choose([simple, much], oof, simple=True) is much
    assert choose([simple, same], oof) is same
    assert choose([simple, simple], oof) is simple


@pytest.mark.slow
def test_rows_are_drawn_from_large_tables():
    oof = labels([1.0, 1.2])
    found = judge(oof, np.arange(600) % 2, WAYS, most=100)
    assert all(np.isfinite(one.nested).all() for one in found)


@pytest.mark.slow
@pytest.mark.parametrize("metric", ["accuracy", "roc_auc", "brier"])
def test_other_metrics_are_combined_for(metric):
    oof = labels([1.0, 1.2, 1.4, 6.0], metric)
    best = choose(judge(oof, np.arange(600) % 3), oof)
    assert best.loss <= min(oof.loss(said) for said in oof.profile)


def test_one_member_alone_leaves_no_class_without_a_chance():
    truth = np.array([0, 1] * 50)
    said = np.tile([1.0, 0.0], (1, 100, 1))
    (found,) = alone(OutOfFold(said, truth, CLASS_METRICS["log_loss"]), 0, "it alone")
    assert (found.nested > 0).all()
    assert np.isfinite(found.loss)
    assert found.loss < 4.0
