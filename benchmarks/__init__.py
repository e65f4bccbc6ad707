"""Ratios of time, memory and accuracy against scikit-learn, LightGBM and XGBoost.

``python -m benchmarks`` measures; ``benchmarks/README.md`` says what and how.
"""
