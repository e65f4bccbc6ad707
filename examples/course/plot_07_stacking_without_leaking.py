"""
7. Stacking without leaking
===========================

A stack learns from the members' predictions how to combine them. If these are predictions for the
members' training rows, the member that memorises best wins. So stacking uses predictions for rows
that the members have not seen.
"""

# %%
# The wrong way: the second level is trained on predictions for the training rows. A deep tree is
# never wrong about them, so it gets the larger weight.
import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from coterie import (
    AdaBoostClassifier,
    BaggingClassifier,
    DecisionTreeClassifier,
    MultiBoostClassifier,
    StackingClassifier,
    explore,
)

X, y = load_breast_cancer(return_X_y=True)
learn, test = np.arange(len(y)) % 2 == 0, np.arange(len(y)) % 2 == 1
linear = make_pipeline(StandardScaler(), LogisticRegression())
members = [("tree", DecisionTreeClassifier(random_state=0)), ("linear", linear)]

for _, member in members:
    member.fit(X[learn], y[learn])
leaking = np.stack([m.predict_proba(X[learn])[:, 1] for _, m in members], axis=1)
meta = LogisticRegression().fit(leaking, y[learn])
answers = np.stack([m.predict_proba(X[test])[:, 1] for _, m in members], axis=1)
print("weights that leaked, tree and linear:", meta.coef_[0].round(2))
print("error:", np.mean(meta.predict(answers) != y[test]).round(4))

# %%
# The right way is the default: out-of-fold predictions.
stack = StackingClassifier(members, final_estimator=LogisticRegression()).fit(X[learn], y[learn])
print("weights, tree and linear:", stack.final_estimator_.coef_[0].round(2))
print("error:", np.mean(stack.predict(X[test]) != y[test]).round(4))

# %%
# Exercise 8.8 of Zhou: ensembles of ensembles. MultiBoost wraps AdaBoost in a kind of bagging; the
# other order is boosting with bagged members. The first aims to keep the low bias of boosting and
# to reduce its variance; the second gives AdaBoost better members. On this data set neither pays
# off.
stump = DecisionTreeClassifier(max_depth=1)
bag = BaggingClassifier(stump, n_estimators=10, random_state=0)
contenders = {
    "AdaBoost": AdaBoostClassifier(stump, n_estimators=100, random_state=0),
    "MultiBoost": MultiBoostClassifier(stump, n_estimators=100, random_state=0),
    "boosted bags": AdaBoostClassifier(bag, n_estimators=10, random_state=0),
}
for name, model in contenders.items():
    model.fit(X[learn], y[learn])
    print(f"{name}: error {np.mean(model.predict(X[test]) != y[test]):.4f}")

# %%
# The first two of them round by round, on two columns. MultiBoost restarts several times, as the
# weights show.
two = X[:, [21, 27]]
pair = [clone(contenders[name]).set_params(n_estimators=40) for name in ("AdaBoost", "MultiBoost")]
explore(pair, two, y, resolution=48)
