"""
Learning to rank
================

A ranker is evaluated by the order of the documents of a query, especially at the top. Here it is
compared with a regressor of the same size that predicts grades: the regressor learns how good a
document is, but not that only the order within a query counts.
"""

# %%
# Every document has a quality that affects its grade in any query, and some queries are graded more
# generously than others. A regressor wastes effort on explaining the difference between queries.
import matplotlib.pyplot as plt
import numpy as np

from coterie import HistGradientBoostingRegressor, LambdaMARTRanker
from coterie.ranking import ndcg

rng = np.random.default_rng(0)
query = np.repeat(np.arange(400), 20)
X = rng.normal(size=(len(query), 8))
quality = X[:, 0] + np.sin(2 * X[:, 1]) + X[:, 2] * X[:, 3] + rng.normal(size=len(query))
generous = rng.normal(scale=1.5, size=400)[query]
y = np.digitize(quality + generous, [1.0, 2.0, 3.5, 5.0])
learn, test = query < 250, query >= 250

# %%
# Both grow 100 trees, and are evaluated by the NDCG of the first k positions on unseen queries.
ranker = LambdaMARTRanker(random_state=0, early_stopping=False)
ranker.fit(X[learn], y[learn], groups=query[learn])
regressor = HistGradientBoostingRegressor(random_state=0).fit(X[learn], y[learn])

places = np.arange(1, 21)
fig, ax = plt.subplots(figsize=(5, 3.5), layout="constrained")
for name, model in (("LambdaMART", ranker), ("regression", regressor)):
    said = model.predict(X[test])
    scores = [ndcg(y[test], said, query[test], k=int(k), empty=None) for k in places]
    ax.plot(places, scores, label=name)
    print(f"{name}: NDCG@5 {scores[4]:.3f}")
ax.set(xlabel="k, the number of positions that count", ylabel="NDCG@k")
ax.legend()
plt.show()

# %%
# The NDCG after every round, on training queries and on unseen queries.
fig, ax = plt.subplots(figsize=(5, 3.5), layout="constrained")
for name, rows in (("seen", learn), ("not seen", test)):
    curve = [
        ndcg(y[rows], said, query[rows], k=5, empty=None) for said in ranker.staged_predict(X[rows])
    ]
    ax.plot(np.arange(1, len(curve) + 1), curve, label=name)
ax.set(xlabel="round", ylabel="NDCG@5")
ax.legend()
plt.show()
