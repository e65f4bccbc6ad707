"""Measures of diversity: pairwise, of whole pools, and of information.

Predictions are arrays of shape (members, samples) and may come from anywhere.

1. Every measure compares labels, or whether members are right (*hits*); see :func:`pair_counts`.
   With `y` they compare hits by default, without it labels.
2. Pairwise measures return a matrix of shape (members, members), and ``mean_...`` its mean.
3. Undefined values, such as the correlation with a constant member, are NaN; means exclude them,
   and :func:`mean_over_pairs` returns their number.
"""

from coterie.diversity.means import (
    mean_correlation,
    mean_disagreement,
    mean_double_fault,
    mean_kappa,
    mean_q_statistic,
)
from coterie.diversity.mutual import InformationParts, information
from coterie.diversity.pairwise import (
    PairMean,
    correlation,
    disagreement,
    double_fault,
    error_ratio,
    kappa,
    mean_over_pairs,
    q_statistic,
)
from coterie.diversity.tables import PairCounts, pair_counts
from coterie.diversity.whole import (
    coincident_failure_diversity,
    difficulty,
    distinct_failure_diversity,
    entropy,
    generalised_diversity,
    interrater_agreement,
    kohavi_wolpert_variance,
    vote_entropy,
)

__all__ = [
    "InformationParts",
    "PairCounts",
    "PairMean",
    "coincident_failure_diversity",
    "correlation",
    "difficulty",
    "disagreement",
    "distinct_failure_diversity",
    "double_fault",
    "entropy",
    "error_ratio",
    "generalised_diversity",
    "information",
    "interrater_agreement",
    "kappa",
    "kohavi_wolpert_variance",
    "mean_correlation",
    "mean_disagreement",
    "mean_double_fault",
    "mean_kappa",
    "mean_over_pairs",
    "mean_q_statistic",
    "pair_counts",
    "q_statistic",
    "vote_entropy",
]
