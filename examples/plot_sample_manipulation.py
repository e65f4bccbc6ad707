"""
Members that see other rows
===========================

Bagging gives every member a bootstrap sample of the rows. There are other ways to shake
rows: smaller samples, samples without replacement, random weights. Here they are compared
on the same tables, by two numbers at once: how much the members differ, and how often the
vote is wrong.
"""

# %%
# All members but the last kind are trees grown in full, which other rows change a lot. Naive
# Bayes is the opposite: its means and variances hardly move from one bag to the next.
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine
from sklearn.naive_bayes import GaussianNB

from coterie import (
    BaggingClassifier,
)
from coterie.data import Table
from coterie.datasets import load_table
from coterie.diversity import mean_disagreement

models = {
    "bagging": BaggingClassifier(n_estimators=50),
    "half, once each": BaggingClassifier(n_estimators=50, max_samples=0.5, bootstrap=False),
    "small bags": BaggingClassifier(n_estimators=50, max_samples=0.2),
    "wagging": BaggingClassifier(n_estimators=50, wagging="exponential"),
    "naive Bayes bagged": BaggingClassifier(GaussianNB(), n_estimators=50),
}

# %%
# Five published tables, the largest ones thinned out. Half of the rows are for learning, the
# other half for judging; a second round swaps them.
digits, magic = load_digits(return_X_y=True), load_table("magic", return_X_y=True)
tables = {
    "wine": load_wine(return_X_y=True),
    "breast cancer": load_breast_cancer(return_X_y=True),
    "digits": tuple(part[::2] for part in digits),
    "german credit": load_table("german_credit", return_X_y=True),
    "magic": tuple(part[::10] for part in magic),
}


def judge(model, X, y):
    """How often two members differ, how often one is wrong, and how often all together are."""
    facts = []
    for start in (0, 1):
        learn, judged = slice(start, None, 2), slice(1 - start, None, 2)
        model.set_params(random_state=start).fit(X[learn], y[learn])
        votes = model.pool_.votes(Table.under(model.schema_, X[judged]))
        said = model.classes_[votes.argmax(axis=2)]
        error = np.mean(model.predict(X[judged]) != y[judged])
        facts.append((mean_disagreement(said), np.mean(said != y[judged]), error))
    return np.mean(facts, axis=0)


found = {
    name: {label: judge(model, X, y) for label, model in models.items()}
    for name, (X, y) in tables.items()
}
print(f"{'table':14}{'ensemble':20}disagreement  member error  ensemble error")
for name, row in found.items():
    for label, (differ, member, error) in row.items():
        print(f"{name:14}{label:20}{differ:12.3f}{member:14.3f}{error:16.3f}")

# %%
# Each ensemble is a line: it begins at the mean error of its members and ends at the error of
# their vote. Further to the right, members differ more.
fig, axes = plt.subplots(1, len(found), figsize=(13, 3.4), layout="constrained")
for ax, (name, row) in zip(axes, found.items(), strict=True):
    for number, (label, (differ, member, error)) in enumerate(row.items()):
        style = {"color": f"C{number}", "label": label}
        ax.plot([differ, differ], [member, error], linewidth=1, color=style["color"])
        ax.plot(differ, member, "o", fillstyle="none", color=style["color"])
        ax.plot(differ, error, "o", **style)
    ax.margins(0.1)
    ax.set(title=name, xlabel="disagreement", xlim=(0, None), ylim=(0, None))
axes[0].set_ylabel("error")
axes[-1].legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(1, 1))
plt.show()

# %%
# The smaller the bags, the more the members differ, and the worse each of them is; the vote pays
# for it on digits and on the credit table, and hardly notices on the others. Half of the rows
# drawn without replacement are nearly the same as a bootstrap sample.
#
# Wagging does not raise diversity: trees that see every row, only with other weights, differ less
# than bagged ones on all five tables. And naive Bayes shows what bagging cannot do. Its bags are
# those of the trees, but the fitted models hardly differ, so the vote gains little over one
# member; most on digits, where a class has few rows. Where there is no variance, there is nothing
# to average away.
