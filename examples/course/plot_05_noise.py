"""
5. Noise
========

A wrongly labelled row looks like a hard row, and AdaBoost concentrates on hard rows. Methods that
give up on some of them are robust.
"""

# %%
# One label in eight is flipped. Let both run to the end and look at the largest dots: those of
# AdaBoost are the wrong labels.
import numpy as np
from sklearn.datasets import make_moons

from coterie import AdaBoostClassifier, BaggingClassifier, RobustBoostClassifier, explore

X, truth = make_moons(300, noise=0.2, random_state=0)
rng = np.random.default_rng(0)
wrong = rng.permutation(200)[:25]
y = truth.copy()
y[wrong] = 1 - y[wrong]
learn, test = slice(0, 200), slice(200, 300)
ada = AdaBoostClassifier(n_estimators=60, trace="weights").fit(X[learn], y[learn])
robust = RobustBoostClassifier(n_estimators=60, trace="weights").fit(X[learn], y[learn])
explore([ada, robust], X[learn], y[learn], X_val=X[test], y_val=truth[test], resolution=48)

# %%
# The share of the total weight carried by wrongly labelled rows before the last round. They are an
# eighth of the rows.
for name, model in (("AdaBoost", ada), ("RobustBoost", robust)):
    last = np.asarray(model.trace_.weights[-1]).reshape(200, -1).sum(axis=1)
    print(f"{name}: {last[wrong].sum() / last.sum():.2f}")

# %%
# Errors on rows with correct labels.
bag = BaggingClassifier(n_estimators=60, random_state=0).fit(X[learn], y[learn])
for name, model in (("AdaBoost", ada), ("RobustBoost", robust), ("bagging", bag)):
    print(f"{name}: {np.mean(model.predict(X[test]) != truth[test]):.3f}")
