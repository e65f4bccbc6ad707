"""
Prediction sets with a chosen coverage
======================================

A forest is right about most digits. For the others it helps to know which classes are plausible: a
prediction set contains the true class with a probability that you choose. The out-of-bag votes of
the forest calibrate the sets, so the forest is fitted only once.
"""

# %%
# Sets for the digits of the second half.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_diabetes, load_digits

from coterie import ConformalClassifier, ConformalRegressor, RandomForestClassifier
from coterie.plotting import CoverageDisplay

X, y = load_digits(return_X_y=True)
forest = RandomForestClassifier(n_estimators=100, random_state=0)
model = ConformalClassifier(forest, empty="top", random_state=0).fit(X[:900], y[:900])
sets = model.predict_set(X[900:], alpha=0.05)
print("sizes of sets:", np.bincount(sets.sum(axis=1)))

# %%
# Over all rows, the coverage is about as high as requested. For individual digits it need not be.
CoverageDisplay.from_estimator(model, X[900:], y[900:], alpha=0.05, most=15)

# %%
# Intervals for regression use out-of-bag rows in the same way.
X, y = load_diabetes(return_X_y=True)
intervals = ConformalRegressor(random_state=0).fit(X[:300], y[:300])
low, high = intervals.predict_interval(X[300:], alpha=0.1).T
order = np.argsort(y[300:])
figure, ax = plt.subplots()
ax.vlines(np.arange(len(order)), low[order], high[order], color="#9db", label="interval")
ax.plot(y[300:][order], ".", color="#333", label="truth")
ax.set(xlabel="rows, sorted by true value", ylabel="progression of diabetes")
ax.legend(frameon=False)
