from coterie.files.errors import CommandError
from coterie.serve.problems import Problem, explained


def test_lines_of_a_file_become_rows():
    found = explained(CommandError("is odd.", "Mend it.", line=4, column="age"))
    assert (found.row, found.field, found.status) == (2, "age", 422)
    assert str(found) == 'row 2, column "age": is odd. Mend it.'


def test_only_problems_of_the_request_are_the_clients():
    assert explained(KeyError("x")) is None
    assert explained(ValueError("x")).status == 422
    assert "row" not in Problem("x").body("id")
