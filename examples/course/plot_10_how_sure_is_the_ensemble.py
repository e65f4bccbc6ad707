"""
10. How sure is the ensemble?
=============================

A vote of 90 % is not a probability of 90 %. This page measures the difference, removes it, and
turns votes into sets of classes that contain the true class as often as requested.
"""

# %%
# AdaBoost pushes its scores apart, so its probabilities are too extreme; a forest averages, and
# hardly ever predicts 0 or 1. The diagram shows how often a class actually occurs among rows with a
# given predicted probability. A calibrated model lies on the diagonal.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import log_loss

from coterie import (
    AdaBoostClassifier,
    CalibratedEnsembleClassifier,
    ConformalClassifier,
    DecisionTreeClassifier,
    RandomForestClassifier,
    explore,
)
from coterie.datasets import load_table
from coterie.plotting import CoverageDisplay, ReliabilityDisplay

X, y = load_table("magic", return_X_y=True)
learn, new = slice(None, None, 8), slice(1, None, 4)
forest = RandomForestClassifier(n_estimators=100, random_state=0).fit(X[learn], y[learn])
ada = AdaBoostClassifier(DecisionTreeClassifier(max_depth=3), n_estimators=100, random_state=0)
ada.fit(X[learn], y[learn])
figure, axes = plt.subplots(1, 2, figsize=(9, 4))
for ax, (name, model) in zip(axes, {"forest": forest, "AdaBoost": ada}.items(), strict=True):
    ReliabilityDisplay.from_estimator(model, X[new], y[new], ax=ax)
    ax.set_title(name)
    print(f"{name}: log loss {log_loss(y[new], model.predict_proba(X[new])):.3f}")

# %%
# Calibration learns the map from scores to frequencies on rows that the members have not seen.
calibrated = CalibratedEnsembleClassifier([("AdaBoost", ada)]).fit(X[learn], y[learn])
print(f"AdaBoost, calibrated: log loss {log_loss(y[new], calibrated.predict_proba(X[new])):.3f}")

# %%
# A prediction set contains every class that cannot be ruled out. Over all new rows, it contains the
# true class at least as often as requested. A poor model has larger sets, not wrong ones.
sets = ConformalClassifier(forest, empty="top", random_state=0).fit(X[learn], y[learn])
inside = sets.predict_set(X[new], alpha=0.1)
hit = inside[np.arange(len(inside)), np.searchsorted(sets.classes_, y[new])].mean()
single = np.mean(inside.sum(axis=1) == 1)
print(f"requested 90 %, covered {hit:.1%}; sets of a single class: {single:.1%}")
CoverageDisplay.from_estimator(sets, X[new], y[new], alpha=0.1, most=15)

# %%
# Where is the ensemble uncertain? A picture of two columns shows it: the shading is pale where
# votes are divided.
two = X[learn][:300, [0, 8]]
explore(
    AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), n_estimators=30, trace="weights").fit(
        two, y[learn][:300]
    ),
    two,
    y[learn][:300],
    resolution=48,
)
