"""The diagnosis of any fitted ensemble."""

from __future__ import annotations

from functools import partial
from typing import Any

from coterie import fusion, theory
from coterie.diagnosis.account import Diagnosis
from coterie.diagnosis.accuracy import accuracy, recalls
from coterie.diagnosis.calibration import calibration
from coterie.diagnosis.case import Case
from coterie.diagnosis.ensemble_predictions import answers_of
from coterie.diagnosis.overfitting import overfitting, training_of
from coterie.diagnosis.remedies import remedies
from coterie.diagnosis.residuals import bias, spread
from coterie.diagnosis.size import size
from coterie.diagnosis.variety import equality, variety


def diagnose(
    model: Any,
    X: Any,
    y: Any,
    *,
    X_train: Any = None,
    y_train: Any = None,
    sample_weight: Any = None,
    verify: bool = True,
) -> Diagnosis:
    r"""Diagnose the strengths and weaknesses of a fitted ensemble on held-out rows.

    Every answer is based on a measured number and its standard error over the rows:

    1. *accurate?* The error, compared with that of a constant baseline (the most frequent class,
       the mean), of the best member and of the average member.
    2. *diverse?* What voting gains, :math:`\bar E - E_{vote}`, as good minus bad diversity [1]_;
       the effective number of members, and the error of independent members with the same errors.
       For regression, the ambiguity decomposition.
    3. *oversized?* The error by number of members or rounds, and the first size from which it stays
       within one standard error of the full size, or of the best size if that is clearly better.
    4. *overfitting?* The gap to the training error, or to the out-of-bag or out-of-fold error.
    5. *calibrated?* The calibration error, compared with that of perfectly calibrated probabilities
       on as many rows, and the log-loss with a temperature learnt from other rows. For regression:
       *unbiased?*
    6. *even classes?* The class with the lowest recall. For regression: *even spread?*
    7. *equal members?* Members that are worse than the baseline, and weights concentrated on few
       members.

    Advice is given only where a number supports it. Before advising more regularisation, copies of
    the model are refitted with it, if the training rows are given.

    Parameters
    ----------
    model : fitted model, or list of fitted models
        An ensemble of coterie or scikit-learn, a list of models (combined by plurality or mean), a
        pipeline or search that ends in one, or a model of LightGBM or XGBoost, with scikit-learn's
        interface or as a bare ``Booster`` (its classes are 0, 1, ...). For models without members,
        only some questions are answered.
    X, y : array-like or data frame, array-like
        Rows that the model has not seen, and their targets.
    X_train, y_train : array-like or data frame, array-like, optional
        The training rows, in their original order.
    sample_weight : array-like of shape (n_rows,), optional
        Weights of the rows.
    verify : bool, default=True
        Whether copies of a model that overfits are refitted, to see what would help. This takes
        two or three fits.

    Returns
    -------
    Diagnosis
        It prints as plain text; `findings` holds the numbers.

    References
    ----------
    .. [1] Brown & Kuncheva, "'Good' and 'bad' diversity in majority vote ensembles", MCS (2010).

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from coterie import DecisionTreeClassifier, diagnose
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> tree = DecisionTreeClassifier(random_state=0).fit(X[::2], y[::2])
    >>> found = diagnose(tree, X[1::2], y[1::2], X_train=X[::2], y_train=y[::2])
    >>> found["overfitting?"].verdict
    'yes'
    """
    answers = answers_of(model, X)
    case = Case.of(answers, y, sample_weight)
    training = training_of(model, case, X_train, y_train)
    attempt = None
    if verify and X_train is not None:
        attempt = partial(remedies, model, case, X, X_train, y_train)
    findings = [accuracy(case), variety(case), size(case), overfitting(case, training, attempt)]
    if case.labels:
        findings += [calibration(case), recalls(case)]
    else:
        findings += [bias(case), spread(case)]
    findings.append(equality(case))
    return Diagnosis(
        answers.name,
        "classification" if case.labels else "regression",
        len(case.truth),
        answers.n_parts,
        answers.unit,
        findings,
        None if answers.classes is None else answers.classes.tolist(),
        *_curves(case),
    )


def _curves(case: Case) -> tuple[Any, Any]:
    """On which rows members fail, and how reliable probabilities are, where that is known."""
    profile = reliability = None
    answers = case.answers
    if case.labels and answers.ballot is not None:
        given = {"vote": answers.vote, "sample_weight": case.weight}
        profile = theory.dissent(answers.ballot.labels, case.truth, **given)
    if case.labels and answers.chances is not None:
        reliability = fusion.reliability_curve(
            answers.chances, case.codes, sample_weight=case.weight
        )
    return profile, reliability
