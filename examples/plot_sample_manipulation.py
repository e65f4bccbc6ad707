"""
Members trained on different rows
=================================

Bagging gives every member a bootstrap sample of the rows. There are other ways to vary the rows:
smaller samples, samples without replacement, random weights. Here they are compared on the same
data sets, by two numbers: how much the members differ, and how often the vote is wrong.
"""

# %%
# All members but the last kind are fully grown trees, which are sensitive to the rows. Naive Bayes
# is the opposite: its means and variances hardly change from one bag to the next.
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
# Five public data sets, the largest ones subsampled, from :doc:`five_tables`. Half of the rows are
# for training and half for testing; a second round swaps them.
found = compare(models, five_tables())

# %%
# Each ensemble is a line from the mean error of its members to the error of their vote. Further to
# the right, the members are more diverse.
draw(found)
plt.show()

# %%
# The smaller the bags, the more the members differ, and the worse each of them is; as a result, the
# vote is worse on digits and on the credit data, and hardly changes on the others. Half of the rows
# drawn without replacement behave almost like a bootstrap sample.
#
# Wagging does not increase diversity: trees that see every row, with different weights, differ less
# than bagged ones on all five data sets. And naive Bayes shows the limits of bagging. It gets the
# same bags as the trees, but the fitted models hardly differ, so the vote gains little over one
# member; it gains most on digits, where each class has few rows. Without variance there is nothing
# to average out.
