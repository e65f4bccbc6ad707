"""Settings of Sphinx, and the hook that lists the public names by itself."""

import inspect
from collections import defaultdict
from importlib.metadata import version as installed_version
from pathlib import Path

import coterie
import coterie.datasets
import coterie.diversity
import coterie.export
import coterie.fusion
import coterie.plotting
import coterie.report
import coterie.selection
import coterie.theory

project = "coterie"
author = "The coterie developers"
copyright = f"2026, {author}"
release = version = installed_version("coterie")

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "auto_examples/*.ipynb", "auto_examples/*.py"]
templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["coterie.css"]
html_theme = "pydata_sphinx_theme"
html_theme_options = {"show_prev_next": False, "navigation_with_keys": False}
html_sidebars = {"install": []}
html_show_sourcelink = False
default_role = "literal"

autosummary_generate = True
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
    coterie.theory,
    coterie.plotting,
    coterie.report,
    coterie.export,
    coterie.datasets,
)
SECTIONS = {
    "forests": "Trees and forests",
    "bagging": "Bagging",
    "boosting": "Boosting",
    "interpretation": "Interpretation",
    "fusion": "Combining what members say",
    "selection": "Dynamic selection",
    "diversity": "Measures of diversity",
    "theory": "Decompositions, bounds and margins",
    "plotting": "Plots",
    "report": "Reports",
    "export": "Model files and ONNX",
    "datasets": "Tables that come with the package",
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
    }
}


def write_api_page(app, config):
    """Write docs/api.rst from what the package exports, so that it grows by itself."""
    grouped = defaultdict(list)
    for name, exported in PUBLIC.items():
        grouped[exported.__module__.split(".")[1]].append(name)
    lines = ["Reference", "=========", "", "Everything that is public, by family."]
    for family in sorted(grouped, key=[*SECTIONS, *grouped].index):
        title = SECTIONS.get(family, family.capitalize())
        lines += ["", title, "-" * len(title), "", ".. autosummary::", "   :toctree: generated", ""]
        lines += [f"   {name}" for name in grouped[family]]
    page = Path(app.srcdir) / "api.rst"
    text = "\n".join(lines) + "\n"
    if not page.exists() or page.read_text(encoding="utf-8") != text:
        page.write_text(text, encoding="utf-8")


def setup(app):
    """Register the hook."""
    app.connect("config-inited", write_api_page)
