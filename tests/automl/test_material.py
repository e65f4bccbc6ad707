"""What candidates are fitted on."""

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from coterie.automl.material import fit_clone, takes_weights
from coterie.automl.splits import Plan
from tests.automl.material import labelled


def test_covered_rows_are_those_of_all_held_out_parts():
    _, material, folds, _ = labelled(plan=Plan(3))
    np.testing.assert_array_equal(material.covered, np.arange(150))
    _, material, folds, _ = labelled(plan=Plan(3, hold_out=True))
    np.testing.assert_array_equal(material.covered, np.flatnonzero(folds == 0))


def test_clones_are_fitted_to_some_rows_with_their_weights():
    weight = np.arange(150) % 3 + 1.0
    _, material, _, _ = labelled(weight=weight)
    plain = make_pipeline(StandardScaler(), LogisticRegression())
    rows = np.arange(0, 150, 2)
    found = fit_clone(plain, material, rows)
    assert not hasattr(plain[-1], "coef_")
    plain.fit(
        material.matrix[rows], material.truth[rows], logisticregression__sample_weight=weight[rows]
    )
    np.testing.assert_array_equal(found[-1].coef_, plain[-1].coef_)


def test_who_takes_weights():
    assert takes_weights(LogisticRegression())
    assert takes_weights(make_pipeline(StandardScaler(), LogisticRegression()))
    assert not takes_weights(make_pipeline(StandardScaler(), KNeighborsClassifier()))
