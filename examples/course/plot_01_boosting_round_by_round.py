"""
1. Boosting, round by round
===========================

A weak learner is fitted, the rows it misclassifies get more weight, and the next learner is fitted.
Step through the rounds below and watch three numbers: the weighted error ε, the weight α of the
member, and the normaliser Z, whose product bounds the training error.
"""

# %%
# Exercise 8.3 of Zhou: AdaBoost of trees on the watermelons. Members are stumps, as in his figure
# 8.4. After eleven rounds every melon is classified correctly.
import numpy as np

from coterie import AdaBoostClassifier, explore
from coterie.boosting import GradientBoostingClassifier, certificate
from coterie.datasets import load_table

X, y = load_table("watermelon", return_X_y=True)
model = AdaBoostClassifier(n_estimators=11, trace="weights").fit(X, y)
print("training error by round:", model.trace_["train_error"].round(3))
explore(model, X, y, resolution=48)

# %%
# The bound is guaranteed: the training error never exceeds it. This is because every mistake costs
# at least one in the exponential loss, and the product of the normalisers is that loss.
proof = certificate(model)
print(proof.kind, proof.values.round(3))
assert (model.trace_["train_error"] <= proof.values).all()

# %%
# Exercise 8.2: other losses work as well. Suppose that :math:`\ell(z)` decreases wherever the
# margin :math:`z` is below some :math:`\delta > 0`. If one class is more probable than the other,
# then moving the score from zero towards it lowers the expected loss, so the minimiser has the sign
# of the more probable class: the loss is consistent. The logistic loss is an example, and
# LogitBoost minimises it.
#
# Exercise 8.4: gradient boosting and AdaBoost both add members along the steepest descent of a
# loss. AdaBoost puts the gradient into the weights of the rows and keeps the labels; gradient
# boosting puts it into the targets and keeps the weights. So the former needs classifiers, while
# the latter needs regressors and works with any differentiable loss.
gradient = GradientBoostingClassifier(n_estimators=30, max_depth=1).fit(X, y)
explore([model, gradient], X, y, resolution=48)

# %%
# Both start with the same stump and diverge from there.
for t in (1, 11):
    said = [list(m.staged_predict(X))[t - 1] for m in (model, gradient)]
    print(f"agreement after {t} rounds:", np.mean(said[0] == said[1]).round(3))
