import inspect
from dataclasses import KW_ONLY, dataclass

from coterie.base.signature import in_order, own_first


@dataclass
class Base:
    members: tuple = ()
    _: KW_ONLY
    folds: int = 5
    seed: int = 0
    verbose: int = 0


@own_first
@dataclass
class Derived(Base):
    final: str = "mean"
    _: KW_ONLY
    depth: int = 1
    verbose: int = 2


def test_own_keywords_come_first_and_keep_their_defaults():
    names = {name: p.default for name, p in inspect.signature(Derived).parameters.items()}
    assert list(names.items()) == [
        ("members", ()),
        ("final", "mean"),
        ("depth", 1),
        ("verbose", 2),
        ("folds", 5),
        ("seed", 0),
    ]
    assert list(inspect.signature(Base).parameters) == ["members", "folds", "seed", "verbose"]


def test_arguments_mean_the_same():
    made = Derived((1,), "max", seed=3)
    assert (made.members, made.final, made.seed, made.verbose) == ((1,), "max", 3, 2)


def test_some_keywords_stand_together_in_another_order():
    named = dataclass(kw_only=True)(type("Made", (Base,), {"__annotations__": {}}))
    made = in_order("verbose", "seed")(named)
    assert list(inspect.signature(made).parameters) == ["members", "folds", "verbose", "seed"]
