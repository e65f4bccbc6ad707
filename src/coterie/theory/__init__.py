"""Theory of ensembles: error decompositions, bounds, margins, sizes.

Everything is a function of arrays, (members, samples) and then outputs, or of a few numbers.

1. :func:`ambiguity` and :func:`vote_ambiguity` split the error of an average into the members'
   error and the ambiguity that reduces it; :func:`good_bad_diversity` does it for a majority, and
   :func:`dissent` for any vote, sample by sample.
2. :func:`bias_variance` and related functions split the error of models that were trained
   repeatedly.
3. :func:`vote_error` and related functions compute what independent members could achieve,
   :func:`margin_bound` and :func:`training_error_bound` what a vote guarantees,
   :func:`effective_members` how many there are.
"""

from coterie.theory.conformal_ranks import (
    conformal_quantile,
    conformal_quantiles,
    needed_rows,
    ranks_of,
)
from coterie.theory.decomposition import AmbiguityParts, ambiguity, vote_ambiguity
from coterie.theory.failures import DissentProfile, dissent, failure_chances
from coterie.theory.rounds import rounds_needed, training_error_bound, training_margin_bound
from coterie.theory.size import effective_members, effective_weights, variance_of_mean
from coterie.theory.squared import (
    BiasVariance,
    BiasVarianceCovariance,
    bias_variance,
    bias_variance_covariance,
)
from coterie.theory.vote_error import (
    hoeffding_bound,
    jury_accuracy,
    jury_size,
    pool_vote_error,
    vote_error,
    vote_limits,
)
from coterie.theory.vote_margins import margin_bound, margin_distribution, margins
from coterie.theory.zero_one import (
    DomingosParts,
    VoteParts,
    domingos,
    good_bad_diversity,
    kohavi_wolpert,
)

__all__ = [
    "AmbiguityParts",
    "BiasVariance",
    "BiasVarianceCovariance",
    "DissentProfile",
    "DomingosParts",
    "VoteParts",
    "ambiguity",
    "bias_variance",
    "bias_variance_covariance",
    "conformal_quantile",
    "conformal_quantiles",
    "dissent",
    "domingos",
    "effective_members",
    "effective_weights",
    "failure_chances",
    "good_bad_diversity",
    "hoeffding_bound",
    "jury_accuracy",
    "jury_size",
    "kohavi_wolpert",
    "margin_bound",
    "margin_distribution",
    "margins",
    "needed_rows",
    "pool_vote_error",
    "ranks_of",
    "rounds_needed",
    "training_error_bound",
    "training_margin_bound",
    "variance_of_mean",
    "vote_ambiguity",
    "vote_error",
    "vote_limits",
]
