import os
import signal
import subprocess
import sys
import time
from array import array
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import pagedrift.which_template.index as index_module
from pagedrift import Fingerprint, InputError, TemplateClassifier, TemplateIndex
from pagedrift.which_template import index_file
from pagedrift.which_template.lzw import LENGTH, is_same, keys, neighbours
from tests.which_template.strategies import crowds, references


def index_of(crowd: list[bytes], **options: int) -> TemplateIndex:
    index = TemplateIndex("lzw", **options)
    for one in crowd:
        index.add(Fingerprint("lzw", one))
    return index


@given(crowds(), st.integers(0, LENGTH))
def test_a_query_gives_exactly_what_comparing_with_each_would(crowd: list[bytes], split: int) -> None:
    index = index_of(crowd, split=split)
    distinct = list(dict.fromkeys(crowd))
    for asked in crowd:
        found = [bytes(known.fingerprint) for known in index.query(Fingerprint("lzw", asked))]
        assert found == [one for one in distinct if is_same(one, asked)]


@given(crowds())
def test_a_query_among_very_many_gives_the_same(crowd: list[bytes]) -> None:
    index = index_of(crowd)
    expected = [index.matches(asked) for asked in crowd]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(index_module, "CROWD", 0)
        assert [index.matches(asked) for asked in crowd] == expected


@given(references, references, st.integers(0, LENGTH))
def test_fingerprints_of_one_template_share_a_key(one: bytes, other: bytes, split: int) -> None:
    if is_same(one, other):
        assert set(keys(one, split=split)) & set(keys(other, split=split))
    for near in neighbours(one):
        assert is_same(one, near)
        assert set(keys(one, split=split)) & set(keys(near, split=split))


def test_the_lemma_of_the_paper_is_false_where_lengths_differ() -> None:
    longer = bytes(range(25))
    shorter = longer[1:]

    assert is_same(longer, shorter)
    assert longer[:17] != shorter[:17]
    assert longer[17:] != shorter[17:]
    assert set(keys(longer)) & set(keys(shorter))


def test_equal_fingerprints_are_stored_once_with_their_number_and_the_first_example() -> None:
    index = TemplateIndex("lzw")
    one = Fingerprint.parse("lzw:0,0,2")
    for page in ("a", "b", "c"):
        index.add(one, template="news", example=page)
    index.add(one, template="shop", example="d", pages=7)

    assert [(known.template, known.pages, known.example) for known in index] == [("news", 3, "a"), ("shop", 7, "d")]
    assert list(index) == index.query(one)


@given(crowd=crowds(), more=crowds())
def test_an_index_out_of_a_file_is_the_one_that_was_saved(
    crowd: list[bytes], more: list[bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("index") / "known.templates"
    index = TemplateIndex("lzw", split=12)
    for number, one in enumerate(crowd):
        index.add(Fingerprint("lzw", one), template=["news", None, "shöp"][number % 3], example=f"page {number}")
    index.save(path)
    opened = TemplateIndex.open(path)

    assert list(opened) == list(index)
    assert opened.options == {"split": 12}
    assert [opened.matches(one) for one in more] == [index.matches(one) for one in more]
    for each in (opened, index):
        for one in more:
            each.add(Fingerprint("lzw", one), template="shop", example="later")
    assert list(opened) == list(index)
    assert list(TemplateIndex.open(path)) != list(index)


def test_saving_over_the_file_that_is_open_is_safe(tmp_path: Path) -> None:
    path = tmp_path / "known.templates"
    index_of([b"\0"]).save(path)
    index = TemplateIndex.open(path)
    index.add(Fingerprint("lzw", b"\0\1"))
    index.save(path)

    assert len(TemplateIndex.open(path)) == 2
    assert [entry.name for entry in tmp_path.iterdir()] == ["known.templates"]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    index_of([bytes([0, n % 2, n]) for n in range(3)]).save(tmp_path / "known.templates")
    return tmp_path / "known.templates"


def test_an_index_that_was_cut_short_anywhere_is_refused(saved: Path) -> None:
    whole = saved.read_bytes()
    for size in {*range(400), *range(400, len(whole), 97), len(whole) - 1}:
        saved.write_bytes(whole[:size])
        with pytest.raises(InputError, match="pagedrift which-template learn"):
            TemplateIndex.open(saved)


def test_an_index_of_another_version_is_refused(saved: Path) -> None:
    data = bytearray(saved.read_bytes())
    data[16] = 9
    saved.write_bytes(data)

    with pytest.raises(InputError, match="version 9"):
        TemplateIndex.open(saved)


def test_an_index_of_longer_fingerprints_is_refused_with_what_to_do(tmp_path: Path) -> None:
    index = TemplateIndex("pagedrift")
    index.add(Fingerprint("pagedrift", bytes(94)), template="news")
    facts, parts = index._facts(), index._parts()
    parts["keys"], parts["entries"] = ("I", array("I", [0] * 16)), parts["olders"]
    index_file.write(tmp_path / "old.templates", facts, parts)  # as they were before

    with pytest.raises(
        InputError, match=r"an older version; learn it again, to a new file: pagedrift which-template"
    ):
        TemplateIndex.open(tmp_path / "old.templates")


@given(at=st.integers(0, 10_000), byte=st.integers(0, 255))
def test_a_damaged_index_gives_an_answer_or_a_clear_error(
    at: int, byte: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("index") / "known.templates"
    index_of([bytes([0, n % 2, n % 3]) for n in range(6)]).save(path)
    data = bytearray(path.read_bytes())
    data[at % len(data)] = byte
    path.write_bytes(data)
    try:
        index = TemplateIndex.open(path)
        for n in range(3):
            index.query(Fingerprint("lzw", bytes([0, 0, n])))
    except InputError as error:
        assert "pagedrift which-template learn" in str(error)  # noqa: PT017


@given(at=st.integers(0, 10_000), byte=st.integers(0, 255))
def test_a_damaged_index_of_our_fingerprints_gives_an_answer_or_a_clear_error(
    at: int, byte: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("index") / "known.templates"
    taken = [Fingerprint("pagedrift", bytes([n % 3] * 70 + [n] * 24)) for n in range(6)]
    TemplateClassifier("pagedrift").fit(taken, "aabbcc").index_.save(path)
    data = bytearray(path.read_bytes())
    data[at % len(data)] = byte
    path.write_bytes(data)
    try:
        classifier = TemplateClassifier(index=TemplateIndex.open(path))
        classifier.predict([*taken, Fingerprint("pagedrift", bytes(94))])
    except InputError as error:
        assert "pagedrift which-template learn" in str(error)  # noqa: PT017


def test_fingerprints_of_another_algorithm_are_refused() -> None:
    with pytest.raises(InputError, match="--algorithm lzw"):
        TemplateIndex("lzw").query(Fingerprint("other", b""))


@pytest.mark.slow
@pytest.mark.parametrize("delay", [0.0, 0.01, 0.05, 0.1])
def test_a_kill_while_saving_leaves_the_old_index_or_the_new_one(tmp_path: Path, delay: float) -> None:
    path = tmp_path / "known.templates"
    index_of([b"\0"]).save(path)
    code = (
        "import sys; from pagedrift import Fingerprint, TemplateIndex\n"
        "index = TemplateIndex('lzw')\n"
        "for n in range(50_000): index.add(Fingerprint('lzw', n.to_bytes(25, 'big')))\n"
        "print('saving', flush=True)\n"
        f"for _ in range(100): index.save({str(path)!r})\n"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(delay)
        os.kill(process.pid, signal.SIGKILL)

    assert len(TemplateIndex.open(path)) in (1, 50_000)


def test_more_pages_than_four_bytes_can_count_are_counted(tmp_path: Path) -> None:
    index, many = TemplateIndex("lzw"), 1 << 33
    first, second, third = (Fingerprint("lzw", bytes(size)) for size in (3, 5, 7))
    index.add(first, pages=3)
    index.add(second, pages=many)
    index.add(first, pages=many)
    index.add(third, pages=(1 << 32) - 1)
    index.add(third)
    index.save(tmp_path / "known.templates")
    for known in (index, TemplateIndex.open(tmp_path / "known.templates")):
        assert [known.pages(entry) for entry in range(3)] == [many + 3, many, 1 << 32]
