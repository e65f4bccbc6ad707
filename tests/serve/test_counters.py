from coterie.serve.counters import Counters


def test_buckets_add_up():
    counters = Counters()
    for seconds in (0.0005, 0.003, 20.0):
        counters.note("predict", 200, seconds)
    lines = counters.text().splitlines()
    assert 'coterie_request_seconds_bucket{route="predict",le="0.001"} 1' in lines
    assert 'coterie_request_seconds_bucket{route="predict",le="10.0"} 2' in lines
    assert 'coterie_request_seconds_bucket{route="predict",le="+Inf"} 3' in lines
    assert 'coterie_request_seconds_count{route="predict"} 3' in lines


def test_labels_are_escaped():
    counters = Counters()
    counters.rows['a"b\\', "1"] += 2
    assert r'{model="a\"b\\",version="1"} 2' in counters.text()
