"""The HTML scanner: the tags and the visible text of a page, in document order (readable twin).

One pass over ASCII-compatible bytes that follows the WHATWG tokenizer wherever tags are concerned, without
building a tree. Two things a tokenizer alone cannot know are tracked on the side: whether it stands in SVG or
MathML (`_Foreign`), and whether the text is hidden (`_Hidden`).
"""

from __future__ import annotations

import re
from array import array
from typing import Final

from pagedrift._kernels.hashing_py import hash_bytes
from pagedrift._kernels.names import (
    BLOCK,
    BREAKOUT,
    DECODED,
    FLAGS,
    FOREIGN,
    IDEOGRAPH,
    IDS,
    IMPLIED_ENDS,
    INLINE,
    INTEGRATION,
    INVISIBLE,
    PLAINTEXT,
    RAW,
    SCRIPT,
    UNKNOWN,
    VOID,
)

END_OF_FILE, TEXT, RAW_TEXT, START, END = range(5)

FRAMES: Final = 16  # how deep SVG in HTML in SVG may be; deeper is read as HTML
REACH: Final = 256  # how far an end tag looks for its start tag in hidden content; keeps the scan linear

_MARKUP = re.compile(rb"<[A-Za-z/!?]")
_NAME_END = re.compile(rb"[\t\n\f\r />]")
_SPACE = b"\t\n\f\r "
_ATTRIBUTE = re.compile(rb"(=?[^\t\n\f\r />=]*)[\t\n\f\r ]*")
_VALUE_END = re.compile(rb"[\t\n\f\r >]")
_AFTER_NAME = b"\t\n\f\r />"
_SCRIPT_MARK = re.compile(rb"(-->)|<(/?)script[\t\n\f\r />]", re.IGNORECASE)
_HIDING_STYLE = re.compile(
    rb"(?:\A|[\s;])(?:display\s*:\s*none|visibility\s*:\s*hidden)(?:[\s;!]|\Z)", re.IGNORECASE
)

_IDEOGRAPH = re.compile(IDEOGRAPH)

_IMPLIED = {IDS[tag]: frozenset(IDS[name] for name in names) for tag, names in IMPLIED_ENDS.items()}


def name_id(name: bytes) -> int:
    """Give a lower-case tag name its number.

    >>> name_id(b"a"), name_id(b"my-widget") >= UNKNOWN
    (0, True)
    """
    known = IDS.get(name.decode("latin-1"))
    return known if known is not None else UNKNOWN | (hash_bytes(name) & (UNKNOWN - 1))


def flags_of(number: int) -> int:
    """Look up what is known about a tag."""
    return FLAGS[number] if number < UNKNOWN else 0


def scan(data: bytes, limit: int = -1, want_text: bool = False) -> tuple[array[int], dict[int, bytes], bytes]:
    """Read the tags and, if wanted, the visible text.

    Returns one code per tag (twice the number of its name, plus one for an end tag), the names that are not in
    the fixed table, and the text: words of different blocks are apart, character references are as they stand.

    >>> codes, names, text = scan(b"<p>a <b>b</b><x-y>", want_text=True)
    >>> [code & 1 for code in codes], sorted(names.values()), text.split()
    ([0, 0, 1, 0], [b'x-y'], [b'a', b'b'])
    """
    tokens = Tokens(data, read_attributes=want_text)
    codes: array[int] = array("I")
    names: dict[int, bytes] = {}
    text = _VisibleText(has_nul=want_text and b"\0" in data)
    while len(codes) != limit and (kind := tokens.advance()) != END_OF_FILE:
        if kind in (START, END):
            codes.append(tokens.number << 1 | (kind == END))
            if tokens.number >= UNKNOWN:
                names.setdefault(tokens.number, tokens.name)
        if want_text:
            text.add(tokens, kind)
    return codes, names, bytes(text.out)


class Tokens:
    """The tokens of a page, one at a time: comments, doctypes and bogus markup are passed over."""

    def __init__(self, data: bytes, *, read_attributes: bool = True) -> None:
        self.data = data
        self.position = 0
        self.read_attributes = read_attributes
        self.raw = -1  # number of the open raw text element
        self.foreign = _Foreign()
        # of the current token:
        self.start = self.end = 0  # of a text
        self.name = b""
        self.number = 0
        self.self_closing = self.hidden = False

    def advance(self) -> int:
        """Go to the next token and return its kind."""
        if self.raw >= 0 and (kind := self._raw_text()) != START:
            return kind
        while self.position < len(self.data):
            at = self.position
            if not _MARKUP.match(self.data, at):
                return self._text(at)
            following = self.data[at + 1 : at + 3]
            if following[:1].isalpha():
                return self._tag(START, at + 1)
            if following[:1] == b"/":
                if len(following) == 1:
                    return self._text(at)
                if following[1:].isalpha():
                    return self._tag(END, at + 2)
                self._skip_past(b">", at + 2)
            elif following[:1] == b"?":
                self._skip_past(b">", at + 2)
            elif self._declaration(at):
                return RAW_TEXT
        return END_OF_FILE

    def _text(self, at: int) -> int:
        found = _MARKUP.search(self.data, at + 1)
        self.start, self.end = at, found.start() if found else len(self.data)
        self.position = self.end
        return TEXT

    def _skip_past(self, what: bytes, at: int) -> None:
        found = self.data.find(what, at)
        self.position = found + len(what) if found >= 0 else len(self.data)

    def _declaration(self, at: int) -> bool:
        """Pass over what begins with `<!`; true if it was a CDATA section with text."""
        if self.data.startswith(b"--", at + 2):
            self._comment(at + 4)
        elif self.foreign.active and self.data.startswith(b"[CDATA[", at + 2):
            self.start = at + 9
            self._skip_past(b"]]>", self.start)
            closed = self.data.startswith(b"]]>", self.position - 3) and self.position - 3 >= self.start
            self.end = self.position - 3 if closed else self.position
            return True
        else:
            self._skip_past(b">", at + 2)
        return False

    def _comment(self, at: int) -> None:
        """End a comment: at `-->` or `--!>`, and at once after `<!-->` and `<!--->`."""
        if self.data.startswith(b">", at) or self.data.startswith(b"->", at):
            self._skip_past(b">", at)
            return
        self.position = at
        while self.position < len(self.data):
            self._skip_past(b">", self.position)
            before = self.data[max(at, self.position - 4) : self.position]
            if before.endswith((b"-->", b"--!>")):
                return

    def _tag(self, kind: int, at: int) -> int:
        found = _NAME_END.search(self.data, at)
        if not found:
            self.position = len(self.data)
            return END_OF_FILE
        self.name = self.data[at : found.start()].lower().replace(b"\0", b"\xef\xbf\xbd")
        self.number = name_id(self.name)
        self.hidden = False
        if not self._attributes(found.start()):
            return END_OF_FILE
        flags = flags_of(self.number)
        if kind == END:
            self.foreign.leave(self.number, flags)
        elif self.foreign.enter(self.number, flags, self.self_closing) and flags & (RAW | SCRIPT | PLAINTEXT):
            self.raw = self.number
        return kind

    def _attributes(self, at: int) -> bool:
        """Read up to the `>` that ends the tag; false where the file ends first."""
        data = self.data
        while True:
            self.self_closing = False
            while data[at : at + 1] and data[at] in b"\t\n\f\r /":
                self.self_closing = data[at] == ord("/")
                at += 1
            if data[at : at + 1] == b">":
                self.position = at + 1
                return True
            if not data[at : at + 1]:
                self.position = len(data)
                return False
            at = self._attribute(at)

    def _attribute(self, at: int) -> int:
        """Read one attribute and return where it ends."""
        data = self.data
        found = _ATTRIBUTE.match(data, at)
        assert found  # the pattern matches everything
        name, at = found[1].lower(), found.end()
        value = b""
        if data[at : at + 1] == b"=":
            at += 1
            while data[at : at + 1] and data[at] in _SPACE:
                at += 1
            quote = data[at : at + 1]
            if quote in (b'"', b"'"):
                end = data.find(quote, at + 1)
                value, at = (data[at + 1 : end], end + 1) if end >= 0 else (b"", len(data))
            elif quote != b">":
                ended = _VALUE_END.search(data, at)
                end = ended.start() if ended else len(data)
                value, at = data[at:end], end
        if self.read_attributes and (name == b"hidden" or (name == b"style" and _HIDING_STYLE.search(value))):
            self.hidden = True
        return at

    def _raw_text(self) -> int:
        """Read the content of a raw text element, up to its end tag."""
        flags = flags_of(self.raw)
        self.start = self.position
        if flags & PLAINTEXT:
            self.end = len(self.data)
        elif flags & SCRIPT:
            self.end = self._script_end()
        else:
            self.end = self._raw_end()
        self.position = self.end
        self.raw = -1
        if self.start == self.end:
            return START  # no text: continue with the end tag
        return TEXT if flags & DECODED else RAW_TEXT

    def _raw_end(self) -> int:
        closing = re.compile(rb"</" + re.escape(self.name) + rb"[\t\n\f\r />]", re.IGNORECASE)
        found = closing.search(self.data, self.position)
        return found.start() if found else len(self.data)

    def _script_end(self) -> int:
        """Find the end of a script: inside `<!--` a nested `<script>` protects the next `</script>`."""
        at, escaped, nested = self.position, False, False
        while found := _SCRIPT_MARK.search(self.data, at):
            opened = self.data.find(b"<!--", at, found.end())
            if not escaped and opened >= 0 and opened < found.start():
                at, escaped = opened + 2, True  # its two dashes may be those of -->
                continue
            if found[1]:
                escaped = nested = False
                at = found.end()
                continue
            if found[2] and not nested:
                return found.start()
            if escaped:
                nested = not found[2]
            at = found.end() - 1
        return len(self.data)


class _Foreign:
    """Whether the scanner stands in SVG or MathML: a stack of roots and of the elements that bring HTML back."""

    def __init__(self) -> None:
        self.frames: list[list[int]] = []  # number of the element, how often it is open

    @property
    def active(self) -> bool:
        return bool(self.frames) and bool(flags_of(self.frames[-1][0]) & FOREIGN)

    def enter(self, number: int, flags: int, self_closing: bool) -> bool:
        """Follow a start tag; true if it stands in HTML."""
        if self.active and flags & BREAKOUT:
            self.frames.pop()
            return True
        was_active = self.active
        if was_active and self_closing:
            return False
        if self.frames and number == self.frames[-1][0]:
            self.frames[-1][1] += 1
        elif flags & (INTEGRATION if was_active else FOREIGN) and not self_closing and len(self.frames) < FRAMES:
            self.frames.append([number, 1])
        return not was_active

    def leave(self, number: int, flags: int) -> None:
        """Follow an end tag."""
        if not self.frames:
            return
        if number == self.frames[-1][0]:
            self.frames[-1][1] -= 1
            if not self.frames[-1][1]:
                self.frames.pop()
        elif self.active:
            if flags & (BLOCK | BREAKOUT):
                self.frames.pop()
        elif number == self.frames[-2][0]:
            del self.frames[-2:]


class _Hidden:
    """Whether text is hidden: the elements open since one that hides its content."""

    def __init__(self) -> None:
        self.open: list[int] = []

    def start(self, number: int, flags: int, hides: bool, empty: bool) -> bool:
        """Follow a start tag; true if it stands in what is shown, and may end a word there."""
        while self.open and self.open[-1] in _IMPLIED.get(number, ()):
            self.open.pop()
        shown = not self.open
        if not empty and (self.open or hides or flags & INVISIBLE):
            self.open.append(number)
        return shown and not flags & INVISIBLE

    def end(self, number: int, flags: int) -> bool:
        """Follow an end tag: it ends its element, and a block's ends all that was left open in it."""
        for index in range(len(self.open) - 1, max(-1, len(self.open) - 1 - REACH), -1):
            if self.open[index] == number:
                del self.open[index:]
                return False
        if flags & BLOCK:
            self.open.clear()
        return not self.open


def _apart(piece: bytes) -> bytes:
    """Put line ends around ideographs and kana: each is a word."""
    text = piece.decode("utf-8", "surrogateescape")
    return _IDEOGRAPH.sub(r"\n\g<0>\n", text).encode("utf-8", "surrogateescape")


class _VisibleText:
    """The text on the page; elements that are not inline put a line end between words."""

    def __init__(self, *, has_nul: bool) -> None:
        self.out = bytearray()
        self.hidden = _Hidden()
        self.has_nul = has_nul
        self.reference = False  # the last text has an ampersand: what follows must not complete a reference

    def add(self, tokens: Tokens, kind: int) -> None:
        """Follow one token."""
        flags = flags_of(tokens.number)
        if kind in (TEXT, RAW_TEXT):
            if not self.hidden.open:
                self._append(tokens.data[tokens.start : tokens.end], raw=kind == RAW_TEXT)
        elif kind == START:
            in_foreign = tokens.foreign.active or bool(flags & FOREIGN)
            empty = bool(flags & VOID) or (tokens.self_closing and in_foreign)
            if self.hidden.start(tokens.number, flags, tokens.hidden, empty):
                self._break(flags)
        elif self.hidden.end(tokens.number, flags):
            self._break(flags)

    def _append(self, piece: bytes, *, raw: bool) -> None:
        piece = _apart(piece)
        if self.has_nul:
            piece = piece.replace(b"\0", b"")
        if self.reference:
            self.out += b"\0"
        self.reference = b"&" in piece
        self.out += piece.replace(b"&", b"&\0") if raw else piece

    def _break(self, flags: int) -> None:
        if not flags & INLINE:
            self.reference = False
            self.out += b"\n"
