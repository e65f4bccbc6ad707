from coterie.base.docstring import parameters_of, with_inherited_parameters


class Base:
    """Base.

    Parameters
    ----------
    depth : int, default=1
        How deep.
        On two lines.
    rate : float
        How fast.

    Examples
    --------
    >>> 1 + 1
    2
    """


OWN = """Own.

    Parameters
    ----------
    rate : float
        Otherwise.

    References
    ----------
    .. [1] Somebody (2000).
    """


def test_entries_are_found_whole():
    entries = parameters_of(
        "x\n\nParameters\n----------\na, b : int\n    Two.\n\n    More.\nc : str\n    One.\n"
    )
    assert list(entries) == ["a, b", "c"]
    assert "More." in entries["a, b"]
    assert parameters_of("Nothing here.") == {}


def test_what_is_missing_is_taken_from_the_base():
    doc = with_inherited_parameters(OWN, (Base,))
    assert list(parameters_of(doc)) == ["rate", "depth"]
    assert "Otherwise." in doc
    assert "How fast." not in doc
    assert "On two lines." in doc
    assert doc.index("depth : int") < doc.index("References")
    assert doc.count("Parameters\n---") == 1


def test_a_section_is_made_where_there_is_none():
    doc = with_inherited_parameters(
        "Own.\n\n    Examples\n    --------\n    >>> 1\n    1\n    ", (Base,)
    )
    assert list(parameters_of(doc)) == ["depth", "rate"]
    assert doc.index("rate : float") < doc.index("Examples")
    assert with_inherited_parameters(None, (Base,)) is None
    assert with_inherited_parameters(OWN, (int,)) == OWN
