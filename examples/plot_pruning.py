"""
Pruning: many could be better than all
======================================

A bag of trees contains redundant members, and members that do not help the rest. Pruning orders the
members with the useful ones first; where to stop is chosen on rows that were not used for the
order.
"""

# %%
# Errors by size. On the rows used for ordering, a few members seem to be far better than all
# (dotted). On other rows the gain is smaller.
import matplotlib.pyplot as plt

from coterie import BaggingClassifier, PrunedEnsembleClassifier
from coterie.datasets import load_table
from coterie.plotting import PruningCurveDisplay
from coterie.selection import ORDERS

X, y = load_table("magic", return_X_y=True)
X, y, X_new, y_new = X[::20], y[::20], X[1::4], y[1::4]
bag = BaggingClassifier(n_estimators=100, random_state=0).fit(X, y)
settings = {"validate": "oob", "prefit": True, "max_size": 1 / 3, "random_state": 0}
ax = None
for order in ("reduced_error", "orientation", "accuracy"):
    model = PrunedEnsembleClassifier(bag, order=order, **settings).fit(X, y)
    ax = PruningCurveDisplay.from_estimator(model, ax=ax).ax_
plt.show()

# %%
# All pruning methods, with at most a third of the members each, on new rows.
print(f"{'all members':<18}{len(bag):>5}{bag.score(X_new, y_new):>8.3f}")
for order in ORDERS:
    model = PrunedEnsembleClassifier(bag, order=order, **settings).fit(X, y)
    print(f"{order:<18}{model.size_:>5}{model.score(X_new, y_new):>8.3f}")
