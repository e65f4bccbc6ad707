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
from sklearn.naive_bayes import GaussianNB

from coterie import (
    BaggingClassifier,
)
from five_tables import compare, draw, five_tables

models = {
    "bagging": BaggingClassifier(n_estimators=50),
    "half, once each": BaggingClassifier(n_estimators=50, max_samples=0.5, bootstrap=False),
    "small bags": BaggingClassifier(n_estimators=50, max_samples=0.2),
    "wagging": BaggingClassifier(n_estimators=50, wagging="exponential"),
    "naive Bayes bagged": BaggingClassifier(GaussianNB(), n_estimators=50),
}

# %%
# Five published tables, the largest ones thinned out, from :doc:`five_tables`. Half of the rows
# are for learning, the other half for judging; a second round swaps them.
found = compare(models, five_tables())

# %%
# Each ensemble is a line: it begins at the mean error of its members and ends at the error of
# their vote. Further to the right, members differ more.
draw(found)
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
