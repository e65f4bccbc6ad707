"""Samplers and pipelines of balanced forests."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_classification

from coterie import BalancedRandomForestClassifier

X, Y = make_classification(300, weights=[0.8], random_state=0)


@pytest.mark.parametrize("replacement", [True, False])
def test_samplers_draw_the_rows_of_their_trees(replacement):
    forest = BalancedRandomForestClassifier(3, replacement=replacement, random_state=0).fit(X, Y)
    for sampler, bag in zip(forest.samplers_, forest.estimators_samples_, strict=True):
        rows, labels = sampler.fit_resample(X, Y)
        np.testing.assert_array_equal(sampler.sample_indices_, bag)
        np.testing.assert_array_equal(rows, X[bag])
        np.testing.assert_array_equal(labels, Y[bag])


def test_pipelines_are_fitted_to_what_they_draw():
    forest = BalancedRandomForestClassifier(2, random_state=0).fit(X, Y)
    for pipeline, tree in zip(forest.pipelines_, forest.estimators_, strict=True):
        assert list(pipeline.named_steps) == ["randomundersampler", "decisiontreeclassifier"]
        np.testing.assert_array_equal(pipeline.predict_proba(X), tree.predict_proba(X))
        rows, labels = pipeline[0].fit_resample(X, Y)
        again = clone(tree).fit(rows, labels).predict_proba(X)
        np.testing.assert_array_equal(pipeline.fit(X, Y).predict_proba(X), again)
