"""
Levels of forests
=================

A deep forest adds levels of forests as long as its out-of-bag predictions improve. The accuracy by
level and its standard error show how little evidence there is for the choice.
"""

# %%
# Digits of eight by eight pixels.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from coterie import DeepForestClassifier, RandomForestClassifier

X, y = load_digits(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=0)
model = DeepForestClassifier(n_trees=50, random_state=0).fit(X, y)
forest = RandomForestClassifier(200, random_state=0).fit(X, y)
print(f"{model.n_layers_} levels {model.score(X_test, y_test):.3f}, ", end="")
print(f"a forest of as many trees as a level {forest.score(X_test, y_test):.3f}")

# %%
# The best level is kept, and those after it are dropped.
scores = np.array(model.layer_scores_)
error = np.sqrt(scores * (1 - scores) / len(y))
figure, ax = plt.subplots(layout="constrained")
ax.errorbar(np.arange(1, len(scores) + 1), scores, error, marker="o", capsize=4)
ax.axvline(model.n_layers_, color="#c03", linestyle=":", label="kept")
ax.set(xlabel="level", ylabel="out-of-bag accuracy", xticks=np.arange(1, len(scores) + 1))
ax.legend(frameon=False)
