"""What fitted ensembles look at, and how much."""

from coterie.interpretation.shapley import Explanation, shap_values

__all__ = ["Explanation", "shap_values"]
