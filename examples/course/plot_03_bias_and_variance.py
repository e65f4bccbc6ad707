"""
3. Bias and variance
====================

Train the same learner on many samples. Its bias is how far the mean of its predictions is from the
truth; its variance is how much they scatter. Bagging reduces variance, boosting reduces bias.
"""

# %%
# One tree follows the noise; the mean of many does not.
import numpy as np

from coterie import BaggingRegressor, DecisionTreeRegressor, GradientBoostingRegressor, explore
from coterie.plotting import MemberCurvesDisplay
from coterie.theory import bias_variance

rng = np.random.default_rng(0)


def sample(n=80):
    x = rng.uniform(0, 6, n)
    return x[:, None], np.sin(x) + rng.normal(0, 0.3, n)


X, y = sample()
bag = BaggingRegressor(n_estimators=30, random_state=0).fit(X, y)
MemberCurvesDisplay.from_estimator(bag, X, y)

# %%
# An interactive version: bagging next to gradient boosting. The curve of bagging converges; that of
# boosting moves towards the training rows. Below, both are trained on twenty other samples: every
# additional member reduces the variance of bagging, and every round reduces the bias of boosting.
pair = [bag, GradientBoostingRegressor(n_estimators=60, max_depth=2).fit(X, y)]
explore(pair, X, y, resolution=48).retrain()

# %%
# Measured by retraining, thirty times each, on fresh samples.
grid = np.linspace(0.2, 5.8, 100)[:, None]
truth = np.sin(grid[:, 0])
learners = {
    "stump": DecisionTreeRegressor(max_depth=1),
    "boosted stumps": GradientBoostingRegressor(n_estimators=100, max_depth=1),
    "deep tree": DecisionTreeRegressor(random_state=0),
    "bagged deep trees": BaggingRegressor(n_estimators=25, random_state=0),
}
print(f"{'':<20}bias²     variance")
for name, learner in learners.items():
    said = np.stack([learner.fit(*sample()).predict(grid) for _ in range(30)])
    means = bias_variance(said, truth).means
    print(f"{name:<20}{means['bias']:.4f}    {means['variance']:.4f}")
