import subprocess
import sys

import numpy as np
import pytest

from coterie import RandomForestClassifier
from coterie.datasets import load_table

# Importing MLflow takes seconds, and some of what it imports warns.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def mlflow():
    """MLflow, whose own imports warn."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pytest.importorskip("mlflow")


@pytest.fixture(scope="module")
def credit():
    pytest.importorskip("pandas")
    X, y = load_table("german_credit", as_frame=True, return_X_y=True)
    X = X.astype({name: "str" for name in X.select_dtypes("category")})
    return RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y), X


def test_a_saved_model_predicts_the_same(mlflow, credit, tmp_path):
    import coterie.mlflow

    model, X = credit
    coterie.mlflow.save_model(model, tmp_path / "m", input_example=X[:3], metadata={"by": "us"})
    again = coterie.mlflow.load_model(str(tmp_path / "m"))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    kept = mlflow.models.Model.load(str(tmp_path / "m" / "MLmodel"))
    assert kept.metadata["by"] == "us"
    assert kept.signature.inputs.input_names() == list(X.columns)
    assert "coterie==" in (tmp_path / "m" / "requirements.txt").read_text()


def test_pyfunc_gives_labels_and_by_parameter_probabilities(mlflow, credit, tmp_path):
    from mlflow.models import infer_signature

    import coterie.mlflow

    model, X = credit
    ask = {"predict_method": "predict_proba"}
    signature = infer_signature(X[:3], model.predict(X[:3]), params={"predict_method": "predict"})
    coterie.mlflow.save_model(model, tmp_path / "m", signature=signature)
    served = mlflow.pyfunc.load_model(str(tmp_path / "m"))
    assert list(served.predict(X[:20])) == list(model.predict(X[:20]))
    np.testing.assert_array_equal(served.predict(X[:20], params=ask), model.predict_proba(X[:20]))
    with pytest.raises(ValueError, match="predict, predict_proba"):
        served.predict(X[:20], params={"predict_method": "fit"})


def test_a_run_logs_a_model(mlflow, credit, tmp_path, monkeypatch):
    import coterie.mlflow

    # MLflow's small package has no database.
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    model, X = credit
    mlflow.set_tracking_uri((tmp_path / "runs").as_uri())
    try:
        with mlflow.start_run():
            logged = coterie.mlflow.log_model(model, "credit", input_example=X[:3])
        again = coterie.mlflow.load_model(logged.model_uri)
    finally:
        mlflow.set_tracking_uri(None)
    assert list(again.predict(X[:20])) == list(model.predict(X[:20]))


def test_a_folder_that_is_not_empty_is_refused(mlflow, credit, tmp_path):
    import coterie.mlflow

    (tmp_path / "mine.txt").write_text("keep")
    with pytest.raises(FileExistsError, match="not empty"):
        coterie.mlflow.save_model(credit[0], tmp_path)
    assert (tmp_path / "mine.txt").read_text() == "keep"


def test_a_damaged_file_is_refused(mlflow, credit, tmp_path):
    import coterie.mlflow
    from coterie.export import ModelFileError

    coterie.mlflow.save_model(credit[0], tmp_path / "m")
    model_file = tmp_path / "m" / "model.coterie"
    model_file.write_bytes(model_file.read_bytes()[:-50])
    with pytest.raises(ModelFileError):
        coterie.mlflow.load_model(str(tmp_path / "m"))


def test_another_flavour_is_named(mlflow, tmp_path):
    import coterie.mlflow

    description = mlflow.models.Model()
    description.add_flavor("sklearn", version="1")
    description.save(str(tmp_path / "MLmodel"))
    with pytest.raises(ValueError, match=r"flavours are sklearn.*pyfunc"):
        coterie.mlflow.load_model(str(tmp_path))


def test_it_is_imported_when_it_is_needed_and_missed_with_the_name_of_the_extra():
    code = (
        "import coterie.mlflow, sys; print('mlflow' in sys.modules)\n"
        "sys.modules['mlflow'] = None\n"
        "try: coterie.mlflow.load_model('x')\n"
        "except ImportError as error: print(error)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    imported, error = run.stdout.split("\n", 1)
    assert imported == "False"
    assert "coterie[mlflow]" in error
