"""
9. Choosing members: pruning and dynamic selection
==================================================

More members are not always better. Pruning keeps a few for all rows; dynamic selection chooses
members anew for each row, by how well they do on similar rows.
"""

# %%
# A bag of a hundred trees, in the order found by pruning. On the rows used for ordering a few
# members seem far better than all; on other rows they are about as good.
import numpy as np

from coterie import (
    BaggingClassifier,
    DecisionTreeClassifier,
    DynamicSelectionClassifier,
    PrunedEnsembleClassifier,
    explore,
)
from coterie.datasets import load_table
from coterie.plotting import PruningCurveDisplay

X, y = load_table("magic", return_X_y=True)
learn, new = slice(None, None, 20), slice(1, None, 4)
bag = BaggingClassifier(n_estimators=100, random_state=0).fit(X[learn], y[learn])
pruned = PrunedEnsembleClassifier(bag, prefit=True, validate="oob", random_state=0)
pruned.fit(X[learn], y[learn])
PruningCurveDisplay.from_estimator(pruned)
print(f"all 100 members: {bag.score(X[new], y[new]):.3f}")
print(f"{pruned.size_} members: {pruned.score(X[new], y[new]):.3f}")

# %%
# Why not simply keep the most accurate ones? Because they tend to be wrong together. Ordering by
# accuracy alone needs more members for the same result.
for order in ("accuracy", "reduced_error", "orientation"):
    few = PrunedEnsembleClassifier(
        bag, order=order, size=15, prefit=True, validate="oob", random_state=0
    ).fit(X[learn], y[learn])
    print(f"15 members by {order}: {few.score(X[new], y[new]):.3f}")

# %%
# Dynamic selection pays off when members are good in different regions. A vote of twenty stumps
# cannot represent a checkerboard, but each stump is right somewhere, and the neighbours of a row
# show where.
rng = np.random.default_rng(0)
board = rng.uniform(-1, 1, (400, 2))
colour = (board[:, 0] * board[:, 1] > 0).astype(int)
stumps = BaggingClassifier(
    DecisionTreeClassifier(max_depth=1), n_estimators=20, max_samples=0.1, random_state=0
)
stumps.fit(board[:200], colour[:200])
local = DynamicSelectionClassifier(stumps, method="knora_e", prefit=True)
local.fit(board[:200], colour[:200])
print(f"vote of 20 stumps: {stumps.score(board[200:], colour[200:]):.3f}")
print(f"chosen row by row: {local.score(board[200:], colour[200:]):.3f}")

# %%
# The stumps themselves, one after another, and the vote so far.
explore(stumps, board[:200], colour[:200], resolution=48)
