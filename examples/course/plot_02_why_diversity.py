"""
2. Why diversity
================

If twenty-one members are each wrong three times in ten, and their errors are independent, their
vote is wrong only once in forty times. In practice errors are never independent. This page shows
how much of the gain remains.
"""

# %%
# Exercise 8.1 of Zhou: Hoeffding's inequality bounds the error of a vote of T independent members
# by :math:`e^{-T(1-2\epsilon)^2/2}`. A vote is wrong if at most half of the members are right. To
# obtain the bound, put :math:`p = 1-\epsilon` and :math:`\delta = 1/2 - \epsilon` into :math:`P(H
# \le (p-\delta)T) \le e^{-2\delta^2T}`. The exact error is lower.
import numpy as np
from sklearn.datasets import make_moons

from coterie import BaggingClassifier, KNNEnsembleClassifier, diversity, explore, theory
from coterie.plotting import DissentDisplay, KappaErrorDisplay

for n in (1, 5, 21, 101):
    exact, bound = theory.vote_error(n, 0.3), theory.hoeffding_bound(n, 0.3)
    print(f"{n:>4} members: exactly {exact:.4f}, at most {bound:.4f}")

# %%
# Real members share their training rows, and therefore their mistakes. The tab *Diversity* of the
# explorer shows all pairs; *Vote calculator* lets you vary the correlation of mistakes.
X, y = make_moons(200, noise=0.3, random_state=0)
bag = BaggingClassifier(n_estimators=25, random_state=0)
explore(bag, X, y, resolution=48)

# %%
# Exercise 8.9: visualising diversity. The κ-error diagram shows pairs. The dissent profile shows
# what matters to the vote: the high rows on the left are those on which many members are wrong
# together.
train, test = slice(None, None, 2), slice(1, None, 2)
bag.fit(X[train], y[train])
KappaErrorDisplay.from_estimator(bag, X[test], y[test])
DissentDisplay.from_estimator(bag, X[test], y[test])

# %%
# Exercise 8.6: bagging helps base learners that change a lot when their training rows change. Naive
# Bayes does not, so its members agree.
from sklearn.naive_bayes import GaussianNB

bayes = BaggingClassifier(GaussianNB(), n_estimators=25, random_state=0).fit(X[train], y[train])
for name, model in (("trees", bag), ("naive Bayes", bayes)):
    said = np.array([member.predict(X[test]) for member in model.estimators_])
    pairs = diversity.mean_over_pairs(diversity.disagreement(said))
    print(f"{name}: members differ on {float(pairs.mean):.3f} of the rows")

# %%
# Exercise 8.10: nearest neighbours are as stable as naive Bayes. Members must differ in more than
# their rows: `KNNEnsembleClassifier` varies how they measure distances. This needs a table with
# several columns.
from sklearn.datasets import load_breast_cancer
from sklearn.neighbors import KNeighborsClassifier

X, y = load_breast_cancer(return_X_y=True)

for model in (KNeighborsClassifier(), KNNEnsembleClassifier(n_estimators=15, random_state=0)):
    wrong = np.mean(model.fit(X[train], y[train]).predict(X[test]) != y[test])
    print(f"{type(model).__name__}: error {wrong:.3f}")
