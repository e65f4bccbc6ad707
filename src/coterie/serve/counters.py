"""Counts and times of requests, in the text format that Prometheus reads."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass, field

__all__ = ["Counters"]

BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


def _labels(**labels: str) -> str:
    return "{" + ",".join(f'{k}="{_escaped(v)}"' for k, v in labels.items()) + "}"


@dataclass
class Counters:
    """What happened since the server started.

    Examples
    --------
    >>> counters = Counters()
    >>> counters.note("/predict", 200, 0.004)
    >>> print(counters.text().splitlines()[1])
    coterie_requests_total{route="/predict",status="200"} 1
    """

    requests: Counter[tuple[str, int]] = field(default_factory=Counter)
    buckets: dict[str, list[int]] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    rows: Counter[tuple[str, str]] = field(default_factory=Counter)
    running: int = 0

    def note(self, route: str, status: int, seconds: float) -> None:
        """Count a request that was answered."""
        self.requests[route, status] += 1
        counts = self.buckets.setdefault(route, [0] * (len(BUCKETS) + 1))
        counts[bisect_left(BUCKETS, seconds)] += 1
        self.seconds[route] = self.seconds.get(route, 0.0) + seconds

    def text(self, more: dict[str, float] | None = None) -> str:
        """Everything, for Prometheus.

        Parameters
        ----------
        more : dict of str to float
            Further numbers by name.
        """
        lines = ["# TYPE coterie_requests_total counter"]
        for (route, status), count in sorted(self.requests.items()):
            labels = _labels(route=route, status=str(status))
            lines.append(f"coterie_requests_total{labels} {count}")
        lines.append("# TYPE coterie_request_seconds histogram")
        for route, counts in sorted(self.buckets.items()):
            total = 0
            for limit, count in zip([*map(str, BUCKETS), "+Inf"], counts, strict=True):
                total += count
                labels = _labels(route=route, le=limit)
                lines.append(f"coterie_request_seconds_bucket{labels} {total}")
            labels = _labels(route=route)
            lines.append(f"coterie_request_seconds_sum{labels} {self.seconds[route]:.6f}")
            lines.append(f"coterie_request_seconds_count{labels} {total}")
        lines.append("# TYPE coterie_rows_total counter")
        for (model, version), count in sorted(self.rows.items()):
            lines.append(f"coterie_rows_total{_labels(model=model, version=version)} {count}")
        gauges = {"coterie_requests_running": float(self.running), **(more or {})}
        for name, value in gauges.items():
            lines += [f"# TYPE {name} gauge", f"{name} {value:g}"]
        return "\n".join(lines) + "\n"
