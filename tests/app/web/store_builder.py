"""Builder for an installation with watches, archived versions, changes and alerts."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from pagedrift import PageVersion
from pagedrift.app.model.change import ChangeAnalysis, ChangedBlock, ChangeRecord, JudgedEdit
from pagedrift.app.model.decision import Decision, Reason
from pagedrift.app.model.results import VersionMetadata, VisitResult
from pagedrift.app.model.watch import Watch
from pagedrift.app.settings import Settings
from pagedrift.app.store import visits, watches
from pagedrift.app.store.store import Store
from pagedrift.app.store.tables import AlertRow, AlertWatchRow, WatchRow
from pagedrift.archive.record_format import Attachment
from pagedrift.archive.writer import ArchiveWriter

START = datetime(2026, 11, 1, 12, 0, tzinfo=UTC)


class Filled:
    """Keeps versions the way a visit does."""

    def __init__(self, settings: Settings, store: Store) -> None:
        self.settings, self.store = settings, store
        self.archive = ArchiveWriter(settings.archive)
        self._places: dict[int, tuple[str, int]] = {}

    def watch(self, url: str, **more: object) -> str:
        return watches.add(self.store, Watch(url, **more)).id

    def version(
        self,
        watch: str,
        body: bytes,
        *,
        url: str = "https://city.example/fees",
        hours: float = 0,
        content_type: str = "text/html; charset=utf-8",
        attachments: Iterable[Attachment] = (),
        old: int | None = None,
        headline: str = "a fee was raised",
        blocks: tuple[ChangedBlock, ...] = (),
        edits: tuple[JudgedEdit, ...] = (),
    ) -> tuple[int, int | None]:
        """Keep a version; with an old one, also the change that led to it."""
        moment = START + timedelta(hours=hours)
        headers = (("Content-Type", content_type),)
        page = PageVersion(url, body, captured_at=moment, content_type=content_type, status=200, headers=headers)
        change = None
        if old is not None:
            found = ChangeAnalysis(
                lines=(headline,),
                headline=headline,
                amount=0.2,
                probability=0.8,
                matters=True,
                signature="s",
                blocks=blocks,
                edits=edits,
            )
            details = {"probability": 0.8, "headline": headline}
            change = ChangeRecord(analysis=found, decision=Decision(True, Reason.MATTERS, details))
        mime = content_type.partition(";")[0]
        kept = VersionMetadata(
            url=url,
            captured_at=moment,
            digest=page.digest,
            mime=mime,
            status=200,
            title="Fees",
            pictured=bool(attachments),
        )
        seen = VisitResult(
            watch=watch,
            at=moment,
            outcome="changed" if change else "new",
            kept=True,
            version=kept,
            change=change,
            compared_with=self._places[old] if change else None,
        )
        place = self.archive.append(page, notes=seen.notes(), attachments=attachments).place
        with self.store.begin() as session:
            recorded = visits.record(session, seen, place)
            assert recorded is not None
            assert recorded.version is not None
            session.get(WatchRow, watch).newest_id = recorded.version
            number = recorded.version
            self._places[number] = (place.filename, place.offset)
            return number, recorded.change

    def alert(self, watch: str, change: int | None, title: str = "a fee was raised") -> int:
        with self.store.begin() as session:
            told = {"title": title, "text": title, "html": "", "url": ""}
            row = AlertRow(
                uid=f"{watch}-{change}", kind="change", opened_at=START, closed_at=START, title=title, told=told
            )
            row.watches.append(AlertWatchRow(watch_id=watch, change_id=change))
            session.add(row)
            session.flush()
            return row.id

    def close(self) -> None:
        self.archive.close()
