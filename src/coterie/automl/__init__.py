"""The best ensemble for a table: a portfolio of members, tried and combined within a time limit."""

from coterie.automl.estimators import TableClassifier, TableRegressor
from coterie.automl.journal import Journal
from coterie.automl.records import Column, Entry, Event, Finding, TableMember
from coterie.automl.table import fit_rows, fit_table
from coterie.automl.targets import TableModels

__all__ = [
    "Column",
    "Entry",
    "Event",
    "Finding",
    "Journal",
    "TableClassifier",
    "TableMember",
    "TableModels",
    "TableRegressor",
    "fit_rows",
    "fit_table",
]
