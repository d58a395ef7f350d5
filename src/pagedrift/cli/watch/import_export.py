"""The commands `pagedrift watch` import and export."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from pagedrift.atomic_files import write_atomically
from pagedrift.cli.common import answer_json, check_place, json_option
from pagedrift.cli.installation import opened, with_data
from pagedrift.errors import InputError
from pagedrift.text import cut, printable

if TYPE_CHECKING:
    from pagedrift.app.imports import ImportResult
    from pagedrift.app.imports.results import ImportedWatches
    from pagedrift.app.settings import Settings

FORMAT: Final = 1
MAX_FILE_BYTES: Final = 600_000_000  # bytes of a file: backups of others hold pictures
MAX_NOTES_SHOWN: Final = 50  # notes
MAX_NOTE_CHARS: Final = 4_000  # a note names the watches that it is about
FROM: Final = ("pagedrift", "changedetection", "urlwatch", "distill", "opml", "list")
AS: Final = ("json", "opml", "urlwatch", "list", "wacz")


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@click.option("--from", "kind", type=click.Choice(FROM), help="File format, if it cannot be detected.")
@click.option("--group", default="", help="Group for watches without one.")
@click.option("--paused", is_flag=True, help="Import as paused watches.")
@click.option("--dry-run", is_flag=True, help="Show what would be imported, without importing it.")
@json_option
@with_data
def import_(
    file: Path, kind: str | None, group: str, paused: bool, dry_run: bool, as_json: bool, settings: Settings
) -> None:
    """Import watches from FILE: a changedetection.io backup or data folder, urlwatch or webchanges jobs, a Distill
    export, OPML, a list of addresses, or a Pagedrift export. Existing watches are not changed.

    \b
    Examples:
      pagedrift watch import changedetection-backup.zip --dry-run
      pagedrift watch import urls.yaml --group old
    """  # noqa: D205 - one sentence
    from pagedrift.app import imports

    found = imports.read(_bytes(file), kind=kind)
    if not found.watches and not found.groups:
        _notes(found.notes)
        raise InputError(f"no watch found in {file} that can be imported; check the file")
    if dry_run:
        _preview(found, as_json)
        return
    with opened(settings) as store:
        taken = imports.take(store, found, group=group, paused=paused)
    _done(taken, as_json)


@click.command("export")
@click.option(
    "--to",
    "target",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write [default: standard output].",
)
@click.option(
    "--as",
    "kind",
    type=click.Choice(AS),
    default="json",
    show_default=True,
    help="Format; only json contains everything.",
)
@click.option("--with-secrets", is_flag=True, help="Include passwords, keys and channels; keep the file private.")
@with_data
def export_(target: Path | None, kind: str, with_secrets: bool, settings: Settings) -> None:
    """Export all watches, groups, rules and alerts into one file that `import` reads.

    Versions are exported as WACZ, for web archive players.

    \b
    Examples:
      pagedrift watch export --to watches.json --with-secrets
      pagedrift watch export --as opml --to feeds.opml
      pagedrift watch export --as wacz --to versions.wacz
    """
    check_place(target)
    if kind == "wacz":
        _wacz(settings, target)
        return
    with opened(settings) as store:
        body = _written(store, kind, with_secrets=with_secrets)
    if target is None:
        sys.stdout.buffer.write(body)
        sys.stdout.flush()
    else:
        write_atomically(target, body, private=with_secrets)


def _written(store: Any, kind: str, *, with_secrets: bool) -> bytes:
    from pagedrift.app.imports import backup, opml, url_list, urlwatch
    from pagedrift.app.store import watches

    if kind == "json":
        return (
            json.dumps(backup.export(store, secrets=with_secrets), ensure_ascii=False, indent=1) + "\n"
        ).encode()
    found = watches.own(store)
    if kind == "opml":
        return opml.write(found)
    return (urlwatch.write(found) if kind == "urlwatch" else url_list.write(found)).encode()


def _wacz(settings: Settings, target: Path | None) -> None:
    from pagedrift.archive.export import export as write

    if target is None:
        raise InputError("a WACZ is a file; name it with --to versions.wacz")
    if settings.warcs:
        raise InputError(f"the versions are in {settings.warcs}; copy them to a folder and name it with --data")
    if not (settings.data / "warc").is_dir():
        raise InputError(f"{settings.data} contains no versions; check pages with: pagedrift watch run")
    captures = write(settings.data, target)
    click.echo(f"{captures:,} captures in {target}", err=True)


def _bytes(file: Path) -> bytes:
    if str(file) == "-":
        body: bytes = sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
    elif file.is_dir():
        from pagedrift.app.imports.changedetection import packed

        body = packed(file)
    else:
        with file.open("rb") as opened_file:
            body = opened_file.read(MAX_FILE_BYTES + 1)
    if len(body) > MAX_FILE_BYTES:
        raise InputError(f"{file} is larger than {MAX_FILE_BYTES // 10**6} MB; import it in parts")
    return body


def _preview(found: ImportedWatches, as_json: bool) -> None:
    from pagedrift.app.model.options import hidden

    hidden_kinds: dict[str, list[str]] = {}
    for rule in found.rules:
        hidden_kinds.setdefault(rule.of if rule.scope == "watch" else "", []).append(rule.value)
    for watch in found.watches:
        rules = hidden_kinds.get(watch.id, []) if watch.id else []
        data = {"url": watch.url, "kind": watch.kind, "name": watch.name, "group": watch.group}
        if as_json:
            answer_json(
                {"v": FORMAT, **data, "paused": watch.paused, "options": hidden(watch.options), "rules": rules}
            )
        else:
            said = ", ".join([*sorted(watch.options), *(f"rule: {rule}" for rule in rules)])
            click.echo(f"{watch.kind:<8}{printable(watch.title)}" + (f"  ({said})" if said else ""))
    _notes(found.notes, shown=len(found.notes))


def _done(taken: ImportResult, as_json: bool) -> None:
    if as_json:
        added = [{"id": watch.id, "url": watch.url} for watch in taken.added]
        answer_json({"v": FORMAT, "added": added, "present": taken.present, "notes": taken.notes})
        return
    _notes(taken.notes)
    known = f", {taken.present:,} watched already" if taken.present else ""
    click.echo(f"{len(taken.added):,} added{known}")


def _notes(notes: tuple[str, ...], *, shown: int = MAX_NOTES_SHOWN) -> None:
    for note in notes[:shown]:
        click.echo(f"note: {cut(note, MAX_NOTE_CHARS)}", err=True)
    if len(notes) > shown:
        click.echo(f"note: {len(notes) - shown:,} more like these; see them all with --dry-run", err=True)
