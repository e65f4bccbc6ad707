"""Native ensembles say the same in ONNX."""

import pytest
from sklearn.base import clone, is_classifier

import coterie
from coterie.export.onnx_native import is_native
from tests.contract.exported import ESTIMATORS, make
from tests.export.runtime import NUMBERS, THREE, TWO, X, agree

#: Their members are trees only if asked for.
OTHERS = {"CoTrainingByCommitteeClassifier", "SelfTrainingClassifier", "UDEEDClassifier"}
NATIVE = sorted({cls.__name__ for cls in ESTIMATORS if is_native(cls)} - OTHERS)
CLASSIFIERS = [name for name in NATIVE if name.endswith("Classifier")]
REGRESSORS = [name for name in NATIVE if name not in CLASSIFIERS]


def of(name, **params):
    cls = getattr(coterie, name)
    if name == "AnyBoostClassifier":
        params.setdefault("loss", "logistic")
    return make(cls, **params)


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers(name, y, tmp_path):
    model = of(name, categorical_features=[3, 4])
    agree(model.fit(X, y), tmp_path)


@pytest.mark.parametrize("name", REGRESSORS)
def test_regressors(name, tmp_path):
    agree(of(name, categorical_features=[3, 4]).fit(X, NUMBERS), tmp_path)


@pytest.mark.parametrize(
    "model",
    [
        coterie.HistGradientBoostingRegressor(max_iter=5, loss="poisson"),
        coterie.HistGradientBoostingRegressor(max_iter=5, loss="gamma"),
        coterie.HistGradientBoostingRegressor(max_iter=5, loss="huber"),
        coterie.HistGradientBoostingRegressor(max_iter=5, boosting="dart", random_state=0),
        coterie.GradientBoostingSurvival("aft", max_iter=5),
        coterie.AnyBoostClassifier(n_estimators=5, loss="exponential"),
        coterie.HistGradientBoostingClassifier(max_iter=5, loss="exponential"),
        coterie.BoostingClassifier(n_estimators=5),
        coterie.BaggingClassifier(n_estimators=5, voting="hard", random_state=0),
        coterie.RandomForestRegressor(5, max_depth=3, random_state=0),
        coterie.DecisionTreeClassifier(max_depth=1),
        coterie.DecisionTreeRegressor(min_samples_split=10_000),
    ],
    ids=lambda model: str(model).replace("\n", ""),
)
def test_settings_that_matter(model, tmp_path):
    agree(clone(model).fit(X, TWO if is_classifier(model) else NUMBERS), tmp_path)


def test_a_class_of_others_has_no_form():
    class Mine(coterie.RandomForestClassifier):
        pass

    assert is_native(coterie.RandomForestClassifier)
    assert not is_native(Mine)
