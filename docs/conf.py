"""Settings of Sphinx, and the hook that lists the public names by itself."""

import inspect
import sys
from collections import defaultdict
from importlib.metadata import version as installed_version
from pathlib import Path

import coterie
import coterie.clustering
import coterie.datasets
import coterie.diversity
import coterie.export
import coterie.fusion
import coterie.plotting
import coterie.ranking
import coterie.report
import coterie.selection
import coterie.semisupervised
import coterie.survival
import coterie.theory

sys.path.insert(0, str(Path(__file__).parent))
from catalogue import algorithms_page, see_also

project = "coterie"
author = "The coterie developers"
copyright = f"2026, {author}"
release = version = installed_version("coterie")

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",  # formulas without the network
    "sphinx_design",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "auto_examples/*.ipynb", "auto_examples/*.py"]
templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["coterie.css"]
html_theme = "pydata_sphinx_theme"
html_theme_options = {
    "show_prev_next": False,
    "navigation_with_keys": False,
    "header_links_before_dropdown": 6,
    "show_toc_level": 2,
}
html_sidebars = {"index": [], "install": [], "algorithms": []}
html_title = "coterie"
html_show_sourcelink = False
default_role = "literal"

autosummary_generate = True
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False
autodoc_typehints = "none"  # docstrings say it in words

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"plot_",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "abort_on_example_error": True,
    "within_subsection_order": "FileNameSortKey",
    "min_reported_time": 3600,
}

PACKAGES = (
    coterie,
    coterie.diversity,
    coterie.fusion,
    coterie.selection,
    coterie.semisupervised,
    coterie.clustering,
    coterie.ranking,
    coterie.survival,
    coterie.theory,
    coterie.plotting,
    coterie.report,
    coterie.export,
    coterie.datasets,
)
SECTIONS = {
    "automl": "The best ensemble for a table",
    "trees": "Trees",
    "forests": "Forests",
    "bagging": "Bagging and other parallel ensembles",
    "boosting": "Boosting",
    "imbalance": "Imbalanced classes",
    "combining": "Voting, stacking and calibration",
    "selection": "Dynamic selection and pruning",
    "ranking": "Ranking",
    "survival": "Survival analysis",
    "semisupervised": "Semi-supervised learning",
    "clustering": "Cluster ensembles",
    "outliers": "Outlier detection",
    "conformal": "Prediction sets and intervals",
    "interpretation": "Interpretation",
    "diagnosis": "Diagnosis",
    "fusion": "Combination rules",
    "diversity": "Measures of diversity",
    "theory": "Decompositions, bounds and margins",
    "plotting": "Plots",
    "report": "Reports",
    "export": "Model files, ONNX and C",
    "datasets": "Data sets",
}


def public_names() -> dict[str, object]:
    """Exported classes and functions by their full names."""
    return {
        f"{module.__name__}.{name}": exported
        for module in PACKAGES
        for name, exported in ((name, getattr(module, name)) for name in module.__all__)
        if (inspect.isclass(exported) or inspect.isfunction(exported))
        # Estimators of a package of functions are listed by their flat names.
        and (module is coterie or name not in coterie.__all__)
    }


def own_members(exported: type) -> list[str]:
    """Public methods and properties that coterie defines; fitted attributes stand above them."""
    members = [
        name
        for base in reversed(inspect.getmro(exported))
        if base.__module__.startswith("coterie")
        for name, value in vars(base).items()
        if not (name.startswith("_") or name.endswith("_"))
        and (inspect.isfunction(value) or isinstance(value, property | classmethod))
    ]
    return list(dict.fromkeys(members))


PUBLIC = public_names()
# scikit-learn's methods are left out: their docstrings point at its own pages.
autosummary_context = {
    "own_members": {
        # Other names of a class only point at it.
        name: own_members(exported) if name.endswith(f".{exported.__name__}") else []
        for name, exported in PUBLIC.items()
        if inspect.isclass(exported)
    },
    "see_also": see_also(PUBLIC),
}


def api_page() -> str:
    """Everything that is public, by family, each with the first line of its docstring."""
    grouped = defaultdict(list)
    for name, exported in PUBLIC.items():
        grouped[exported.__module__.split(".")[1]].append(name)
    lines = ["Reference", "=========", "", "All public classes and functions, by family."]
    for family in sorted(grouped, key=[*SECTIONS, *grouped].index):
        title = SECTIONS.get(family, family.capitalize())
        lines += ["", title, "-" * len(title), "", ".. autosummary::"]
        lines += ["   :toctree: generated", "   :nosignatures:", ""]
        lines += [f"   ~{name}" for name in grouped[family]]
    return "\n".join(lines) + "\n"


def write_pages(app, config):
    """Write what follows from the package's exports, so that it grows by itself."""
    for name, text in {"api.rst": api_page(), "algorithms.rst": algorithms_page()}.items():
        page = Path(app.srcdir) / name
        if not page.exists() or page.read_text(encoding="utf-8") != text:
            page.write_text(text, encoding="utf-8")


def setup(app):
    """Register the hook."""
    app.connect("config-inited", write_pages)
