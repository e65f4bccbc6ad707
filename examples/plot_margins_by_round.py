r"""
Margins, round by round
=======================

A row's normalised margin is :math:`y F(x) / \sum_t |\alpha_t|`, between -1 and 1: its sign shows
whether the vote is right, its size how clearly. Boosting keeps raising small margins even when no
row is wrong any more. Boosters differ in which margins they raise: some maximise the smallest one,
others sacrifice it for the rest.
"""

# %%
# Two classes, all rows for training. BrownBoost and RobustBoost may leave 2 % of the rows wrong.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

import coterie
from coterie.theory import margin_bound, training_error_bound

X, y = load_breast_cancer(return_X_y=True)
signs, ROUNDS = 2 * y - 1, 100
settings = {
    "AdaBoost": {"n_estimators": ROUNDS},
    "MadaBoost": {"n_estimators": ROUNDS},
    "LPBoost": {"n_estimators": ROUNDS},
    "TotalBoost": {"n_estimators": ROUNDS},
    "BrownBoost": {"n_estimators": ROUNDS, "target_error": 0.02},
    "RobustBoost": {"n_estimators": ROUNDS, "error_goal": 0.02},
}
models = {
    name: getattr(coterie, f"{name}Classifier")(**parameters).fit(X, y)
    for name, parameters in settings.items()
}


# %%
# Some boosters change the weights of earlier members: after each round the scores are divided by
# the weights of that round, ``pool_[:t].weights``.
def margins_by_round(model):
    """Normalised margins after each round, shape (n_rounds, n_rows)."""
    scores = np.stack(list(model.staged_decision_function(X)))
    totals = [np.abs(model.pool_[: t + 1].weights).sum() for t in range(len(scores))]
    return signs * scores / np.array(totals)[:, None]


margins = {name: margins_by_round(model) for name, model in models.items()}
print(f"{'':12} rounds  ended by          smallest  5 % below  median  wrong")
for name, values in margins.items():
    least, low, middle = np.quantile(values[-1], [0, 0.05, 0.5])
    reason, wrong = models[name].stop_reason_, np.mean(values[-1] <= 0)
    print(f"{name:12}{len(values):7}  {reason:16}{least:10.3f}{low:11.3f}{middle:8.3f}{wrong:7.3f}")

# %%
# The smallest margin, and the margin that 5 % of the rows stay below.
fig, axes = plt.subplots(1, 2, figsize=(11, 3.8), sharey=True, layout="constrained")
for name, values in margins.items():
    rounds = np.arange(1, len(values) + 1)
    axes[0].plot(rounds, values.min(axis=1), label=name)
    axes[1].plot(rounds, np.quantile(values, 0.05, axis=1), label=name)
for ax, title in zip(axes, ("smallest margin", "margin of the lowest 5 %"), strict=True):
    ax.axhline(0, color="grey", lw=1, ls=":")
    ax.set(title=title, xlabel="rounds")
axes[0].set_ylabel("normalised margin")
axes[1].legend(frameon=False, fontsize="small", loc="lower right")
plt.show()

# %%
# The whole distribution after 5, 20 and all rounds: the share of rows with at most this margin.
fig, axes = plt.subplots(2, 3, figsize=(11, 6), sharex=True, sharey=True, layout="constrained")
share = np.arange(1, len(y) + 1) / len(y)
for ax, (name, values) in zip(axes.flat, margins.items(), strict=False):
    for size, shade in zip((5, 20, len(values)), ("0.75", "0.45", "black"), strict=True):
        if size <= len(values):
            ax.step(np.sort(values[size - 1]), share, where="post", color=shade, label=str(size))
    ax.axvline(0, color="grey", lw=1, ls=":")
    ax.set_title(name)
    ax.legend(frameon=False, fontsize="small", title="rounds", loc="upper left")
for ax in axes[-1]:
    ax.set_xlabel("normalised margin")
plt.show()

# %%
# What theory says about AdaBoost. The training error is bounded by a product over the members'
# errors, and so is, with a factor, the share of margins below :math:`\theta`. The margin bound on
# the error on unseen rows adds to that share a term that depends on the number of candidate stumps
# and the number of rows. With 569 rows it is still vacuous: the bound is one.
ada = models["AdaBoost"]
bound = training_error_bound(ada.estimator_errors_)
print(f"training error {ada.trace_['train_error'][-1]:.4f}, bound {bound[-1]:.4f}")
theta, stumps = np.linspace(0.02, 0.5, 25), 2 * sum(len(np.unique(x)) for x in X.T)
least = margin_bound(margins["AdaBoost"][-1], theta, n_hypotheses=stumps).min()
print(f"margin bound {least:.2f} with {stumps} stumps and {len(y)} rows")
