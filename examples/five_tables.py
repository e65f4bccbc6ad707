"""
Data sets and measures for the diversity examples
=================================================

Four examples compare ensembles whose members differ in their rows, columns, outputs or parameters.
This module contains what they share: five public data sets, two measures, and a plot of both. They
import it, so keep it in the same directory.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine

from coterie.data import Table
from coterie.datasets import load_table
from coterie.diversity import mean_disagreement


# %%
# The largest data sets are subsampled.
def five_tables():
    """Rows and labels, by name of the table."""
    digits, magic = load_digits(return_X_y=True), load_table("magic", return_X_y=True)
    return {
        "wine": load_wine(return_X_y=True),
        "breast cancer": load_breast_cancer(return_X_y=True),
        "digits": tuple(part[::2] for part in digits),
        "german credit": load_table("german_credit", return_X_y=True),
        "magic": tuple(part[::10] for part in magic),
    }


# %%
# Half of the rows are for training and half for testing; a second round swaps them.
def judge(model, X, y):
    """Share of rows on which two members differ, mean error of a member, and error of the vote."""
    facts = []
    for start in (0, 1):
        learn, judged = slice(start, None, 2), slice(1 - start, None, 2)
        model.set_params(random_state=start).fit(X[learn], y[learn])
        votes = model.pool_.votes(Table.under(model.schema_, X[judged]))
        said = model.classes_[votes.argmax(axis=2)]
        error = np.mean(model.predict(X[judged]) != y[judged])
        facts.append((mean_disagreement(said), np.mean(said != y[judged]), error))
    return np.mean(facts, axis=0)


def compare(models, tables):
    """Results of `judge` by table and model, which are also printed."""
    found = {
        name: {label: judge(model, X, y) for label, model in models.items()}
        for name, (X, y) in tables.items()
    }
    print(f"{'table':14}{'ensemble':22}disagreement  member error  ensemble error")
    for name, row in found.items():
        for label, (differ, member, error) in row.items():
            print(f"{name:14}{label:22}{differ:12.3f}{member:14.3f}{error:16.3f}")
    return found


# %%
# Each ensemble is a line from the mean error of its members to the error of their vote. Further to
# the right, the members are more diverse.
def draw(found):
    """One panel per table, from the results of `compare`."""
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
    return fig
