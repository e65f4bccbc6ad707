r"""
The figures of the textbooks
============================

Each figure below takes a single call. `coterie studio` shows the same pictures: choose the set
*ten points*, *seven points* or *watermelon* and step through the rounds.
"""

# %%
# **Symbols sized by weight, and shading by score** (Narsky & Porter, figures 15.1 and 15.2).
# AdaBoost with stumps on two overlapping classes: misclassified points grow from round to round,
# and the weighted vote of the stumps shades the plane.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

import coterie
from coterie import plotting
from coterie.datasets import load_table

rng = np.random.default_rng(1)
signal = rng.multivariate_normal([1.0, 1.0], [[1.0, 0.5], [0.5, 1.0]], 60)
background = rng.multivariate_normal([-0.5, -0.5], [[1.5, 0.0], [0.0, 1.5]], 60)
X, y = np.concatenate([signal, background]), np.repeat(["signal", "background"], 60)
boosted = coterie.AdaBoostClassifier(n_estimators=50, trace="weights").fit(X, y)
plotting.RoundPictureDisplay.from_estimator(boosted, X, y, rounds=[1, 2, 10, 50])
plt.show()

# %%
# The training error falls below its bound, and stays there.
plotting.BoundDisplay.from_estimator(boosted)
plt.show()

# %%
# **The lecture's stumps**: three of them classify ten points without a mistake.
positive = [[2, 1], [1, 3], [5, 8], [8, 7], [7, 10]]
negative = [[3, 6], [6, 5], [4, 2], [10, 9], [9, 4]]
X, y = np.array(positive + negative), np.repeat(["+", "−"], 5)
stump = coterie.DecisionTreeClassifier(max_depth=1, criterion="misclassification")
three = coterie.AdaBoostClassifier(stump, n_estimators=3, trace="weights").fit(X, y)
plotting.RoundPictureDisplay.from_estimator(three, X, y, rounds=[1, 2, 3])
plt.show()

# %%
# **Good and different** (Zhou, figure 8.2): three members, three rows, a majority vote. In (a) the
# vote is always right, in (b) the members are all alike, and in (c) it is always wrong. The dissent
# profile shows why.
tables = {
    "(a) voting helps": [[1, 1, 0], [0, 1, 1], [1, 0, 1]],
    "(b) voting changes nothing": [[1, 1, 0], [1, 1, 0], [1, 1, 0]],
    "(c) voting hurts": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
}
figure, axes = plt.subplots(1, 3, figsize=(15, 4.4), layout="constrained")
for ax, (name, labels) in zip(axes, tables.items(), strict=True):
    plotting.DissentDisplay.from_predictions(labels, [1, 1, 1], name=name, ax=ax)
plt.show()

# %%
# **AdaBoost on the watermelons** (Zhou, figure 8.4; his figure 8.3 is the algorithm): 3, 5 and 11
# stumps. The boundary of the ensemble is red, those of the members are black.
melons, ripe = load_table("watermelon", as_frame=True, return_X_y=True)
ada = coterie.AdaBoostClassifier(n_estimators=11).fit(melons, ripe)
plotting.RegionsDisplay.from_estimator(ada, melons, ripe, sizes=[3, 5, 11])
plt.show()

# %%
# **Bagging on the watermelons** (Zhou, figure 8.6; his figure 8.5 is the algorithm): 3, 5 and 11
# trees.
bag = coterie.BaggingClassifier(n_estimators=11, random_state=1).fit(melons, ripe)
plotting.RegionsDisplay.from_estimator(bag, melons, ripe, sizes=[3, 5, 11])
plt.show()

# %%
# **Size of a random forest and of a bag** (Zhou, figure 8.7), on handwritten digits: the forest
# starts with worse trees and ends with a smaller error.
X, y = load_digits(return_X_y=True)
half = np.arange(len(y)) % 2 == 0
figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), sharey=True, layout="constrained")
forest = coterie.RandomForestClassifier(n_estimators=100, random_state=0).fit(X[half], y[half])
bag = coterie.BaggingClassifier(n_estimators=100, random_state=0).fit(X[half], y[half])
for ax, model in zip(axes, (forest, bag), strict=True):
    plotting.ErrorCurveDisplay.from_estimator(model, X[~half], y[~half], ax=ax)
plt.show()
