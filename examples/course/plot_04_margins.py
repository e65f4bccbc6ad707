"""
4. Margins
==========

The training error of AdaBoost is zero after a few rounds, and its test error still falls. What
keeps growing is the margin: by how much the votes for the true class outweigh the others.
"""

# %%
# Watch the margins of the training rows move to the right after the training error is zero.
import numpy as np
from sklearn.datasets import make_moons

from coterie import AdaBoostClassifier, DecisionTreeClassifier, LPBoostClassifier, explore
from coterie.boosting import certificate
from coterie.plotting import MarginDisplay

X, y = make_moons(160, noise=0.15, random_state=0)
tree = DecisionTreeClassifier(max_depth=2)
ada = AdaBoostClassifier(tree, n_estimators=60, trace="weights").fit(X, y)
zero = int(np.argmax(ada.trace_["train_error"] == 0)) + 1
print("rounds to a training error of zero:", zero)
explore(ada, X, y, resolution=48)

# %%
# The distribution at four rounds.
MarginDisplay.from_estimator(ada, X, y)

# %%
# AdaBoost raises the smallest margin, but not to the maximum. LPBoost does, and proves it: no vote
# of such members has a larger margin than the smallest edge found so far. It stops when the two
# meet, or when the learner finds no member with a larger edge.
best = LPBoostClassifier(tree, n_estimators=60, nu=1 / len(y), trace="weights").fit(X, y)
proof = certificate(best)
print(f"{proof.kind} after {len(proof.values)} rounds: {proof.values[-1]:.5f}. {proof.words}")
explore([ada, best], X, y, resolution=48)
