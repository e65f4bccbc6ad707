"""
AdaBoost with 3, 5 and 11 stumps on the watermelon data
=======================================================

Seventeen watermelons with their density and sugar content, and whether they are ripe. One stump can
only cut the plane in two; the weighted vote of a few stumps has a boundary with corners.
"""

# %%
# One fit of eleven members contains the smaller ensembles: the first three members are the same as
# those of a fit with three.
import matplotlib.pyplot as plt

from coterie.boosting import AdaBoostClassifier
from coterie.datasets import load_table
from coterie.plotting import MarginDisplay, RegionsDisplay

X, y = load_table("watermelon", as_frame=True, return_X_y=True)
model = AdaBoostClassifier(n_estimators=11).fit(X, y)

RegionsDisplay.from_estimator(model, X, y, sizes=[3, 5, 11])
plt.show()

# %%
# The share of watermelons on the right side of the boundary, by size.
accuracy = list(model.staged_score(X, y))
for size in (3, 5, 11):
    print(f"{size:>2} members: {accuracy[size - 1]:.3f}")

# %%
# More members not only remove mistakes but also make decisions clearer: small margins grow, at the
# expense of large ones.
MarginDisplay.from_estimator(model, X, y, rounds=[3, 5, 11])
plt.show()
