"""What a selector meant on an earlier page, in the numbers of the page on which it is looked for."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Final

from pagedrift._kernels.looks_py import (
    ABOVE,
    AROUND,
    ENTRY,
    FIGURES,
    LABEL,
    NAME,
    PLAIN,
    SHAPES,
    TEXT,
    Sought,
)
from pagedrift.selectors.element_table import LINK_NUMBERS, PART_NUMBERS, SHAPE_NUMBERS, value_bits
from pagedrift.selectors.meanings import bits_of, kind_of, meanings
from pagedrift.selectors.selectable import words_of

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence, Set

    from pagedrift.selectors.candidates import ElementSample
    from pagedrift.selectors.element_table import ElementTable

_DOING: Final = bits_of(frozenset("previous next more share steps comments".split()))  # what links do
_PLACES: Final = {name: place for place, name in enumerate(FIGURES)}
_ALL_ALIKE: Final = array("d", [1.0]) * len(FIGURES)
_PLAIN: Final = frozenset(SHAPES[:PLAIN])  # kinds of texts that are no values


def compare_with_itself(sample: ElementSample) -> array[float]:
    """Give the figures of what is looked for compared with itself, which is as alike as can be."""
    looks, single = sample.looks, sample.count == 1
    value = looks.shape not in _PLAIN
    text, known = bool(words_of(looks.text)), bool(sample.page_texts and looks.text)
    meant, named = bits_of(looks.meanings), bits_of(sample.named)
    own, said = bits_of(looks.own), bits_of(looks.said)
    values = (("title", looks.titles_most), ("body", looks.main), ("picture", looks.tag == "img"))
    is_value = bits_of(frozenset(meaning for meaning, is_it in values if is_it)) | value_bits(looks.shape)
    figures = {
        "names": bool(looks.names),
        "meanings": meant,
        "above": bool(looks.above),
        "above meanings": bool(looks.above_meanings),
        "same heading": looks.heading,
        "text": single and text,
        "holds text": single and text,
        "said": said,
        "any meaning": said | meant,
        "same value": value,
        "both in title": looks.title_share,
        "both title most": looks.titles_most,
        "label": single and bool(looks.label),
        "target meanings": bool(meanings(looks.target)),
        "same target": single and bool(looks.address),
        "both main": looks.main,
        "both alone": looks.alike == 1,
        "around": single and bool(looks.around),
        "gap": looks.gap is not None,
        "same side": looks.gap is not None,
        "entries": bool(sample.entries.entries),
        "entry words": bool(sample.entries.words),
        "named": named & meant,
        "labelled": named & said & ~own,
        "says what it does": named & own & _DOING,
        "not named otherwise": not (named and meant) or named & meant,
        "named above": not meant and named & bits_of(looks.above_meanings),
        "named value": named & is_value,
        "both fixed": known,
        "both new": False,
        "still matched": False,
    }
    found = _ALL_ALIKE[:]
    for name, figure in figures.items():
        found[_PLACES[name]] = bool(figure)
    found[_PLACES["entries kept"]] = len(sample.entries.entries) / max(1, sample.entries.count)
    return found


class Seeker:
    """Writes samples of earlier pages in the numbers of one page."""

    def __init__(self, table: ElementTable) -> None:
        self._table = table
        self._pages: dict[frozenset[str], bytes] = {}  # by what an old page says: which beginnings are of it

    def seek(self, sample: ElementSample, matched: Sequence[int]) -> Sought:
        """Write what is looked for; `matched` is what the old selector means on the page."""
        looks, table = sample.looks, self._table
        sets = self._sets(sample)
        return Sought(
            tag=table.tags.get(looks.tag, -1),
            kind=table.kinds.get(kind_of(looks.tag), -1),
            shape=SHAPE_NUMBERS[looks.shape],
            heading=looks.heading,
            part=PART_NUMBERS[looks.part],
            link=LINK_NUMBERS[looks.link],
            address=table.addresses.get(looks.address, -1) if looks.address else -1,
            meanings=bits_of(looks.meanings),
            above_meanings=bits_of(looks.above_meanings),
            said=bits_of(looks.said),
            target=bits_of(meanings(looks.target)),
            named=bits_of(sample.named),
            words=looks.words,
            alike=looks.alike,
            depth=looks.depth,
            elements=sample.count,
            main=int(looks.main),
            titles_most=int(looks.titles_most),
            known_text=int(bool(sample.page_texts and looks.text)),
            on_new_page=int(looks.beginning in table.beginnings),
            place=looks.place,
            title_share=looks.title_share,
            linked=looks.linked,
            uniform=sample.uniform,
            gap=looks.gap,
            sizes=tuple(len(words) for words in sets.values()),
            marks=self._marks(sets),
            entries=len(sample.entries.entries),
            entry_marks=_marked(table.beginnings, sample.entries.entries),
            on_old_page=self._on_old_page(sample.page_texts),
            matched=_places(len(table.tree), matched),
            matched_count=len(matched),
            doing=_DOING,
        )

    def _sets(self, sample: ElementSample) -> dict[int, Set[str]]:
        """Give the words that are compared, by what they are marked as."""
        looks = sample.looks
        return {
            NAME: looks.names,
            ABOVE: looks.above,
            TEXT: frozenset(words_of(looks.text)),
            LABEL: frozenset(looks.label),
            AROUND: looks.around,
            ENTRY: sample.entries.words,
        }

    def _marks(self, sets: Mapping[int, Set[str]]) -> bytes:
        numbers = self._table.words
        found = bytearray(len(numbers))
        for mark, words in sets.items():
            for word in words:
                if word in numbers:
                    found[numbers[word]] |= mark
        return bytes(found)

    def _on_old_page(self, texts: frozenset[str]) -> bytes:
        if texts not in self._pages:
            self._pages[texts] = bytes([text in texts for text in self._table.beginnings])
        return self._pages[texts]


def _marked(numbers: Mapping[str, int], texts: Collection[str]) -> bytes:
    return _places(len(numbers), [numbers[text] for text in texts if text in numbers])


def _places(size: int, places: Sequence[int]) -> bytes:
    found = bytearray(size)
    for place in places:
        found[place] = 1
    return bytes(found)
