"""A diagnosis of any fitted ensemble in plain English, backed by measured numbers."""

from coterie.diagnosis.account import Diagnosis
from coterie.diagnosis.finding import Finding
from coterie.diagnosis.questions import diagnose

__all__ = ["Diagnosis", "Finding", "diagnose"]
