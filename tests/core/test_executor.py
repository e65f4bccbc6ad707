from coterie.core.executor import Serial


def test_serial_works_in_order_and_only_when_asked():
    seen = []
    results = Serial().map(lambda item: seen.append(item) or item * 2, [1, 2, 3])
    assert next(iter(results)) == 2
    assert seen == [1]
    assert list(results) == [4, 6]
