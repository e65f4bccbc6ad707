from coterie.serve.openapi import describe_api
from coterie.serve.shelf import Shelf


def test_columns_have_the_types_of_the_fit(credit):
    api = describe_api(Shelf((f"credit={credit.model}",)).open().all())
    properties = api["components"]["schemas"]["credit"]["properties"]
    assert properties["age"]["type"] == ["number", "null"]
    assert properties["housing"]["type"] == ["string", "null"]
    assert "/models/credit/predict" in api["paths"]
