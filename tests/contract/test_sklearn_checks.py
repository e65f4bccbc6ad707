"""scikit-learn's own checks, with no expected failures."""

import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import estimator_checks_generator

from coterie import RowFolds
from tests.contract.exported import EVERY, default, few_choices, few_members

# Every estimator passes every one of these in the long suite; the short suite takes a part.
pytestmark = [pytest.mark.contract, pytest.mark.every_case]
# What `parametrize_with_checks` does, whose generator today's pytest does not take from
# scikit-learn 1.6.
CASES = [case for cls in EVERY for case in estimator_checks_generator(default(cls))]
NAMES = [f"{type(estimator).__name__}-{check.func.__name__}" for estimator, check in CASES]


#: Checks of how well an estimator learns, which get it as it comes but for what it chooses by
#: fitting itself a dozen times; others get a small one.
LEARNING = {"check_classifiers_train", "check_regressors_train", "check_class_weight_classifiers"}
#: Members that are enough to learn what these checks ask for.
FEW = 20


# Ten rows in five folds: scikit-learn 1.6 warns of it and lets its own check stumble over that.
@pytest.mark.filterwarnings("ignore:The least populated class:UserWarning")
# Detectors that test for novelty say that a dozen rows are too few.
@pytest.mark.filterwarnings("ignore:.* reference rows cannot give:UserWarning")
# Small ensembles may not converge.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.slow("RuleFit", "BoostedTrees", "DeepForest")
@pytest.mark.parametrize(("estimator", "check"), CASES, ids=NAMES)
def test_scikit_learn_check(estimator, check):
    name, names = check.func.__name__, estimator.get_params(deep=False)
    estimator = clone(estimator)
    if name in LEARNING:
        known = {"nu": 0.3, "error_goal": 0.05} | few_choices(type(estimator))
        # How much it learns is seen with arrays in memory; from read-only files, that it does.
        if check.keywords.get("readonly_memmap") and (names.get("n_estimators") or 0) > FEW:
            known["n_estimators"] = FEW
        estimator.set_params(**{name: value for name, value in known.items() if name in names})
    else:
        estimator.set_params(**few_members(type(estimator)))
    if "vectors" in names:
        estimator.set_params(n_trees=10, max_layers=2)
        if "sample_weight_equivalence" in name:  # a row of weight three has one bag
            estimator.set_params(vectors="kfold", cv=RowFolds(3))
    if name == "check_classifiers_classes" and "unlabeled" in names:
        estimator.set_params(unlabeled=None)  # -1 is one of the classes there
    sampler = estimator._sampler() if "draw" in names else None
    if "sample_weight_equivalence" in name and sampler is not None and sampler.by_weight:
        # Bags are drawn by weight as in scikit-learn, whose own forests fail this check.
        estimator.set_params(draw="repeats")
    check(estimator)
