"""
Members trained on different outputs
====================================

Members may see all rows and all columns and still differ, if their targets differ. Flipping changes
some labels at random for every member, smearing adds noise to the class indicators, and an
error-correcting output code makes each member separate different groups of classes.
"""

# %%
# Flips in proportion to the class shares, uniform flips, and smearing, each with 50 fully grown
# trees, compared with bagging.
import matplotlib.pyplot as plt

from coterie import (
    BaggingClassifier,
    DecisionTreeClassifier,
    ECOCClassifier,
    OutputFlippingClassifier,
    OutputSmearingClassifier,
)
from five_tables import compare, draw, five_tables

models = {
    "bagging": BaggingClassifier(n_estimators=50),
    "flipping": OutputFlippingClassifier(n_estimators=50),
    "uniform flipping": OutputFlippingClassifier(n_estimators=50, method="uniform"),
    "smearing": OutputSmearingClassifier(n_estimators=50),
}

# %%
# Five public data sets, the largest ones subsampled, from :doc:`five_tables`. Half of the rows are
# for training and half for testing; a second round swaps them.
tables = five_tables()
found = compare(models, tables)

# %%
# Each ensemble is a line from the mean error of its members to the error of their vote. Further to
# the right, the members are more diverse.
draw(found)
plt.show()

# %%
# Manipulating the outputs has the strongest effect on diversity: compared with bagging, flipping
# increases the disagreement on every data set, by up to a factor of four, and uniform flipping even
# more. But the price is members trained on wrong labels. With 50 of them the vote is better than
# bagging's on wine and breast cancer only, and uniform flipping, which changes far more labels, is
# worse everywhere; it is meant for hundreds of members. Smearing lies between bagging and flipping.
# Diversity alone is not enough.
#
# Members of a code solve different binary problems, so there is no disagreement to measure. The
# more columns, the more wrong predictions are corrected. On the ten digits, one-vs-rest is worse
# than a single tree: it cannot correct any error.
X, y = tables["digits"]
tree = DecisionTreeClassifier(random_state=0).fit(X[::2], y[::2])
print(f"{'one tree':14}{1 - tree.score(X[1::2], y[1::2]):8.3f}")
for code in ("one-vs-rest", "one-vs-one", "dense", "bch"):
    model = ECOCClassifier(code=code, random_state=0).fit(X[::2], y[::2])
    error = 1 - model.score(X[1::2], y[1::2])
    print(f"{code:14}{error:8.3f}   {model.code_.shape[1]} columns")
