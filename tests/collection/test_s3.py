"""A collection in a store that speaks S3 gives its answers there, without a copy on any disk."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3
import pyarrow
import pytest
from pyarrow import parquet

from pagedrift.errors import InputError
from pagedrift.how_much.spark import ChangesJob
from pagedrift.which_template.spark import ClusterJob, FingerprintJob
from tests.collection.sample_collection import collection

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("spark")]


@pytest.fixture(scope="module")
def store(s3: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """The bucket, with three archives and a manifest that lists one more."""
    client = boto3.client("s3")
    for path in collection(tmp_path_factory.mktemp("collection")).parent.iterdir():
        client.put_object(Bucket=s3.removeprefix("s3://"), Key=f"2026/{path.name}", Body=path.read_bytes())
    listed = b"a.warc.gz\nb.warc.gz\nc.warc.gz\nnone.warc.gz\n"
    client.put_object(Bucket="crawls", Key="2026/list", Body=listed)
    yield client
    client.close()


def keys(store: Any, prefix: str) -> list[str]:
    return [entry["Key"] for entry in store.list_objects_v2(Bucket="crawls", Prefix=prefix).get("Contents", ())]


def test_jobs_read_from_s3_and_write_to_it(store: Any, tmp_path: Path) -> None:
    places = ["s3://crawls/2026/list", "--to", "s3://crawls/answers"]

    changes = ChangesJob().run(places)

    tally = changes.tally
    assert (tally.archives, tally.unreadable, tally.pages, changes.figures["pairs"]) == (3, 1, 61, 4)
    assert tally.problems == ["s3://crawls/2026/none.warc.gz is not there; check its name"]
    finished = store.get_object(Bucket="crawls", Key="answers/changes/_finished.json")["Body"].read()
    assert json.loads(json.loads(finished)["tally"])["rows"] == 4

    clusters = ClusterJob().run([*places, "--scratch", str(tmp_path)])

    assert (clusters.reused, clusters.figures["templates"]) == (3, 3)
    assert len(keys(store, "answers/clusters/part=")) == 4


def test_clusters_in_s3_need_a_folder_to_work_in(store: Any) -> None:
    assert store

    with pytest.raises(InputError, match=r"needs a folder.*--scratch DIR"):
        ClusterJob().run(["s3://crawls/2026/list", "--to", "s3://crawls/answers"])


def test_an_index_in_s3_reads_only_what_it_names(store: Any, tmp_path: Path) -> None:
    whole = store.get_object(Bucket="crawls", Key="2026/b.warc.gz")["Body"].read()
    starts = [at for at in range(len(whole)) if whole[at : at + 4] == b"\x1f\x8b\x08\x00"][:6]
    rows = [
        {"warc_filename": "2026/b.warc.gz", "warc_record_offset": at, "warc_record_length": None} for at in starts
    ]
    rows += [{"warc_filename": "2026/b.warc.gz", "warc_record_offset": 10**9, "warc_record_length": 100}]
    rows += [{"warc_filename": "2026/none.warc.gz", "warc_record_offset": 0, "warc_record_length": 100}]
    schema = pyarrow.schema(
        [("warc_filename", pyarrow.string()), ("warc_record_offset", "int64"), ("warc_record_length", "int64")]
    )
    parquet.write_table(pyarrow.Table.from_pylist(rows, schema=schema), tmp_path / "index.parquet")
    store.put_object(Bucket="crawls", Key="index/one.parquet", Body=(tmp_path / "index.parquet").read_bytes())

    outcome = FingerprintJob().run(
        ["s3://crawls/index/", "--base", "s3://crawls/", "--to", str(tmp_path / "answers")]
    )

    assert (outcome.tally.pages, outcome.tally.damaged, outcome.tally.unreadable) == (6, 2, 1)
