"""How certain is it, document by document, that the site was redesigned? Our own detector.

What speaks for a redesign is a frame that the new documents share and no document before had, in place of one that
the documents before shared. The frame of a page is two sets of hashes: the names of its classes, ids, style sheets
and scripts, and its runs of four tags.

1. A document that brings a tenth of its frame with it, unseen in the last 2h documents, *founds* a candidate.
   What it lacks of the frame that most of the last h documents had is what was *lost*.
2. The next document *joins* if it is like the first, and a good part of what the two share is unseen. That part
   is the *core* of the new frame; content that one document brought by chance is out. Later documents join by
   half of it.
3. The certainty is the product of two probabilities. *Is it another design?* A logistic curve over the share of
   the frame that was replaced: the smaller of what was lost of the old frame, and of what the first two documents
   share and the document before that has most of it lacked; each the geometric mean of its share in names and in
   runs. An edited template keeps most of both, a renamed style sheet all of its runs, and a page of another type
   the frame of its site. *Will it stay?* Log-odds that rise with each document that joins, and fall with each
   that still has the old frame. A document counts in full at a place of its URL that had documents before: a
   section with a design of its own is not a redesign, however long. It counts less where it has the very frame and
   nearly the words of the one before, as error and block pages have: what is said n times counts as the root of n.

Known documents cost a few comparisons, new ones 2h; only frames are kept.
"""

from __future__ import annotations

import math
from array import array
from collections import deque
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pagedrift._kernels import count_common, hash_bytes, in_at_least, in_none_of, overlaps, partition, shingles
from pagedrift.redesigned.base import Detector, at_least, is_share
from pagedrift.redesigned.events import Redesign, TemplateEdit
from pagedrift.redesigned.history import LENGTH, packed, unpacked
from pagedrift.redesigned.sections import SectionPlaces
from pagedrift.which_template.similarity import overlap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pagedrift.page import PageVersion

MAX_KEPT_HASHES: Final = 2_000  # of names, runs and links of one page: with h = 20, 4 MB if every page has as many
TOO_FEW_NAMES: Final = 5  # names or runs that are too few to speak of a share
DOUBT: Final = 10  # added to what a share is taken of: small frames convince less
FRESH: Final = 0.1  # of a frame must be new for a document to found a candidate
TRACE: Final = 0.03  # of its names and of its runs; most documents are known by their names alone, and at once
COMMON: Final = 0.7  # of the last h documents share what is called their frame: three in ten may be outliers
KIND: Final = 0.15  # of the last h documents make a page type: three of twenty
BEFORE: Final = 5  # documents before a design that say what was lost; with fewer there is nothing to compare with
LEADS: Final = 0.1  # of where most documents before led, and not only home: a page of the site, wherever it is
JOINS: Final = 0.5  # of the core makes a document join, of the old frame makes it one of the old design
ALIKE: Final = 0.3  # of the smaller frame is shared by two documents of one design; strangers share less
UNIFORM: Final = 0.25  # of the documents before have the very frame of the one before them
AGAIN: Final = 0.8  # of the words of two pages with one frame are the same: it is one page, shown twice
RETURNS: Final = 2  # documents of the old design after which a candidate is none

# Fitted, then rounded to the safe side; the last three are set by hand: see experiments/gottron2009/README.md.
MIDDLE: Final = 0.42  # share replaced at which edit and redesign are equally likely
STEEP: Final = 25.0
PRIOR: Final = -3.7  # log-odds that a foreign document is the first of many, before any is counted
HOME: Final = 2.4  # what each document at a known place adds
AWAY: Final = 0.1  # at a new place
SAME: Final = 0.6  # times the root of how often one page was shown again: block pages come in rows
OLD: Final = -4.0  # of the old design: undoes almost two of the new
STRAY: Final = -1.5  # of neither

EDITED: Final = 0.9  # of the h documents since an edit have it


class DesignFrame(NamedTuple):
    """What a page shows of its design: names and runs of tags, each a sorted array of hashes."""

    names: array[int]
    runs: array[int]

    @property
    def size(self) -> int:
        """The number of names and runs."""
        return len(self.names) + len(self.runs)

    def parted(self, other: DesignFrame) -> tuple[DesignFrame, DesignFrame]:
        """Part it into what another has too, and what it has not."""
        names, runs = partition(self.names, other.names), partition(self.runs, other.runs)
        return DesignFrame(names[0], runs[0]), DesignFrame(names[1], runs[1])

    def unseen(self, before: Sequence[DesignFrame]) -> DesignFrame | None:
        """Give what no frame of some has; None if that is next to nothing of the names, or of the runs."""
        kinds = []
        for kind, known in zip(self, zip(*reversed(before), strict=True), strict=True):
            least = math.ceil(TRACE * len(kind)) if len(kind) >= TOO_FEW_NAMES else 0
            kinds.append(in_none_of(kind, known, least))
            if len(kinds[-1]) < least:
                return None
        return DesignFrame(*kinds)

    def within(self, whole: DesignFrame) -> float:
        """Return which share of a whole this is, names and runs weighing alike; few of a kind are left out."""
        return _share((len(self.names), len(self.runs)), (len(whole.names), len(whole.runs)))

    def news(self, before: Sequence[DesignFrame]) -> float:
        """Return which share of this no single frame of some had: the least one of them lacked."""
        sizes = [len(kind) for kind in self]
        shared = (self.shared_with(one) for one in before)
        return min((_share([sizes[0] - names, sizes[1] - runs], sizes) for names, runs in shared), default=0.0)

    def shared_with(self, other: DesignFrame) -> tuple[int, int]:
        """Count the names and runs that another has too."""
        return count_common(self.names, other.names), count_common(self.runs, other.runs)

    def is_like(self, other: DesignFrame, shared: tuple[int, int]) -> bool:
        """Return whether two frames may be of one design, from what they share."""
        smaller = (min(len(self.names), len(other.names)), min(len(self.runs), len(other.runs)))
        return _share(shared, smaller) >= ALIKE

    def carried_by(self, other: DesignFrame) -> bool:
        """Return whether another frame has half of this one, of names and runs together."""
        return self.size > 0 and sum(self.shared_with(other)) >= JOINS * self.size

    def state(self) -> list[str]:
        """Give it as JSON can hold it."""
        return [packed(self.names), packed(self.runs)]

    @classmethod
    def restored(cls, state: Sequence[str]) -> DesignFrame:
        """Read it back."""
        names, runs = state
        return cls(unpacked(names), unpacked(runs))


@dataclass(kw_only=True)
class Candidate:
    """A frame that may be that of a new design, and what speaks for it."""

    first: int
    published_at: datetime | None
    before: int  # documents that it was compared with
    core: DesignFrame  # what its first two documents share and none before had
    whole: DesignFrame  # what they share
    new: float  # the least share of the whole that one document before it lacked
    is_uniform: bool  # the documents before it had the very frame of the one before them, too
    last: DesignFrame  # the frame of the last that joined
    old: list[DesignFrame]  # what most documents before shared: of each page type, the commonest first
    lost: list[DesignFrame]  # of them, what no document of the candidate has
    leads: array[int]  # where most documents before it led
    words: array[int] = field(default_factory=lambda: array("Q"))  # of the last with the frame of the one before
    alike: int = 1
    home: int = 0
    away: int = 0
    same: int = 0
    olds: int = 0
    strays: int = 0
    told: bool = False

    _FRAMES = ("core", "whole", "last")
    _TYPES = ("old", "lost")

    @property
    def replaced(self) -> float:
        """The share of the frame that was replaced."""
        return min(self.new, *self.gone)

    @property
    def gone(self) -> list[float]:
        """The share of each old frame that was lost."""
        return [lost.within(old) for lost, old in zip(self.lost, self.old, strict=True)]

    @property
    def certainty(self) -> float:
        """How likely it is that this is another design, and that it will stay."""
        return _logistic(STEEP * (self.replaced - MIDDLE)) * self.stays

    @property
    def stays(self) -> float:
        """How likely it is that more documents of it come, and none of the old design."""
        seen = HOME * self.home + AWAY * self.away + SAME * math.sqrt(self.same)
        return _logistic(PRIOR + seen + OLD * self.olds + STRAY * self.strays)

    @property
    def since(self) -> int:
        """Documents from its first on."""
        return self.alike + self.olds + self.strays

    def fits(self, frame: DesignFrame) -> bool:
        """Return whether a document is of the candidate.

        The second is if much of what it shares with the first is new, and it shares more than strangers do.
        """
        if self.alike > 1:
            return self.core.carried_by(frame)
        core = self.core.shared_with(frame)
        if sum(core) < TOO_FEW_NAMES:
            return False
        whole = self.whole.shared_with(frame)
        is_new = _share(core, whole) >= JOINS * min(self.core.within(self.whole), JOINS)
        return is_new and self.whole.is_like(frame, whole)

    def join(self, frame: DesignFrame, page: PageVersion, *, is_home: bool, before: Sequence[DesignFrame]) -> None:
        """Take a document that fits."""
        if self.alike == 1:
            self.core, self.whole = self.core.parted(frame)[0], self.whole.parted(frame)[0]
            self.new = self.whole.news(before)
        self.lost = [lost.parted(frame)[1] for lost in self.lost]
        self.alike += 1
        is_same = frame == self.last and not (self.told or self.is_uniform) and self._says_the_same(page)
        self.count(is_home=is_home, is_same=is_same)
        self.last = frame

    def _says_the_same(self, page: PageVersion) -> bool:
        """Compare the words of documents with one frame; the first such is in doubt until the second comes.

        So words are read only where frames repeat, which is seldom.
        """
        known, self.words = self.words, _words(page)
        is_same = not known or overlap(known, self.words) >= AGAIN
        if not is_same and self.same == 1:
            self.home, self.same = self.home + 1, 0
        return is_same

    def leave_out(self, frame: DesignFrame) -> None:
        """Count a document that is not of the candidate; one of the old design ends the run of the new."""
        if self.old[0].carried_by(frame):
            self.olds += 1
            self.home = self.away = self.same = 0
        else:
            self.strays += 1

    def count(self, *, is_home: bool, is_same: bool) -> None:
        """Count a document of the candidate by what it is worth."""
        self.away += not is_home
        self.same += is_home and is_same
        self.home += is_home and not is_same

    def state(self) -> dict[str, Any]:
        """Give it as JSON can hold it."""
        plain = {name: value for name, value in vars(self).items() if name not in self._FRAMES + self._TYPES}
        frames = {name: getattr(self, name).state() for name in self._FRAMES}
        types = {name: [frame.state() for frame in getattr(self, name)] for name in self._TYPES}
        return (
            plain
            | frames
            | types
            | {"leads": packed(self.leads), "words": packed(self.words)}
            | {"published_at": self.published_at.isoformat() if self.published_at else None}
        )

    @classmethod
    def restored(cls, state: dict[str, Any]) -> Candidate:
        """Read it back."""
        date = state["published_at"]
        frames = {name: DesignFrame.restored(state[name]) for name in cls._FRAMES}
        types = {name: [DesignFrame.restored(frame) for frame in state[name]] for name in cls._TYPES}
        return cls(
            **state
            | frames
            | types
            | {"leads": unpacked(state["leads"]), "words": unpacked(state["words"])}
            | {"published_at": datetime.fromisoformat(date) if date else None}
        )


class Evidence(Detector):
    """Weigh frames that come and go, and report a redesign when it is certain enough.

    A redesign is reported once, at the document at which its certainty reaches `certainty`; `event` then follows
    each document: its certainty rises as more of the new design come, and falls if the old one returns. What is
    not certain enough yet is in `suspected`. `edited` is true for the last update only, as `redesigned` is, and
    `edit` the latest change within a design.
    """

    name = "evidence"
    SETTINGS = ("history", "certainty")

    def __init__(self, *, history: int = 20, certainty: float = 0.8) -> None:
        super().__init__(history=history)
        at_least("history", history, BEFORE)
        is_share("certainty", certainty)
        self.certainty = certainty
        self._frames: deque[tuple[int, DesignFrame]] = deque(maxlen=2 * history)
        self._links: deque[array[int]] = deque(maxlen=2 * history)
        self._places = SectionPlaces(size=2 * history)
        self.candidates: list[Candidate] = []
        self._era = 0  # first document of the design that holds

    @property
    def ready(self) -> bool:
        """Return whether the history is full."""
        return self.documents >= self.history

    @property
    def suspected(self) -> Redesign | None:
        """The likeliest redesign that was not reported yet."""
        waiting = [one for one in self.candidates if not one.told]
        return self._event(max(waiting, key=lambda one: one.certainty)) if waiting else None

    def _look_at(self, page: PageVersion) -> Redesign | None:
        self.edited = False
        if page.failed:
            return None
        index = self.documents - 1
        outline = page.outline
        frame = DesignFrame(_smallest(outline.names), _smallest(shingles(outline.codes, LENGTH)))
        links = _smallest(outline.links)
        if not self._join(frame, links, page):
            self._found(frame, links, page)
        self._frames.append((index, frame))
        self._links.append(links)
        self._places.add(page.url, index)
        return self._decide(index)

    def _join(self, frame: DesignFrame, links: array[int], page: PageVersion) -> bool:
        """Show a document to the candidates; true if one that was not reported yet took it as its own."""
        joined = False
        for one in self.candidates:
            if not one.fits(frame):
                one.leave_out(frame)
                continue
            before = self._before(one.first) if one.alike == 1 else []
            is_home = self._is_home(one, links, page.url)
            one.join(frame, page, is_home=is_home, before=before)
            joined |= not one.told
        return joined

    def _is_home(self, one: Candidate, links: array[int], url: str) -> bool:
        kept = count_common(one.leads, links)
        leads_on = kept >= TOO_FEW_NAMES and kept >= LEADS * len(one.leads)
        return self._places.is_home(url, one.first, leads_on=leads_on)

    def _found(self, frame: DesignFrame, links: array[int], page: PageVersion) -> None:
        """Begin a candidate if a good part of the frame is new."""
        index = self.documents - 1
        if len(self._frames) < BEFORE or frame.unseen([self._frames[-1][1]]) is None:
            return  # most documents are known from the last
        before = self._before(index)
        fresh = frame.unseen(before)
        if fresh is None or fresh.within(frame) < FRESH:
            return
        here = self._of_this_design(before)
        old = [_shared(frames) for frames in _page_types(here)]
        candidate = Candidate(
            first=index,
            published_at=self._dates[-1],
            before=len(before),
            core=fresh,
            whole=frame,
            new=fresh.within(frame),
            is_uniform=frame.size >= old[0].size / 2 and _is_uniform(here),
            last=frame,
            old=old,
            lost=[one.parted(frame)[1] for one in old],
            leads=self._leads() if self._places.is_root(page.url) else array("Q"),
        )
        candidate.count(is_home=self._is_home(candidate, links, page.url), is_same=False)
        self.candidates.append(candidate)

    def _leads(self) -> array[int]:
        """Give where most of the last h documents lead."""
        last = list(self._links)[-self.history :]
        return in_at_least(last, math.ceil(COMMON * len(last)))

    def _before(self, first: int) -> list[DesignFrame]:
        """Give what counts as seen before a document: this design, and what was before it as long as it is young.

        Half a history: a site that goes back and forth between two designs has shown both by then.
        """
        frames = [(index, frame) for index, frame in self._frames if index < first]
        here = [frame for index, frame in frames if index >= self._era]
        return here if len(here) >= self.history // 2 else [frame for _, frame in frames]

    def _of_this_design(self, before: list[DesignFrame]) -> list[DesignFrame]:
        """Give the last h documents before, without those of an earlier design."""
        here = [frame for index, frame in self._frames if index >= self._era]
        return (here if len(here) >= BEFORE else before)[-self.history :]

    def _decide(self, index: int) -> Redesign | None:
        """Let go of old candidates, report the one that is certain enough, and keep the last event up to date."""
        if not self.candidates:
            return None
        self.candidates = [
            one
            for one in self.candidates
            if index - one.first < 2 * self.history and (one.told or one.olds < RETURNS)
        ]
        for one in self.candidates:
            if one.told and self.event and self.event.document == one.first:
                self.event = replace(self.event, certainty=one.certainty, alike=one.alike)
        del self.candidates[: -self.history]
        if not self.ready:
            return None
        likely = [one for one in self.candidates if not one.told and one.stays >= self.certainty]
        best = max(likely, key=lambda one: one.certainty, default=None)
        if best and best.certainty >= self.certainty:
            best.told = True
            self._era = best.first
            self.candidates = [best]
            return self._event(best)
        self._tell_edit()
        return None

    def _tell_edit(self) -> None:
        for one in self.candidates:
            lasts = one.since == self.history and one.alike >= EDITED * one.since
            if lasts and one.home > one.away and not one.told:
                self.edited = True
                self.edit = TemplateEdit(
                    document=one.first,
                    published_at=one.published_at,
                    detector=self.name,
                    stayed=1 - max(one.new, *one.gone),
                )

    def _event(self, one: Candidate) -> Redesign:
        return Redesign(
            document=one.first,
            published_at=one.published_at,
            detector=self.name,
            certainty=one.certainty,
            needed=self.documents - one.first,
            alike=one.alike,
            before=one.before,
            alike_before=0,
        )

    def _state(self) -> dict[str, Any]:
        return {
            "frames": [[index, *frame.state()] for index, frame in self._frames],
            "links": [packed(links) for links in self._links],
            "places": self._places.state(),
            "candidates": [one.state() for one in self.candidates],
            "era": self._era,
            "edited": self.edited,
            "edit": self.edit.as_dict() if self.edit else None,
        }

    def _restore(self, state: dict[str, Any]) -> None:
        self._frames.extend((int(index), DesignFrame.restored(frame)) for index, *frame in state["frames"])
        self._links.extend(unpacked(links) for links in state["links"])
        self._places.restore(state["places"])
        self.candidates = [Candidate.restored(one) for one in state["candidates"]]
        self._era = int(state["era"])
        self.edited = bool(state["edited"])
        self.edit = TemplateEdit.from_dict(state["edit"]) if state["edit"] else None


def _smallest(hashes: array[int]) -> array[int]:
    return hashes[:MAX_KEPT_HASHES] if len(hashes) > MAX_KEPT_HASHES else hashes


def _words(page: PageVersion) -> array[int]:
    """Hash the different words that a page says."""
    different = (hash_bytes(word.encode("utf-8", "replace")) for word in set(page.words))
    return _smallest(array("Q", sorted(different)))


def _share(parts: Sequence[int], wholes: Sequence[int]) -> float:
    """Take the geometric mean of the shares in names and in runs; a kind with few of them is left out."""
    shares = [part / (whole + DOUBT) for part, whole in zip(parts, wholes, strict=True) if whole >= TOO_FEW_NAMES]
    if len(shares) == 1:
        return shares[0]
    return math.sqrt(shares[0] * shares[1]) if shares else 0.0


def _shared(frames: Sequence[DesignFrame]) -> DesignFrame:
    """Give what most frames share."""
    least = math.ceil(COMMON * len(frames))
    return DesignFrame(
        in_at_least([one.names for one in frames], least), in_at_least([one.runs for one in frames], least)
    )


def _page_types(frames: Sequence[DesignFrame]) -> list[list[DesignFrame]]:
    """Part documents into those that are like one another, the most first; a few of a kind are outliers.

    The page types of most sites share a frame, and are one here. Where most documents are of no type, all are one.
    """
    types, rest = [], list(frames)
    while rest:
        first = rest[0]
        names, runs = (overlaps(own, kinds) for own, kinds in zip(first, zip(*rest, strict=True), strict=True))
        alike = [
            first.is_like(frame, shared) for frame, shared in zip(rest, zip(names, runs, strict=True), strict=True)
        ]
        alike[0] = True  # also where a page has next to no frame
        types.append([frame for frame, is_alike in zip(rest, alike, strict=True) if is_alike])
        rest = [frame for frame, is_alike in zip(rest, alike, strict=True) if not is_alike]
    often = sorted((one for one in types if len(one) >= KIND * len(frames)), key=len, reverse=True)
    return often if sum(map(len, often)) >= COMMON * len(frames) else [list(frames)]


def _is_uniform(frames: Sequence[DesignFrame]) -> bool:
    """Return whether documents often have the very frame of the one before."""
    return sum(one == other for one, other in pairwise(frames)) >= UNIFORM * len(frames)


def _logistic(odds: float) -> float:
    return 1 / (1 + math.exp(-odds)) if odds > 0 else math.exp(odds) / (1 + math.exp(odds))
