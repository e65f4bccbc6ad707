import coterie


def test_rows_and_truth_reach_the_diagnosis(call, prices, monkeypatch):
    seen = {}

    def diagnose(model, X, y):
        seen.update(model=type(model).__name__, rows=len(X), first=float(y[0]))
        return "all is well"

    monkeypatch.setattr(coterie, "diagnose", diagnose, raising=False)
    said = call("diagnose", prices.model, prices.test)
    assert (said.code, said.out) == (0, "all is well\n")
    first = float(prices.test.read_text().splitlines()[1].split(",")[-1])
    assert seen == {"model": "TableRegressor", "rows": 300, "first": first}


def test_tables_are_diagnosed(call, credit, prices):
    for case, last in ((credit, "even classes?"), (prices, "even spread?")):
        said = call("diagnose", case.model, case.test)
        assert said.code == 0
        assert "evaluated on 300 rows" in said.out
        assert last in said.out
        assert "out-of-fold" in said.out
