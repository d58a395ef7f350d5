"""Steps taken on a page before it is captured, such as signing in."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, Literal, cast, get_args

from pagedrift.capture.secret_encodings import disguises
from pagedrift.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Action = Literal["goto", "fill", "click", "press", "select", "wait"]
ACTIONS: Final[tuple[Action, ...]] = get_args(Action)
MAX_WAIT_SECONDS: Final = 60.0  # seconds
_VALUED: Final = frozenset({"fill", "press", "select"})
_SECRET: Final = re.compile(r"\{secret:([A-Za-z0-9_.-]+)\}")
_SECONDS: Final = re.compile(r"\d{1,3}(\.\d{1,3})?")
_HOW: Final = "write it as: goto ADDRESS, fill SELECTOR = TEXT, click SELECTOR, press SELECTOR = KEY, select SELECTOR = OPTION, wait SELECTOR, or wait SECONDS"  # noqa: E501
_MIN_SECRET_CHARS: Final = 4  # characters of a secret that are looked for in whole pages


@dataclass(frozen=True, slots=True)
class BrowserStep:
    """One thing done on a page; a value may name secrets, as `{secret:NAME}`, and never holds them.

    >>> str(BrowserStep("fill", "#user", "anna")), str(BrowserStep("wait", ".account"))
    ('fill #user = anna', 'wait .account')
    """

    action: Action
    target: str  # a CSS selector; of goto an address; of wait also seconds; of press nothing for the page itself
    value: str = field(default="", repr=False)

    def __str__(self) -> str:
        if self.action not in _VALUED:
            return f"{self.action} {self.target}"
        return f"{self.action} {self.target} = {self.value}" if self.target else f"{self.action} {self.value}"


def parse_step(line: str) -> BrowserStep:
    """Read a step as it is printed; raise InputError where it is none.

    >>> parse_step("fill input[name='user'] = {secret:NAME}").value
    '{secret:NAME}'
    >>> parse_step("dance")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    pagedrift.errors.InputError: 'dance' is not a valid step; write it as: goto ADDRESS, ...
    """
    action, _, rest = line.strip().partition(" ")
    step = BrowserStep(cast("Action", action), *_halves(rest.strip(), valued=action in _VALUED))  # checked now
    check_step(step)
    return step


def parse_steps(text: str) -> tuple[BrowserStep, ...]:
    """Read steps, one on each line; empty lines and those that begin with # are left out."""
    lines = (line.strip() for line in text.splitlines())
    return tuple(parse_step(line) for line in lines if line and not line.startswith("# "))


def check_step(step: BrowserStep) -> None:
    """Raise InputError where a step cannot be taken."""
    said = str(step).strip()
    wanting = not step.target and step.action != "press"
    if step.action not in ACTIONS or wanting or (step.action == "press" and not step.value):
        raise InputError(f"{said!r} is not a valid step; {_HOW}")
    if any(character in said for character in "\r\n\0") or len(said) > 10_000:  # noqa: PLR2004 - nobody writes this much
        raise InputError(f"{said[:40]!r} is more than one line; {_HOW}")
    if step.action == "wait" and _SECONDS.fullmatch(step.target) and float(step.target) > MAX_WAIT_SECONDS:
        raise InputError(f"{said!r} is too long; wait for at most {MAX_WAIT_SECONDS:g} seconds")


def seconds_of(step: BrowserStep) -> float | None:
    """Give the seconds that a step waits, if it waits for time."""
    return float(step.target) if step.action == "wait" and _SECONDS.fullmatch(step.target) else None


def names_secret(step: BrowserStep) -> bool:
    """Return whether a step puts a secret in.

    >>> [names_secret(BrowserStep("fill", "#word", value)) for value in ("{secret:WORD}", "anna")]
    [True, False]
    """
    return bool(_SECRET.search(step.value))


def _halves(rest: str, *, valued: bool) -> tuple[str, str]:
    """Part a selector from its value: at the first ` = ` that stands in no brackets and no quotes."""
    if not valued:
        return rest, ""
    depth, quoted = 0, ""
    for at, character in enumerate(rest):
        if quoted:
            quoted = "" if character == quoted else quoted
        elif character in "\"'":
            quoted = character
        elif character in "[(":
            depth += 1
        elif character in "])":
            depth -= 1
        elif character == "=" and depth == 0 and rest[at - 1 : at] == " " and rest[at + 1 : at + 2] in (" ", ""):
            return rest[:at].strip(), rest[at + 2 :]
    return "", rest


class Secrets:
    """The secrets of a visit: put in where they are named, and taken out of whatever is kept or said.

    >>> secrets = Secrets([BrowserStep("fill", "#key", "{secret:KEY}")], {"KEY": "t0p s3cret", "OTHER": "x"})
    >>> secrets.into("{secret:KEY}!"), secrets.out_of("https://city.example/?key=t0p+s3cret")
    ('t0p s3cret!', 'https://city.example/?key={secret:KEY}')
    """

    def __init__(self, steps: Iterable[BrowserStep], known: Mapping[str, str]) -> None:
        named = {name for step in steps for name in _SECRET.findall(f"{step.target} {step.value}")}
        lacking = sorted(named - known.keys())
        if lacking:
            raise InputError(f"no secret called {lacking[0]}; add it, or correct the step")
        self._known = {name: known[name] for name in sorted(named)}

    def into(self, value: str) -> str:
        """Put the secrets in."""
        return _SECRET.sub(lambda found: self._known[found[1]], value)

    def out_of(self, text: str) -> str:
        """Take the secrets out again, however they are written."""
        return self._without(text.encode("utf-8", "surrogatepass"), shortest=1).decode("utf-8", "surrogatepass")

    def out_of_page(self, body: bytes) -> bytes:
        """Take the secrets out of a page that repeats them; very short ones would stand anywhere."""
        return self._without(body, shortest=_MIN_SECRET_CHARS)

    def _without(self, body: bytes, *, shortest: int) -> bytes:
        for name, value in sorted(self._known.items(), key=lambda pair: len(pair[1]), reverse=True):
            if len(value) >= shortest:
                mark = f"{{secret:{name}}}".encode()
                for disguise in disguises(value):
                    body = disguise.sub(mark, body)
        return body
