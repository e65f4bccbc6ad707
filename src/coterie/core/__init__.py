"""The loops, and what they pass around: seeds, views, members, pools.

The life of an ensemble of independent members:

1. The face resolves its parameters (`params`) and its ``random_state`` (`seeds`) and makes a
   `View` of table, target and weights.
2. `gather` hands every seed to an `Executor`, which calls `fit_member` wherever it likes.
3. The member's *shaking* stream decides which rows it sees (`shake`), its *growing* stream goes
   to the learner.
4. The learner gives back a member: a native tree, or anything with ``predict(table)``.
5. A `Pool` joins the members; native trees become one flat forest.
6. ``pool.raw(table)`` adds up votes; ``pool[:t]`` is the pool at size t.
"""

from coterie.core.axis import RowAxis, content_order, repetitions, split_weight
from coterie.core.bag_rows import Bags
from coterie.core.executor import Executor, Serial
from coterie.core.gather import Watch, gather
from coterie.core.learner import Choosy, Foreign, Learner, Member
from coterie.core.params import (
    Allowed,
    ParameterError,
    a_function,
    a_list,
    at_least,
    between,
    check_params,
    fraction,
    has,
    instance_of,
    one_of,
)
from coterie.core.pool import Cast, Pool
from coterie.core.samplers import (
    SAMPLERS,
    BagSampler,
    BalancedSampler,
    BlockSampler,
    BootstrapSampler,
    RebalancedSampler,
    SubsetSampler,
    Urn,
    WeightSampler,
    a_sampler,
    as_sampler,
    lay_bags,
)
from coterie.core.seeds import (
    RandomLike,
    a_random_state,
    draw_entropy,
    growing_stream,
    member_seeds,
    shaking_stream,
    side_stream,
)
from coterie.core.shake import (
    Balanced,
    Bootstrap,
    Columns,
    Draw,
    Grouped,
    Patch,
    Reserve,
    Shake,
    Subsample,
    View,
    Wag,
    balance,
    untouched,
)

__all__ = [
    "SAMPLERS",
    "Allowed",
    "BagSampler",
    "Bags",
    "Balanced",
    "BalancedSampler",
    "BlockSampler",
    "Bootstrap",
    "BootstrapSampler",
    "Cast",
    "Choosy",
    "Columns",
    "Draw",
    "Executor",
    "Foreign",
    "Grouped",
    "Learner",
    "Member",
    "ParameterError",
    "Patch",
    "Pool",
    "RandomLike",
    "RebalancedSampler",
    "Reserve",
    "RowAxis",
    "Serial",
    "Shake",
    "Subsample",
    "SubsetSampler",
    "Urn",
    "View",
    "Wag",
    "Watch",
    "WeightSampler",
    "a_function",
    "a_list",
    "a_random_state",
    "a_sampler",
    "as_sampler",
    "at_least",
    "balance",
    "between",
    "check_params",
    "content_order",
    "draw_entropy",
    "fraction",
    "gather",
    "growing_stream",
    "has",
    "instance_of",
    "lay_bags",
    "member_seeds",
    "one_of",
    "repetitions",
    "shaking_stream",
    "side_stream",
    "split_weight",
    "untouched",
]
