"""Writers that are killed while they keep and compact: python -m tests.archive.killed_writers FOLDER ROUNDS SEED

Prints, as JSON, where each acknowledged capture was written. Everything is forked off one interpreter, so that
hundreds of kills take seconds.
"""

import io
import json
import os
import random
import select
import signal
import sys
import time
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

from pagedrift.archive import index
from pagedrift.archive import writer as writing
from pagedrift.archive.locations import ArchiveError, Place
from pagedrift.archive.reader import Stored, page_at
from pagedrift.archive.record_format import Attachment
from pagedrift.archive.writer import ArchiveWriter, Capture
from pagedrift.http_exchange import Exchange
from tests.builders import PAGE, URL

WRITERS = ("main", "other")
NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)
HTML = (("Content-Type", "text/html"),)


def body_of(number: int) -> bytes:
    chance = random.Random(number // 3)  # some repeat the one before
    return PAGE + b" %d " % (number // 3) + chance.randbytes(chance.randrange(3_000)).hex().encode()


def capture_of(number: int, chance: random.Random) -> Capture:
    moment = NOON + timedelta(seconds=chance.randrange(-50, 50))  # clocks jump
    picture = Attachment("fullPage", "image/png", chance.randbytes(chance.randrange(4_000)))
    exchange = Exchange(
        url=f"{URL}/{number // 3}", status=200, headers=HTML, body=body_of(number), captured_at=moment
    )
    notes = {"number": number, "temporary": number % 4 == 0}
    return Capture(exchange, notes=notes, attachments=[picture] * chance.randrange(2))


def keeps(found: Stored) -> bool:
    return not found.notes.get("temporary")


def work(folder: Path, writer: str, start: int, seed: int, told: int) -> None:
    """Keep captures, one or several, and compact now and then, until killed."""
    chance, numbers = random.Random(seed), count(start)
    with ArchiveWriter(folder, writer=writer, largest=40_000) as archive:
        while True:
            what = chance.random()
            if what < 0.12:
                with suppress(ArchiveError):  # the other one is at it
                    archive.compact(keeps)
                continue
            many = [capture_of(next(numbers), chance) for _ in range(1 if what < 0.7 else chance.randrange(2, 6))]
            kept = archive.append_all(many)
            lines = [json.dumps([each.notes["number"], *done.place]) for each, done in zip(many, kept, strict=True)]
            os.write(told, ("\n".join(lines) + "\n").encode())


def in_pieces(file: io.FileIO, data: bytes) -> None:
    """Write as a crash of the machine would leave it: cut at any byte, not only between two writes."""
    slowly = 0.0003 * (random.random() < 0.3)
    for at in range(0, len(data), 200):
        file.write(data[at : at + 200])
        time.sleep(slowly)


def start_child(folder: Path, writer: str, start: int, seed: int) -> tuple[int, int]:
    reading, told = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        try:
            work(folder, writer, start, seed, told)
        except BaseException as error:
            os.write(told, f"{error!r}\n".encode())
        os._exit(1)
    os.close(told)
    return child, reading


def heard(reading: int) -> dict[int, Place]:
    with os.fdopen(reading, "rb") as file:
        lines = file.read().splitlines(keepends=True)
    found = [json.loads(line) for line in lines if line.endswith(b"\n")]
    return {number: Place(*place) for number, *place in found}


def main(folder: Path, rounds: int, seed: int) -> None:
    index.MAX_RECENT_LINES = 12  # so that files of the index are merged often
    writing._write = in_pieces
    os.fsync = lambda _: None  # what a killed process wrote stays; without flushes more happens between two kills
    chance, acknowledged, number = random.Random(seed), {}, 0
    for round_ in range(rounds):
        children = []
        for writer in WRITERS:
            children.append(start_child(folder, writer, number, seed * 10_000 + round_ * 10 + len(children)))
            number += 3_000
        waits = 600 if chance.random() < 0.8 else 0.03  # most reach some captures, however busy the machine is
        select.select([children[chance.randrange(2)][1]], [], [], waits)
        time.sleep(chance.random() * 0.04)
        for child, _ in children:
            os.kill(child, signal.SIGKILL)
        for child, _ in children:
            os.waitpid(child, 0)
        new = {}
        for _, reading in children:
            new |= heard(reading)
        acknowledged |= new
        older = chance.sample(sorted(acknowledged), min(4, len(acknowledged)))
        for each in [*new, *older]:
            if each % 4:
                assert page_at(folder, acknowledged[each]).body == body_of(each), each
    print(json.dumps(acknowledged))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
