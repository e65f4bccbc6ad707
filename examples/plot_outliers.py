"""
Axis-parallel and oblique splits
================================

An isolation forest splits random columns at random values until rows are isolated; rows that are
isolated early are outliers. Axis-parallel splits produce artefacts: regions that share the range of
a cluster in one column look normal, although they contain no rows. Oblique splits avoid them.
"""

# %%
# Rows in two clusters, and a few outliers.
import matplotlib.pyplot as plt
import numpy as np

from coterie import ExtendedIsolationForest, IsolationForest, NoveltyTestDetector
from coterie.plotting import IsolationDisplay

rng = np.random.default_rng(0)
X = np.vstack(
    [
        rng.normal([-3, 3], 0.5, size=(300, 2)),
        rng.normal([3, -3], 0.5, size=(300, 2)),
        rng.uniform(-6, 6, size=(12, 2)),
    ]
)

# %%
# The corners at the upper right and the lower left are artefacts of the first forest.
figure, axes = plt.subplots(1, 2, figsize=(11, 4.5))
for ax, cls in zip(axes, (IsolationForest, ExtendedIsolationForest), strict=True):
    forest = cls(n_estimators=200, contamination=0.02, random_state=0).fit(X)
    IsolationDisplay.from_estimator(forest, X, ax=ax)
    ax.set_title(cls.__name__)
figure.tight_layout()

# %%
# The share of outliers is rarely known. With p-values, only the rate of false alarms has to be
# chosen.
detector = NoveltyTestDetector(alpha=0.01, random_state=0).fit(X[:600])
print(detector.p_values([[0.0, 0.0], [-3.0, 3.0]]).round(3))
