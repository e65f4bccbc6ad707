"""Gradient boosting whose settings suit the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from coterie.base import Admitted, a_class_weight, thread_count
from coterie.base.scoring import hold_out_seed
from coterie.boosting.gradient.averaged import best_rounds, deal, fit_models, join, temperature
from coterie.boosting.gradient.base import GradientBooster
from coterie.boosting.gradient.default_rules import (
    Choice,
    TableFacts,
    choose,
    is_auto,
    ordered_columns,
    repeats,
)
from coterie.boosting.gradient.fit import ALONE, Earlier, Fold, Given
from coterie.boosting.gradient.loop import GradientRun
from coterie.boosting.gradient.parameters import (
    HIST,
    FurtherParameters,
    HistParameters,
    settings_of,
)
from coterie.boosting.gradient.settings import TRUTH, a_loss
from coterie.boosting.gradient.statistics import OrderedColumns, many_labels, order_stream
from coterie.boosting.gradient.tasks import GradientClasses, GradientNumbers
from coterie.boosting.gradient.watch import Judge
from coterie.core import Allowed, ParameterError, at_least, between, one_of
from coterie.core.trace import Trace
from coterie.core.watch import RoundWatch, TimeBudget
from coterie.losses import REGRESSION_LOSSES

_CHOSEN = (
    *("learning_rate", "max_iter", "max_leaf_nodes", "max_depth", "min_samples_leaf", "growth"),
    *("l2_regularization", "subsample", "colsample_bytree", "n_iter_no_change"),
    "high_cardinality",
)
#: What parameters may be.
BOOSTED: dict[str, Allowed] = HIST | {
    **{name: HIST[name] | one_of("auto") for name in _CHOSEN},
    "effort": one_of("single", "fast", "default", "best"),
    "time_limit": between(0.0, float("inf"), closed="neither") | one_of(None),
    "n_folds": at_least(2) | one_of("auto", None),
    "calibrate": TRUTH | one_of("auto"),
}


class Averaged:
    """What is known of averaged models after a fit."""

    chosen_: dict[str, Choice]
    model_of_round_: NDArray[np.intp]
    starts_: NDArray[np.float64]
    n_models_: int
    temperature_: float


@dataclass(eq=False, repr=False)
class BoostedTrees(Averaged, GradientBooster, FurtherParameters, HistParameters):
    """Several boosted models, averaged, with settings that suit the table.

    Parameters
    ----------
    effort : {"single", "fast", "default", "best"}, default="default"
        Trade-off between time and accuracy: "fast" takes about a fifth of the time of "default",
        and "best" about six times as long. "single" fits one model without sampling and without
        held-out rows, so that integer weights are equivalent to repeated rows.
    time_limit : float or None, default=None
        Time in seconds after which no more rounds are added and no more models are started.
    n_folds : int, "auto" or None, default="auto"
        With ``early_stopping="auto"``, the number of folds that are held out in turn: a model is
        fitted to all other rows, the best number of rounds is found on all folds together, and the
        models are averaged. None fits models to all rows.
    calibrate : bool or "auto", default="auto"
        Whether to calibrate probabilities on the held-out folds (with ``loss="log_loss"``). "auto"
        does so with 300 rows or more.
    learning_rate, max_iter, n_iter_no_change : float, int, int or "auto", default="auto"
        Factor that multiplies the values of every tree; maximum number of rounds of a model; number
        of rounds without improvement before stopping.
    growth : {"leaf", "level", "symmetric", "auto"}, default="auto"
        Split the best leaf first, or level by level, or all nodes of a level alike. "auto"
        alternates between models with leaf-wise and with symmetric trees.
    max_leaf_nodes, max_depth, min_samples_leaf : int, None or "auto", default="auto"
        Maximum number of leaves of a tree, maximum depth, and minimum number of rows in a leaf.
    l2_regularization, subsample, colsample_bytree : float or "auto", default="auto"
        Value added to the sum of Hessians of every leaf; shares of the rows and of the columns
        sampled in each round.
    high_cardinality : {"split", "ordered", "auto"}, default="auto"
        How to treat columns with many categories, see `HistGradientBoostingClassifier`. "auto"
        replaces those with more than 16 categories of 50 rows or more each by ordered target
        statistics.
    keep_best : bool, default=True
        Keep only the rounds up to the best one.
    early_stopping : "auto" or bool, default="auto"
        "auto" chooses the number of rounds on held-out folds, or on `X_val` if it is given; True
        uses a held-out share of the rows, which no tree sees; False runs `max_iter` rounds.
    """

    infinities: ClassVar[bool] = True

    _: KW_ONLY
    effort: Literal["single", "fast", "default", "best"] = "default"
    time_limit: float | None = None
    n_folds: Any = "auto"
    calibrate: Any = "auto"
    learning_rate: Any = "auto"
    max_iter: Any = "auto"
    n_iter_no_change: Any = "auto"
    growth: Any = "auto"
    max_leaf_nodes: Any = "auto"
    max_depth: Any = "auto"
    min_samples_leaf: Any = "auto"
    l2_regularization: Any = "auto"
    subsample: Any = "auto"
    colsample_bytree: Any = "auto"
    high_cardinality: Any = "auto"
    keep_best: bool = True

    def _train(
        self, draft: Self, admitted: Admitted, n_samples: int, *, given: Given = ALONE
    ) -> None:
        self._begin(draft, admitted)
        facts = TableFacts.of(admitted, self.effort)
        admitted, ordered = self._ordered(draft, admitted, facts)
        admitted = self._binned(admitted)
        watched = self.early_stopping is True or bool(given.validation or given.eval_sets)
        shapes, folds = self._plan(draft, admitted, facts, watched=watched)
        stops = {
            "early_stopping": watched or folds[0] is not None,
            "judges_training": watched,
            "high_cardinality": "split",  # `ordered` has the others
            "keep_best": self.keep_best and self._keeps_all,  # one by one, or all together below
        }
        settings = [settings_of(self, {**shape, **stops}) for shape in shapes]
        earlier = self._earlier_models(draft, settings, len(folds))
        given = given._replace(n_rows=n_samples, ordered=ordered)
        models = fit_models(settings, draft, admitted, given, folds, earlier, self.time_limit)
        sizes = best_rounds(models, keep_all=self._keeps_all)
        factor = 1.0
        if self._calibrates(draft, facts, given):
            factor = temperature(models, sizes, admitted)
        join(draft, models, sizes, factor)

    def _ordered(
        self, draft: Self, admitted: Admitted, facts: TableFacts
    ) -> tuple[Admitted, OrderedColumns | None]:
        """The rows with statistics in place of some categories, the same for all models."""
        table, columns = admitted.table, []
        if self.high_cardinality == "ordered":
            columns = many_labels(table, self.max_bins)
        elif is_auto(self.high_cardinality) and table.values is not None:
            columns = ordered_columns(facts, table.schema.labels)
        if not columns:
            return admitted, None
        rows = table, admitted.target, admitted.weight
        ordered, table = OrderedColumns.learn(*rows, columns, order_stream(draft.entropy_))
        return admitted._replace(table=table), ordered

    def _binned(self, admitted: Admitted) -> Admitted:
        """The rows cut once for all models, with weights of mean one unless they are repetitions.

        Penalties and limits are in units of weight.
        """
        weight = admitted.weight
        if weight is not None and not repeats(weight):
            weight = weight / weight.mean()
        table = admitted.table.bin(
            weight=weight, max_bins=self.max_bins, n_threads=thread_count(self.n_jobs)
        )
        return admitted._replace(table=table, weight=weight)

    def _plan(
        self, draft: Self, admitted: Admitted, facts: TableFacts, *, watched: bool
    ) -> tuple[list[dict[str, Any]], Sequence[Fold | None]]:
        """The settings of every shape, and the rows that each model leaves out."""
        given = self.get_params(deep=False)
        # A model that boosting starts from is one for all; and other rows decide if there are any.
        alone = hasattr(self.init, "fit")
        if watched or alone or self.early_stopping is False or self._blind(draft):
            given["n_folds"] = None
        shapes, draft.chosen_ = choose(replace(facts, watched=watched), given)
        number, folds = shapes[0]["n_folds"], []
        if number is not None:
            folds = deal(admitted.target, int(number), hold_out_seed(draft.entropy_))
        if number is not None and not folds:
            # Too few rows to part with any.
            shapes, draft.chosen_ = choose(facts, {**given, "n_folds": None})
        shapes = shapes[:1] if alone else shapes
        return shapes, folds or [None] * len(shapes)

    def _blind(self, draft: Self) -> bool:
        """Whether rounds cannot be judged, as only the slopes of the loss are known."""
        first = self.scoring[0] if isinstance(self.scoring, list | tuple) else self.scoring
        return first == "loss" and not draft.loss_.knows_value

    def _publish_scores(self, trace: Trace, judge: Judge | None) -> None:
        super()._publish_scores(trace, judge)
        self._curve = np.array([])
        if judge is not None:
            self._curve = judge.sign * np.array([judge.before[judge.fact], *trace[judge.fact]])

    @property
    def learns_from_bins(self) -> bool:
        """Whether `fit` uses only the binned values: a single model does."""
        return super().learns_from_bins and self.effort == "single"

    @property
    def _keeps_all(self) -> bool:
        """Whether no round is taken back; dropped trees have weights that belong together."""
        return not self.keep_best or self.boosting == "dart"

    def _calibrates(self, draft: Self, facts: TableFacts, given: Given) -> bool:
        single = draft.target_.n_outputs == 1
        if not is_auto(self.calibrate):
            return bool(self.calibrate) and single and given.init_score is None
        return (
            single
            and given.init_score is None
            and facts.n_classes > 1
            and facts.n_rows >= _CALIBRATED
            and self.loss == "log_loss"
        )

    def _earlier_models(
        self, draft: Self, settings: Sequence[Any], number: int
    ) -> list[Earlier] | None:
        """The rounds of every model of the last fit, if they are to be kept."""
        if not self.warm_start or not hasattr(self, "pool_"):
            return None
        if number != self.n_models_:
            raise ParameterError(
                f"warm_start keeps {self.n_models_} models, but the current settings need "
                f"{number}. Restore n_folds and growth, or fit with warm_start=False."
            )
        found = []
        for model, start in enumerate(self.starts_):
            rounds = np.flatnonzero(self.model_of_round_ == model)
            most = settings[model % len(settings)].max_iter
            if most < len(rounds):
                raise ValueError(
                    f"max_iter={most} must be larger than or equal to the {len(rounds)} rounds "
                    "of every model when warm_start==True"
                )
            pool = self.pool_.take(rounds)
            pool = replace(pool, weights=pool.weights * (self.n_models_ / self.temperature_))
            trace = Trace([self.trace_.rounds[t] for t in rounds])
            found.append(Earlier(pool, trace, start, self._init_model))
        return found

    def _watches(self, run: GradientRun) -> list[RoundWatch]:
        seconds = vars(self).get("_seconds")
        return [] if seconds is None else [TimeBudget(seconds)]


_CALIBRATED = 300  # rows, below which a temperature is a guess


@dataclass(eq=False, repr=False)
class BoostedTreesClassifier(GradientClasses, BoostedTrees):
    r"""Gradient boosting for classification that is accurate without tuning.

    The engine is that of `HistGradientBoostingClassifier`, but the settings are chosen from the
    data. The rows are divided into folds. For each fold a model is fitted to all other rows, half
    of the models with trees that grow leaf by leaf and half with symmetric ones, with small steps,
    on rows and columns resampled in each round. The best number of rounds :math:`T` is found on all
    folds together, and the score is the mean of the models, scaled by a temperature :math:`\tau`
    that maximises the likelihood of the held-out rows:

    .. math:: F(x) = \frac{\tau}{K} \sum_{k=1}^{K} \Big( b_k + \eta \sum_{t=1}^{T} f_{kt}(x) \Big)

    The result is a single model, so explanations, exports and staged predictions work as usual.
    Every choice is recorded in ``chosen_``; parameters that you set override the choice.

    Parameters
    ----------
    loss : {"log_loss", "exponential"} or PointwiseLoss, default="log_loss"
        The log loss for two or more classes, AdaBoost's loss for two classes, or a custom loss, see
        `coterie.losses.CustomLoss`.
    class_weight : dict, "balanced", "effective" or None, default=None
        Weights of the classes: given explicitly; inversely proportional to their numbers of rows
        ("balanced"); or inversely proportional to their effective numbers of rows, :math:`(1 -
        0.999^n) / 0.001` (Cui et al., 2019), so that classes with thousands of rows count about the
        same ("effective").
    multiclass : {"auto", "per_class", "vector"}, default="auto"
        With three or more classes, grow one tree per class and round, or one whose leaves hold the
        scores of all classes. "auto" is one per class. "vector" takes half the time with many
        classes; it had the lower loss on two of seven data sets, both with many classes and numeric
        columns.

    Attributes
    ----------
    chosen_ : dict of str to Choice
        The settings chosen for this table, with reasons.
    n_models_, temperature_ : int, float
        Number of averaged models, and the factor by which their mean was multiplied.
    model_of_round_ : ndarray of shape (n_rounds,)
        The model that each round belongs to; models take turns.
    n_iter_ : int
        Number of rounds of all models.
    classes_, validation_score_, trace_ : see HistGradientBoostingClassifier
        The same as there; scores are means over models of the first shape.
    train_score_ : ndarray
        With ``early_stopping=True`` or `X_val`, the scores on training rows; otherwise empty.
    pool_, start_, stop_reason_ : see HistGradientBoostingClassifier
        As documented there.
    estimators_, feature_importances_ : see HistGradientBoostingClassifier
        As documented there.

    References
    ----------
    .. [1] Friedman, "Stochastic gradient boosting", Comput. Stat. Data Anal. 38 (2002).
    .. [2] Prokhorenkova et al., "CatBoost: unbiased boosting with categorical features",
       NeurIPS (2018).
    .. [3] Guo et al., "On calibration of modern neural networks", ICML (2017).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BoostedTreesClassifier(n_folds=3, max_iter=30, random_state=0).fit(X, y)
    >>> model.n_models_, model.score(X, y) > 0.95
    (3, True)
    >>> model.chosen_["max_leaf_nodes (leaf)"]
    Choice(value=8, reason='2 n^0.3, from 8 to 128')
    """

    loss: Any = "log_loss"
    _: KW_ONLY
    class_weight: Any = None
    multiclass: Literal["auto", "per_class", "vector"] = "auto"

    allowed: ClassVar[Mapping[str, Allowed]] = BOOSTED | {
        "loss": one_of("log_loss", "exponential", "focal") | a_loss,
        "class_weight": a_class_weight | one_of("effective"),
        "multiclass": one_of("auto", "per_class", "vector"),
    }


@dataclass(eq=False, repr=False)
class BoostedTreesRegressor(GradientNumbers, BoostedTrees):
    """Gradient boosting for regression that is accurate without tuning.

    Models are fitted and averaged as in `BoostedTreesClassifier`, without a temperature.

    Parameters
    ----------
    loss : str or PointwiseLoss, default="squared_error"
        "squared_error", "absolute_error", "huber", "quantile", "expectile", "poisson", "gamma",
        "tweedie" (the last three predict with a log link), or a custom loss, see
        `coterie.losses.CustomLoss`.
    quantile : float or None, default=None
        Level of the quantile or expectile.
    alpha : float, default=0.9
        Huber's loss: share of the rows that are not treated as outliers.
    power : float, default=1.5
        Tweedie's loss: power of the mean by which the variance grows, between 1 and 2.

    Attributes
    ----------
    chosen_, n_models_, model_of_round_, n_iter_ : see BoostedTreesClassifier
        As documented there.
    train_score_, validation_score_, trace_ : see BoostedTreesClassifier
        As documented there.
    pool_, start_, stop_reason_ : see HistGradientBoostingClassifier
        As documented there.
    estimators_, feature_importances_ : see HistGradientBoostingClassifier
        As documented there.

    References
    ----------
    .. [1] Friedman, "Stochastic gradient boosting", Comput. Stat. Data Anal. 38 (2002).
    .. [2] Prokhorenkova et al., "CatBoost: unbiased boosting with categorical features",
       NeurIPS (2018).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> model = BoostedTreesRegressor(n_folds=3, max_iter=60, random_state=0).fit(X, y)
    >>> model.n_models_, len(model.estimators_) == model.n_iter_
    (3, True)
    """

    loss: Any = "squared_error"
    _: KW_ONLY
    quantile: float | None = None
    alpha: float = 0.9
    power: float = 1.5

    allowed: ClassVar[Mapping[str, Allowed]] = BOOSTED | {
        "loss": one_of(*REGRESSION_LOSSES) | a_loss,
        "alpha": between(0.0, 1.0, closed="neither"),
        "power": between(1.0, 2.0, closed="neither"),
        "quantile": between(0.0, 1.0) | one_of(None),
    }

    @property
    def _level(self) -> float | None:
        return self.quantile
