"""Which template does each page have, by its folder, by a list, or by clustering?"""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING

from pagedrift.capture.files import url_of
from pagedrift.errors import InputError
from pagedrift.reading.lists import rows_of
from pagedrift.which_template.cluster import TemplateClusterer
from pagedrift.which_template.fingerprint import Fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from pagedrift.which_template.index import TemplateIndex
    from pagedrift.which_template.survey import Survey


@dataclass(slots=True)
class Learned:
    """How much was learned."""

    pages: Counter[str]  # of each template
    unlabelled: int = 0
    unseen: tuple[str, ...] = ()  # addresses in a list that no page has


def learn_names(index: TemplateIndex, found: Iterable[tuple[str, Survey]]) -> Learned:
    """Learn each page as of the template with the name of its folder or archive."""
    learned = Learned(Counter())
    for name, survey in found:
        for references, example, pages in survey:
            taken = Fingerprint(survey.algorithm, references)
            index.add(taken, template=name, example=example, pages=pages)
            learned.pages[name] += pages
    return learned


def learn_list(index: TemplateIndex, found: Iterable[tuple[str, Survey]], labels: Mapping[str, str]) -> Learned:
    """Learn the pages whose addresses a list gives a template; the surveys must have rows."""
    learned, seen = Learned(Counter()), set[str]()
    for _, survey in found:
        assert survey.rows is not None
        known = list(survey.numbers)
        for url, number in zip(survey.rows.urls, survey.rows.fingerprints, strict=True):
            if url in labels:
                taken = Fingerprint(survey.algorithm, known[number])
                index.add(taken, template=labels[url], example=url)
                learned.pages[labels[url]] += 1
                seen.add(url)
            else:
                learned.unlabelled += 1
    learned.unseen = tuple(url for url in labels if url not in seen)
    return learned


def read_labels(path: Path) -> dict[str, str]:
    """Read a CSV file with the columns url and template; a url may be the name of a file."""
    labels: dict[str, str] = {}
    for line, (url, template) in rows_of(path, ("url", "template")):
        address = url if ":" in url else url_of(url)
        if template and labels.setdefault(address, template) != template:
            raise InputError(
                f"{path}, line {line}: {address} is of {labels[address]} and of {template}; leave one in"
            )
    return labels


def learn_clusters(index: TemplateIndex, found: Iterable[tuple[str, Survey]]) -> Learned:
    """Learn the templates that clustering finds; a cluster with pages of a known template is that template."""
    clusterer = TemplateClusterer(index.algorithm, split=index.options.get("split"))
    for _, survey in found:
        survey.cluster(clusterer)
    seen = list(clusterer.index_)
    roots = array("I", map(clusterer.current, range(len(seen))))
    names = _names(index, roots, [one.fingerprint for one in seen])
    learned = Learned(Counter())
    for root, one in zip(roots, seen, strict=True):
        index.add(one.fingerprint, template=names[root], example=one.example, pages=one.pages)
        learned.pages[names[root]] += one.pages
    return learned


def _names(index: TemplateIndex, roots: array[int], taken: list[Fingerprint]) -> dict[int, str]:
    """Name each cluster: as most known pages like its own, or by a new number."""
    known: dict[int, Counter[str]] = {root: Counter() for root in roots}
    for root, fingerprint in zip(roots, taken, strict=True):
        for one in index.query(fingerprint):
            known[root][one.template or ""] += one.pages
    used = set(index.templates())
    new = (name for name in map("template-{}".format, count(1)) if name not in used)
    return {root: _most(templates) or next(new) for root, templates in known.items()}


def _most(templates: Counter[str]) -> str:
    ranked = sorted(templates.items(), key=lambda item: (not item[0], -item[1], item[0]))
    return ranked[0][0] if ranked else ""
