"""Pictures by their bytes, and by the pixels of both pages."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import cv2
import numpy
import pytest

from pagedrift import PageVersion, changes, judge, render
from pagedrift.does_it_matter.changes import ChangeReason, Level
from tests.builders import DAYS, record
from tests.cli.test_commands import run
from tests.conftest import CHROMIUM

if TYPE_CHECKING:
    from pathlib import Path

    from pagedrift.does_it_matter.changes import JudgedChange
    from pagedrift.does_it_matter.changes.picture_contents import Loaded

URL = "https://city.example/"
PICTURE = "https://city.example/harbour.png"
PAGE = (
    "<main><h1>The old harbour</h1><img src='{}' alt='The old harbour in the morning' width=640 height=400>"
    "<p>The harbour was built two hundred years ago by people who had never seen the sea before they came here.</p>"
    "<p>Today it is a place where people meet, eat and look at ships of others, most of all in summer.</p></main>"
)
OLD = PageVersion(URL, PAGE.format("/harbour.png").encode())


def painted(seed: int) -> numpy.ndarray:
    """Paint a picture of coarse blocks, different for each seed."""
    blocks = numpy.random.default_rng(seed).integers(0, 255, (5, 8, 3), dtype=numpy.uint8)
    return cv2.resize(blocks, (640, 400), interpolation=cv2.INTER_NEAREST)


def encoded(image: numpy.ndarray, kind: str = ".png") -> bytes:
    return cv2.imencode(kind, image)[1].tobytes()


ONE, OTHER = encoded(painted(1)), encoded(painted(2))


def given(body: bytes, address: str = PICTURE) -> Loaded:
    return {address: ("image/png", body)}


def only(found: tuple[JudgedChange, ...]) -> JudgedChange:
    assert len(found) == 1
    return found[0]


def test_a_main_picture_with_other_bytes_at_its_address_was_replaced() -> None:
    assert changes(OLD, OLD, loaded=(given(ONE), given(ONE))) == ()

    found = only(changes(OLD, OLD, loaded=(given(ONE), given(OTHER))))
    assert (found.level, found.action, found.reason) == (Level.IMPORTANT, "replaced", ChangeReason.PICTURE)


def test_a_picture_that_was_only_saved_again_shows_the_same() -> None:
    again = encoded(painted(1), ".jpg")
    assert again != ONE

    assert changes(OLD, OLD, loaded=(given(ONE), given(again))) == ()


def test_a_picture_at_another_address_with_the_same_bytes_was_not_replaced() -> None:
    new = PageVersion(URL, PAGE.format("/quay-at-dawn.png").encode())
    moved = given(ONE, "https://city.example/quay-at-dawn.png")

    assert only(changes(OLD, new)).action == "replaced"
    assert changes(OLD, new, loaded=(given(ONE), moved)) == ()
    assert only(changes(OLD, new, loaded=(given(ONE), given(OTHER, "https://city.example/quay-at-dawn.png"))))


def test_what_one_side_lacks_is_judged_by_its_address() -> None:
    assert changes(OLD, OLD, loaded=(given(ONE), {})) == ()


def test_bytes_that_are_no_picture_are_compared_as_bytes() -> None:
    assert only(changes(OLD, OLD, loaded=(given(b"<svg/>"), given(b"<svg><g/></svg>"))))


def test_the_command_compares_pictures_of_an_archive(tmp_path: Path) -> None:
    kind = (("Content-Type", "image/png"),)
    captures = [
        (record(body=OLD.body, date=DAYS[day]), record(PICTURE, body, headers=kind, date=DAYS[day]))
        for day, body in ((0, ONE), (1, ONE), (2, OTHER))
    ]
    path = tmp_path / "crawl.warc"
    path.write_bytes(b"".join(record for capture in captures for record in capture))
    first, second, third = (f"{path}@{DAYS[day]}" for day in range(3))

    def asked(old: str, new: str) -> list[str]:
        answer = json.loads(run("does-it-matter", old, new, "--no-pictures", "--json").stdout)
        return [f"{each['level']} {each['target']} {each['action']}" for each in answer["changes"]]

    assert asked(first, second) == []
    assert asked(second, third) == ["important picture replaced"]


@pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium on this machine")
def test_a_replaced_picture_is_seen_by_its_pixels() -> None:
    one, again, other = (render(OLD, given(body)) for body in (ONE, encoded(painted(1), ".jpg"), OTHER))

    assert changes(one, again) == ()
    found = judge(one, other)
    assert only(found.changes).level is Level.IMPORTANT
    assert found.basis == "source and pictures"


@pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium on this machine")
def test_pictures_are_not_used_where_one_side_was_rendered_nearly_empty() -> None:
    one, other = (render(OLD, given(body)) for body in (ONE, OTHER))
    assert other.view is not None
    empty = replace(other, view=replace(other.view, nodes=other.view.nodes[:3]))

    found = judge(one, empty)
    assert found.basis == "source only: the new version was rendered nearly empty"
    assert found.changes == ()
