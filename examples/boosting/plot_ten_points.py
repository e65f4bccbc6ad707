"""
Ten points, three stumps
========================

The classic textbook example of boosting: ten points in the plane that no single axis-parallel cut
can separate, but three cuts can, if each concentrates on the mistakes of the previous ones.
"""

# %%
# Five points are positive, five are negative. A *stump* is a single threshold on one coordinate;
# here it is chosen to have the smallest weighted error.
import matplotlib.pyplot as plt
import numpy as np

from coterie import DecisionTreeClassifier
from coterie.boosting import AdaBoostClassifier
from coterie.plotting import (
    BoundDisplay,
    MarginDisplay,
    RegionsDisplay,
    RoundsDisplay,
    WeightsDisplay,
)

positive = [[2, 1], [1, 3], [5, 8], [8, 7], [7, 10]]
negative = [[3, 6], [6, 5], [4, 2], [10, 9], [9, 4]]
X, y = np.array(positive + negative), np.repeat([1, -1], 5)
names = [f"{sign}{number}" for sign in "PN" for number in range(1, 6)]

stump = DecisionTreeClassifier(max_depth=1, criterion="misclassification")
model = AdaBoostClassifier(stump, n_estimators=3, trace="weights").fit(X, y)

# %%
# The trace has one row per round: the weighted error :math:`\epsilon` of the stump, its weight
# :math:`\alpha = \frac12 \ln\frac{1-\epsilon}{\epsilon}`, and the normaliser :math:`Z =
# 2\sqrt{\epsilon(1-\epsilon)}`, whose product bounds the training error.
trace = model.trace_
print("round  split        epsilon   alpha       Z")
for t, (stump, facts) in enumerate(zip(model.estimators_, trace, strict=True), start=1):
    split = f"x{stump.tree_.feature[0] + 1} <= {stump.tree_.threshold[0]:g}"
    numbers = "  ".join(f"{facts[name]:.4f}" for name in ("error", "alpha", "normaliser"))
    print(f"{t:>5}  {split:<10}  {numbers}")
print(f"training error {trace['train_error'][-1]:g}, bound {trace['bound'][-1]:.4f}")

# %%
# The first stump is wrong about P3, P4 and P5, so they weigh more in the second round; the second
# stump is wrong about N1, N2 and N3, and so on. After each round the mistakes of the last stump
# carry half of the total weight: under the new weights it is no better than chance.
WeightsDisplay.from_estimator(model, names=names)
plt.show()

# %%
# Thin lines are the stumps so far, the red line is the boundary of their weighted vote. With two
# members the one with the larger weight decides; with the third every point is classified
# correctly.
RegionsDisplay.from_estimator(model, X, y, sizes=[1, 2, 3])
plt.show()

# %%
# Errors and weights, error and bound, and how the margins move to the right of zero.
fig, axes = plt.subplots(1, 3, figsize=(12, 3.6), layout="constrained")
RoundsDisplay.from_estimator(model, ax=axes[0])
BoundDisplay.from_estimator(model, ax=axes[1])
MarginDisplay.from_estimator(model, X, y, ax=axes[2])
plt.show()
