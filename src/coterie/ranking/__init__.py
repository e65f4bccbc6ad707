"""Learning to rank: sort the documents of a query by relevance.

`LambdaMARTRanker` is the estimator; the other names are ranking metrics, plain functions of grades,
scores and queries.
"""

from coterie.ranking.rank_metrics import (
    expected_reciprocal_rank,
    mean_average_precision,
    mean_reciprocal_rank,
    ndcg,
)
from coterie.ranking.ranker import LambdaMARTRanker

__all__ = [
    "LambdaMARTRanker",
    "expected_reciprocal_rank",
    "mean_average_precision",
    "mean_reciprocal_rank",
    "ndcg",
]
