"""
8. Gradient boosting, step by step
==================================

AdaBoost changes the weights of the rows. Gradient boosting changes their targets: each tree is
fitted to the negative gradient of the loss at the current predictions, and its leaves take a step
downhill.
"""

# %%
# For the squared error the negative gradient is the residual, so every tree is fitted to what is
# left to explain. One column is enough to see it: step through the rounds and watch the residuals
# shrink.
import matplotlib.pyplot as plt
import numpy as np

from coterie import GradientBoostingRegressor, explore

rng = np.random.default_rng(0)
x = np.sort(rng.uniform(0, 6, 120))
y = np.sin(x) + x / 3 + rng.normal(scale=0.2, size=120)
X = x[:, None]
model = GradientBoostingRegressor(n_estimators=60, max_depth=2, random_state=0).fit(X, y)
explore(model, X, y, resolution=48)

# %%
# The same by hand: start with the mean, fit a tree to the residuals, and add a tenth of it.
from sklearn.tree import DecisionTreeRegressor

score = np.full(120, y.mean())
for _ in range(60):
    score += 0.1 * DecisionTreeRegressor(max_depth=2).fit(X, y - score).predict(X)
print("largest difference to the model:", np.abs(score - model.predict(X)).max().round(6))

# %%
# The learning rate shortens the steps. Small steps need more rounds, and usually reach a lower
# error on new rows, because no single tree has much influence.
new = np.sort(rng.uniform(0, 6, 2000))
truth = np.sin(new) + new / 3 + rng.normal(scale=0.2, size=2000)
figure, ax = plt.subplots()
for rate in (1.0, 0.3, 0.05):
    fitted = GradientBoostingRegressor(
        n_estimators=200, max_depth=2, learning_rate=rate, random_state=0
    ).fit(X, y)
    errors = [np.mean((said - truth) ** 2) for said in fitted.staged_predict(new[:, None])]
    ax.plot(np.arange(1, 201), errors, label=f"learning rate {rate}")
    print(f"learning rate {rate}: lowest error {min(errors):.4f} after {np.argmin(errors) + 1}")
ax.set(xlabel="rounds", ylabel="mean squared error on new rows", ylim=(0, 0.2))
ax.legend(frameon=False)

# %%
# Any differentiable loss will do. With the absolute error, leaves take the median of their
# residuals, and a few extreme targets hardly matter, as long as they are a minority in each leaf.
wild = y.copy()
wild[::15] += 10
for loss in ("squared_error", "absolute_error"):
    fitted = GradientBoostingRegressor(
        loss=loss, max_depth=2, min_samples_leaf=10, random_state=0
    ).fit(X, wild)
    error = np.mean((fitted.predict(new[:, None]) - truth) ** 2)
    print(f"{loss}: error on new rows {error:.3f}")
