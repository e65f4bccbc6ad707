"""Weights of members by Bayes: averaging of models, and of their combinations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp, xlogy

from coterie import fusion
from coterie.base.elsewhere import where_rows_are
from coterie.base.signature import own_first
from coterie.combining.combiner import COMBINER
from coterie.combining.profiles import LevelOneData, ProfiledClassifier, ProfiledRegressor
from coterie.core import Allowed, RandomLike, a_list, at_least, between, draw_entropy, one_of

Array = NDArray[np.float64]

BAYES: dict[str, Allowed] = {
    **COMBINER,
    "prior": a_list | one_of(None),
    "n_draws": at_least(1),
}


def _draws(random_state: RandomLike, n_draws: int, n_members: int) -> Array:
    """Weight vectors, evenly from all that sum to one."""
    rng = np.random.default_rng(0 if random_state is None else draw_entropy(random_state))
    return rng.dirichlet(np.ones(n_members), n_draws)


@own_first
@dataclass(eq=False, repr=False, kw_only=True)
class BayesianModelAveragingClassifier(ProfiledClassifier):
    r"""Members weighted by their likelihood on held-out rows: Bayesian model averaging.

    .. math:: P(y | x) = \sum_t w_t P_t(y | x), \qquad w_t \propto \pi_t
        (1 - \epsilon)^{n - e_t} \Big(\frac{\epsilon}{K - 1}\Big)^{e_t}

    for :math:`e_t` mistakes in n rows, if labels are wrong by chance at the rate :math:`\epsilon`.
    Averaging assumes that a single member is right, and soon puts all the weight on it. Model
    combination does the same for weight vectors: many are drawn, and their mean is weighted by
    their likelihood; it usually works better.

    Parameters
    ----------
    method : {"averaging", "combination"}, default="averaging"
        Whether members or combinations of them are weighted.
    noise : {"mean", "own"} or float, default="mean"
        The rate :math:`\epsilon` of averaging: the members' mean error, each member's own, or a
        number.
    prior : array-like of shape (n_members,), default=None
        Prior probabilities of the members, for averaging; equal by default.
    n_draws : int, default=1000
        Number of weight vectors drawn for combination.

    Attributes
    ----------
    estimators_ : list of classifiers
        The fitted members that are not dropped.
    named_estimators_ : Bunch
        Members by name; dropped ones are "drop".
    weights_ : ndarray of shape (n_members,)
        Posterior probabilities, or the mean of the weight vectors.
    classes_ : ndarray of shape (n_classes,)
        Class labels.
    pool_ : Pool
        The members.

    References
    ----------
    .. [1] Domingos, "Bayesian averaging of classifiers and the overfitting problem", ICML (2000).
    .. [2] Monteith, Carroll, Seppi & Martinez, "Turning Bayesian model averaging into Bayesian
       model combination", IJCNN (2011).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from coterie import BayesianModelAveragingClassifier, DecisionTreeClassifier
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> members = [("bayes", GaussianNB()), ("stump", DecisionTreeClassifier(max_depth=1))]
    >>> model = BayesianModelAveragingClassifier(members, random_state=0).fit(X, y)
    >>> combined = model.set_params(method="combination").fit(X, y)
    >>> bool(0.5 < combined.weights_[0] < 1)
    True
    """

    method: Literal["averaging", "combination"] = "averaging"
    noise: Any = "mean"
    prior: Any = None
    n_draws: int = 1000

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **BAYES,
        "method": one_of("averaging", "combination"),
        "noise": one_of("mean", "own") | between(0.0, 1.0, closed="neither"),
    }

    def _learn(self, draft: Self, level_one: LevelOneData) -> None:
        profile, codes, _ = level_one
        n_classes, share = max(2, profile.shape[2]), level_one.counts()
        if self.method == "combination":
            draws = _draws(self.random_state, self.n_draws, len(profile))
            draft.weights_ = likely_mean(draws, profile.argmax(axis=2), codes, share, n_classes)
            return
        wrong = (profile.argmax(axis=2) != codes) @ share
        n_rows = max(1, round(share.sum()))
        rate = self.noise
        if isinstance(rate, str):
            rate = None if rate == "mean" else (wrong + 1.0) / (n_rows + 2.0)
        wrong = np.minimum(wrong, n_rows)
        logs = fusion.noise_log_likelihood(wrong, n_rows, n_classes=n_classes, noise=rate)
        draft.weights_ = fusion.posterior_weights(logs, self.prior)


def likely_mean(
    draws: Array, labels: NDArray[Any], truth: NDArray[Any], share: Array, n_classes: int
) -> Array:
    """Mean of weight vectors, by how likely the votes under each make the labels.

    Parameters
    ----------
    draws : ndarray of shape (n_draws, members)
        Weight vectors.
    labels, truth : ndarray of int of shape (members, rows) and (rows,)
        What members say, and the truth.
    share : ndarray of shape (rows,)
        How many rows each stands for.
    n_classes : int
        Number of classes.

    Examples
    --------
    >>> draws = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> likely_mean(draws, np.array([[0, 1], [1, 0]]), np.array([0, 1]), np.ones(2), 2).round(2)
    array([0.57, 0.43])
    """
    n_rows = share.sum()
    errors = np.zeros(len(draws))
    step = max(1, (1 << 22) // (len(draws) * n_classes))
    for start in range(0, len(truth), step):
        part = labels[:, start : start + step]
        votes = np.stack([draws @ (part == k) for k in range(n_classes)])
        wrong = votes.argmax(axis=0) != truth[start : start + step]
        errors += wrong @ share[start : start + step]
    errors = np.clip(errors / n_rows, 1.0 / (n_rows + 2.0), (n_classes - 1) / n_classes)
    good = 1.0 - errors
    likely = n_rows * (xlogy(good, good) + xlogy(errors, errors / (n_classes - 1)))
    return np.asarray(fusion.posterior_weights(likely) @ draws)


@own_first
@dataclass(eq=False, repr=False, kw_only=True)
class BayesianModelAveragingRegressor(ProfiledRegressor):
    r"""Regressors weighted by their likelihood on held-out rows: Bayesian model averaging.

    .. math:: p(y | x) = \sum_t w_t N(y; h_t(x), \sigma^2)

    "mixture" finds the weights and the variance that make this most likely, by expectation
    maximisation. "averaging" assumes that a single member is right, :math:`w_t \propto \pi_t
    MSE_t^{-n/2}`, and soon puts all the weight on it; "combination" does the same for random weight
    vectors and takes their mean.

    Parameters
    ----------
    method : {"mixture", "averaging", "combination"}, default="mixture"
        How members are weighted.
    prior : array-like of shape (n_members,), default=None
        Prior probabilities of the members, for averaging; equal by default.
    n_draws : int, default=1000
        Number of weight vectors drawn for combination.

    Attributes
    ----------
    estimators_ : list of regressors
        The fitted members that are not dropped.
    named_estimators_ : Bunch
        Members by name; dropped ones are "drop".
    weights_ : ndarray of shape (n_members,)
        Weights of the members.
    sigma_ : float
        Standard deviation :math:`\sigma` around the members: of the mixture, or of the weighted
        average.
    log_likelihoods_ : ndarray
        Mean log-likelihood after each step of expectation maximisation ("mixture" only).
    pool_ : Pool
        The members.

    References
    ----------
    .. [1] Raftery, Gneiting, Balabdaoui & Polakowski, "Using Bayesian model averaging to calibrate
       forecast ensembles", Mon. Weather Rev. 133 (2005).
    .. [2] Hoeting, Madigan, Raftery & Volinsky, "Bayesian model averaging: a tutorial", Stat. Sci.
       14 (1999).

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.dummy import DummyRegressor
    >>> from sklearn.linear_model import Ridge
    >>> from coterie import BayesianModelAveragingRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> members = [("linear", Ridge(0.1)), ("mean", DummyRegressor())]
    >>> model = BayesianModelAveragingRegressor(members).fit(X, y)
    >>> mean, spread = model.predict(X, return_std=True)
    >>> bool(model.weights_[0] > 0.7), 0.6 < float((abs(y - mean) < spread).mean()) < 0.8
    (True, True)
    """

    method: Literal["mixture", "averaging", "combination"] = "mixture"
    prior: Any = None
    n_draws: int = 1000

    allowed: ClassVar[Mapping[str, Allowed]] = {
        **BAYES,
        "method": one_of("mixture", "averaging", "combination"),
    }

    def _learn(self, draft: Self, level_one: LevelOneData, size: float) -> None:
        profile, y, _ = level_one
        share = level_one.counts()
        off = profile - y
        if self.method == "mixture":
            draft.weights_, sigma, draft.log_likelihoods_ = normal_mixture(off, share)
        else:
            draws = np.eye(len(profile))
            prior = self.prior
            if self.method == "combination":
                draws, prior = _draws(self.random_state, self.n_draws, len(profile)), None
            squares = np.stack([np.average((w @ off) ** 2, weights=share) for w in draws])
            logs = -0.5 * share.sum() * np.log(np.maximum(squares, 1e-300))
            draft.weights_ = np.asarray(fusion.posterior_weights(logs, prior) @ draws)
            sigma = float(np.sqrt(np.average((draft.weights_ @ off) ** 2, weights=share)))
        draft.sigma_ = sigma * size

    @where_rows_are
    def predict(self, X: Any, return_std: bool = False) -> Any:
        """The weighted mean of the members.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            The rows, with the columns seen in `fit`.
        return_std : bool, default=False
            Whether to return the standard deviation of the predictive distribution as well: the
            spread of the members, plus that around them.

        Returns
        -------
        ndarray of shape (n_samples,), or two of them
        """
        this = self._settled()
        profile = this._profile(X)[:, :, 0]
        mean = fusion.average(profile, this.weights_)
        if not return_std:
            return mean
        between_ = fusion.average((profile - mean) ** 2, this.weights_)
        if this.method != "mixture":
            between_ = np.zeros_like(mean)  # their variance is that around the average already
        return mean, np.sqrt(between_ + this.sigma_**2)


def normal_mixture(
    off: Array, share: Array, max_iter: int = 500, tol: float = 1e-10
) -> tuple[Array, float, Array]:
    """Weights and standard deviation of the most likely mixture of normal distributions.

    Parameters
    ----------
    off : ndarray of shape (members, rows)
        Errors of the members.
    share : ndarray of shape (rows,)
        Weight of each row.
    max_iter : int, default=500
        Steps at most.
    tol : float, default=1e-10
        End when the mean log-likelihood grows by less.

    Returns
    -------
    weights, sigma, log_likelihoods

    Examples
    --------
    >>> weights, sigma, _ = normal_mixture(np.array([[0.1, -0.1], [2.0, 2.0]]), np.ones(2))
    >>> weights.round(6), round(sigma, 6)
    (array([1., 0.]), 0.1)
    """
    share = share / share.sum()
    squares = off**2
    floor = 1e-12 * max(float(squares.max()), 1e-300)
    variance = max(float((squares @ share).min()), floor)
    weights = np.full(len(off), 1.0 / len(off))
    track: list[float] = []
    for _ in range(max_iter):
        with np.errstate(divide="ignore"):
            logs = np.log(weights)[:, None] - 0.5 * (squares / variance + np.log(variance))
        total = logsumexp(logs, axis=0)
        track.append(float(total @ share - 0.5 * np.log(2.0 * np.pi)))
        if len(track) > 1 and track[-1] - track[-2] < tol:
            break
        chances = np.exp(logs - total)
        weights = chances @ share
        weights /= weights.sum()
        variance = max(float((chances * squares).sum(axis=0) @ share), floor)
    return weights, float(np.sqrt(variance)), np.array(track)
