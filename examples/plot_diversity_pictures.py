r"""
Plots of diversity
==================

Members of an ensemble should be accurate, and wrong about different rows. A single number hardly
shows how much they differ and whether that helps. Here are five plots of diversity, for ensembles
of coterie and scikit-learn and for a plain list of models: each takes one line of code.
"""

# %%
# A thousand training rows from a telescope and four thousand test rows; a forest, a boosted
# ensemble of scikit-learn, and seven models that have little in common.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import AdaBoostClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import coterie
from coterie import plotting, theory
from coterie.datasets import load_table

X, y = load_table("magic", return_X_y=True)
rows = np.random.default_rng(0).permutation(len(y))
train, test = rows[:1000], rows[1000:5000]
X_train, y_train, X_test, y_test = X[train], y[train], X[test], y[test]

forest = coterie.RandomForestClassifier(50, random_state=0).fit(X_train, y_train)
tree = DecisionTreeClassifier(max_depth=3)
boosted = AdaBoostClassifier(tree, n_estimators=50, random_state=0).fit(X_train, y_train)
models = [
    ("logistic", make_pipeline(StandardScaler(), LogisticRegression())),
    ("Bayes", GaussianNB()),
    ("3 neighbours", make_pipeline(StandardScaler(), KNeighborsClassifier(3))),
    ("25 neighbours", make_pipeline(StandardScaler(), KNeighborsClassifier(25))),
    ("stump", DecisionTreeClassifier(max_depth=1)),
    ("small tree", DecisionTreeClassifier(max_depth=4, random_state=0)),
    ("tree", DecisionTreeClassifier(random_state=0)),
]
models = [(name, model.fit(X_train, y_train)) for name, model in models]

# %%
# **The kappa-error diagram** has a point for each pair of members. Trees of the forest are accurate
# and similar, boosted ones are weak and diverse. The diagram does not show which ensemble is
# better.
display = plotting.KappaErrorDisplay.from_estimator(forest, X_test, y_test)
plotting.KappaErrorDisplay.from_estimator(boosted, X_test, y_test, ax=display.ax_)

# %%
# **The dissent profile** does. Rows are placed side by side, the hardest first, each as high as the
# share of members that are wrong about it. The red line marks the end of the rows on which the vote
# is wrong: its position is the error. Green votes are wrong but do no harm, orange votes are
# correct but wasted: green minus orange is exactly the gain of the vote over a single member.
#
# The dashed profile is that of members with the same errors that fail independently. The boosted
# trees are hardly better than chance, but nearly independent; those of the forest, and the
# different models, fail on the same rows, so the vote of many is not much better than that of a
# few.
figure, axes = plt.subplots(1, 3, figsize=(15, 4.6), layout="constrained")
for model, ax in zip((forest, boosted, models), axes, strict=True):
    plotting.DissentDisplay.from_estimator(model, X_test, y_test, ax=ax)

# %%
# Pairwise measures do not tell the whole story. In these two pools of three members any two members
# are independent, so their kappa-error diagrams are the same; but one vote is right where the other
# is wrong.
even = np.array([[0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 1, 0]])
figure, axes = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
for name, hits, ax in zip(("even", "odd"), (even, 1 - even), axes, strict=True):
    plotting.DissentDisplay.from_predictions(hits, name=name, ax=ax)

# %%
# **The ambiguity-error map** has a point for each member. The height of the centre above the
# diagonal is the error of the averaged vote; members above the dashed line do more harm than good.
display = plotting.AmbiguityDisplay.from_estimator(forest, X_test, y_test)
plotting.AmbiguityDisplay.from_estimator(boosted, X_test, y_test, ax=display.ax_)
labels = np.stack([tree.predict(X_test) for tree in forest.estimators_])
print(f"{display.error:.4f} = {theory.vote_ambiguity(labels, y_test).error:.4f}")

# %%
# **A heat map of all pairs**, with similar members next to each other, and **a map of the
# members**: the horizontal distance from the truth is the error they share, and the vertical axis
# shows how they differ.
figure, axes = plt.subplots(1, 2, figsize=(12.5, 5), layout="constrained")
plotting.PairwiseDisplay.from_estimator(models, X_test, measure="kappa", ax=axes[0])
plotting.SimilarityDisplay.from_estimator(models, X_test, y_test, ax=axes[1])

# %%
# **The error by number of members**, on training rows, out-of-bag rows and test rows: more trees
# would not help here.
training = (X_train, y_train)
plotting.ErrorCurveDisplay.from_estimator(forest, X_test, y_test, train=training)
