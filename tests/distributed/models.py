"""Tables, and comparing models to the last bit."""

import numpy as np

from coterie.data import Schema
from coterie.distributed.holders import HolderLostError, Share
from coterie.distributed.row_holder import Held, Place, RowHolder, together


def filled(holder, codes):
    """A holder of all rows that has taken them."""
    holder.take(codes, Place("", None, None, 0, 0))
    return holder


def table(n=1500, seed=0):
    """Numbers with missing values and categories, and a target with some signal."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)).round(2)
    X[rng.random(n) < 0.1, 1] = np.nan
    X[:, 3] = rng.integers(0, 6, n)
    y = X[:, 0] + np.nan_to_num(X[:, 1]) ** 2 + (X[:, 3] == 2) + rng.normal(size=n)
    return X, y


def same_forest(model, other):
    """Whether two models have the same trees, to the last bit."""
    names = ("nodes", "values", "n_samples", "weight", "impurity", "categories")
    mine, its = model.pool_, other.pool_
    assert len(mine) == len(its)
    for name in names:
        np.testing.assert_array_equal(
            getattr(mine.forest, name), getattr(its.forest, name), err_msg=name
        )
    np.testing.assert_array_equal(mine.weights, its.weights)
    return True


class Direct:
    """Holders in this process; some calls fail, and then nothing is known of the tree."""

    def __init__(self, codes, bins, cuts, failing=()):
        self.failing, self.asked = set(failing), 0
        ends = zip([0, *cuts], [*cuts, len(codes)], strict=True)
        self.shares = [
            Share(Held(Schema(codes.shape[1]), bins, end - begin, begin), [], slice(begin, end))
            for begin, end in ends
        ]
        self.holders = [filled(RowHolder(share.held), codes[share.rows]) for share in self.shares]

    def ask(self, method, *given):
        self.asked += 1
        if self.asked in self.failing:
            for share, holder in zip(self.shares, self.holders, strict=True):
                codes = holder.codes
                holder.__init__(share.held)
                filled(holder, codes)
            raise HolderLostError
        each = zip(*given, strict=True) if given else [()] * len(self.holders)
        return [getattr(h, method)(*own) for h, own in zip(self.holders, each, strict=True)]

    def lead(self, method, *given):
        self.holders[0].add_up = lambda *asked: together(self.ask_alike(*asked))
        return getattr(self.holders[0], method)(*given)

    def finished(self):
        pass

    def ask_alike(self, method, *given):
        return self.ask(method, *([one] * len(self.holders) for one in given))
