"""How certain is it, document by document, that the site was redesigned? Our own detector.

What speaks for a redesign is a frame that the new documents share and no document before had, in place of one that
the documents before shared. The frame of a page is two sets of hashes: the names of its classes, ids, style sheets
and scripts, and its runs of four tags.

1. A document that brings a tenth of its frame with it, unseen in the last 2h documents, *founds* a candidate.
   What it lacks of the frame that most of the last h documents had is what was *lost*.
2. The next document *joins* if it is like the first, and a good part of what the two share is unseen. That part
   is the *core* of the new frame; content that one document brought by chance is out. Later documents join by
   half of it.
3. The certainty is the product of two probabilities (`certainty.py`). *Is it another design?* A curve over the
   share of the frame that was replaced: the geometric mean of what was lost of the old frame, and of what the first
   two documents share and the document before that has most of it lacked; each of them again a mean of names and
   runs. An edited template keeps most of both, a renamed style sheet all of its runs, and a page of another type
   the frame of its site. Where the documents before varied much, a few that differ say little. *Will it stay?* Each
   document that joins adds to the odds, and each that still has the old frame takes from them. A document counts in
   full at a place of its URL that had documents before. At a new place it counts half, if it leads where the site
   led before, and next to nothing if it leads nowhere known: that is a section with a design of its own, or a
   foreign bundle. It counts less, too, where it has the very frame and nearly the words of the one before, as error
   and block pages have: what is said n times counts as the root of n.
   One document is often a stray and two are not; further ones add less, since those of one site are not
   independent. Where the site had the design before, documents count half: they may be left over.
4. A candidate lives while the old design stays away: two documents of the old one end it. It is reported with three
   documents at the earliest, however certain it is: trials on some of the pages come in pairs. Where less
   than the default certainty is asked for, it is reported at the second.

Known documents cost a few comparisons, new ones 2h; only frames are kept.
"""

from __future__ import annotations

from array import array
from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from pagedrift._kernels import in_at_least
from pagedrift.redesigned.base import Detector, at_least, is_share
from pagedrift.redesigned.candidates import SHOWN, Candidate
from pagedrift.redesigned.certainty import PAIR, SHIPPED, Weights
from pagedrift.redesigned.events import PassingDesign, Redesign, TemplateEdit
from pagedrift.redesigned.frames import DesignFrame, common_frame, page_types, smallest
from pagedrift.redesigned.history import packed, unpacked
from pagedrift.redesigned.sections import SectionPlaces

if TYPE_CHECKING:
    from pagedrift.page import PageVersion
    from pagedrift.redesigned.candidates import Place

FRESH: Final = 0.1  # of a frame must be new for a document to found a candidate
BEFORE: Final = 5  # documents before a design that say what was lost; with fewer there is nothing to compare with
CERTAIN: Final = 0.8  # certainty at which a redesign is reported, if no other one is asked for
REPORTED: Final = 3  # documents of a design before that, at least: two in a row may be a trial
TAKEN_BACK: Final = 6  # documents of a reported design, at most, for it to be named as one that came and went
LED: Final = 2  # documents before a design that led to a place: not only one of them, by chance of its content
RETURNS: Final = 2  # documents of the old design after which a candidate is none
MAX_FORMER_DESIGNS: Final = 5  # that a site may be found to have gone back to
EDITED: Final = 0.9  # of the h documents since an edit have it


class Evidence(Detector):
    """Weigh frames that come and go, and report a redesign when it is certain enough.

    A redesign is reported once, at the document at which its certainty reaches `certainty`; `event` then follows
    each document: its certainty rises as more of the new design come, and falls if the old one returns. What is
    not certain enough yet is in `suspected`. `edited` is true for the last update only, as `redesigned` is, and
    `edit` the latest change within a design.
    """

    name = "evidence"
    SETTINGS = ("history", "certainty")
    weights: Weights = SHIPPED

    def __init__(self, *, history: int = 20, certainty: float = CERTAIN) -> None:
        super().__init__(history=history)
        at_least("history", history, BEFORE)
        is_share("certainty", certainty)
        self.certainty = certainty
        self._frames: deque[tuple[int, DesignFrame]] = deque(maxlen=2 * history)
        self._links: deque[array[int]] = deque(maxlen=2 * history)
        self._places = SectionPlaces(size=2 * history)
        self._fresh: deque[float] = deque(maxlen=2 * history)  # the share of each document that was unseen
        self.candidates: list[Candidate] = []
        self._era = 0  # first document of the design that holds
        self._former: deque[DesignFrame] = deque(maxlen=MAX_FORMER_DESIGNS)

    @property
    def ready(self) -> bool:
        """Return whether the history is full."""
        return self.documents >= self.history

    @property
    def suspected(self) -> Redesign | None:
        """The likeliest redesign that was not reported yet."""
        waiting = [one for one in self.candidates if not one.told]
        return self._event(max(waiting, key=self._certainty)) if waiting else None

    def _certainty(self, one: Candidate) -> float:
        return one.certainty(self.weights)

    def _look_at(self, page: PageVersion) -> Redesign | None:
        self.edited, self.passing = False, None
        if page.failed:
            return None
        index = self.documents - 1
        frame, links = DesignFrame.of(page), smallest(page.outline.links)
        self._join(frame, links, page)
        self._fresh.append(self._found(frame, links, page))
        self._frames.append((index, frame))
        self._links.append(links)
        self._places.add(page.url, index)
        return self._decide(index)

    def _join(self, frame: DesignFrame, links: array[int], page: PageVersion) -> None:
        """Show a document to the candidates."""
        for one in self.candidates:
            if not one.fits(frame):
                one.leave_out(frame)
                continue
            before = self._before(one.first) if one.alike == 1 else []
            one.join(frame, page, place=self._place(one, links, page.url), before=before)

    def _place(self, one: Candidate, links: array[int], url: str) -> Place:
        if self._places.is_home(url, one.first):
            return "home"
        if not one.leads:  # most candidates never need it
            one.leads = self._leads_before(one.first)
        return "linked" if one.leads_on(links) else "away"

    def _found(self, frame: DesignFrame, links: array[int], page: PageVersion) -> float:
        """Begin a candidate if a good part of the frame is new; give that part, as a share."""
        index = self.documents - 1
        if len(self._frames) < BEFORE or frame.unseen([self._frames[-1][1]]) is None:
            return 0.0  # most documents are known from the last
        before = self._before(index)
        fresh = frame.unseen(before)
        if fresh is None or fresh.within(frame) < FRESH:
            return 0.0
        here = self._of_this_design(before)
        old = [common_frame(frames) for frames in page_types(here)]
        candidate = Candidate(
            first=index,
            published_at=self._dates[-1],
            before=len(before),
            core=fresh,
            whole=frame,
            new=fresh.within(frame),
            unrest=sum(self._fresh) / len(self._fresh),
            last=frame,
            old=old,
            lost=[one.parted(frame)[1] for one in old],
            leads=array("Q"),
            is_returning=self._was_here(frame),
        )
        candidate.count(self._place(candidate, links, page.url), is_same=False)
        self.candidates.append(candidate)
        return candidate.new

    def _leads_before(self, first: int) -> array[int]:
        """Give where several documents before a candidate led."""
        known = zip(self._frames, self._links, strict=True)
        return smallest(in_at_least([links for (index, _), links in known if index < first], LED))

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
        """Let go of some candidates, report the one that is certain enough, and keep the last event up to date."""
        if not self.candidates:
            return None
        self._let_go(index)
        for one in self.candidates:
            if one.told and self.event and self.event.document == one.first:
                self.event = replace(self.event, certainty=self._certainty(one), alike=one.alike)
        if not self.ready:
            return None
        least = REPORTED if self.certainty >= CERTAIN else PAIR
        likely = [one for one in self.candidates if not one.told and one.alike >= least]
        best = max(likely, key=self._certainty, default=None)
        if best and self._certainty(best) >= self.certainty:
            return self._tell_redesign(best)
        self._tell_edit()
        return None

    def _tell_redesign(self, one: Candidate) -> Redesign:
        """Report a redesign; its design is the one that holds from now on."""
        one.told = True
        self._era = one.first
        self.candidates = [one]
        event = replace(self._event(one), returned=self._was_here(one.last))
        self._former.append(one.old[0])
        return event

    def _was_here(self, frame: DesignFrame) -> bool:
        """Return whether a frame is of a design that the site had before."""
        return any(former.carried_by(frame) for former in self._former)

    def _let_go(self, index: int) -> None:
        """Keep the candidates that may still become a redesign: at most h, the youngest and the likeliest."""
        kept = [one for one in self.candidates if self._lives(one, index - one.first)]
        gone = [one for one in self.candidates if one.olds == RETURNS and one.passing and self._passed(one)]
        self._name_passing(max(gone, key=lambda one: one.alike, default=None))
        if len(kept) > self.history:
            kept.remove(min(kept[: -self.history // 2], key=self._certainty))
        self.candidates = kept

    def _passed(self, one: Candidate) -> bool:
        """Return whether a design only passed: documents of the old one long after a redesign are left over."""
        return not one.told or one.alike <= TAKEN_BACK

    def _name_passing(self, one: Candidate | None) -> None:
        """Name a design that was another one, and none that stays: also one that was taken for a redesign."""
        if one is None or one.passing is None or one.alike < SHOWN or one.is_other(self.weights) < 1 / 2:
            return
        self.passing = PassingDesign(
            document=one.first,
            published_at=one.published_at,
            detector=self.name,
            what=one.passing,
            pages=one.alike,
        )
        one.passing = None  # it is named once, though one that was reported is followed on

    def _lives(self, one: Candidate, age: int) -> bool:
        """Return whether a candidate may still become a redesign; one that was reported is followed for a while."""
        if one.told or one.is_other(self.weights) < 1 / 2:
            return age < 2 * self.history and (one.told or one.olds < RETURNS)
        return one.olds < RETURNS and (one.alike > 1 or age < self.history)

    def _tell_edit(self) -> None:
        for one in self.candidates:
            lasts = one.since == self.history and one.alike >= EDITED * one.since
            if lasts and one.home > one.linked + one.away and not one.told:
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
            certainty=self._certainty(one),
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
            "fresh": list(self._fresh),
            "candidates": [one.state() for one in self.candidates],
            "era": self._era,
            "former": [frame.state() for frame in self._former],
            "edited": self.edited,
            "edit": self.edit.as_dict() if self.edit else None,
        }

    def _restore(self, state: dict[str, Any]) -> None:
        self._frames.extend((int(index), DesignFrame.restored(frame)) for index, *frame in state["frames"])
        self._links.extend(unpacked(links) for links in state["links"])
        self._places.restore(state["places"])
        self._fresh.extend(float(share) for share in state.get("fresh", ()))
        self.candidates = [Candidate.restored(one) for one in state["candidates"]]
        self._era = int(state["era"])
        self._former.extend(DesignFrame.restored(frame) for frame in state.get("former", ()))
        self.edited = bool(state["edited"])
        self.edit = TemplateEdit.from_dict(state["edit"]) if state["edit"] else None
