"""Attributes are of the types that classes say."""

import numpy as np
import pytest

import coterie
from coterie.core.pool import Pool
from coterie.export.attributes import check_attributes
from coterie.export.errors import ModelFileError
from coterie.interpretation.terms import Term


@pytest.mark.parametrize(
    ("cls", "state", "name"),
    [
        (Pool, {"width": "1"}, "width"),
        (Pool, {"weights": [1.0]}, "weights"),
        (Term, dict.fromkeys(Term._fields, (("nested",),)), Term._fields[0]),
        (coterie.DecisionTreeClassifier, {"schema_": 3}, "schema_"),
        (coterie.DecisionTreeClassifier, {"classes_": "ab"}, "classes_"),
        (coterie.DecisionTreeClassifier, {"max_depth": "deep"}, "max_depth"),
        (coterie.DecisionTreeClassifier, {"offsets": 0}, "has no offsets"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_other_types_are_refused_by_name(cls, state, name):
    with pytest.raises(ModelFileError, match=name):
        check_attributes(cls, state)


def test_healthy_attributes_pass():
    model = coterie.RandomForestClassifier(2, random_state=0).fit(np.eye(4), [0, 0, 1, 1])
    check_attributes(type(model), vars(model))
    check_attributes(Pool, vars(model.pool_))
