"""
Five models, and ways to combine them
=====================================

Different models err on different rows. How much is gained by combining several of them, and does it
pay to learn their weights? Here five models are combined in several ways; every combination learns
from the same out-of-fold predictions.
"""

# %%
# The members, and the error of each on its own.
import tempfile

import matplotlib.pyplot as plt
import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from coterie import (
    EnsembleSelectionClassifier,
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RejectOptionClassifier,
    StackingClassifier,
    VotingClassifier,
)
from coterie.datasets import load_table

X, y = load_table("magic", return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X, y, train_size=4000, test_size=8000, random_state=0
)
members = [
    ("naive Bayes", GaussianNB()),
    ("logistic regression", make_pipeline(StandardScaler(), LogisticRegression())),
    ("15 nearest neighbours", make_pipeline(StandardScaler(), KNeighborsClassifier(15))),
    ("extra trees", ExtraTreesClassifier(100, random_state=0)),
    ("boosted trees", HistGradientBoostingClassifier(random_state=0)),
]

# %%
# Members are fitted once: their predictions for each fold are cached on disk and reused by the next
# combination.
memory = tempfile.TemporaryDirectory()
shared = {"cv": 5, "memory": memory.name}
combinations = {
    "majority": VotingClassifier(members),
    "mean probability": VotingClassifier(members, voting="soft"),
    "weights by log-odds": VotingClassifier(members, weights="log_odds", **shared),
    "greedy selection": EnsembleSelectionClassifier(members, **shared),
    "super learner": StackingClassifier(members, "super_learner", **shared),
    "stack": StackingClassifier(members, **shared),
}
errors = {}
for name, model in combinations.items():
    errors[name] = 1 - model.fit(X_train, y_train).score(X_test, y_test)
fitted = combinations["majority"].named_estimators_
alone = {name: 1 - fitted[name].score(X_test, y_test) for name, _ in members}

# %%
# Members of such different quality should not have equal weights. Weights that are computed for one
# member at a time ignore the correlation of errors, and help little. The last three methods use all
# predictions jointly, and beat the best member without being told which one it is.
fig, ax = plt.subplots(figsize=(6.5, 3.8), layout="constrained")
both = {**alone, **errors}
colours = ["lightgrey"] * len(alone) + ["tab:blue"] * len(errors)
ax.barh(list(both), list(both.values()), color=colours)
ax.axvline(min(alone.values()), color="black", linewidth=0.8, linestyle="--")
ax.invert_yaxis()
ax.set(xlabel="error on 8000 new rows")

# %%
# A model that may abstain errs less on the rows it does predict. The curve is computed from
# out-of-fold predictions, so it needs no test set; the dots show what happens on new rows.
best = RejectOptionClassifier(combinations["super learner"], cv=3).fit(X_train, y_train)
curve, new = best.risk_coverage_, best.risk_coverage(X_test, y_test)
fig, ax = plt.subplots(figsize=(6, 3.6), layout="constrained")
ax.plot(curve.coverage, curve.risk, label="unseen training rows")
at = np.linspace(0.1, 1, 10)
ax.plot(at, np.interp(at, new.coverage, new.risk), "o", label="new rows")
ax.set(xlabel="coverage", ylabel="error among predicted rows", xlim=(0, 1.02))
ax.legend(frameon=False)
plt.show()
memory.cleanup()
