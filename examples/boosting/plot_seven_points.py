"""
Seven points, and a stump that does not split
=============================================

Three crosses lie among four stars: two stars are below them, one is to the left and one above. No
stump comes close, and boosting needs about ten rounds. Some of the stumps predict the same class on
both sides. A stump is chosen for the purity of its sides, and under the weights of that round both
sides may contain more stars than crosses. Such a member is constant: it shifts the score of all
points.
"""

# %%
# Each stump is the best by Gini impurity under the weights of its round.
import matplotlib.pyplot as plt
import numpy as np

from coterie.boosting import AdaBoostClassifier
from coterie.plotting import BoundDisplay, RegionsDisplay, WeightsDisplay

X = np.array([[1, 4], [4, 7], [3, 1], [5, 1], [3, 4], [4, 5], [5, 4]])
y = np.array(["star"] * 4 + ["cross"] * 3)
names = ["left", "top", "lower 1", "lower 2", "cross 1", "cross 2", "cross 3"]

model = AdaBoostClassifier(n_estimators=10, trace="weights").fit(X, y)

# %%
# The first stump cuts off the lower stars, the second the left star, with *star* on both
# sides; the third is the same split, now with crosses on the right.
print("round  split      left/right    epsilon   alpha       Z  mistakes")
for t, (stump, facts) in enumerate(zip(model.estimators_, model.trace_, strict=True), start=1):
    tree = stump.tree_
    split = f"x{tree.feature[0] + 1} <= {tree.threshold[0]:g}"
    sides = "/".join(model.classes_[tree.value[[1, 2], 0].argmax(axis=1)])
    numbers = "  ".join(f"{facts[name]:.4f}" for name in ("error", "alpha", "normaliser"))
    mistakes = round(7 * facts["train_error"])
    print(f"{t:>5}  {split:<9}  {sides:<12}  {numbers}  {mistakes:>8}")

# %%
# The two lower stars always have the same weight, and so do the three crosses: no useful stump
# separates them.
WeightsDisplay.from_estimator(model, names=names)
plt.show()

# %%
# The error may rise from one round to the next; its bound cannot.
BoundDisplay.from_estimator(model)
plt.show()

# %%
# The crosses are enclosed on three sides. Constant members have no decision line.
RegionsDisplay.from_estimator(model, X, y, sizes=[1, 4, 9])
plt.show()
