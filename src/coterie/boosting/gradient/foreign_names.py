"""What other libraries call the parameters of gradient boosting."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any, ClassVar, Literal, NamedTuple, Self

Library = Literal["LightGBM", "XGBoost", "CatBoost", "scikit-learn"]


class ForeignName(NamedTuple):
    """A parameter of another library.

    Parameters
    ----------
    library : {"LightGBM", "XGBoost", "CatBoost", "scikit-learn"}
        Which one.
    name : str
        What it is called there.
    here : str
        The parameter of `HistGradientBoosting*` that does the same, or ``parameter=value``; "" if
        there is none.
    note : str
        What else there is to know, in a sentence without its stop.
    """

    library: Library
    name: str
    here: str
    note: str = ""


# By parameter here: the names of each library, its scikit-learn interface's first.
_NAMES: dict[str, dict[Library, str]] = {
    "loss": {
        "LightGBM": "objective app application",
        "XGBoost": "objective",
        "CatBoost": "loss_function objective",
        "scikit-learn": "loss",
    },
    "learning_rate": {
        "LightGBM": "learning_rate shrinkage_rate eta",
        "XGBoost": "learning_rate eta",
        "CatBoost": "learning_rate eta",
        "scikit-learn": "learning_rate",
    },
    "max_iter": {
        "LightGBM": "n_estimators num_iterations num_iteration n_iter num_tree num_trees num_round "
        "num_rounds nrounds num_boost_round",
        "XGBoost": "n_estimators num_boost_round num_parallel_tree",
        "CatBoost": "iterations n_estimators num_boost_round num_trees",
        "scikit-learn": "max_iter n_estimators",
    },
    "max_leaf_nodes": {
        "LightGBM": "num_leaves num_leaf max_leaves max_leaf",
        "XGBoost": "max_leaves",
        "CatBoost": "max_leaves num_leaves",
        "scikit-learn": "max_leaf_nodes",
    },
    "max_depth": {
        "LightGBM": "max_depth",
        "XGBoost": "max_depth",
        "CatBoost": "max_depth depth",
        "scikit-learn": "max_depth",
    },
    "growth": {"XGBoost": "grow_policy", "CatBoost": "grow_policy"},
    "min_samples_leaf": {
        "LightGBM": "min_child_samples min_data_in_leaf min_data_per_leaf min_data",
        "CatBoost": "min_child_samples min_data_in_leaf",
        "scikit-learn": "min_samples_leaf",
    },
    "min_child_weight": {
        "LightGBM": "min_child_weight min_sum_hessian_in_leaf min_sum_hessian_per_leaf min_hessian",
        "XGBoost": "min_child_weight",
    },
    "l2_regularization": {
        "LightGBM": "reg_lambda lambda_l2 lambda",
        "XGBoost": "reg_lambda lambda",
        "CatBoost": "reg_lambda l2_leaf_reg",
        "scikit-learn": "l2_regularization",
    },
    "l1_regularization": {
        "LightGBM": "reg_alpha lambda_l1 l1_regularization",
        "XGBoost": "reg_alpha alpha",
    },
    "min_split_gain": {
        "LightGBM": "min_split_gain min_gain_to_split",
        "XGBoost": "gamma min_split_loss",
    },
    "max_delta_step": {"LightGBM": "max_delta_step max_tree_output", "XGBoost": "max_delta_step"},
    "max_bins": {
        "LightGBM": "max_bin max_bins",
        "XGBoost": "max_bin",
        "CatBoost": "max_bin border_count",
        "scikit-learn": "max_bins",
    },
    "subsample": {
        "LightGBM": "subsample bagging_fraction sub_row bagging",
        "XGBoost": "subsample",
        "CatBoost": "subsample",
        "scikit-learn": "subsample",
    },
    "linear_leaves": {"LightGBM": "linear_tree linear_trees"},
    "linear_l2": {"LightGBM": "linear_lambda"},
    "boosting": {
        "LightGBM": "boosting_type boosting boost data_sample_strategy",
        "XGBoost": "booster sampling_method",
        "CatBoost": "bootstrap_type",
    },
    "top_rate": {"LightGBM": "top_rate"},
    "other_rate": {"LightGBM": "other_rate"},
    "drop_rate": {"LightGBM": "drop_rate rate_drop", "XGBoost": "rate_drop"},
    "skip_drop": {"LightGBM": "skip_drop", "XGBoost": "skip_drop"},
    "normalise": {"LightGBM": "xgboost_dart_mode", "XGBoost": "normalize_type"},
    "colsample_bytree": {
        "LightGBM": "colsample_bytree feature_fraction sub_feature",
        "XGBoost": "colsample_bytree",
    },
    "colsample_bylevel": {"XGBoost": "colsample_bylevel", "CatBoost": "colsample_bylevel rsm"},
    "max_features": {
        "LightGBM": "colsample_bynode feature_fraction_bynode sub_feature_bynode",
        "XGBoost": "colsample_bynode",
        "scikit-learn": "max_features",
    },
    "monotonic_cst": {
        "LightGBM": "monotone_constraints monotonic_cst mc",
        "XGBoost": "monotone_constraints",
        "CatBoost": "monotone_constraints",
        "scikit-learn": "monotonic_cst",
    },
    "interaction_cst": {
        "LightGBM": "interaction_constraints",
        "XGBoost": "interaction_constraints",
        "scikit-learn": "interaction_cst",
    },
    "categorical_features": {
        "LightGBM": "categorical_feature cat_feature cat_features categorical_column",
        "XGBoost": "enable_categorical feature_types",
        "CatBoost": "cat_features",
        "scikit-learn": "categorical_features",
    },
    "high_cardinality": {"CatBoost": "ctr_target_border_count simple_ctr max_ctr_complexity"},
    "class_weight": {
        "LightGBM": "class_weight scale_pos_weight is_unbalance unbalance",
        "XGBoost": "scale_pos_weight",
        "CatBoost": "class_weights auto_class_weights scale_pos_weight",
        "scikit-learn": "class_weight",
    },
    "init": {
        "LightGBM": "boost_from_average",
        "XGBoost": "base_score",
        "CatBoost": "boost_from_average",
        "scikit-learn": "init",
    },
    "scoring": {
        "LightGBM": "metric metrics eval_metric",
        "XGBoost": "eval_metric",
        "CatBoost": "eval_metric custom_metric",
        "scikit-learn": "scoring",
    },
    "validation_fraction": {"CatBoost": "eval_fraction", "scikit-learn": "validation_fraction"},
    "n_iter_no_change": {
        "LightGBM": "early_stopping_rounds early_stopping_round early_stopping n_iter_no_change",
        "XGBoost": "early_stopping_rounds",
        "CatBoost": "early_stopping_rounds od_wait",
        "scikit-learn": "n_iter_no_change",
    },
    "early_stopping": {"CatBoost": "od_type", "scikit-learn": "early_stopping"},
    "tol": {
        "LightGBM": "early_stopping_min_delta",
        "CatBoost": "od_pval",
        "scikit-learn": "tol",
    },
    "keep_best": {"CatBoost": "use_best_model"},
    "quantile": {"LightGBM": "alpha", "XGBoost": "quantile_alpha", "scikit-learn": "quantile"},
    "power": {"LightGBM": "tweedie_variance_power", "XGBoost": "tweedie_variance_power"},
    "alpha": {"XGBoost": "huber_slope"},
    "multiclass": {"XGBoost": "multi_strategy"},
    "importance_type": {"LightGBM": "importance_type", "XGBoost": "importance_type"},
    "missing": {"XGBoost": "missing"},
    "callbacks": {"XGBoost": "callbacks"},
    "n_jobs": {
        "LightGBM": "n_jobs num_threads num_thread nthread nthreads",
        "XGBoost": "n_jobs nthread",
        "CatBoost": "thread_count",
    },
    "random_state": {
        "LightGBM": "random_state seed random_seed",
        "XGBoost": "random_state seed",
        "CatBoost": "random_state random_seed",
        "scikit-learn": "random_state",
    },
    "verbose": {
        "LightGBM": "verbosity verbose",
        "XGBoost": "verbosity",
        "CatBoost": "verbose silent logging_level metric_period",
        "scikit-learn": "verbose",
    },
    "warm_start": {
        "LightGBM": "init_model input_model",
        "XGBoost": "xgb_model",
        "CatBoost": "init_model",
        "scikit-learn": "warm_start",
    },
    "": {
        "LightGBM": "subsample_freq bagging_freq num_class num_classes device device_type "
        "force_row_wise force_col_wise deterministic max_drop min_data_in_bin "
        "bin_construct_sample_cnt subsample_for_bin",
        "XGBoost": "num_class tree_method device gpu_id predictor feature_weights",
        "CatBoost": "classes_count task_type devices train_dir allow_writing_files boosting_type "
        "bagging_temperature random_strength leaf_estimation_method leaf_estimation_iterations",
    },
}
_NOTES: dict[str, str] = {
    "objective": "the losses have other names here, such as 'poisson' and 'quantile'",
    "loss_function": "the losses have other names here, such as 'poisson' and 'quantile'",
    "num_parallel_tree": "every round grows one tree per score; for forests, see RandomForest*",
    "grow_policy": (
        "'lossguide' is 'leaf', 'depthwise' is 'level' and 'SymmetricTree' is 'symmetric'"
    ),
    "data_sample_strategy": "'goss' is boosting='goss'; for 'bagging' set subsample",
    "boosting_type": "'dart' and 'goss' have the same names, 'gbdt' is 'plain'",
    "booster": "'dart' has the same name, 'gbtree' is 'plain'",
    "sampling_method": "'gradient_based' is boosting='goss'",
    "bootstrap_type": "'MVS' is like boosting='goss'; for 'Bernoulli' set subsample",
    "linear_lambda": (
        "here the penalty is on slopes per standard deviation of the column in the leaf"
    ),
    "xgboost_dart_mode": "False is 'tree', as in the paper",
    "enable_categorical": "text and categorical columns are always treated as categories",
    "scale_pos_weight": "set the weight of each class, such as {0: 1, 1: 10}",
    "is_unbalance": "True is 'balanced'",
    "auto_class_weights": "'Balanced' is 'balanced'",
    "boost_from_average": "None starts from the best constant, 'zero' from zero",
    "base_score": "here it is a score, before the link function",
    "early_stopping_rounds": "HistGradientBoosting* also need early_stopping=True or eval_set",
    "od_wait": "HistGradientBoosting* also need early_stopping=True or eval_set",
    "alpha": "in GradientBoosting*, the quantile level is alpha",
    "quantile_alpha": "in GradientBoosting*, the quantile level is alpha",
    "huber_slope": "here it is the share of rows that are not treated as outliers",
    "multi_strategy": "'multi_output_tree' is 'vector'",
    "verbosity": "0 is silent",
    "silent": "verbose=0 is silent",
    "init_model": "warm_start=True continues from the last fit",
    "input_model": "warm_start=True continues from the last fit",
    "xgb_model": "warm_start=True continues from the last fit",
    "subsample_freq": "rows are resampled in every round",
    "bagging_freq": "rows are resampled in every round",
    "num_class": "the classes are taken from y",
    "num_classes": "the classes are taken from y",
    "classes_count": "the classes are taken from y",
    "tree_method": "trees are always grown on histograms; max_bins sets their size",
    "device": "fits run on the CPU",
    "device_type": "fits run on the CPU",
    "task_type": "fits run on the CPU",
    "devices": "fits run on the CPU",
    "gpu_id": "fits run on the CPU",
    "deterministic": "results never depend on the number of threads",
    "feature_weights": "columns are sampled with equal probability",
    "train_dir": "a fit writes no files",
    "allow_writing_files": "a fit writes no files",
}


def _records() -> Iterator[ForeignName]:
    for here, libraries in _NAMES.items():
        for library, names in libraries.items():
            for name in names.split():
                yield ForeignName(library, name, here, _NOTES.get(name, ""))


#: The parameters of other libraries, and what they are called here.
FOREIGN_NAMES: tuple[ForeignName, ...] = tuple(_records())


def answer(name: str, known: Iterable[str], words: Mapping[str, str]) -> str:
    """What to say of a name that other libraries know; "" of any other.

    Parameters
    ----------
    name : str
        What a user gave.
    known : iterable of str
        The names of the parameters there are.
    words : mapping of str to str
        Where these are not those of `HistGradientBoosting*`, what they are called.

    Examples
    --------
    >>> answer("num_leaves", ["max_leaf_nodes"], {})
    "LightGBM's and CatBoost's num_leaves is max_leaf_nodes here."
    >>> answer("subsample_freq", [], {})
    "LightGBM's subsample_freq is not needed here: rows are resampled in every round."
    """
    known = set(known)
    found = [one for one in FOREIGN_NAMES if one.name == name]
    said = []
    for here, group in groupby(found, lambda one: one.here):
        ours = words.get(here, here)
        if ours == name:
            continue
        records = list(group)
        *others, last = (f"{one.library}'s" for one in records)
        owners = f"{', '.join(others)} and {last}" if others else last
        place = f"is {ours} here" if ours in known else "is not a parameter here"
        place = place if ours else "is not needed here"
        note = f": {records[0].note}" if records[0].note else ""
        said.append(f"{owners} {name} {place}{note}.")
    return " ".join(said)


class AnswersForeignNames:
    """A constructor that knows what other libraries call its parameters."""

    #: Parameters that this face calls otherwise than `HistGradientBoosting*`.
    own_words: ClassVar[Mapping[str, str]] = {}

    def __new__(cls, *args: Any, **given: Any) -> Self:
        """Refuse names of other libraries with those of this one."""
        known = inspect.signature(cls.__init__).parameters if given else {}
        for name in given:
            if name not in known and (hint := answer(name, known, cls.own_words)):
                raise TypeError(f"{cls.__name__} has no parameter {name!r}. {hint}")
        return super().__new__(cls)

    def set_params(self, **given: Any) -> Self:
        """Set parameters; for parameter names of other libraries, the error gives the name here.

        Parameters
        ----------
        **given : dict
            Values by name; ``part__name`` sets a parameter of a part.

        Returns
        -------
        self
        """
        known = inspect.signature(type(self).__init__).parameters
        for name in given:
            if name not in known and (hint := answer(name, known, self.own_words)):
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}. {hint}")
        return super().set_params(**given)  # type: ignore[misc]  # of BaseEstimator
