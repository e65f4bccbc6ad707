"""
Boosting when labels are wrong
==============================

Most boosters minimise a convex loss, and a convex loss gives the most weight to the row furthest on
the wrong side. If its label is wrong, that effort is misdirected. BrownBoost and RobustBoost give
up on such rows. Here all of them are trained on labels of which up to 40 % were flipped, and tested
on clean labels.
"""

# %%
# All settings. Members are stumps throughout. BrownBoost and RobustBoost need a target error, which
# is set to the share of flipped labels plus a tenth or a twentieth: they are given information that
# the others do not have. Nothing was tuned on any data set, and the learning rates are the
# defaults, 0.1 for gradient boosting and 1 for the others. This page has to run within a minute;
# the same study with seven data sets and more rows, rounds and seeds is
# ``benchmarks/label_noise.py``, and its figures are in ``benchmarks/results/label_noise.md``.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer

import coterie
from coterie.datasets import load_table

ROUNDS, SEEDS, FLIPS = 25, range(5), (0.0, 0.1, 0.2, 0.3, 0.4)


def boosters(flips, rounds):
    """One booster of each kind; the robust ones are told the share of flips, plus a little."""
    convex = {
        f"{name}Classifier": {"n_estimators": rounds}
        for name in ("AdaBoost", "LogitBoost", "GentleBoost", "MadaBoost", "LPBoost", "TotalBoost")
    }
    clocked = {
        "BrownBoostClassifier": {"n_estimators": rounds, "target_error": round(flips + 0.1, 2)},
        "RobustBoostClassifier": {"n_estimators": rounds, "error_goal": round(flips + 0.05, 2)},
    }
    gradient = {"HistGradientBoostingClassifier": {"max_iter": rounds, "max_depth": 1}}
    settings = convex | clocked | gradient
    return {
        name.removesuffix("Classifier"): getattr(coterie, name)(**parameters)
        for name, parameters in settings.items()
    }


for name, model in boosters(0.1, ROUNDS).items():
    print(f"{name:17} {model}".replace("\n", ""))


def error(model, learn, judge, flips, rng):
    """Error on clean labels of a model trained on labels of which some were flipped."""
    X, y = learn
    wrong = rng.random(len(y)) < flips
    model.fit(X, np.where(wrong, 1 - y, y))
    return np.mean(model.predict(judge[0]) != judge[1])


def study(draw, flips, models):
    """Errors of all boosters, shape (n_seeds,) each, for the same rows and the same flips."""
    errors = {name: [] for name in models}
    for seed in SEEDS:
        learn, judge = draw(np.random.default_rng(seed))
        for name, model in models.items():
            errors[name].append(error(model, learn, judge, flips, np.random.default_rng(seed)))
    return {name: np.array(values) for name, values in errors.items()}


# %%
# Three public data sets with two classes. Every seed draws 150 training rows and 400 test rows.
def table(X, y):
    """A function that draws training rows and test rows."""

    def draw(rng):
        rows = rng.permutation(len(y))
        learn, judge = rows[:150], rows[150:550]
        return (X[learn], y[learn]), (X[judge], y[judge])

    return draw


def two_classes(name):
    X, y = load_table(name, return_X_y=True)
    return X, (y == np.unique(y)[1]).astype(int)


tables = {
    "breast cancer": table(*load_breast_cancer(return_X_y=True)),
    "tic-tac-toe": table(*two_classes("tic_tac_toe")),
    "magic": table(*two_classes("magic")),
}
found = {
    name: {flips: study(draw, flips, boosters(flips, ROUNDS)) for flips in FLIPS}
    for name, draw in tables.items()
}

# %%
# Mean error over five seeds, in per cent, and its standard error.
for name, by_flips in found.items():
    print(f"\n{name:17}" + "".join(f"{f'{flips:.0%} flipped':>15}" for flips in FLIPS))
    for booster in by_flips[0.0]:
        row = (100 * by_flips[flips][booster] for flips in FLIPS)
        cells = (f"{e.mean():.1f} ± {e.std(ddof=1) / np.sqrt(len(e)):.1f}" for e in row)
        print(f"{booster:17}" + "".join(f"{cell:>15}" for cell in cells))


def draw_lines(ax, by_flips):
    """Error by share of flips, one line per booster."""
    for booster in by_flips[0.0]:
        means = [by_flips[flips][booster].mean() for flips in by_flips]
        bold = booster in ("BrownBoost", "RobustBoost")
        ax.plot(list(by_flips), means, "o-", ms=3, lw=2.2 if bold else 1, label=booster)


fig, axes = plt.subplots(1, 3, figsize=(12, 3.8), layout="constrained")
for ax, (name, by_flips) in zip(axes, found.items(), strict=True):
    draw_lines(ax, by_flips)
    ax.set(title=name, xlabel="share of labels flipped", ylim=(0, None))
axes[0].set_ylabel("error on clean labels")
axes[-1].legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))
plt.show()


# %%
# Long and Servedio constructed a data set on which every convex loss fails under noise. Each of 21
# columns is the class or its opposite. In a quarter of the rows, all columns equal the class; in
# another quarter, the *pullers*, the first eleven do; in the other half, the *penalisers*, five of
# the first eleven and six of the others do, drawn at random. The plain majority of the columns is
# always right. But if some labels are flipped, the flipped rows of the first kind are so far on the
# wrong side that a convex loss moves all the weight to the first columns, and the penalisers are
# misclassified.
def long_servedio(rng, n_rows):
    y = rng.integers(2, size=n_rows)
    kind = rng.choice(["clear", "puller", "penaliser"], n_rows, p=[0.25, 0.25, 0.5])[:, None]
    first, last = rng.random((n_rows, 11)).argsort(axis=1), rng.random((n_rows, 10)).argsort(axis=1)
    penaliser = np.hstack([first < 5, last < 6])
    puller = np.repeat(np.arange(21)[None, :] < 11, n_rows, axis=0)
    good = np.where(kind == "clear", True, np.where(kind == "puller", puller, penaliser))
    return np.where(good, y[:, None], 1 - y[:, None]).astype(float), y


def draw_hard(rng):
    return long_servedio(rng, 800), long_servedio(rng, 2000)


# %%
# 800 training rows and 2000 test rows, five seeds. BrownBoost and RobustBoost are shown with two
# goals each, the same with and without flips: a tight one and a loose one. Both were chosen after
# trial runs, the tight ones with two of the seeds shown here, the loose ones with other seeds. They
# get at most 300 rounds, the other boosters 100.
others = {name: model for name, model in boosters(0.0, 100).items() if name != "BrownBoost"}
models = {name: model for name, model in others.items() if name != "RobustBoost"} | {
    "Brown 0.25": coterie.BrownBoostClassifier(n_estimators=300, target_error=0.25),
    "Brown 0.35": coterie.BrownBoostClassifier(n_estimators=300, target_error=0.35),
    "Robust 0.2": coterie.RobustBoostClassifier(n_estimators=300, error_goal=0.2),
    "Robust 0.25": coterie.RobustBoostClassifier(
        n_estimators=300, error_goal=0.25, goal_margin=0.3
    ),
}
hard = {flips: study(draw_hard, flips, models) for flips in (0.0, 0.1)}
print(f"{'':17}   clean  10 % flipped   median  worst seed")
for booster in models:
    clean, noisy = (100 * hard[flips][booster] for flips in (0.0, 0.1))
    middle, worst = np.median(noisy), noisy.max()
    print(f"{booster:17}{clean.mean():8.1f}{noisy.mean():14.1f}{middle:9.1f}{worst:12.1f}")

# %%
# One dot per seed.
fig, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
for place, booster in enumerate(hard[0.1]):
    spread = np.linspace(-0.15, 0.15, len(SEEDS))
    ax.plot(place + spread, hard[0.1][booster], "o", ms=4)
ax.axhline(0.25, color="grey", lw=1, ls=":")
ax.set_xticks(range(len(hard[0.1])), hard[0.1], rotation=20)
ax.set(ylabel="error on clean labels", title="Long-Servedio, 10 % of the labels flipped")
plt.show()

# %%
# On breast cancer and magic, capped weights (MadaBoost) and small steps (gradient boosting)
# tolerate noise as well as BrownBoost and RobustBoost do, without being told the noise rate. If all
# labels are right, BrownBoost and RobustBoost fall behind on breast cancer, because their goals let
# them stop early. TotalBoost, which maximises the minimum margin, suffers most. Tic-tac-toe has no
# noise of its own, and a sum of stumps can represent its rule: there the margin is worth
# maximising, and LPBoost is far ahead of all others until three labels in ten are flipped.
#
# On Long and Servedio's data, all boosters that minimise a convex loss or maximise a margin
# misclassify about a quarter of the clean labels; LogitBoost, whose working responses are clipped,
# partly escapes. The error of BrownBoost, and of RobustBoost with the first of its settings, falls
# to one or two per cent. The price is a higher error if no label is wrong: the looser the goal, the
# more rows they give up, and RobustBoost's second setting, with a target margin, fails on some
# seeds. So do tight goals on seeds not shown here: the potential is not convex, and boosting may
# end at a point where no stump has an edge but the penalisers are misclassified. Sampling rows in
# each round does not help; a looser goal does. The benchmark has the figures for ten seeds.
