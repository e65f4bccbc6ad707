"""
6. Random forests from the inside
=================================

A random forest is bagging with more diverse trees: each node considers only a few columns.
"""

# %%
# Exercise 8.5 of Zhou: bagging on the watermelons, with stumps as in exercise 8.3 and with whole
# trees. A mean of stumps is still nearly a stump; bagging needs members that can fit the rows.
import time

import numpy as np
from sklearn.datasets import make_classification, make_moons

from coterie import BaggingClassifier, DecisionTreeClassifier, RandomForestClassifier, explore
from coterie.datasets import load_table

X, y = load_table("watermelon", return_X_y=True)
stumps = BaggingClassifier(DecisionTreeClassifier(max_depth=1), n_estimators=20, random_state=0)
trees = BaggingClassifier(n_estimators=20, random_state=0)
explore([stumps, trees], X, y, resolution=48)

# %%
# One tree next to a forest. The size of a dot is how often the row is in the bag of the new tree.
X, y = make_moons(200, noise=0.3, random_state=0)
alone = BaggingClassifier(n_estimators=1, bootstrap=False, random_state=0)
forest = RandomForestClassifier(n_estimators=40, random_state=0)
explore([alone, forest], X, y, resolution=48)

# %%
# Exercise 8.7: why forests are trained faster than bags of trees. A node of a bagged tree considers
# all columns; a node in a forest considers only the square root of their number.
X, y = make_classification(4000, 100, n_informative=20, random_state=0)
for name, model in (
    ("bag of trees", BaggingClassifier(n_estimators=50, random_state=0)),
    ("random forest", RandomForestClassifier(n_estimators=50, random_state=0, oob_score=True)),
):
    began = time.process_time()
    model.fit(X, y)
    print(f"{name}: {time.process_time() - began:.2f} s of CPU")

# %%
# About a third of the rows are not in the bag of a given tree: these out-of-bag rows evaluate the
# forest without a test set.
print("out-of-bag accuracy:", np.round(model.oob_score_, 3))
