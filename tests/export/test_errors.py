"""Errors say what to do."""

from coterie.export import ModelFileError, SaveError, UntrustedTypesError


def test_untrusted_types_are_listed_with_the_cure():
    error = UntrustedTypesError({"b.B", "a.A"})
    assert error.types == ("a.A", "b.B")
    assert "trusted=['a.A', 'b.B']" in str(error)
    assert isinstance(error, ModelFileError)


def test_kinds_of_errors():
    assert issubclass(ModelFileError, ValueError)
    assert issubclass(SaveError, TypeError)
    assert SaveError("model.x", "is odd.").path == "model.x"
