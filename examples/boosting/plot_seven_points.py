"""
Seven points, and a stump that does not split
=============================================

Three crosses sit among four stars: below them are two stars, one is to the left,
one above. No stump comes near, and boosting needs patience: about ten rounds. On
the way there are stumps whose two sides say the same. That is no accident: a stump is
chosen for how pure its sides are, and under the weights of that round both may hold more
stars than crosses. Such a member asks nothing; it shifts the score of all points.
"""

# %%
# All stumps are the best by the Gini impurity under the weights of their round.
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
# The two lower stars always weigh the same, and so do the three crosses: no stump
# that is worth choosing tells them apart.
WeightsDisplay.from_estimator(model, names=names)
plt.show()

# %%
# The error may rise again for a round, its bound may not.
BoundDisplay.from_estimator(model)
plt.show()

# %%
# The crosses are enclosed from three sides. Members that say the same everywhere
# have no line of their own.
RegionsDisplay.from_estimator(model, X, y, sizes=[1, 4, 9])
plt.show()
