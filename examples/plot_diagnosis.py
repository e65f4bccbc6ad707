"""
What is wrong with this ensemble?
=================================

`diagnose` checks any fitted ensemble: is it accurate, diverse, oversized, overfitting, calibrated?
Every answer is based on a measured number, and advice is given only where a number supports it.
"""

# %%
# A forest, evaluated on held-out rows. In a notebook the diagnosis is a table with plots; here it
# is text.
import matplotlib.pyplot as plt

from coterie import (
    BaggingClassifier,
    DecisionTreeClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    diagnose,
)
from coterie.datasets import load_table

X, y = load_table("magic", return_X_y=True)
X, y, X_new, y_new = X[::12], y[::12], X[1::8], y[1::8]
forest = RandomForestClassifier(100, random_state=0).fit(X, y)
found = diagnose(forest, X_new, y_new, X_train=X, y_train=y)
print(found)

# %%
# Two plots behind it: the error by number of trees, and the share of trees that fail on each row.
found.plot()
plt.show()

# %%
# Bagged trees of depth one are nearly all the same tree. They are worth little more than one
# member, and voting gains nothing.
stumps = BaggingClassifier(DecisionTreeClassifier(max_depth=1), 30, random_state=0).fit(X, y)
found = diagnose(stumps, X_new, y_new, X_train=X, y_train=y)
for question in ("diverse?", "oversized?"):
    finding = found[question]
    print(finding.question, finding.verdict, finding.words, finding.advice, sep="\n  ")

# %%
# Boosting with a large learning rate memorises its training rows and is over-confident.
booster = HistGradientBoostingClassifier(learning_rate=0.5, max_iter=200).fit(X, y)
print(diagnose(booster, X_new, y_new, X_train=X, y_train=y))

# %%
# The numbers are also available to programs: here for forests with growing leaf sizes.
print(f"{'leaf':>6}{'error':>8}{'member':>8}{'count as':>10}{'ECE':>8}")
for leaf in (1, 5, 25, 125):
    forest = RandomForestClassifier(100, min_samples_leaf=leaf, random_state=0).fit(X, y)
    found = diagnose(forest, X_new, y_new)
    error, variety, calibration = (
        found[question].numbers for question in ("accurate?", "diverse?", "calibrated?")
    )
    row = [error["error"], error["mean_member"], variety["effective_members"]]
    row.append(calibration["calibration_error"])
    print(f"{leaf:>6}" + "".join(f"{x:>{w}.3f}" for x, w in zip(row, (8, 8, 10, 8), strict=True)))
