"""
Categorical columns and missing values
======================================

Most tables contain text as well as numbers, and missing values. coterie's trees handle both
directly: a categorical column of a data frame is split into two sets of categories, and a missing
value goes to the side that worked best in training. There is no one-hot encoding, no imputation,
and no preprocessing pipeline to maintain along with the model.
"""

# %%
# The German credit table has 13 categorical columns and 7 numeric ones.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.model_selection import cross_val_score

from coterie import RandomForestClassifier
from coterie.datasets import load_table

X, y = load_table("german_credit", as_frame=True, return_X_y=True)
X.iloc[:3, :5]

# %%
# A forest is fitted to the data frame itself.
forest = RandomForestClassifier(n_estimators=200, random_state=0)
cross_val_score(forest, X, y, cv=5, scoring="roc_auc").mean().round(3)

# %%
# Now a growing share of the values in every column is removed at random. The forest is fitted and
# tested on the incomplete table, without any other preparation.
rng = np.random.default_rng(0)
shares = [0.0, 0.1, 0.2, 0.3, 0.5]
scores = []
for share in shares:
    damaged = X.mask(rng.random(X.shape) < share)
    scores.append(cross_val_score(forest, damaged, y, cv=5, scoring="roc_auc"))

fig, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
ax.errorbar(shares, np.mean(scores, axis=1), yerr=np.std(scores, axis=1), fmt="o-", capsize=3)
ax.axhline(0.5, color="grey", linewidth=1, linestyle=":")
ax.set(xlabel="share of cells that are missing", ylabel="area under the ROC curve")
plt.show()
