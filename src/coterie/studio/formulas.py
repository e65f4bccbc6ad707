"""The formulas of a method as text, with places for the numbers of the round."""

from __future__ import annotations

from typing import Any

# Names in braces are facts of the round. A line whose facts are missing is shown without numbers.
Line = tuple[str, str]

_WEIGHTS = ("Weighted error of the new member", "εₜ = Σᵢ Dₜ(i)·[hₜ(xᵢ) ≠ yᵢ] = {error}")
_EDGE = ("Its edge", "γₜ = 1 − 2εₜ = 1 − 2·{error} = {edge}")
_ADABOOST = [
    _WEIGHTS,
    ("Its weight", "αₜ = ½ ln((1 − εₜ)/εₜ) = ½ ln((1 − {error})/{error}) = {alpha}"),
    ("Normaliser", "Zₜ = (1 − εₜ)e^(−αₜ) + εₜe^(αₜ) = {normaliser}"),
    ("New row weights", "Dₜ₊₁(i) = Dₜ(i)·exp(−αₜ yᵢ hₜ(xᵢ)) / {normaliser}"),
    ("Training error is at most", "Z₁·Z₂⋯Zₜ = {bound}"),
]
_SAMME = [
    _WEIGHTS,
    (
        "Its weight, with K classes",
        "αₜ = ln((1 − εₜ)/εₜ) + ln(K − 1), times the learning rate = {alpha}",
    ),
    ("New row weights", "Dₜ₊₁(i) ∝ Dₜ(i)·exp(αₜ·[hₜ(xᵢ) ≠ yᵢ])"),
]
_MARGIN = [
    _EDGE,
    ("Smallest margin", "ρₜ = minᵢ yᵢ Σₛ αₛhₛ(xᵢ) = {margin}"),
    ("Upper bound for any vote of such members", "minₛ γₛ = {margin_bound}"),
    ("Certificate: remaining gap at most", "{margin_bound} − {margin} = {gap}"),
]
_DESCENT = [
    ("Target of the member", "rᵢ = −∂ℓ(yᵢ, F(xᵢ))/∂F(xᵢ)"),
    ("Step", "F ← F + ν·hₜ, ν = {weight}"),
    ("Training loss", "{bag_loss}"),
]
_LINES: dict[str, list[Line]] = {
    "AdaBoostClassifier": _ADABOOST,
    "BoostingClassifier": _ADABOOST,
    "CostSensitiveBoostClassifier": [*_ADABOOST, ("Cost on the training rows", "{train_cost}")],
    "MultiBoostClassifier": _ADABOOST,
    "RealAdaBoostClassifier": [
        ("Vote of the new member", "hₜ(x) = ½ ln(P(y=1|x)/P(y=−1|x)), by Dₜ"),
        ("Normaliser", "Zₜ = Σᵢ Dₜ(i)·exp(−yᵢhₜ(xᵢ)) = {normaliser}"),
        ("Training error is at most", "Z₁·Z₂⋯Zₜ = {bound}"),
    ],
    "GentleBoostClassifier": [
        ("Vote of the new member", "hₜ(x) = E[y|x], by Dₜ: between −1 and 1"),
        ("Normaliser", "Zₜ = Σᵢ Dₜ(i)·exp(−yᵢhₜ(xᵢ)) = {normaliser}"),
        ("Training error is at most", "Z₁·Z₂⋯Zₜ = {bound}"),
    ],
    "LogitBoostClassifier": [
        ("Target of the member", "zᵢ = (yᵢ* − pᵢ) / (pᵢ(1 − pᵢ)), with weight pᵢ(1 − pᵢ)"),
        ("Step", "F ← F + {alpha}·hₜ"),
        ("Deviance", "−mean ln pᵢ(yᵢ) = {loss}"),
        ("Training error is at most", "{loss} / ln 2 = {bound}"),
    ],
    "MadaBoostClassifier": [
        _WEIGHTS,
        ("Its weight", "αₜ = ½ ln((1 − εₜ)/εₜ) = {alpha}"),
        ("Weights never exceed their initial values", "Dₜ₊₁(i) ∝ D₁(i)·min(1, exp(−yᵢF(xᵢ)))"),
        ("Remaining total weight", "{mass}"),
        ("Training error is at most", "{bound}"),
    ],
    "AdaBoostM2Classifier": [
        ("Pseudo-loss", "εₜ = {error}"),
        ("Its weight", "αₜ = ½ ln((1 − εₜ)/εₜ) = {alpha}"),
        ("Training error is at most", "(K − 1)·∏Zₜ = {bound}"),
    ],
    "AdaBoostMHClassifier": [
        ("Error over pairs of rows and classes", "εₜ = {error}"),
        ("Its weight", "αₜ = {alpha}"),
        ("Normaliser", "Zₜ = {normaliser}"),
        ("Training error is at most", "{bound}"),
    ],
    "AnyBoostClassifier": [
        ("Row weights", "Dₜ(i) ∝ −c′(yᵢF(xᵢ))"),
        _WEIGHTS,
        ("Its weight", "αₜ = {alpha}"),
        ("Loss", "mean c(yᵢF(xᵢ)) = {loss}"),
    ],
    "AdaBoostVClassifier": [_WEIGHTS, *_MARGIN],
    "LPBoostClassifier": _MARGIN,
    "TotalBoostClassifier": _MARGIN,
    "SoftBoostClassifier": _MARGIN,
    "ERLPBoostClassifier": _MARGIN,
    "BrownBoostClassifier": [
        _WEIGHTS,
        ("Row weights", "Dₜ(i) ∝ exp(−(yᵢF(xᵢ) + s)²/c)"),
        ("Time the round took", "{elapsed}; left: s = {left}"),
        ("Potential, which does not change", "½ mean(1 − erf((yᵢF(xᵢ) + s)/√c)) = {potential}"),
        ("Training error is at most", "{bound}"),
    ],
    "RobustBoostClassifier": [
        _WEIGHTS,
        ("Time", "t = {time}, of which this round took {elapsed}"),
        ("Earlier members lose weight", "F ← e^(−Δt)·F + {alpha}·hₜ"),
        ("Mean potential", "{potential}"),
        ("Training error is at most", "{bound}"),
    ],
    "AdaBoostRegressor": [
        ("Mean loss of the new member", "L̄ₜ = Σᵢ Dₜ(i)·|hₜ(xᵢ) − yᵢ| / Dₘₐₓ = {error}"),
        ("Its weight in the median", "ln(1/βₜ) = ln((1 − L̄ₜ)/L̄ₜ) = {alpha}"),
        ("New row weights", "Dₜ₊₁(i) ∝ Dₜ(i)·βₜ^(1 − Lᵢ)"),
    ],
    "AdaBoostRTRegressor": [
        ("Weight of rows with large errors", "εₜ = {error}"),
        ("Its weight", "ln(1/βₜ), βₜ = εₜᵖ, times the learning rate = {alpha}"),
    ],
    "FunctionalGradientBoosting": [
        _DESCENT[0],
        ("Step", "F ← F + {alpha}·hₜ"),
        ("Training loss", "{loss}"),
    ],
    "GradientBoosting": _DESCENT,
    "HistGradientBoosting": _DESCENT[:2],
    "BoostedTrees": [_DESCENT[0], ("Loss on held-out rows", "{validation_loss}")],
}
_BAG = [
    ("Each member is fitted to a bag", "n of the n rows, drawn with replacement"),
    ("Members are averaged", "F(x) = (1/T) Σₜ hₜ(x)"),
    ("Variance of the mean", "ρσ² + (1 − ρ)σ²/T, with members of variance σ² and correlation ρ"),
]


def formulas_of(model: Any) -> list[Line]:
    """Title and formula of each step of a method, from its class or the family it belongs to.

    Examples
    --------
    >>> from coterie import AdaBoostClassifier
    >>> formulas_of(AdaBoostClassifier())[-1]
    ('Training error is at most', 'Z₁·Z₂⋯Zₜ = {bound}')
    """
    for cls in type(model).__mro__:
        name = cls.__name__
        for key in (name, name.removesuffix("Classifier").removesuffix("Regressor")):
            if key in _LINES:
                return _suited(_LINES[key], model)
    return [] if hasattr(model, "trace_") else _BAG


def _suited(lines: list[Line], model: Any) -> list[Line]:
    """The lines as they hold for the model's number of classes and its learning rate."""
    if lines is _ADABOOST and len(getattr(model, "classes_", ())) > 2:
        lines = _SAMME
    rate = getattr(model, "learning_rate", 1.0)
    if rate == 1.0:
        return lines
    return [
        (title, text.replace("½ ln((1", f"{rate:g}·½ ln((1"))
        if title == "Its weight"
        else (title, text)
        for title, text in lines
    ]
