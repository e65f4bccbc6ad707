import numpy as np
import pytest

from coterie import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from coterie.core import Pool
from coterie.core.trace import Trace
from coterie.distributed import checkpointed
from coterie.distributed.checkpoints import CURRENT, Rounds, Store, StoredRun
from coterie.distributed.holders import Holders
from tests.distributed.models import same_forest, table

da = pytest.importorskip("dask.array")


def rounds():
    X, y = table(200)
    pool = HistGradientBoostingRegressor(max_iter=3).fit(X, y).pool_
    return Rounds(pool, Trace([{"loss": 0.5 / 3}, {"loss": 0.1}, {"loss": 0.05}]))


def test_rounds_are_kept_as_they_are(tmp_path):
    file, kept = StoredRun(tmp_path / "x", 1), rounds()
    assert file.read({"rows": 3}) is None
    file.write(kept, {"rows": 3})
    found = file.read({"rows": 3})
    assert found.trace.rounds == kept.trace.rounds
    assert isinstance(found.pool, Pool)
    for name in ("nodes", "values", "categories", "node_offsets"):
        np.testing.assert_array_equal(
            getattr(found.pool.forest, name), getattr(kept.pool.forest, name)
        )
    np.testing.assert_array_equal(found.pool.weights, kept.pool.weights)


def test_the_file_of_another_fit_is_refused(tmp_path):
    file = StoredRun(tmp_path / "x", 1)
    file.write(rounds(), {"rows": 3, "loss": "a"})
    with pytest.raises(ValueError, match="another fit: rows differ"):
        file.read({"rows": 4, "loss": "a"})


def test_runs_have_files_of_their_own_which_go_in_the_end(tmp_path):
    store = Store(tmp_path / "x", 5)
    first, second = store.next_file(), store.next_file()
    assert (first.path.name, second.path.name) == ("x", "x.1")
    with checkpointed(tmp_path / "x"):
        first.write(rounds(), {})
        second.write(rounds(), {})
        assert CURRENT.get() is not None
    assert CURRENT.get() is None
    assert not list(tmp_path.iterdir())
    with pytest.raises(ValueError, match="rounds >= 1"), checkpointed("x", every=0):
        pass


class DriverDied(Exception):
    """The fit breaks off."""


@pytest.mark.slow
@pytest.mark.parametrize("early", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_fit_that_broke_off_reaches_the_same_model(client, tmp_path, monkeypatch, early):
    X, y = table(400)
    settings = {"max_iter": 12 if early else 5, "max_leaf_nodes": 4, "random_state": 0}
    settings |= {"learning_rate": 0.8, "early_stopping": early, "n_iter_no_change": 3}
    there = da.from_array(X, chunks=(150, -1)), da.from_array(y > 0.5, chunks=150)
    seen = []

    def die(number, trace):
        seen.append(number)
        if number == 3:
            raise DriverDied

    broken = HistGradientBoostingClassifier(**settings, callbacks=[die])
    with pytest.raises(DriverDied), checkpointed(tmp_path / "x", every=2):
        broken.fit(*there)
    assert (tmp_path / "x").exists()
    grown = []
    lead = Holders.lead
    monkeypatch.setattr(Holders, "lead", lambda *given: grown.append(1) or lead(*given))
    with checkpointed(tmp_path / "x", every=2):
        again = HistGradientBoostingClassifier(**settings).fit(*there)
    assert not (tmp_path / "x").exists()
    assert seen == [1, 2, 3]
    assert len(grown) == again.n_iter_ - 2
    assert same_forest(HistGradientBoostingClassifier(**settings).fit(X, y > 0.5), again)


def test_only_what_it_wrote_is_removed(tmp_path):
    """A model, a script or notes beside it may begin with the same name."""
    beside = [tmp_path / name for name in ("x.py", "x.coterie", "x.1.txt", "xy")]
    for path in beside:
        path.write_text("mine")
    with checkpointed(tmp_path / "x"):
        for name in ("x", "x.1"):
            (tmp_path / name).write_text("")
    assert sorted(tmp_path.iterdir()) == sorted(beside)


def test_a_damaged_file_is_named(tmp_path):
    file = StoredRun(tmp_path / "x", 1)
    file.write(rounds(), {"rows": 3})
    good, rng = file.path.read_bytes(), np.random.default_rng(0)
    for number in range(60):
        bad = bytearray(good[: rng.integers(len(good))] if number % 3 == 0 else good)
        for place in rng.integers(len(bad), size=20) if bad else ():
            bad[place] ^= rng.integers(1, 256)
        file.path.write_bytes(bad)
        try:
            file.read({"rows": 3})
        except ValueError as error:
            assert str(file.path) in str(error)  # noqa: PT017  # some bytes may be of no account


def test_parts_of_two_files_do_not_fit(tmp_path):
    file, kept = StoredRun(tmp_path / "x", 1), rounds()
    file.write(Rounds(kept.pool, Trace([{}])), {})
    with pytest.raises(ValueError, match="damaged.*Remove it"):
        file.read({})
