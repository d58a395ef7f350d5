"""Collections for tests: archives of made pages on a disk, and the quickest Spark for them."""

from pathlib import Path

from tests import designs
from tests.builders import record

# Small work: no time for a compiler that learns, nor for many threads of a collector.
JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
QUICK = (
    "spark.sql.shuffle.partitions=2",
    "spark.sql.codegen.wholeStage=false",
    "spark.sql.codegen.factoryMode=NO_CODEGEN",
    f"spark.driver.extraJavaOptions={JAVA}",
    f"spark.executor.extraJavaOptions={JAVA}",
    "spark.executor.memory=512m",
)


def day(number: int) -> str:
    """Write a day: the first, the second, ..."""
    return f"2026-{1 + number // 28:02}-{1 + number % 28:02}T12:00:00Z"


def newspaper(host: str, *, documents: int = 24, redesigned: int = 12) -> list[bytes]:
    """Write the articles of a newspaper, in another design from some day on."""
    return [
        record(
            f"https://{host}/articles/{number}",
            designs.old(number) if number < redesigned else designs.new(number),
            date=day(number),
            packed=True,
        )
        for number in range(documents)
    ]


def fees(host: str, *, versions: int = 5) -> list[bytes]:
    """Write one page again and again: every other version is like the one before."""
    return [
        record(
            f"https://{host}/fees",
            b"<!doctype html><title>Fees</title><h1>Fees</h1><p>A permit costs $%d" % (120 + number // 2),
            date=day(number),
            packed=True,
        )
        for number in range(versions)
    ]


def collection(folder: Path) -> Path:
    """Write three archives of three sites, and a manifest of them."""
    folder.mkdir(parents=True, exist_ok=True)
    archives = {
        "a.warc.gz": newspaper("news.example") + fees("city.example", versions=2),
        "b.warc.gz": newspaper("www.post.example", redesigned=99, documents=16),
        "c.warc.gz": fees("city.example")[2:] + newspaper("news.example", documents=40)[24:],
    }
    for name, records in archives.items():
        (folder / name).write_bytes(b"".join(records))
    manifest = folder / "manifest.txt"
    manifest.write_text("# three archives\n" + "\n".join(archives) + "\n")
    return manifest


def rows(folder: str | Path) -> list[dict]:
    """Read a table that a job wrote, part by part."""
    from pyarrow import parquet

    return [
        row
        for path in sorted(Path(folder).glob("part=*/*.parquet"))
        for row in parquet.ParquetFile(path).read().to_pylist()
    ]
