"""Depth and size of objects are known before they are made."""

import pytest

import coterie
from coterie.export.errors import ModelFileError
from coterie.export.nesting import DEEPEST, check_nesting
from tests.export.mutations import pack, unpack


def test_objects_that_double_are_refused(tmp_path):
    """Sixty terms, each of which holds the last one twice: hashing the last would never end."""
    path = tmp_path / "model"
    coterie.save(coterie.DecisionTreeRegressor(), path)
    header, blocks = unpack(path)
    terms = [{"class": "Term", "items": [None, None, None, None]}]
    terms += [{"class": "Term", "items": [{"ref": n}] * 4} for n in range(60)]
    header["root"] = {"set": [{"ref": 60}]}
    header["objects"] = terms
    path.write_bytes(pack(header, blocks))
    with pytest.raises(ModelFileError, match="too large once expanded"):
        coterie.load(path)


def test_objects_that_are_deep_are_refused():
    chain = [{"items": []}, *({"items": [{"ref": n}]} for n in range(1000))]
    with pytest.raises(ModelFileError, match="levels deep"):
        check_nesting(chain, None)
    check_nesting(chain[: DEEPEST // 4], None)


def test_sharing_is_no_nesting():
    check_nesting([{"items": []}, {"items": [{"ref": 0}] * 1000}], {"ref": 1})
