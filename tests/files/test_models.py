from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from coterie.files import ReadOptions
from coterie.files.errors import CommandError
from coterie.files.models import Fitted, load_model, model_file


def test_a_directory_or_a_file(credit):
    file = credit.model / "model.coterie"
    assert model_file(credit.model) == model_file(file) == file
    fitted = load_model(credit.model)
    assert (fitted.target, fitted.names) == (
        "credit",
        ["checking_status", "duration", "age", "housing"],
    )
    assert fitted.classes.tolist() == ["bad", "good"]


def test_damaged_models_are_told(write, credit):
    whole = (credit.model / "model.coterie").read_bytes()
    with pytest.raises(CommandError, match=r"a\.coterie"):
        load_model(write("a.coterie", whole[:-100]))


def test_columns_of_a_model_that_knows_none_are_found_in_the_file(write):
    path = write("a.csv", "y,a,b,c\nu,1,2,3\n")
    fitted = Fitted(SimpleNamespace(n_features_in_=2, target_name_="y"), Path("m"))
    columns, _ = fitted.columns(path, ReadOptions())
    assert columns.kinds == {"a": "integer", "b": "integer"}
    with pytest.raises(CommandError, match="fitted on 9 columns"):
        Fitted(SimpleNamespace(n_features_in_=9), Path("m")).columns(path, ReadOptions())


def test_columns_by_name_keep_the_kind_of_the_model(write):
    model = SimpleNamespace(
        feature_names_in_=np.array(["b", "a"]),
        columns_=[SimpleNamespace(name="a", kind="number")],
    )
    columns, _ = Fitted(model, Path("m")).columns(write("a.csv", "a,b\nx,y\n"), ReadOptions())
    assert columns.kinds == {"b": "text", "a": "number"}
