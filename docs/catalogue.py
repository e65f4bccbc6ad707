"""What classes say about themselves: the table of algorithms, and which pages are related."""

import inspect
import re
from collections import defaultdict
from dataclasses import dataclass, field

from sklearn.base import BaseEstimator

import coterie

FIRST_VERSION = "0.1"
FAMILIES = {
    "trees": "Trees",
    "forests": "Forests",
    "bagging": "Bagging and other parallel ensembles",
    "boosting": "Boosting",
    "combining": "Combining different models",
    "selection": "Selection and pruning",
    "clustering": "Clustering",
    "semisupervised": "Semi-supervised learning",
    "streams": "Data streams",
    "imbalance": "Imbalanced classes",
    "ranking": "Ranking",
    "survival": "Survival analysis",
    "outliers": "Outlier detection",
    "conformal": "Prediction sets",
    "interpretation": "Interpretation",
    "automl": "Automatic",
}
# The guide's page on a module; the longest prefix counts.
GUIDES = {
    "automl": "automl",
    "bagging": "parallel",
    "bagging.intervals": "out_of_bag",
    "bagging.quantiles": "out_of_bag",
    "boosting": "boosting",
    "boosting.brown": "robust_boosting",
    "boosting.robust": "robust_boosting",
    "boosting.distribution": "gradient_boosting",
    "boosting.functional": "functional_boosting",
    "boosting.gradient": "gradient_boosting",
    "combining": "combination",
    "combining.calibration": "calibration",
    "combining.reject_option": "calibration",
    "conformal": "prediction_sets",
    "datasets": "data",
    "diagnosis": "diagnosis",
    "diversity": "measures",
    "export": "model_files",
    "forests": "trees_and_forests",
    "fusion": "combination",
    "imbalance": "boosting",
    "interpretation": "explanations",
    "outliers": "outliers",
    "plotting": "plots",
    "ranking": "ranking",
    "report": "report",
    "selection": "dynamic_selection",
    "selection.pruning": "pruning",
    "studio": "studio",
    "survival": "survival",
    "theory": "measures",
    "trees": "trees_and_forests",
}


@dataclass
class Algorithm:
    """One line of the table: what classes of the same algorithm have in common."""

    family: str
    idea: str
    reference: str
    since: str
    names: list[str] = field(default_factory=list)


def is_algorithm(exported: object) -> bool:
    """Whether it is an estimator that users fit."""
    return inspect.isclass(exported) and issubclass(exported, BaseEstimator)


def stem(name: str) -> str:
    """What names of an algorithm's classes have in common."""
    return re.sub(r"(Classifier|Regressor)$", "", name)


def idea(doc: str) -> str:
    """The first sentence that states the idea; "a drop-in replacement for ..." does not."""
    first, second, *_ = [" ".join(part.split()) for part in doc.split("\n\n")]
    if re.search(r", a drop-in replacement for|scikit-learn's class", first):
        first = second
    sentence = re.match(r"(.+?)(; (?:see|a drop-in replacement) .*)?[.](?=\s|$)", first)
    said = sentence[1] if sentence else first
    return said[0].upper() + said[1:].replace("*", r"\*")


def reference(doc: str) -> str:
    """Who and when, of the first reference."""
    cited = re.search(r"\.\. \[1\]\s+(.*?)(?=\n\.\. \[|\n\n|\Z)", doc, re.DOTALL)
    if cited is None:
        return ""
    text = " ".join(cited[1].split())
    authors, title = re.match(r'(.+?), "(.+?)"', text).groups()
    (year, *_) = re.findall(r"\((\d{4})\)", text)
    names = [name.strip() for name in re.split(r",|&", authors)]
    short = f"{names[0]} et al." if len(names) > 2 else " & ".join(names)
    return f"{short} ({year}), *{title}*"


def algorithms() -> list[Algorithm]:
    """All algorithms, in the order of their families."""
    found: dict[str, Algorithm] = {}
    for name in coterie.__all__:
        exported = getattr(coterie, name)
        if not is_algorithm(exported):
            continue
        doc = inspect.getdoc(exported)
        added = re.search(r"versionadded:: (\S+)", doc)
        family = exported.__module__.split(".")[1]
        line = Algorithm(family, idea(doc), reference(doc), added[1] if added else FIRST_VERSION)
        found.setdefault(stem(name), line).names.append(name)
    # A family without a title comes last, under its own name.
    order = [*FAMILIES, *(one.family for one in found.values())]
    return sorted(found.values(), key=lambda one: (order.index(one.family), one.names[0]))


def algorithms_page() -> str:
    """The table of all algorithms, a section for each family."""
    grouped = defaultdict(list)
    for one in algorithms():
        grouped[one.family].append(one)
    n_classes = sum(len(one.names) for group in grouped.values() for one in group)
    lines = [
        "All algorithms",
        "==============",
        "",
        f"{sum(map(len, grouped.values()))} algorithms in {n_classes} classes, listed "
        "from their docstrings. To choose between them, see :doc:`guide/which_ensemble`.",
    ]
    for family, group in grouped.items():
        title = FAMILIES.get(family, family.capitalize())
        lines += ["", title, "-" * len(title), "", ".. list-table::", "   :header-rows: 1"]
        lines += ["   :widths: 30 42 22 6", "   :class: algorithms", ""]
        for cells in [("class", "idea", "reference", "since"), *map(_cells, group)]:
            lines += [f"   {'* -' if k == 0 else '  -'} {cell}" for k, cell in enumerate(cells)]
    return "\n".join(lines) + "\n"


def _cells(one: Algorithm) -> tuple[str, str, str, str]:
    links = ", ".join(f":class:`~coterie.{name}`" for name in one.names)
    return links, one.idea, one.reference, one.since


def guide(exported: object) -> str | None:
    """The page of the guide that tells about a class or function."""
    parts = exported.__module__.split(".")[1:]
    prefixes = [".".join(parts[:n]) for n in range(len(parts), 0, -1)]
    return next((GUIDES[prefix] for prefix in prefixes if prefix in GUIDES), None)


def see_also(public: dict[str, object]) -> dict[str, list[str]]:
    """For every public name its guide page and its nearest relations, as reStructuredText."""
    nearby = defaultdict(list)
    for name, exported in public.items():
        nearby[exported.__module__.rsplit(".", 1)[0], guide(exported)].append(name)
    pages = {}
    for name, exported in public.items():
        own = stem(name)
        others = [
            other
            for other in nearby[exported.__module__.rsplit(".", 1)[0], guide(exported)]
            if other != name
        ]
        others.sort(
            key=lambda other: (stem(other) != own, public[other].__module__ != exported.__module__)
        )
        role = {other: "class" if inspect.isclass(public[other]) else "func" for other in others}
        links = [f":{role[other]}:`~{other}`" for other in others[:6]]
        page = guide(exported)
        pages[name] = ([f":doc:`/guide/{page}`"] if page else []) + links
    return pages
