"""
When will it happen?
====================

Half of these machines are still running when the data are collected, so only a lower bound on their
lifetime is known. A survival forest learns from them nevertheless, and predicts a curve: the
probability that a machine is still running after a given number of days.
"""

# %%
# Heat and load shorten the life of a machine; the column "serial" is irrelevant.
import matplotlib.pyplot as plt
import numpy as np

from coterie import GradientBoostingSurvival, RandomSurvivalForest
from coterie.survival import (
    brier_score,
    kaplan_meier,
    make_outcomes,
)

rng = np.random.default_rng(0)
n = 1500
heat, load, serial = rng.uniform(size=(3, n))
X = np.column_stack([heat, load, serial])
lifetime = 400 * np.exp(-1.5 * heat - 2.0 * heat * load) * rng.weibull(1.5, n)
observed = rng.uniform(30, 300, n)
y = make_outcomes(lifetime <= observed, np.minimum(lifetime, observed))
print(f"{1 - y['event'].mean():.0%} are still running")

# %%
# The out-of-bag score of the forest: in how many pairs did the machine with the higher risk fail
# first?
learn, test = slice(0, 1000), slice(1000, None)
forest = RandomSurvivalForest(oob_score=True, random_state=0).fit(X[learn], y[learn])
boosted = GradientBoostingSurvival(random_state=0).fit(X[learn], y[learn])
print(f"out of bag {forest.oob_score_:.3f}, new machines {forest.score(X[test], y[test]):.3f}")

# %%
# Curves of three machines and of all machines together, and the prediction error of the curves.
times = np.linspace(5, 250, 60)
machines = {"cool": [0.1, 0.5, 0.5], "warm": [0.5, 0.5, 0.5], "hot, loaded": [0.9, 0.9, 0.5]}
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
for name, curve in zip(
    machines, forest.predict_survival_function(list(machines.values()), times), strict=True
):
    left.step(times, curve, where="post", label=name)
everyone = kaplan_meier(y[learn])(times)
left.step(times, everyone, where="post", color="grey", linestyle=":", label="all")
left.set(xlabel="days", ylabel="share still running", ylim=(0, 1))
left.legend()
said = {
    "forest": forest.predict_survival_function(X[test], times),
    "boosting": boosted.predict_survival_function(X[test], times),
    "all": np.tile(everyone, (len(y[test]), 1)),
}
for name, curves in said.items():
    style = {"color": "grey", "linestyle": ":"} if name == "all" else {}
    right.plot(times, brier_score(y[learn], y[test], curves, times), label=name, **style)
right.set(xlabel="days", ylabel="Brier score")
right.legend()
plt.show()
