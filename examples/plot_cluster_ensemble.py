"""
What many clusterings agree on
==============================

k-means splits two moons along a straight line. Many runs, each with more clusters than there are
moons, never put rows of different moons into one cluster; how often two rows share a cluster is a
similarity, and cutting its dendrogram finds the moons.
"""

# %%
# One run of k-means, and the consensus of fifty.
import matplotlib.pyplot as plt
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_moons

from coterie import ClusterEnsemble
from coterie.plotting import CoAssociationDisplay, ConsensusDisplay

X, y = make_moons(400, noise=0.06, random_state=0)
single = KMeans(2, n_init=10, random_state=0).fit(X)
model = ClusterEnsemble(n_clusters=2, k_min=12, consensus="eac", random_state=0).fit(X)

figure, axes = plt.subplots(1, 2, figsize=(11, 4), layout="constrained")
for ax, fitted, title in zip(axes, (single, model), ("k-means", "fifty of them"), strict=True):
    ax.scatter(*X.T, c=fitted.labels_, s=10, cmap="coolwarm")
    ax.set_title(title)

# %%
# The members' co-association matrix has two blocks; within them, neighbouring rows form chains.
CoAssociationDisplay.from_estimator(model)
print(f"agreement with members {model.anmi_:.2f}, stability {model.stability_:.2f}")

# %%
# Where clusters overlap, members draw the borders in different places: rows there are lighter.
X, y = make_blobs(500, centers=[[0, 0], [3, 0], [1.5, 2.6]], random_state=0)
model = ClusterEnsemble(n_clusters=3, random_state=0).fit(X)
ConsensusDisplay.from_estimator(model, X)
