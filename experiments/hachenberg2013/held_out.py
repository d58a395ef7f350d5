"""Do the fingerprints hold on sites that no choice was made on? Streams with redesigns, and versions of pages.

python -m experiments.hachenberg2013.held_out --data DIR

DIR/streams holds NAME.warc.gz and NAME.json with the indexes of redesigns and the scenario. Between two redesigns
the pages of a homogeneous series mostly have one template, so each such stretch counts as a class. DIR/pairs holds
two versions of pages of many sites: successive ones mostly have one template, and no two sites share one.
Sites that DIR/templates has too, by the first word of their names, are left out.
"""

from __future__ import annotations

import argparse
import gzip
import json
from bisect import bisect_right
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

from experiments.hachenberg2013.scores import clustering
from pagedrift import PageVersion, TemplateClusterer, fingerprint, read, same_template
from pagedrift.which_template import FINGERPRINTS

if TYPE_CHECKING:
    from collections.abc import Iterable


def known_sites(data: Path) -> set[str]:
    """Give the first words of the names in the labelled collection, on which choices were made."""
    facts = json.loads((data / "templates" / "templates.json").read_text(encoding="utf-8"))
    return {each["name"].partition("-")[0] for each in facts}


def stretches(data: Path, *, scenario: str) -> list[tuple[str, int, PageVersion]]:
    """Give the pages of all series of one scenario, each with its series and how many redesigns it had before."""
    found, known = [], known_sites(data)
    for facts_file in sorted((data / "streams").glob("*.json")):
        facts = json.loads(facts_file.read_text(encoding="utf-8"))
        if facts["scenario"] == scenario and facts["name"].partition("-")[0] not in known:
            pages = read(facts_file.with_suffix(".warc.gz"))
            found += [(facts["name"], bisect_right(facts["redesigns"], at), page) for at, page in enumerate(pages)]
    return found


def pairs(data: Path) -> list[tuple[str, PageVersion]]:
    """Give two versions of each page, one after the other, with their site."""
    known = known_sites(data)
    return [
        (folder.name.rpartition("-")[0], PageVersion(folder.name, gzip.decompress((folder / name).read_bytes())))
        for folder in sorted(path for path in (data / "pairs").iterdir() if path.is_dir())
        if folder.name.partition("-")[0] not in known
        for name in ("a.html.gz", "b.html.gz")
    ]


def mixed(groups: Iterable[str], clusters: Iterable[int]) -> int:
    """Count the clusters with pages of several groups."""
    members: defaultdict[int, set[str]] = defaultdict(set)
    for group, cluster in zip(groups, clusters, strict=True):
        members[cluster].add(group)
    return sum(len(each) > 1 for each in members.values())


def figures(data: Path, algorithm: str) -> dict[str, float]:
    """Give the figures of one algorithm."""
    found: dict[str, float] = {}
    for scenario in ("homogeneous", "inhomogeneous"):
        rows = stretches(data, scenario=scenario)
        taken = [fingerprint(page, algorithm=algorithm) for _, _, page in rows]
        labels = TemplateClusterer(algorithm).fit(taken).labels_
        scores = clustering([(name, part) for name, part, _ in rows], labels)
        if scenario == "homogeneous":
            series = {(name, part) for name, part, _ in rows}
            found |= {
                "pages": len(rows),
                "sites": len({name for name, _ in series}),
                "designs": len(series),
                **scores,
            }
        else:
            found["clusters, inhomogeneous"] = scores["clusters"]
        found[f"clusters of several sites, {scenario}"] = mixed((name for name, _, _ in rows), labels)
    versions = pairs(data)
    taken = [fingerprint(page, algorithm=algorithm) for _, page in versions]
    same = [same_template(old, new) for old, new in zip(taken[::2], taken[1::2], strict=True)]
    labels = TemplateClusterer(algorithm).fit(taken).labels_
    found |= {"pairs": len(same), "sites of pairs": len({site for site, _ in versions})}
    found["pairs of one template"] = sum(same) / len(same)
    found["clusters of several sites, pairs"] = mixed((site for site, _ in versions), labels)
    return found


def main() -> None:
    """Print the figures of every algorithm side by side, and a line of JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    options = parser.parse_args()
    for part in ("templates/templates.json", "streams", "pairs"):
        if not (options.data / part).exists():
            parser.error(f"{options.data} has no {part}; name the folder of the corpora after --data")
    all_figures = {algorithm: figures(options.data, algorithm) for algorithm in FINGERPRINTS}
    for name in next(iter(all_figures.values())):
        values = "  ".join(f"{algorithm} {found[name]:<8.4g}" for algorithm, found in all_figures.items())
        print(f"{name:42} {values}")
    print(json.dumps(all_figures))


if __name__ == "__main__":
    main()
