"""
How many trees does a forest need?
==================================

A tree of a random forest is grown on a bootstrap sample, which leaves out about a third of the
rows. Those rows were never seen by the tree, so the forest can be tested on its own training table:
each row is predicted by the trees that did not see it. This out-of-bag estimate needs no separate
test set.

Here the out-of-bag error is tracked while the forest grows, and compared with the error on a real
test set.
"""

# %%
# One fit is enough: ``oob_curve_`` holds the error after each tree.
import matplotlib.pyplot as plt
from sklearn.model_selection import train_test_split

from coterie import RandomForestClassifier
from coterie.datasets import load_table

X, y = load_table("magic", return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0)

forest = RandomForestClassifier(n_estimators=200, oob_score=True, random_state=0)
forest.fit(X_train, y_train)
curve = forest.oob_curve_

# %%
# The curve starts high, because at first only a tree or two vote on a row. Beyond about a hundred
# trees, adding more changes little: a forest does not overfit as it grows, but converges. The
# errors by class show what the total hides: hadrons are mistaken for gamma rays much more often
# than the other way round.
fig, ax = plt.subplots(figsize=(6, 3.8), layout="constrained")
for label, error in zip(forest.classes_, curve.class_errors.T, strict=True):
    ax.plot(curve.n_trees, error, linewidth=1, label=f"out-of-bag, class {label}")
ax.plot(curve.n_trees, curve.error, color="black", label="out-of-bag, all rows")
ax.axhline(1 - forest.score(X_test, y_test), color="grey", linestyle="--", label="test set")
ax.set(xlabel="number of trees", ylabel="error", ylim=(0, 0.45))
ax.legend(frameon=False)
plt.show()
