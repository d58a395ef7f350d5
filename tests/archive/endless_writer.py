"""A process that keeps captures until it is killed: python -m tests.archive.endless_writer FOLDER START"""

import random
import sys
from datetime import UTC, datetime
from itertools import count

from pagedrift.archive.record_format import Attachment
from pagedrift.archive.writer import ArchiveWriter
from pagedrift.http_exchange import Exchange
from tests.builders import PAGE, URL


def main(folder: str, start: int) -> None:
    chance = random.Random(start)
    with ArchiveWriter(folder, largest=40_000) as archive:
        for number in count(start):
            body = PAGE + b" %d " % number + chance.randbytes(chance.randrange(4_000)).hex().encode()
            picture = Attachment("fullPage", "image/png", chance.randbytes(chance.randrange(6_000)))
            archive.append(
                Exchange(url=f"{URL}/{number}", status=200, captured_at=datetime.now(UTC), body=body),
                notes={"number": number},
                attachments=[picture],
            )
            print(number, flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
