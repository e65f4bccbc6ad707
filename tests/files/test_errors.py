from coterie.files.errors import CommandError, nearest


def test_an_error_names_place_and_cure():
    error = CommandError("is odd.", "Make it even.", "a.csv", 1204, "size")
    assert str(error) == 'a.csv, line 1,204, column "size" is odd.\n  Make it even.'
    assert str(CommandError("a field is odd.", "", "a.csv")) == "a.csv: a field is odd."
    assert str(CommandError("something is odd.")) == "Something is odd."
    assert str(CommandError("--odd is odd.")) == "--odd is odd."


def test_near_misses():
    assert nearest("Prise", ["size", "price"]) == 'Did you mean "price"? Available: size, price.'
    assert nearest("zzz", ["a", "b", "c"], most=2) == "Available: a, b, … (3 in all)."
