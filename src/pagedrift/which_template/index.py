"""Which known pages share the template of this one, in a time independent of how many are known?"""

from __future__ import annotations

import sys
from array import array
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pagedrift._kernels import PieceTable, Table, hash_bytes
from pagedrift._kernels.table_py import PARTS
from pagedrift.errors import InputError
from pagedrift.which_template import index_file
from pagedrift.which_template.fingerprint import DEFAULT, Fingerprint, algorithm_named

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping

    from pagedrift.which_template.index_file import Numbers

CROWD: Final = 1000  # candidates that are compared one by one; where more share a key, neighbours are listed


@dataclass(frozen=True, slots=True)
class KnownFingerprint:
    """What an index knows of the pages with one fingerprint and one template."""

    fingerprint: Fingerprint
    template: str | None
    pages: int
    example: str


class TemplateIndex:
    """Fingerprints of one algorithm, each stored once per template with the number of its pages and an example.

    `query` gives exactly those of one template with the fingerprint asked for, as if each had been compared with
    it. Options are those of the algorithm's keys, such as `split` of lzw.

    >>> index = TemplateIndex("lzw")
    >>> _ = index.add(Fingerprint.parse("lzw:0,0,2"), template="fees", example="https://city.example/fees")
    >>> _ = index.add(Fingerprint.parse("lzw:0,1,2,3,4,5"), template="news")
    >>> [(known.template, known.pages) for known in index.query(Fingerprint.parse("lzw:0,0,2,0"))]
    [('fees', 1)]
    """

    def __init__(self, algorithm: str = DEFAULT, **options: int) -> None:
        self.algorithm = algorithm
        self.options = options
        self._how = algorithm_named(algorithm)
        self._table = self._new_table()
        self._pages: Numbers = array("I")
        self._examples = _Texts()
        self._templates = _Texts([""])  # by group; none is group 0
        self._groups: dict[str | None, int] | None = None
        self._last: tuple[bytes | None, list[int]] = (None, [])  # references and their keys
        self.changes = 0  # how often something was added

    def __len__(self) -> int:
        return len(self._table)

    def __iter__(self) -> Iterator[KnownFingerprint]:
        return map(self.known, range(len(self)))

    def add(
        self, fingerprint: Fingerprint, *, template: str | None = None, example: str = "", pages: int = 1
    ) -> int:
        """Add pages with one fingerprint and give the number of their entry; the first example is kept."""
        return self.insert(self.own(fingerprint), group=self._group(template), example=example, pages=pages)[0]

    def query(self, fingerprint: Fingerprint) -> list[KnownFingerprint]:
        """Give all that is known of pages of the same template, in the order it was added."""
        return list(map(self.known, self.matches(self.own(fingerprint))))

    def nearest(self, fingerprint: Fingerprint) -> list[KnownFingerprint]:
        """Give what is known of pages of the same template: all, or of very many some that speak for them.

        Where sharing a key is being the same, and more than a thousand share one, these are the equal ones and
        the newest of each key: an answer in a time that does not depend on how many there are.
        """
        references = self.own(fingerprint)
        try:
            if not self._how.by_keys or self._sharing(references, CROWD) is not None:
                return self.query(fingerprint)
            found = {*self._table.having(references), *self.links(references)}
        except IndexError:
            raise InputError(f"the index is damaged; {index_file.AGAIN}") from None
        return list(map(self.known, sorted(found)))

    def known(self, entry: int) -> KnownFingerprint:
        """Give what an entry holds."""
        try:
            group = self._table.group(entry)
            template = self._templates[group] if group else None
            fingerprint = Fingerprint(self.algorithm, self._table.text(entry))
            return KnownFingerprint(fingerprint, template, self._pages[entry], self._examples[entry])
        except IndexError:
            raise InputError(f"the index is damaged at entry {entry}; {index_file.AGAIN}") from None

    @property
    def features(self) -> Callable[[bytes], int] | None:
        """What gives the features of references, where the algorithm has such."""
        return self._how.features

    def references(self, entry: int) -> bytes:
        """Give the references of an entry."""
        try:
            return self._table.text(entry)
        except IndexError:
            raise InputError(f"the index is damaged at entry {entry}; {index_file.AGAIN}") from None

    def find(self, references: bytes) -> int | None:
        """Give the entry of exactly these references without a template, if there is one."""
        entry = self._table.find(references, 0)
        return entry if entry >= 0 else None

    def samples(self) -> Iterator[tuple[int, int, int]]:
        """Give for each entry with a template the first entry of the template, its features, and its pages."""
        firsts: dict[int, int] = {}
        for entry in range(len(self)):
            if (group := self._table.group(entry)) and self.features is not None:
                yield firsts.setdefault(group, entry), self.features(self.references(entry)), self._pages[entry]

    def pages(self, entry: int) -> int:
        """Count the pages of an entry."""
        return self._pages[entry]

    def example(self, entry: int) -> str:
        """Give the address of the first page of an entry."""
        return self._examples[entry]

    def templates(self) -> list[str]:
        """List the templates, in the order they were added."""
        return [self._templates[group] for group in range(1, len(self._templates))]

    def shared(self) -> Iterator[list[KnownFingerprint]]:
        """Give what is known of each fingerprint that pages of several templates have."""
        for entry in range(len(self)):
            same = sorted(self._table.having(self._table.text(entry)))
            if len(same) > 1 and same[0] == entry:
                yield list(map(self.known, same))

    def insert(self, references: bytes, *, group: int = 0, example: str = "", pages: int = 1) -> tuple[int, bool]:
        """Add pages by the references of their fingerprint; give the entry and whether it is new."""
        self.changes += 1
        try:
            entry = self._table.find(references, group)
            if entry < 0:
                return self._append(references, group, example, pages), True
            self._add_pages(entry, pages)
        except IndexError:
            raise InputError(f"the index is damaged; {index_file.AGAIN}") from None
        return entry, False

    def _add_pages(self, entry: int, pages: int) -> None:
        try:
            self._pages[entry] += pages
        except OverflowError:
            self._pages = _wide(self._pages)
            self._pages[entry] += pages

    def _append(self, references: bytes, group: int, example: str, pages: int) -> int:
        self._pages = _with(self._pages, pages)
        self._examples.append(example)
        return self._table.add(references, group, () if self._how.pieces else self._keys(references))

    def matches(self, references: bytes) -> list[int]:
        """Give the entries of the same template as these references."""
        is_same, neighbours = self._how.is_same, self._how.neighbours
        table = self._table
        try:
            found = self._sharing(references, CROWD if neighbours else sys.maxsize)
            if found is None and neighbours:  # a number of that it is cheaper to ask for each that could be there
                return sorted(entry for near in neighbours(references) for entry in table.having(near))
            return [entry for entry in found or () if is_same(references, table.text(entry))]
        except IndexError:
            raise InputError(f"the index is damaged; {index_file.AGAIN}") from None

    def links(self, references: bytes, *, but: int = -1) -> set[int]:
        """Give entries that stand for all of the same template but for one: others were linked with them before.

        Where sharing a key is being the same, the newest of each key is enough, in a time that does not depend on
        how many have it.
        """
        if not self._how.by_keys:
            return set(self.matches(references))
        assert isinstance(self._table, PieceTable)
        try:
            return self._table.newest_by_piece(references, but)
        except IndexError:
            raise InputError(f"the index is damaged; {index_file.AGAIN}") from None

    def _sharing(self, references: bytes, most: int) -> list[int] | None:
        if isinstance(self._table, PieceTable):
            return self._table.sharing_piece(references, most)
        return self._table.sharing(self._keys(references), most)

    def _new_table(self, parts: Mapping[str, Numbers] | None = None) -> Table:
        return PieceTable(parts, pieces=self._how.pieces) if self._how.pieces else Table(parts)

    def _keys(self, references: bytes) -> list[int]:
        if references != self._last[0]:  # asked twice for each new fingerprint
            keys = [hash_bytes(key) for key in self._how.keys(references, **self.options)]
            self._last = (references, keys)
        return self._last[1]

    def own(self, fingerprint: Fingerprint) -> bytes:
        """Give the references of a fingerprint, if it is of this index's algorithm."""
        if fingerprint.algorithm != self.algorithm:
            raise InputError(
                f"this is an index of fingerprints {self.algorithm}, not {fingerprint.algorithm};"
                f" take them with: --algorithm {self.algorithm}"
            )
        return fingerprint.checked().references

    def _group(self, template: str | None) -> int:
        if self._groups is None:
            self._groups = {None: 0, **{self._templates[n]: n for n in range(1, len(self._templates))}}
        if template not in self._groups:
            self._groups[template] = len(self._templates)
            self._templates.append(template or "")
        return self._groups[template]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index to a file, all or nothing."""
        index_file.write(Path(path), self._facts(), self._parts())

    def __getstate__(self) -> tuple[dict[str, Any], dict[str, tuple[str, bytes]]]:
        parts = {name: (kind, bytes(memoryview(numbers))) for name, (kind, numbers) in self._parts().items()}
        return self._facts(), parts

    def __setstate__(self, state: tuple[dict[str, Any], dict[str, tuple[str, bytes]]]) -> None:
        facts, parts = state
        self._restore(facts, {name: array(kind, data) for name, (kind, data) in parts.items()})

    def _facts(self) -> dict[str, Any]:
        return {"algorithm": self.algorithm, "options": self.options}

    def _parts(self) -> dict[str, tuple[str, Numbers]]:
        parts: dict[str, tuple[str, Numbers]] = {
            name: (PARTS[name], numbers) for name, numbers in self._table.parts().items()
        }
        parts["pages"] = ("Q", _wide(self._pages))
        for name, texts in (("example", self._examples), ("template", self._templates)):
            parts[f"{name} starts"], parts[f"{name} texts"] = ("Q", _wide(texts.starts)), ("B", texts.data)
        return parts

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> TemplateIndex:
        """Open an index in a file, at once, whatever its size; the file changes by `save` only."""
        facts, parts = index_file.read(Path(path))
        index = cls.__new__(cls)
        try:
            index._restore(facts, parts)
        except (IndexError, KeyError, TypeError, ValueError):
            older = facts.get("algorithm") == DEFAULT and len(parts.get("keys", ()))  # it kept the keys apart
            what = "holds fingerprints of an older version" if older else "is damaged"
            raise InputError(f"{path} {what}; {index_file.AGAIN}") from None
        return index

    def _restore(self, facts: dict[str, Any], parts: dict[str, Numbers]) -> None:
        TemplateIndex.__init__(self, facts["algorithm"], **facts["options"])
        self._table = self._new_table(parts)
        if len(self) and len(self._table.text(0)) not in self._how.lengths:
            raise InputError(f"this index holds fingerprints of an older version; {index_file.AGAIN}")
        self._pages = parts["pages"]
        self._examples = _Texts.of(parts["example starts"], parts["example texts"])
        self._templates = _Texts.of(parts["template starts"], parts["template texts"])
        if not len(self) == len(self._pages) == len(self._examples):
            raise IndexError(len(self))


class _Texts:
    """Many short texts in two arrays."""

    def __init__(self, texts: list[str] | None = None) -> None:
        self.starts: Numbers = array("I", [0])
        self.data: Numbers = array("B")
        for text in texts or ():
            self.append(text)

    @classmethod
    def of(cls, starts: Numbers, data: Numbers) -> _Texts:
        texts = cls()
        texts.starts, texts.data = starts, data
        return texts

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, number: int) -> str:
        return bytes(self.data[self.starts[number] : self.starts[number + 1]]).decode("utf-8", "replace")

    def append(self, text: str) -> None:
        self.data = _thawed(self.data)
        self.data.frombytes(text.encode("utf-8", "replace"))
        self.starts = _with(self.starts, len(self.data))


def _with(numbers: Numbers, number: int) -> array[int]:
    """Append a number; each takes four bytes until there is one that needs eight."""
    grown = _thawed(numbers)
    try:
        grown.append(number)
    except OverflowError:
        grown = array("Q", grown)
        grown.append(number)
    return grown


def _wide(numbers: Numbers) -> Numbers:
    """Give numbers in eight bytes each, as they stand in files."""
    return array("Q", numbers) if numbers.itemsize < array("Q").itemsize else numbers


def _thawed(numbers: Numbers) -> array[int]:
    """Copy an array out of a mapped file, so that it can grow."""
    if isinstance(numbers, array):
        return numbers
    copy = array(numbers.format)
    copy.frombytes(memoryview(numbers).cast("B") if len(numbers) else b"")
    return copy
