"""Templates of a collection are the same whether one machine looks for them or many."""

import gzip
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from pagedrift import Fingerprint, TemplateClassifier, TemplateClusterer, TemplateIndex, fingerprint, read
from pagedrift.collection.tasks import check_seen
from pagedrift.errors import InputError
from pagedrift.which_template import FINGERPRINTS
from pagedrift.which_template import spark as jobs
from pagedrift.which_template.lzw import LENGTH
from tests.builders import days
from tests.collection.sample_collection import collection, rows

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("spark")]
COLLECTED = ("a.warc.gz", "b.warc.gz", "c.warc.gz")


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return collection(tmp_path_factory.mktemp("collection"))


def plain(paths: list[Path], algorithm: str) -> list[tuple[Any, ...]]:
    """Cluster as one machine does, and name the clusters as the plain command does."""
    pages = list(read(paths, order="file"))
    labels = TemplateClusterer(algorithm).fit(pages).labels_
    return [
        (page.url, page.captured_at, page.digest, f"template-{label + 1}")
        for page, label in zip(pages, labels, strict=True)
    ]


def told(folder: Path) -> list[tuple[Any, ...]]:
    return [(row["url"], row["captured_at"], row["digest"], row["template"]) for row in rows(folder / "clusters")]


def test_fingerprints_of_a_collection_are_those_of_its_pages(manifest: Path, tmp_path: Path) -> None:
    outcome = jobs.FingerprintJob().run([str(manifest), "--to", str(tmp_path)])

    pages = list(read([manifest.parent / name for name in COLLECTED], order="file"))
    found = rows(tmp_path / "pages")
    assert [(row["url"], row["digest"], row["fingerprint"]) for row in found] == [
        (page.url, page.digest, bytes(fingerprint(page))) for page in pages
    ]
    assert (outcome.tally.pages, outcome.tally.archives, outcome.parts, outcome.reused) == (len(pages), 3, 3, 0)
    assert {row["site"] for row in found} == {"news.example", "post.example", "city.example"}


def test_finished_parts_are_not_done_again(manifest: Path, tmp_path: Path) -> None:
    arguments = [str(manifest), "--to", str(tmp_path)]
    first = jobs.FingerprintJob().run(arguments)
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.parquet")}
    torn = tmp_path / "pages" / "part=000001" / "rows.parquet"
    torn.write_bytes(torn.read_bytes()[:100])

    again = jobs.FingerprintJob().run(arguments)

    assert (again.tally, again.reused) == (first.tally, 2)
    changed = {path for path, time in before.items() if path.stat().st_mtime_ns != time}
    assert changed == {torn}


def test_an_archive_that_has_grown_is_read_again(tmp_path: Path) -> None:
    manifest = collection(tmp_path / "grown")
    arguments = [str(manifest), "--to", str(tmp_path / "answers")]
    jobs.FingerprintJob().run(arguments)
    with (manifest.parent / "b.warc.gz").open("ab") as file:
        file.write(days(1, packed=True)[0])

    again = jobs.FingerprintJob().run(arguments)

    assert (again.reused, again.tally.pages) == (2, 24 + 2 + 16 + 1 + 3 + 16)


def test_what_cannot_be_read_is_counted_and_the_rest_is_done(tmp_path: Path) -> None:
    manifest = collection(tmp_path / "bad")
    (manifest.parent / "cut.warc.gz").write_bytes(b"".join(days(3, packed=True))[:-20])
    (manifest.parent / "empty.warc.gz").write_bytes(b"")
    (manifest.parent / "text.warc.gz").write_bytes(gzip.compress(b"no archive at all\n" * 99))
    manifest.write_text(
        manifest.read_text() + "cut.warc.gz\nempty.warc.gz\ntext.warc.gz\nmissing.warc.gz\nftp://x/y.warc\n"
    )
    arguments = [str(manifest), "--to", str(tmp_path / "answers")]

    outcome = jobs.FingerprintJob().run(arguments)

    tally = outcome.tally
    assert (tally.pages, tally.archives, tally.unreadable, tally.damaged) == (61 + 2, 4 + 1, 3, 5)
    for name in ("cut", "empty", "text", "missing", "ftp"):
        assert any(name in problem for problem in tally.problems), name

    (manifest.parent / "missing.warc.gz").write_bytes(days(1, packed=True)[0])
    again = jobs.FingerprintJob().run(arguments)
    assert (again.tally.pages, again.tally.unreadable, again.reused) == (64, 2, 5)


def test_a_collection_of_nothing_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest").write_text("missing.warc.gz\n")

    with pytest.raises(InputError, match=r"nothing could be read.*missing.warc.gz.*check its name"):
        jobs.FingerprintJob().run([str(tmp_path / "manifest"), "--to", str(tmp_path / "answers")])


def test_a_folder_that_only_the_workers_see_is_told(manifest: Path, tmp_path: Path) -> None:
    job = jobs.FingerprintJob()
    job.run([str(manifest), "--to", str(tmp_path)])
    (tmp_path / "pages" / "part=000001" / "rows.parquet").unlink()

    with pytest.raises(InputError, match="name a folder that all machines share"):
        check_seen(str(tmp_path / "pages"), job.work)


def test_a_folder_of_a_longer_collection_is_refused(manifest: Path, tmp_path: Path) -> None:
    jobs.FingerprintJob().run([str(manifest), "--to", str(tmp_path)])

    with pytest.raises(InputError, match="of a longer collection"):
        jobs.FingerprintJob().run([str(manifest), "--to", str(tmp_path), "--together", "2"])


@pytest.mark.parametrize(
    "most",
    [(0, 0), (jobs.MAX_DRIVER_PAGES, 0), (jobs.MAX_DRIVER_PAGES, jobs.MAX_PAGES_HERE)],
    ids=["by tasks alone", "known fingerprints in the driver", "all in the driver"],
)
@pytest.mark.parametrize("algorithm", FINGERPRINTS)
def test_clusters_are_those_of_one_machine_by_the_same_names(
    monkeypatch: pytest.MonkeyPatch, manifest: Path, tmp_path: Path, algorithm: str, most: tuple[int, int]
) -> None:
    monkeypatch.setattr(jobs, "MAX_DRIVER_PAGES", most[0])
    monkeypatch.setattr(jobs, "MAX_PAGES_HERE", most[1])
    outcome = jobs.ClusterJob().run([str(manifest), "--to", str(tmp_path), "--algorithm", algorithm])

    expected = plain([manifest.parent / name for name in COLLECTED], algorithm)
    assert told(tmp_path) == expected
    templates = {row["template"]: (row["pages"], row["example"]) for row in rows(tmp_path / "templates")}
    sizes = Counter(template for *_, template in expected)
    firsts = {template: url for url, _, _, template in reversed(expected)}
    assert templates == {name: (size, firsts[name]) for name, size in sizes.items()}
    assert outcome.figures["templates"] == len(sizes)
    assert not (tmp_path / "_scratch").exists() or list((tmp_path / "_scratch").iterdir()) == []

    again = jobs.ClusterJob().run([str(manifest), "--to", str(tmp_path), "--algorithm", algorithm])
    assert again.figures == outcome.figures


def made(algorithm: str, chance: random.Random) -> list[Fingerprint]:
    """Make fingerprints that link in chains and crowds: copies of a few, each with some bytes changed."""
    length = LENGTH if algorithm == "lzw" else FINGERPRINTS[algorithm].lengths[0]
    found = []
    for _ in range(12):
        one = bytearray(chance.randrange(min(at + 1, 256)) for at in range(length))
        for _ in range(60):
            for _ in range(chance.randrange(1 if algorithm == "lzw" else 14)):
                one[chance.randrange(length)] = chance.randrange(4)
            at = chance.randrange(length)
            one[at] = chance.randrange(min(at + 1, 3))
            short = bytes(one[: chance.randrange(length - 2, length + 1)]) if algorithm == "lzw" else bytes(one)
            found.append(Fingerprint(algorithm, short))
    chance.shuffle(found)
    return found


@pytest.mark.parametrize(("algorithm", "crowd"), [("lzw", 1000), ("lzw", 5), ("pagedrift", 1000)])
def test_links_of_made_fingerprints_give_the_clusters_of_one_machine(
    spark: Any, monkeypatch: pytest.MonkeyPatch, algorithm: str, crowd: int
) -> None:
    monkeypatch.setattr(jobs, "CROWD", crowd)
    pages = made(algorithm, random.Random(3))
    frame = spark.createDataFrame(
        [(number % 5, number // 5, one.references, str(number)) for number, one in enumerate(pages)],
        "part int, row bigint, fingerprint binary, url string",
    )
    ordered = [one for _, one in sorted(enumerate(pages), key=lambda item: (item[0] % 5, item[0] // 5))]

    known = jobs.numbered(frame).localCheckpoint()
    roots = jobs.components(jobs.edges(spark, known, algorithm), lambda edges, _: edges.localCheckpoint())
    found = {bytes(row.fingerprint): row.template for row in jobs.labelled(known, roots).collect()}

    labels = TemplateClusterer(algorithm).fit(ordered).labels_
    assert 1 < len(set(labels)) < len(found)
    assert [found[one.references] for one in ordered] == [f"template-{label + 1}" for label in labels]


def test_classes_are_those_of_one_machine(manifest: Path, tmp_path: Path) -> None:
    learned = list(read(manifest.parent / "a.warc.gz"))
    classifier = TemplateClassifier(index=TemplateIndex()).partial_fit(
        learned, ["fees" if page.url.endswith("fees") else "news" for page in learned]
    )
    classifier.index_.save(tmp_path / "site.templates")

    outcome = jobs.ClassifyJob().run(
        [str(manifest), "--to", str(tmp_path / "answers"), "--index", str(tmp_path / "site.templates")]
    )

    pages = list(read([manifest.parent / name for name in COLLECTED], order="file"))
    matches = [classifier.match(page) for page in pages]
    assert [
        (row["url"], row["template"], row["sure"], row["known_pages"]) for row in rows(tmp_path / "answers/classes")
    ] == [(page.url, match.template, match.sure, match.pages) for page, match in zip(pages, matches, strict=True)]
    assert outcome.figures["rows"] == len(pages)

    TemplateIndex().save(tmp_path / "site.templates")  # another one of the same name, which knows nothing
    jobs.ClassifyJob().run(
        [str(manifest), "--to", str(tmp_path / "answers"), "--index", str(tmp_path / "site.templates")]
    )
    assert {row["template"] for row in rows(tmp_path / "answers/classes")} == {None}


@pytest.mark.parametrize("name", ["streams", "templates"])
def test_clusters_of_real_collections_are_those_of_one_machine(
    monkeypatch: pytest.MonkeyPatch, data: Path, tmp_path: Path, name: str
) -> None:
    monkeypatch.setattr("pagedrift.collection.components.MAX_DRIVER_LINKS", 0)  # the driver does none of it
    monkeypatch.setattr(jobs, "MAX_DRIVER_PAGES", 0)
    paths = sorted((data / name).glob("*.warc.gz"))

    outcome = jobs.ClusterJob().run([str(data / name), "--to", str(tmp_path), "--together", "8"])

    assert told(tmp_path) == plain(paths, "pagedrift")
    assert outcome.tally.damaged == 0
