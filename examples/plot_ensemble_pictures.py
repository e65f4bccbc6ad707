r"""
Plots of ensembles
==================

Decision regions, margins, calibration, risk by coverage, and the rounds of a booster: every plot is
made from a fitted model or, with ``from_predictions``, from predictions from any source.
"""

# %%
# **Decision regions** for seventeen melons: the boundary of the ensemble is red, those of its
# members are black. Any classifier, or list of classifiers, can be drawn.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.ensemble import AdaBoostClassifier, RandomForestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import coterie
from coterie import plotting
from coterie.datasets import load_table

melons, ripe = load_table("watermelon", return_X_y=True)
stumps = coterie.AdaBoostClassifier(n_estimators=11, trace="weights").fit(melons, ripe)
plotting.RegionsDisplay.from_estimator(stumps, melons, ripe, sizes=[3, 5, 11])

# %%
# **The rounds of a booster**: the weighted error and the weight of each member; the training error
# below its bound; and the weight of each melon.
figure, axes = plt.subplots(1, 3, figsize=(16, 4.2), layout="constrained")
plotting.RoundsDisplay.from_estimator(stumps, ax=axes[0])
plotting.BoundDisplay.from_estimator(stumps, ax=axes[1])
plotting.WeightsDisplay.from_estimator(stumps, ax=axes[2])

# %%
# scikit-learn's AdaBoost keeps no trace of its rounds, so the trace is reconstructed from the
# training rows.
X, y = load_table("german_credit", return_X_y=True)
half = np.arange(len(y)) % 2 == 0
tree = DecisionTreeClassifier(max_depth=2)
theirs = AdaBoostClassifier(tree, n_estimators=60, random_state=0).fit(X[half], y[half])
figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
plotting.BoundDisplay.from_estimator(theirs, X[half], y[half], ax=axes[0])
plotting.MarginDisplay.from_estimator(theirs, X[half], y[half], ax=axes[1])

# %%
# A booster that maximises the margin, and the bound that closes in on it.
maximal = coterie.LPBoostClassifier(n_estimators=60).fit(X[half], y[half])
plotting.MarginBoundDisplay.from_estimator(maximal)

# %%
# **Reliability, and risk by coverage**: are the probabilities calibrated, and how many errors are
# avoided by leaving the least confident predictions to a person?
forest = RandomForestClassifier(100, random_state=0).fit(X[half], y[half])
bayes = GaussianNB().fit(X[half], y[half])
figure, axes = plt.subplots(1, 2, figsize=(11, 4.4), layout="constrained")
for model in (forest, bayes, [forest, bayes]):
    plotting.ReliabilityDisplay.from_estimator(
        model, X[~half], y[~half], strategy="quantile", n_bins=8, ax=axes[0]
    )
    plotting.RiskCoverageDisplay.from_estimator(model, X[~half], y[~half], ax=axes[1])

# %%
# **Which columns matter**: the importances, and the contribution of every column to the prediction
# of every row.
boosted = coterie.GradientBoostingClassifier(n_estimators=40).fit(X[half], y[half])
plotting.ImportancesDisplay.from_estimator(boosted, X[~half], y[~half])
plotting.ShapDisplay.from_estimator(boosted, X[~half][:200])

# %%
# **More rows, or another model?** Where training and test error are far apart, more rows help.
learners = {
    "tree": coterie.DecisionTreeClassifier(random_state=0),
    "stumps": coterie.AdaBoostClassifier(n_estimators=40),
}
plotting.LearningCurveDisplay.from_estimator(learners, X, y)
plotting.BiasVarianceDisplay.from_estimator(learners, X, y)

# %%
# **One column** is drawn as a strip.
sugar = melons[:, 1:]
one = coterie.AdaBoostClassifier(n_estimators=5).fit(sugar, ripe)
plotting.RegionsDisplay.from_estimator(one, sugar, ripe, sizes=[1, 3, 5])
