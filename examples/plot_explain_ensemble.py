"""
Interpreting an ensemble
========================

A forest predicts well but is hard to interpret. Which columns does it use, which rows are unusual,
and how much accuracy remains if it is condensed into one tree or a few rules?
"""

# %%
# A forest that separates gamma rays from background, by ten measurements of light showers.
import matplotlib.pyplot as plt
import numpy as np

from coterie import (
    DecisionTreeClassifier,
    DistilledClassifier,
    RandomForestClassifier,
    RuleFitClassifier,
    SirusClassifier,
    TwiceLearningClassifier,
    fidelity,
    oob_importances,
    shap_values,
)
from coterie.datasets import load_table
from coterie.plotting import ProximityDisplay

X, y = load_table("magic", return_X_y=True)
X, y, X_new, y_new = X[::20], y[::20], X[1::20], y[1::20]
forest = RandomForestClassifier(random_state=0).fit(X, y)

# %%
# Which columns matter? Shapley values measure how much columns move predictions; out-of-bag
# permutation importances measure how much accuracy depends on them.
moved = shap_values(forest, X_new[:200])
lost = oob_importances(forest, X, y, random_state=0)
order = np.argsort(lost.mean)
names = np.array(lost.feature_names)[order]
figure, axes = plt.subplots(1, 2, figsize=(9, 3.5), sharey=True, layout="constrained")
axes[0].barh(names, moved.importances()[order, 1])
axes[0].set(xlabel="mean |Shapley value|")
axes[1].barh(names, lost.mean[order])
axes[1].set(xlabel="loss of accuracy out of bag")

# %%
# One tree: grown alone, and taught by the forest.
alone = DecisionTreeClassifier(random_state=0).fit(X, y)
taught = TwiceLearningClassifier(random_state=0).fit(X, y)
for name, model in {"forest": forest, "tree": alone, "taught tree": taught}.items():
    print(f"{name:<12}{model.score(X_new, y_new):.3f}")
print(f"{alone.get_n_leaves()} leaves alone, {taught.student_.get_n_leaves()} if taught")

# %%
# A list of five rules that imitates the forest.
listed = DistilledClassifier(forest, student="rules", max_size=5, prefit=True, random_state=0)
listed.fit(X, y)
print(listed.to_text())
print(f"agrees with the forest on {fidelity(listed, forest, X_new):.0%} of new rows")

# %%
# Rules that most trees share, and a sparse sum of rules and linear terms.
stable = SirusClassifier(random_state=0).fit(X, y)
print(stable.to_text(5))
print(f"accuracy of {stable.n_rules_} rules: {stable.score(X_new, y_new):.3f}")
sparse = RuleFitClassifier(random_state=0).fit(X, y)
print(sparse.to_text(6))
print(f"accuracy of {len(sparse.terms_)} terms: {sparse.score(X_new, y_new):.3f}")

# %%
# A map of the rows: those that share leaves of the forest are close together.
ProximityDisplay.from_estimator(forest, X_new[:400], y_new[:400])
plt.show()
