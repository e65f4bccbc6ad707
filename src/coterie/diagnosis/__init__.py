"""A diagnosis of any fitted ensemble in plain words, each backed by a measured number."""

from coterie.diagnosis.account import Diagnosis
from coterie.diagnosis.finding import Finding
from coterie.diagnosis.questions import diagnose

__all__ = ["Diagnosis", "Finding", "diagnose"]
