"""Ensembles of members fitted independently, each on its own view of the data.

Steps of a fit:

1. A family defines what is perturbed for each member (`bag`): rows, columns, target, parameters.
2. The table is binned once for native trees, which see bags as weights; other estimators see rows.
3. `coterie.core.gather` fits one member per seed; bags are not stored, but drawn again from the
   seed.
4. Out-of-bag rows evaluate the ensemble, and have other uses: see `coterie.base.oob_estimates`.
"""

from coterie.bagging.bagging import BaggingClassifier, BaggingRegressor
from coterie.bagging.correlation import NegativeCorrelationClassifier, NegativeCorrelationRegressor
from coterie.bagging.ecoc import ECOCClassifier
from coterie.bagging.epochs import EarlyStopping
from coterie.bagging.flipping import OutputFlippingClassifier
from coterie.bagging.intervals import (
    JackknifePlusIntervals,
    infinitesimal_jackknife,
    jackknife_variance,
    leave_one_out_variance,
)
from coterie.bagging.iterated import IteratedBaggingRegressor
from coterie.bagging.neighbours import KNNEnsembleClassifier
from coterie.bagging.parameters import RandomParametersClassifier, RandomParametersRegressor
from coterie.bagging.quantiles import QuantilePredictor
from coterie.bagging.refine import Posteriors, Pruning
from coterie.bagging.rotation import RotationForestClassifier, RotationForestRegressor
from coterie.bagging.smearing import OutputSmearingClassifier, OutputSmearingRegressor
from coterie.bagging.subspace import (
    RandomPatchesClassifier,
    RandomPatchesRegressor,
    RandomSubspaceClassifier,
    RandomSubspaceRegressor,
)
from coterie.core.samplers import (
    SAMPLERS,
    BagSampler,
    BalancedSampler,
    BlockSampler,
    BootstrapSampler,
    SubsetSampler,
    WeightSampler,
)

__all__ = [
    "SAMPLERS",
    "BagSampler",
    "BaggingClassifier",
    "BaggingRegressor",
    "BalancedSampler",
    "BlockSampler",
    "BootstrapSampler",
    "ECOCClassifier",
    "EarlyStopping",
    "IteratedBaggingRegressor",
    "JackknifePlusIntervals",
    "KNNEnsembleClassifier",
    "NegativeCorrelationClassifier",
    "NegativeCorrelationRegressor",
    "OutputFlippingClassifier",
    "OutputSmearingClassifier",
    "OutputSmearingRegressor",
    "Posteriors",
    "Pruning",
    "QuantilePredictor",
    "RandomParametersClassifier",
    "RandomParametersRegressor",
    "RandomPatchesClassifier",
    "RandomPatchesRegressor",
    "RandomSubspaceClassifier",
    "RandomSubspaceRegressor",
    "RotationForestClassifier",
    "RotationForestRegressor",
    "SubsetSampler",
    "WeightSampler",
    "infinitesimal_jackknife",
    "jackknife_variance",
    "leave_one_out_variance",
]
