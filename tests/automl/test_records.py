"""Plain data."""

import json
from dataclasses import asdict

from coterie.automl import Column, Entry, Event, Finding


def test_records_become_json():
    records = [
        Event("done", "linear", 0.5),
        Finding("constant", "info", ["a"], "It is constant.", "Leave it out."),
        Column("a", "number", 0.0, 1),
        Entry("linear", "linear", "member", 0.5, 0.4, 0.6, 1.0, 0.1),
    ]
    again = json.loads(json.dumps([asdict(record) for record in records]))
    assert [type(r)(**values) for r, values in zip(records, again, strict=True)] == records
