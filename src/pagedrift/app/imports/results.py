"""Result of an import: the watches and groups that were read, and notes about what was left out."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from pagedrift.app.model.channels import checked_channel
from pagedrift.app.model.options import MAX_ENTRIES, MAX_OPTION_CHARS, checked_options
from pagedrift.app.model.rules import Rule
from pagedrift.app.model.watch import (
    MAX_GROUP_CHARS,
    MAX_TAG_CHARS,
    MAX_TAGS,
    InvalidUrlError,
    Watch,
    checked,
    checked_tags,
)
from pagedrift.app.validation import validate_options
from pagedrift.errors import InputError, PagedriftError
from pagedrift.text import cut
from pagedrift.what_changed.expressions import check_expression
from pagedrift.what_changed.selection import check as check_selector

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pagedrift.app.model.alert_settings import AlertSettings

MAX_WATCHES: Final = 100_000
MAX_FILE_BYTES: Final = 64_000_000  # bytes of a file
MAX_NOTES: Final = 500
MAX_PLACES_NAMED: Final = 20  # watches that one note is about
_JOINED: Final = frozenset({"notify"})  # options that two watches of one part of a page share
_Way = tuple[str, str, tuple[Any, ...]]  # in which an address is watched
_USER: Final = re.compile(r"//[^/?#\s]*@")  # and the password, in an address


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedWatches:
    """Watches and groups that can be added, and notes about what was left behind."""

    watches: tuple[Watch, ...] = ()
    notes: tuple[str, ...] = ()
    groups: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    alert_settings: AlertSettings | None = None  # of the installation that the file is from


class ImportBuilder:
    """Watches under way from elsewhere: each is checked like one that a person writes, and trouble is noted."""

    def __init__(self) -> None:
        self._watches: dict[_Way, Watch] = {}
        self._groups: dict[str, dict[str, Any]] = {}
        self._notes: dict[str, _Places] = {}
        self._hidden: dict[_Way, tuple[str, ...]] = {}

    def add(self, watch: Watch, *, hiding: tuple[str, ...] = ()) -> None:
        """Take a watch, unless it cannot be one; it gets a rule for each kind of change that is to be hidden."""
        if len(self._watches) >= MAX_WATCHES:
            raise InputError(f"there are more than {MAX_WATCHES:,} watches in it; import them in parts")
        try:
            new = checked(replace(watch, group=watch.group.strip()[:MAX_GROUP_CHARS]))
            new = replace(new, options=self._tried(new.options, new.url))
        except PagedriftError as error:
            reason = f"it {error.problem}" if isinstance(error, InvalidUrlError) else str(error)
            self.note(f"left out: {reason}", cut(watch.url, 100) or "an empty address")
            return
        way = _way(new)
        known = self._watches.get(way)
        if known is not None:
            hiding = self._hidden_by_both(known, new, hiding)
        self._watches[way] = new if known is None else _joined(known, new)
        self._hidden[way] = hiding

    def _hidden_by_both(self, known: Watch, new: Watch, hiding: tuple[str, ...]) -> tuple[str, ...]:
        """Note what becomes of a part that is there twice; give the kinds of change that neither wants to see."""
        self.note("it is in the file more than once; one watch now covers all of these", new.url)
        differing = sorted(
            name
            for name in {*known.options, *new.options} - _JOINED
            if known.options.get(name) != new.options.get(name)
        )
        if differing:
            said = ", ".join(differing)
            self.note(f"it is in the file more than once; only the first one counts for: {said}", new.url)
        before = self._hidden[_way(new)]
        for kind in sorted({*hiding} ^ {*before}):
            self.note(f"only one of these jobs hides what is {kind}; add a rule to hide it for all", new.url)
        return tuple(kind for kind in hiding if kind in before)

    def group(self, name: str, options: Mapping[str, Any]) -> None:
        """Take what watches of a group share."""
        if options:
            fit = self._tried(checked_options(options), f"group {cut(name, 80)}")
            self._groups[name.strip()[:MAX_GROUP_CHARS]] = fit

    def _tried(self, options: Mapping[str, Any], where: str) -> dict[str, Any]:
        """Leave out what a visit would stumble over."""
        fit: dict[str, Any] = {}
        for name, value in options.items():
            try:
                validate_options({name: value})
            except PagedriftError as error:
                self.note(f"{name} was left out: {error}", where)
            else:
                fit[name] = value
        return fit

    def note(self, what: str, where: str) -> None:
        """Remember what was not imported; the same of many watches is one note."""
        if what not in self._notes and len(self._notes) >= MAX_NOTES:
            what = "more that was not imported"
        self._notes.setdefault(what, _Places()).add(_USER.sub("//(hidden)@", where))

    def fitting(self, texts: Iterable[Any], check: Callable[[str], Any], what: str, where: str) -> tuple[str, ...]:
        """Keep those texts that pass a check, and note the others without repeating them: they may be secret."""
        fit: list[str] = []
        for text in texts:
            if not isinstance(text, str) or not text.strip():
                continue
            try:
                if "\0" in text or len(text) > MAX_OPTION_CHARS:
                    raise InputError(f"{what} contains invalid characters or is too long; rewrite it")
                check(text.strip())
            except PagedriftError:
                self.note(f"left out: {what} that cannot be used here", where)
            else:
                fit.append(text.strip())
        if len(fit) > MAX_ENTRIES:
            self.note(f"left out: all but {MAX_ENTRIES} {what}s", where)
        return tuple(dict.fromkeys(fit))[:MAX_ENTRIES]

    def selectors(self, texts: Iterable[Any], where: str) -> tuple[str, ...]:
        """Keep what are CSS selectors."""
        return self.fitting(texts, check_selector, "a CSS selector", where)

    def expressions(self, texts: Iterable[Any], where: str) -> tuple[str, ...]:
        """Keep what are regular expressions."""
        return self.fitting(texts, check_expression, "a regular expression", where)

    def channels(self, texts: Iterable[Any], where: str) -> tuple[str, ...]:
        """Keep only valid channels."""
        return self.fitting(texts, checked_channel, "a channel", where)

    def __len__(self) -> int:
        return len(self._watches)

    def done(self, *more: str) -> ImportedWatches:
        """Give what was gathered."""
        notes = [f"{what} ({places})" for what, places in self._notes.items()]
        rules = [
            Rule(scope="watch", of=self._watches[key].id, kind="kind", value=kind)
            for key, kinds in self._hidden.items()
            for kind in kinds
        ]
        return ImportedWatches(
            watches=tuple(self._watches.values()), notes=(*more, *notes), groups=self._groups, rules=tuple(rules)
        )


class _Places:
    """The watches that a note is about, by address; of very many only how many they are."""

    def __init__(self) -> None:
        self._named: dict[str, None] = {}
        self._more = 0

    def add(self, place: str) -> None:
        if place in self._named:
            return
        if len(self._named) < MAX_PLACES_NAMED:
            self._named[place] = None
        else:
            self._more += 1

    def __str__(self) -> str:
        return ", ".join(self._named) + (f" and {self._more:,} more" if self._more else "")


def _way(watch: Watch) -> _Way:
    return watch.url, watch.kind, watch.looks_at


def _joined(one: Watch, other: Watch) -> Watch:
    """Combine two watches of one part of a page: their channels, and their tags."""
    options = dict(one.options)
    for name in _JOINED:
        both = (*one.options.get(name, ()), *other.options.get(name, ()))
        options[name] = tuple(dict.fromkeys(both))[:MAX_ENTRIES]
    tags = checked_tags((*one.tags, *other.tags)[:MAX_TAGS])
    return replace(one, tags=tags, options={name: value for name, value in options.items() if value != ()})


def further_tags(names: Iterable[str]) -> tuple[str, ...]:
    """Give tags of another program as tags of a watch; the first of a watch is its group."""
    return checked_tags(
        name.replace(",", " ").replace("\x00", "")[:MAX_TAG_CHARS] for name in list(names)[:MAX_TAGS]
    )


def pairs(value: Any) -> tuple[tuple[str, str], ...]:
    """Read names and values, as headers and cookies are written elsewhere; numbers are texts too."""
    items = value.items() if isinstance(value, dict) else ()
    fit = ((str(name).strip(), str(text).strip()) for name, text in items if _is_plain(name) and _is_plain(text))
    return tuple((name, text) for name, text in fit if name)[:MAX_ENTRIES]


def _is_plain(value: Any) -> bool:
    return isinstance(value, (str, int, float)) and not isinstance(value, bool) and "\n" not in str(value).strip()


def text_of(data: bytes) -> str:
    """Read the text of a file, whatever wrote it."""
    if len(data) > MAX_FILE_BYTES:
        raise InputError(f"the file is larger than {MAX_FILE_BYTES // 10**6} MB; import it in parts")
    for encoding in ("utf-8-sig", "utf-16") if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ("utf-8-sig",):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("cp1252", "replace")
