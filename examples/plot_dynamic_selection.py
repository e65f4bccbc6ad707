"""
Dynamic selection: locally competent members
============================================

A vote of three linear models cannot follow a curve: outside its own region, each of them is
confidently wrong. Dynamic selection looks at held-out rows near the query, and uses the model that
was right about them.
"""

# %%
# Three linear models, each fitted to one part of two moons.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_moons
from sklearn.linear_model import LogisticRegression

from coterie import (
    BaggingClassifier,
    CalibratedEnsembleClassifier,
    DecisionTreeClassifier,
    DynamicSelectionClassifier,
)
from coterie.datasets import load_table
from coterie.plotting import ReliabilityDisplay

X, y = make_moons(1500, noise=0.2, random_state=0)
parts = [X[:500, 0] < 0.1, np.abs(X[:500, 0] - 0.5) < 0.7, X[:500, 0] > 0.9]
lines = [LogisticRegression().fit(X[:500][part], y[:500][part]) for part in parts]
chosen = DynamicSelectionClassifier(lines, method="ola", n_neighbors=15, prefit=True)
chosen.fit(X[500:1000], y[500:1000])

# %%
# Left: the vote of the three. Right: the model that is most competent near each point.
places = np.stack(np.meshgrid(np.linspace(-1.8, 2.8, 200), np.linspace(-1.3, 1.8, 150)), axis=-1)
grid = places.reshape(-1, 2)
vote = np.mean([line.predict(grid) for line in lines], axis=0) > 0.5
X_new, y_new = X[1000:], y[1000:]
vote_new = np.mean([line.predict(X_new) for line in lines], axis=0) > 0.5
figure, axes = plt.subplots(1, 2, figsize=(10, 4), sharey=True, layout="constrained")
answers = {
    f"vote: {np.mean(vote_new != y_new):.1%} wrong": vote,
    f"selection: {1 - chosen.score(X_new, y_new):.1%} wrong": chosen.predict(grid),
}
for ax, (title, answer) in zip(axes, answers.items(), strict=True):
    regions = answer.reshape(places.shape[:2]).astype(float)
    ax.contourf(*places.transpose(2, 0, 1), regions, levels=[-0.5, 0.5, 1.5], alpha=0.25)
    ax.scatter(*X_new.T, c=y_new, s=8)
    ax.set_title(title)

# %%
# With a pool of bagged trees there is less to gain, as they are similar. The oracle, which always
# finds a correct member if there is one, shows the upper limit of selection.
X, y = load_table("magic", return_X_y=True)
X, y, X_new, y_new = X[::4], y[::4], X[1::4], y[1::4]
pool = BaggingClassifier(DecisionTreeClassifier(max_depth=4), 50, random_state=0)
print(f"{'the pool':<12}{pool.fit(X, y).score(X_new, y_new):.3f}")
for method in ("ola", "knora_e", "knora_u", "des_knn", "meta_des"):
    model = DynamicSelectionClassifier(pool, method=method, n_neighbors=15, random_state=0)
    print(f"{method:<12}{model.fit(X, y).score(X_new, y_new):.3f}")
print(f"{'the oracle':<12}{model.oracle_score(X_new, y_new):.3f}")

# %%
# Vote shares are not calibrated probabilities: shallow trees are under-confident. A calibration map
# fitted to out-of-fold predictions corrects them.
ax = ReliabilityDisplay.from_estimator(pool, X_new, y_new).ax_
model = CalibratedEnsembleClassifier([("pool", pool)]).fit(X, y)
ReliabilityDisplay.from_estimator(model, X_new, y_new, ax=ax)
plt.show()
