"""A one-page report: what a model is, how good it is, and what to watch out for.

1. `facts` collects the results of a fitted model as plain data, which can be saved as JSON.
2. `html` and `markdown` only render facts; they know nothing of models.
3. `model_card` renders them for repositories of models.
4. `write_report` gathers and renders, and writes the file in one step.
"""

from coterie.report.card import model_card
from coterie.report.collect import facts
from coterie.report.page import html
from coterie.report.text import markdown
from coterie.report.write import write_report

__all__ = ["facts", "html", "markdown", "model_card", "write_report"]
