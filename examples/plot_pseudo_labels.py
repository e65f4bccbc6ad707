"""
Semi-supervised learning, round by round
========================================

In a co-forest, each tree also learns from unlabelled rows that the other trees label with
confidence. The plot shows how many rows were pseudo-labelled in each round, and how many of them
wrongly.
"""

# %%
# Two moons, of which 20 rows are labelled.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons

from coterie import CoForestClassifier, RandomForestClassifier, SelfTrainingClassifier
from coterie.plotting import PseudoLabelDisplay

X, y = make_moons(800, noise=0.25, random_state=0)
known = np.where(np.arange(len(y)) < 20, y, -1)

# %%
# Self-training with a constant threshold uses all confident predictions, including wrong ones.
figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
models = [
    CoForestClassifier(n_folds=None, random_state=0),
    SelfTrainingClassifier(criterion="threshold", keep="last", n_folds=None, random_state=0),
]
for ax, model in zip(axes, models, strict=True):
    PseudoLabelDisplay.from_estimator(model.fit(X, known), y, ax=ax)
    ax.set_title(type(model).__name__)

# %%
# Was it worth it? A forest fitted to the labelled rows alone is hard to beat.
forest = RandomForestClassifier(random_state=0).fit(X[:20], y[:20])
for model in (forest, *models):
    print(f"{type(model).__name__:25} {model.score(X[20:], y[20:]):.3f}")
