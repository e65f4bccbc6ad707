import numpy as np
import pytest

from coterie.core.trace import Trace


def test_facts_by_name_and_round():
    trace = Trace()
    trace.append({"error": 0.3, "alpha": 0.4})
    trace.append({"error": 0.2})
    trace.note(validation_error=0.25)
    np.testing.assert_array_equal(trace["error"], [0.3, 0.2])
    np.testing.assert_array_equal(trace["validation_error"], [np.nan, 0.25])
    assert trace.names == ("error", "alpha", "validation_error")
    assert len(trace) == 2
    assert list(trace)[1] == {"error": 0.2, "validation_error": 0.25}
    assert set(trace.columns()) == set(trace.names)


def test_an_unknown_fact_names_the_known_ones():
    trace = Trace()
    trace.append({"error": 0.3})
    with pytest.raises(KeyError, match="error"):
        trace["alpha"]
    assert len(Trace()["error"]) == 0
