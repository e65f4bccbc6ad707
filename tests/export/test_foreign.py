"""Members of other packages, through skops."""

import builtins

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import coterie
from coterie.export import ModelFileError, SaveError, UntrustedTypesError, describe
from coterie.export.foreign import read_foreign

pytest.importorskip("skops")

X = np.random.default_rng(0).normal(size=(60, 3))
Y = np.where(X[:, 0] + X[:, 1] > 0, "a", "b")


def saved(model, tmp_path, **options):
    coterie.save(model, tmp_path / "model")
    return coterie.load(tmp_path / "model", **options)


@pytest.mark.parametrize(
    "member",
    [
        LogisticRegression(),
        GaussianNB(),
        KNeighborsClassifier(3),
        RandomForestClassifier(3, random_state=0),
        make_pipeline(StandardScaler(), LogisticRegression()),
        make_pipeline(StandardScaler(), coterie.DecisionTreeClassifier(max_depth=2)),
    ],
    ids=lambda member: type(member).__name__,
)
def test_members_of_others_come_back(member, tmp_path):
    tree = coterie.DecisionTreeClassifier(max_depth=2)
    model = coterie.VotingClassifier([("a", member), ("b", tree)], voting="soft").fit(X, Y)
    again = saved(model, tmp_path)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert describe(tmp_path / "model")["foreign"]
    assert again.estimators_[0] is again.named_estimators_["a"]
    again.fit(X, Y)


def test_bags_of_others_come_back(tmp_path):
    model = coterie.BaggingClassifier(LogisticRegression(), n_estimators=3, random_state=0)
    again = saved(model.fit(X, Y), tmp_path)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


def test_splitters_and_final_estimators_come_back(tmp_path):
    members = [("a", LogisticRegression()), ("b", coterie.DecisionTreeClassifier())]
    model = coterie.StackingClassifier(
        members, final_estimator=LogisticRegression(), cv=StratifiedKFold(3)
    )
    again = saved(model.fit(X, Y), tmp_path)
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


class Mine(ClassifierMixin, BaseEstimator):
    """An estimator that nobody knows."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.repeat(self.classes_[:1], len(X))


def test_unknown_types_need_trust(tmp_path):
    members = [("mine", Mine()), ("boost", HistGradientBoostingClassifier(max_iter=2))]
    model = coterie.VotingClassifier(members, voting="hard").fit(X, Y)
    coterie.save(model, tmp_path / "model")
    with pytest.raises(UntrustedTypesError) as caught:
        coterie.load(tmp_path / "model")
    # All of them at once, whichever member they are in.
    assert any(name.endswith(".Mine") for name in caught.value.types)
    assert any("TreePredictor" in name for name in caught.value.types)
    with pytest.raises(UntrustedTypesError):
        coterie.load(tmp_path / "model", trusted=caught.value.types[:1])
    again = coterie.load(tmp_path / "model", trusted=caught.value.types)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_ours_inside_of_others_is_refused(tmp_path):
    search = GridSearchCV(coterie.DecisionTreeClassifier(), {"max_depth": [1]})
    with pytest.raises(SaveError, match="contains estimators of coterie"):
        coterie.save(coterie.BaggingClassifier(search), tmp_path / "model")


def test_bytes_that_skops_did_not_write_are_refused():
    for data in (b"", b"PK\x03\x04", b"x" * 100):
        with pytest.raises(ModelFileError, match="cannot be read"):
            read_foreign(data, ())


def test_native_models_need_no_skops(tmp_path, monkeypatch):
    importing = builtins.__import__

    def without(name, *args, **kwargs):
        if name.partition(".")[0] == "skops":
            raise ImportError(name)
        return importing(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    saved(coterie.DecisionTreeClassifier().fit(X, Y), tmp_path)
    with pytest.raises(ImportError, match=r"coterie\[export\]"):
        saved(GaussianNB(), tmp_path)
