"""Consensus against the number of rows, and against single runs of k-means.

``python -m benchmarks.clustering`` writes `results/clustering.md`: CPU seconds of cluster ensembles
of covertype's numeric columns by the number of rows, and how well ensembles and single clusterings
find the classes of small tables (adjusted Rand index; no method sees the classes).
"""

from __future__ import annotations

import argparse
import time
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, load_iris, load_wine, make_moons
from sklearn.preprocessing import StandardScaler

from benchmarks.tables import PROJECT, read_frame
from coterie import ClusterEnsemble
from coterie.clustering import CONSENSUS, adjusted_rand, consensus

RESULTS = PROJECT / "benchmarks" / "results" / "clustering.md"
SIZES = (10_000, 30_000, 100_000, 300_000, 581_012)
N_MEMBERS = 20
N_CLUSTERS = 7
METHODS = ("mcla", "hbgf", "voting")


def covertype() -> NDArray[np.float64]:
    """The ten columns of covertype that are measured."""
    frame, _ = read_frame("covertype")
    return frame.iloc[:, :10].to_numpy(dtype=np.float64)


def by_rows(sizes: tuple[int, ...]) -> list[list[Any]]:
    """By the number of rows: CPU seconds of the whole fit and of single methods, and agreement."""
    X = covertype()
    order = np.random.default_rng(0).permutation(len(X))
    found = []
    for n_rows in sizes:
        began = time.process_time()
        model = ClusterEnsemble(
            n_clusters=N_CLUSTERS, n_members=N_MEMBERS, k_max=20, random_state=0
        ).fit(X[order[:n_rows]])
        row = [n_rows, time.process_time() - began]
        for method in METHODS:
            began = time.process_time()
            consensus(model.member_labels_, N_CLUSTERS, method)
            row.append(time.process_time() - began)
        found.append([*row, model.tuples_, model.consensus_, model.anmi_])
        print(found[-1], flush=True)
    return found


def small_tables() -> dict[str, tuple[NDArray[Any], NDArray[Any]]]:
    """Tables whose classes stand for clusters."""
    scaled = StandardScaler().fit_transform
    tables = {
        "iris": load_iris(return_X_y=True),
        "wine": load_wine(return_X_y=True),
        "digits": load_digits(return_X_y=True),
        "moons": make_moons(500, noise=0.06, random_state=0),
    }
    for name in ("ionosphere", "vehicle"):
        frame, y = read_frame(name)
        tables[name] = frame.select_dtypes("number").to_numpy(dtype=np.float64), y
    return {name: (scaled(X), y) for name, (X, y) in tables.items()}


def by_table(seeds: int) -> dict[str, dict[str, float]]:
    """Mean adjusted Rand index by method and table."""
    found: dict[str, dict[str, list[float]]] = {}
    for table, (X, y) in small_tables().items():
        n_clusters = len(np.unique(y))
        for seed in range(seeds):
            labels = {
                f"k-means, {starts} start{'s' * (starts > 1)}": KMeans(
                    n_clusters, n_init=starts, random_state=seed
                )
                .fit(X)
                .labels_
                for starts in (1, 10)
            }
            for name in ("auto", *CONSENSUS):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    model = ClusterEnsemble(
                        n_clusters=n_clusters, consensus=name, n_members=30, random_state=seed
                    ).fit(X)
                labels[name] = model.labels_
            for name, codes in labels.items():
                row = found.setdefault(name, {}).setdefault(table, [])
                row.append(adjusted_rand(codes, y))
        print(table, flush=True)
    return {
        name: {table: float(np.mean(parts)) for table, parts in row.items()}
        for name, row in found.items()
    }


def page(rows: list[list[Any]], tables: dict[str, dict[str, float]]) -> str:
    """The tables in Markdown."""
    lines = [
        "# Cluster ensembles",
        "",
        "Written by `python -m benchmarks.clustering`.",
        "",
        f"Seven clusters of covertype's ten measured columns, {N_MEMBERS} members of 7 to 20 "
        "clusters, one thread: CPU seconds of the whole fit, members and the better of MCLA and "
        "HBGF included, and of single consensus functions on the members' labels; and the mean "
        "normalised mutual information with the members of the one that was kept.",
        "",
        f"| rows | whole fit | {' | '.join(METHODS)} | distinct tuples | kept | agreement |",
        "|---:|---:|" + "---:|" * len(METHODS) + "---:|---|---:|",
    ]
    for n_rows, *seconds, tuples, name, agreement in rows:
        cells = " | ".join(f"{part:.1f}" for part in seconds)
        lines.append(f"| {n_rows:,} | {cells} | {tuples:,} | {name} | {agreement:.3f} |")
    names = list(next(iter(tables.values())))
    lines += [
        "",
        "Adjusted Rand index with the classes of small tables, mean of several seeds. Classes are "
        "not clusters: on some tables nothing finds them.",
        "",
        "| method | " + " | ".join(names) + " | mean |",
        "|---|" + "---:|" * (len(names) + 1),
    ]
    for method, row in tables.items():
        cells = [f"{row[name]:.3f}" for name in names]
        lines.append(f"| {method} | {' | '.join(cells)} | {np.mean(list(row.values())):.3f} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--most-rows", type=int, default=SIZES[-1])
    given = parser.parse_args()
    sizes = tuple(size for size in SIZES if size <= given.most_rows)
    RESULTS.write_text(page(by_rows(sizes), by_table(given.seeds)), encoding="utf-8")
    print(RESULTS.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
