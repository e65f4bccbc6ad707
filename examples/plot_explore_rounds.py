"""
Boosting round by round, interactively
======================================

``coterie.explore`` creates a page on which you can step or play through an ensemble: dots grow with
the weights of their rows, the dashed line is the new member, the shading is the score. The pages
below are live; nothing is loaded from elsewhere. ``explore(...).save("page.html")`` writes such a
page to a file.
"""

# %%
# The ten points of the textbooks need three stumps. The formulas show the numbers of each round.
import numpy as np

from coterie import AdaBoostClassifier, BaggingClassifier, DecisionTreeClassifier, explore

positive = [[2, 1], [1, 3], [5, 8], [8, 7], [7, 10]]
negative = [[3, 6], [6, 5], [4, 2], [10, 9], [9, 4]]
X, y = np.array(positive + negative), np.repeat([1, -1], 5)
stump = DecisionTreeClassifier(max_depth=1, criterion="misclassification")
explore(AdaBoostClassifier(stump, n_estimators=3), X, y)

# %%
# Two methods side by side. With label noise, AdaBoost concentrates on ever fewer rows, which may be
# mislabelled; bagging draws all rows with equal probability.
from sklearn.datasets import make_moons

X, y = make_moons(150, noise=0.25, random_state=0)
y[:15] = 1 - y[:15]
explore([AdaBoostClassifier(n_estimators=40), BaggingClassifier(n_estimators=40)], X, y)
