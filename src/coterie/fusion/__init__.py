"""Combining the members' predictions: rules, votes, weights and evidence, as functions of arrays.

Outputs are arrays of shape (members, samples), or (members, samples, classes) for probabilities,
and may come from anywhere.

1. Averages and rules (:func:`average`, :func:`product`, :func:`median`, :func:`borda`) give one
   output of shape (samples,) or (samples, classes).
2. Votes (:func:`plurality`, :func:`majority`) give labels; weights are given, or come from
   :func:`simplex_weights`, :func:`log_odds_weights`, :func:`greedy_selection` and similar
   functions.
3. What learns a table (:func:`decision_templates`, :func:`behaviour_knowledge`) returns a small
   frozen object of arrays with methods for new samples.

Weights and tables must be estimated on samples the members have not seen: members always look
best, and most alike, on what they were trained on.
"""

from coterie.fusion.averaging import average, median, ordered_average, trimmed_mean, weighted_sum
from coterie.fusion.bayes import combination_weights, noise_log_likelihood, posterior_weights
from coterie.fusion.behaviour import (
    BehaviourKnowledge,
    NaiveBayesVotes,
    behaviour_knowledge,
    naive_bayes_votes,
)
from coterie.fusion.calibration import beta, isotonic, platt, temperature
from coterie.fusion.calibration_error import calibration_error, reliability_curve
from coterie.fusion.evidence import Evidence, dempster, support_of_masses
from coterie.fusion.greedy import GreedySelection, bagged_selection, greedy_selection
from coterie.fusion.labels import hard_votes, one_hot
from coterie.fusion.rules import (
    RULES,
    borda,
    generalised_mean,
    geometric_mean,
    maximum,
    minimum,
    product,
)
from coterie.fusion.templates import DecisionTemplates, decision_templates
from coterie.fusion.vote_weights import accuracy_weights, log_loss_weights, log_odds_weights
from coterie.fusion.votes import VoteTally, majority, plurality, rejected, tally
from coterie.fusion.weights import (
    covariance_weights,
    error_covariance,
    inverse_error_weights,
    nnls_weights,
    simplex_weights,
)

__all__ = [
    "RULES",
    "BehaviourKnowledge",
    "DecisionTemplates",
    "Evidence",
    "GreedySelection",
    "NaiveBayesVotes",
    "VoteTally",
    "accuracy_weights",
    "average",
    "bagged_selection",
    "behaviour_knowledge",
    "beta",
    "borda",
    "calibration_error",
    "combination_weights",
    "covariance_weights",
    "decision_templates",
    "dempster",
    "error_covariance",
    "generalised_mean",
    "geometric_mean",
    "greedy_selection",
    "hard_votes",
    "inverse_error_weights",
    "isotonic",
    "log_loss_weights",
    "log_odds_weights",
    "majority",
    "maximum",
    "median",
    "minimum",
    "naive_bayes_votes",
    "nnls_weights",
    "noise_log_likelihood",
    "one_hot",
    "ordered_average",
    "platt",
    "plurality",
    "posterior_weights",
    "product",
    "rejected",
    "reliability_curve",
    "simplex_weights",
    "support_of_masses",
    "tally",
    "temperature",
    "trimmed_mean",
    "weighted_sum",
]
