"""What the base asks of a host: admitting a collection's rows, and answering for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np

from coterie.base import Admitted, Committee
from coterie.base.bagged import Bagged
from coterie.base.check import admit_target
from coterie.base.executor import members_on
from coterie.base.scoring import Validation
from coterie.boosting.booster import Booster
from coterie.boosting.gradient.base import GradientBooster
from coterie.boosting.gradient.default_rules import TableFacts, is_auto, ordered_columns
from coterie.boosting.gradient.fit import Given
from coterie.combining.combiner import Combiner
from coterie.data import DataError, Schema, read_weight
from coterie.data.errors import at_start
from coterie.distributed.cluster_executor import ClusterExecutor
from coterie.distributed.partitions import Partitions, recipes
from coterie.distributed.remote_run import RemoteBoard, RemoteRun
from coterie.distributed.remote_table import RemoteTable
from coterie.distributed.session import NotDistributedError, Session
from coterie.outliers.isolation_forest import IsolationTrees
from coterie.ranking import LambdaMARTRanker
from coterie.selection.pooled import Pooled

# They take the rows as they are, so all of them come here; members and folds are spread.
_WHOLE_TABLE = (Bagged, Booster, Combiner, IsolationTrees, Pooled)


@contextmanager
def admitted(
    estimator: Any, X: Any, y: Any, sample_weight: Any, extra: dict[str, Any]
) -> Iterator[tuple[Admitted, int, dict[str, Any]]]:
    """Validate the rows of a Dask collection for a fit, and clean up the cluster afterwards.

    Parameters
    ----------
    estimator : estimator
        Who is fitted.
    X, y, sample_weight : Dask collections, or arrays for the latter two
        As passed to ``fit``.
    extra : dict
        What else ``fit`` was given.

    Yields
    ------
    admitted, n_samples, extra
        The rows, how many were given, and what else the fit should know.
    """
    with Session.open() as session:
        session.go_direct()
        if _grows_by_shards(estimator):
            _refuse(estimator)
            rows, n_samples = _admit(session, estimator, X, y, sample_weight)
            _refuse_ordered(estimator, rows)
            _refuse_shuffled(estimator, rows)
            yield rows, n_samples, {**extra, "given": _remote(session, extra["given"])}
            return
        if _needs_bins_alone(estimator):
            rows, n_samples = _admit(session, estimator, X, y, sample_weight, gathers=True)
        elif isinstance(estimator, _WHOLE_TABLE):
            X, y, weight = (here(session, given) for given in (X, y, sample_weight))
            rows, n_samples = estimator._admit_fit(X, y, weight), len(X)
        else:
            raise NotDistributedError.of(f"{type(estimator).__name__}.fit")
        with members_on(ClusterExecutor(session)):
            yield rows, n_samples, here(session, extra)


@contextmanager
def fetched(X: Any) -> Iterator[Any]:
    """Fetch all rows of a collection, while members are fitted on the cluster."""
    with on_workers() as session:
        yield here(session, X)


@contextmanager
def on_workers() -> Iterator[Session]:
    """Fit members and folds on the workers of the Dask client, for tables in memory.

    This applies to bagging, forests, combiners, dynamic selection, and the candidates of
    `fit_table`. The models are the same as without the workers.

    Examples
    --------
    >>> from coterie.distributed import on_workers
    >>> def search(frame):
    ...     with on_workers():
    ...         return fit_table(frame, "late")
    """
    with Session.open() as session, members_on(ClusterExecutor(session)):
        yield session


def _is_plain(estimator: Any) -> bool:
    """Whether rows are read in the usual way; those who read them otherwise need them here."""
    usual = Committee._admit_fit, GradientBooster._admit_fit, LambdaMARTRanker._admit_fit
    return type(estimator)._admit_fit in usual


def _grows_by_shards(estimator: Any) -> bool:
    """Whether rows stay on the workers, which count for the driver."""
    return isinstance(estimator, GradientBooster) and _is_plain(estimator)


def _needs_bins_alone(estimator: Any) -> bool:
    """Whether nothing but bins is asked of the rows, so that only these come here."""
    if not _is_plain(estimator):
        return False
    if isinstance(estimator, Booster):
        return not estimator._members_read
    return isinstance(estimator, Bagged) and estimator.learns_from_bins


def _admit(
    session: Session, estimator: Any, X: Any, y: Any, sample_weight: Any, *, gathers: bool = False
) -> tuple[Admitted, int]:
    """Read weights, target and columns as `admit_fit` does."""
    partitions = Partitions.open(
        session,
        X,
        categorical=estimator.categorical_features,
        infinite=estimator.infinities,
    )
    n_rows = partitions.n_rows
    weight, kept = read_weight(here(session, sample_weight), n_rows)
    if y is None and estimator.task != "none":
        raise DataError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y "
            "is None."
        )
    ranks = isinstance(estimator, LambdaMARTRanker)  # grades and queries are two columns of numbers
    target = admit_target(
        estimator,
        here(session, y),
        kept,
        n_rows,
        task="regression" if ranks else estimator.task,
        min_classes=estimator.min_classes,
        multi_output=estimator.multi_output or estimator.multi_label or ranks,
    )
    table = RemoteTable.of(partitions, kept, gathers=gathers)
    return Admitted(table, target, weight, kept), n_rows


def here(session: Session, given: Any) -> Any:
    """A Dask collection as an array or a frame, also in dicts and pairs; others as they are."""
    if isinstance(given, Validation):
        return Validation(*(here(session, part) for part in given))
    if isinstance(given, dict):
        return {name: here(session, part) for name, part in given.items()}
    there = hasattr(given, "dask") and hasattr(given, "compute")
    return session.fetch(given) if there else given


def _remote(session: Session, given: Given) -> Given:
    """What `fit` was given, for rounds on the cluster; rows to watch come here."""
    fetch = partial(here, session)
    return given._replace(
        validation=fetch(given.validation),
        eval_sets=fetch(given.eval_sets),
        init_score=fetch(given.init_score),
        init_score_val=fetch(given.init_score_val),
        board=RemoteBoard.at,
        run=RemoteRun,
    )


def _refuse_ordered(booster: GradientBooster, rows: Admitted) -> None:
    """Refuse categories that `BoostedTrees*` would replace by statistics of their own accord."""
    if not is_auto(booster.high_cardinality):
        return
    facts = TableFacts.of(rows, booster.effort)
    many = ordered_columns(facts, rows.table.schema.labels)
    if many:
        shown = at_start(rows.table.schema.column(many[0]))
        raise NotDistributedError(
            f"{shown} has so many categories that {type(booster).__name__} would replace them by "
            "target statistics, which is not supported on Dask collections. Set "
            "high_cardinality='split', or pass X.compute() and y.compute()."
        )


def _refuse_shuffled(booster: GradientBooster, rows: Admitted) -> None:
    """Refuse documents that a ranker would sort by query in memory."""
    if isinstance(booster, LambdaMARTRanker) and np.any(np.diff(rows.target.values[:, 1]) < 0):
        raise NotDistributedError(
            f"{type(booster).__name__} needs the rows of a Dask collection in the order of their "
            "queries. Sort them first, as with frame.sort_values('query'), or pass X.compute() and "
            "y.compute()."
        )


def _refuse(booster: GradientBooster) -> None:
    """Name what works in memory only."""
    scorings = booster.scoring if isinstance(booster.scoring, list | tuple) else [booster.scoring]
    refused = {
        "a number for missing values (missing=)": booster.missing is not None,
        "an initial model (init=)": hasattr(booster.init, "fit"),
        "high_cardinality='ordered'": booster.high_cardinality == "ordered",
        "a function as scoring": any(callable(one) for one in scorings),
    }
    for what, is_given in refused.items():
        if is_given:
            raise NotDistributedError.of(f"{type(booster).__name__} with {what}")


def answers(method: str, model: Any, X: Any, args: tuple[Any, ...], settings: Any) -> Any:
    """The result of a model's method for the rows of a Dask collection, lazily by partition.

    Parameters
    ----------
    method : str
        Its name.
    model : estimator
        The fitted model.
    X : Dask array or frame
        The rows.
    args, settings : tuple, dict
        Passed on.

    Returns
    -------
    Dask series, frame or array
        See `mapped`.
    """
    return mapped(partial(_ask, method, args, settings), model, X)


def _ask(method: str, args: Any, settings: Any, model: Any, rows: Any) -> Any:
    return getattr(model, method)(rows, *args, **settings)


def mapped(ask: Callable[[Any, Any], Any], model: Any, X: Any) -> Any:
    """``ask(model, rows)`` for the rows of a Dask collection, lazily by partition.

    Parameters
    ----------
    ask : callable
        Its answers are arrays, with an entry for every row.
    model : estimator
        The fitted model.
    X : Dask array or frame
        The rows.

    Returns
    -------
    Dask series, frame or array
        One number or label per row of a frame: a series with its index and divisions. Otherwise an
        array, with a block for every partition.
    """
    import dask
    import dask.array as da

    # A row tells kind and shape of the answers.
    sample = ask(model, _row(model.schema_))
    if isinstance(sample, list):
        raise NotDistributedError.of("Prediction of several outputs")
    sample = np.asarray(sample)
    if hasattr(X, "columns") and sample.ndim == 1:
        import pandas as pd

        meta = (X.columns[0], pd.Series(sample).dtype)  # pandas 3 has a type for text
        return X.map_partitions(_answer_series, model, ask, meta=meta)
    shared = dask.delayed(model, pure=False)
    answer = dask.delayed(_answer, pure=False)
    blocks = [
        da.from_delayed(answer(part, shared, ask), shape=(size, *sample.shape[1:]), meta=sample[:0])
        for part, size in zip(recipes(X), _sizes(X), strict=True)
    ]
    return da.concatenate(blocks, allow_unknown_chunksizes=True)


def _sizes(X: Any) -> Any:
    """Rows of each partition, NaN where nobody knows."""
    return [np.nan] * X.npartitions if hasattr(X, "columns") else X.chunks[0]


def _row(schema: Schema) -> Any:
    """Some row of a table."""
    labels: list[Any] = [schema.labels.get(j, ()) for j in range(schema.n_columns)]
    cells = [known[0] if len(known) else 0.0 for known in labels]
    for j in schema.moments:
        cells[j] = np.nan  # a date of any kind may be missing
    if schema.names is None:
        return np.array([cells], dtype=object if schema.labels else np.float64)
    import pandas as pd

    return pd.DataFrame({name: [cell] for name, cell in zip(schema.names, cells, strict=True)})


def _answer(part: Any, model: Any, ask: Callable[[Any, Any], Any]) -> Any:
    """What is said of a partition; nothing of an empty one."""
    return ask(model, part) if len(part) else ask(model, _row(model.schema_))[:0]


def _answer_series(part: Any, model: Any, ask: Callable[[Any, Any], Any]) -> Any:
    """The same as a series with the partition's index."""
    import pandas as pd

    said = _answer(part, model, ask)
    return pd.Series(said, index=part.index, name=part.columns[0])
