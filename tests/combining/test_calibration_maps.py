import numpy as np
import pytest

from coterie import fusion
from coterie.combining.calibration_maps import METHODS, ClassMaps

RNG = np.random.default_rng(0)
CHANCES = RNG.dirichlet(np.ones(3), 500)
CODES = np.array([RNG.choice(3, p=p) for p in CHANCES**2 / (CHANCES**2).sum(axis=1)[:, None]])
ONES = np.ones(500)


def learn(said, codes, method, n_classes, scores=False):
    return ClassMaps.learn(said, codes, np.ones(len(codes)), method, n_classes, scores=scores)


@pytest.mark.parametrize("method", METHODS)
def test_probabilities_add_up_and_fit_better(method):
    maps = learn(CHANCES, CODES, method, 3)
    mapped = maps(CHANCES)
    np.testing.assert_allclose(mapped.sum(axis=1), 1)
    rows = np.arange(500)
    assert np.log(mapped[rows, CODES] + 1e-9).mean() > np.log(CHANCES[rows, CODES]).mean()


def test_two_classes_have_one_map():
    p, codes = CHANCES[:, 0], (CODES == 0).astype(int)
    maps = learn(np.column_stack([1 - p, p]), codes, "isotonic", 2)
    assert len(maps.maps) == 1
    wanted = fusion.isotonic(np.clip(p, *maps.bounds), codes)(np.clip(p, *maps.bounds))
    np.testing.assert_allclose(maps(np.column_stack([1 - p, p]))[:, 1], wanted)


def test_scores_are_mapped_as_they_are():
    f = np.array([-2, -1, -0.5, 0.5, 1, 2])[:, None]
    codes = np.array([0, 0, 1, 0, 1, 1])
    maps = learn(f, codes, "platt", 2, scores=True)
    assert maps(f)[:, 1] == pytest.approx(
        [0.220831, 0.347416, 0.421844, 0.578156, 0.652584, 0.779169], abs=1e-6
    )
    for method in METHODS:
        mapped = learn(f, codes, method, 2, scores=True)(f)
        assert mapped.shape == (6, 2)
        assert (np.diff(mapped[:, 1]) >= -1e-12).all()


def test_a_class_that_a_fold_has_not_seen():
    scores = RNG.normal(size=(500, 3))
    scores[:50, 2] = np.finfo(np.float64).min
    maps = learn(scores, CODES, "platt", 3, scores=True)
    assert np.isfinite(maps(scores)).all()
    assert maps.bounds[0] > -10


def test_sure_votes_have_finite_log_odds():
    votes = np.eye(3)[CODES]
    votes[:50] = np.roll(votes[:50], 1, axis=1)  # a tenth is wrong
    mapped = learn(votes, CODES, "platt", 3)(votes)
    assert mapped.max(axis=1).mean() == pytest.approx(0.9, abs=0.02)


def test_nothing_likely_is_anything():
    class Never:
        def __call__(self, said):
            return np.zeros(len(said))

    maps = ClassMaps("isotonic", (Never(),) * 3, 3, False, (0.0, 1.0))
    assert maps(CHANCES) == pytest.approx(1 / 3)


def test_one_class_changes_nothing():
    with pytest.warns(UserWarning, match="one class"):
        maps = learn(CHANCES, np.zeros(500, dtype=int), "platt", 3)
    np.testing.assert_array_equal(maps(CHANCES), CHANCES)
    with pytest.warns(UserWarning, match="one class"):
        squashed = learn(np.array([[0.0], [3.0]]), np.zeros(2, dtype=int), "platt", 2, scores=True)
    assert squashed(np.array([[0.0]])).tolist() == [[0.5, 0.5]]


def test_temperature_keeps_the_order():
    mapped = learn(CHANCES, CODES, "temperature", 3)(CHANCES)
    np.testing.assert_array_equal(mapped.argmax(axis=1), CHANCES.argmax(axis=1))
