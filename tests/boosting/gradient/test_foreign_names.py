"""Names of other libraries are answered with ours."""

import pytest
from sklearn.base import clone

import coterie
from coterie import (
    GradientBoostingClassifier,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
)
from coterie.boosting.gradient.foreign_names import FOREIGN_NAMES, answer
from coterie.boosting.gradient.parameters import FurtherParameters, HistParameters


def test_a_foreign_name_is_answered_with_ours():
    with pytest.raises(TypeError, match=r"LightGBM's and CatBoost's num_leaves is max_leaf_nodes "):
        HistGradientBoostingClassifier(num_leaves=31)
    with pytest.raises(TypeError, match=r"XGBoost's gamma is min_split_gain here\."):
        HistGradientBoostingRegressor(gamma=1.0)


def test_each_face_is_answered_in_its_own_words():
    with pytest.raises(TypeError, match="iterations is max_iter here"):
        HistGradientBoostingClassifier(iterations=10)
    with pytest.raises(TypeError, match="iterations is n_estimators here"):
        GradientBoostingClassifier(iterations=10)
    with pytest.raises(TypeError, match="max_iter is n_estimators here"):
        GradientBoostingClassifier(max_iter=10)
    with pytest.raises(TypeError, match="n_estimators is max_iter here"):
        HistGradientBoostingClassifier(n_estimators=10)


def test_a_name_that_means_two_things_gets_both():
    said = answer("alpha", ["quantile", "l1_regularization"], {})
    assert "XGBoost's alpha is l1_regularization here" in said
    assert "LightGBM's alpha is quantile here" in said


def test_three_libraries_are_listed_with_a_comma():
    said = answer("scale_pos_weight", ["class_weight"], {})
    assert said.startswith("LightGBM's, XGBoost's and CatBoost's scale_pos_weight is class_weight")


def test_what_nobody_knows_is_an_ordinary_error():
    with pytest.raises(TypeError, match="unexpected keyword argument 'leafs'"):
        HistGradientBoostingClassifier(leafs=31)
    with pytest.raises(ValueError, match="Invalid parameter 'leafs'"):
        HistGradientBoostingClassifier().set_params(leafs=31)


def test_parameters_set_later_are_answered_too():
    with pytest.raises(ValueError, match="reg_lambda is l2_regularization here"):
        HistGradientBoostingClassifier().set_params(reg_lambda=1.0)
    model = HistGradientBoostingClassifier().set_params(max_iter=7)
    assert clone(model).max_iter == 7


def test_a_derived_class_may_have_such_a_name():
    class Mine(HistGradientBoostingClassifier):
        def __init__(self, num_leaves=5):
            super().__init__(max_leaf_nodes=num_leaves)
            self.num_leaves = num_leaves

    assert Mine(num_leaves=7).max_leaf_nodes == 7


def test_every_answer_names_a_parameter():
    known = {"class_weight", "multiclass", "quantile", "alpha", "power", "loss", ""}
    known |= set(vars(HistParameters())) | set(vars(FurtherParameters()))
    assert {one.here for one in FOREIGN_NAMES} <= known
    assert len({(one.library, one.name) for one in FOREIGN_NAMES}) == len(FOREIGN_NAMES)


@pytest.mark.parametrize("library", ["lightgbm", "xgboost"])
def test_the_names_are_those_of_the_library(library):
    module = pytest.importorskip(library)
    cls = module.LGBMClassifier if library == "lightgbm" else module.XGBClassifier
    owner = {"lightgbm": "LightGBM", "xgboost": "XGBoost"}[library]
    listed = {one.name for one in FOREIGN_NAMES if one.library == owner}
    theirs = set(cls().get_params())
    assert len(listed & theirs) > 15
    # What their constructors take by name, we can answer.
    unanswered = theirs - listed - {"validate_parameters", "max_cat_threshold", "max_cat_to_onehot"}
    assert not unanswered, unanswered


def test_scikit_learns_names_are_listed():
    theirs = {one.name for one in FOREIGN_NAMES if one.library == "scikit-learn"}
    from sklearn.ensemble import HistGradientBoostingRegressor as theirs_cls

    assert set(theirs_cls().get_params()) <= theirs
    assert coterie.HistGradientBoostingRegressor().get_params().keys() >= set(
        theirs_cls().get_params()
    )
