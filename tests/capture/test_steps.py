import json
import time
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as some

from pagedrift.capture.steps import ACTIONS, BrowserStep, Secrets, check_step, parse_step, parse_steps
from pagedrift.errors import InputError

word = some.text(some.characters(codec="utf-8", exclude_categories=["C", "Z"]), min_size=1, max_size=20)
selector = some.sampled_from(["#user", "button[type=submit]", "input[name = 'a = b']", "form > p:nth-child(2)"])


@given(some.sampled_from(ACTIONS), selector, word)
def test_a_step_is_read_as_it_is_printed(action: str, target: str, value: str) -> None:
    step = BrowserStep(action, target, value if action in ("fill", "press", "select") else "")

    assert parse_step(str(step)) == step


@pytest.mark.parametrize(
    ("line", "step"),
    [
        ("fill #user = anna", BrowserStep("fill", "#user", "anna")),
        ("fill #user = a = b ", BrowserStep("fill", "#user", "a = b")),
        ("fill #user =", BrowserStep("fill", "#user", "")),
        ("fill [data-x='a = b'] = c", BrowserStep("fill", "[data-x='a = b']", "c")),
        ("click button[type=submit]", BrowserStep("click", "button[type=submit]")),
        ("press Enter", BrowserStep("press", "", "Enter")),
        ("press #user = Enter", BrowserStep("press", "#user", "Enter")),
        ("wait .account", BrowserStep("wait", ".account")),
        ("  wait 2.5", BrowserStep("wait", "2.5")),
        ("goto /login", BrowserStep("goto", "/login")),
    ],
)
def test_steps_are_written_in_one_plain_line(line: str, step: BrowserStep) -> None:
    assert parse_step(line) == step


@pytest.mark.parametrize("line", ["", "click", "dance #user", "fill anna", "wait 600", "press", "goto "])
def test_what_is_no_step_is_refused_with_the_way_to_write_one(line: str) -> None:
    with pytest.raises(InputError, match=r"write it as: goto ADDRESS|wait for at most 60 seconds"):
        parse_step(line)


def test_a_step_of_two_lines_is_refused() -> None:
    with pytest.raises(InputError, match="more than one line"):
        check_step(BrowserStep("fill", "#user", "anna\nclick #delete"))


def test_steps_are_one_on_each_line() -> None:
    assert parse_steps("# sign in\nfill #user = anna\n\nclick #go\n") == (
        BrowserStep("fill", "#user", "anna"),
        BrowserStep("click", "#go"),
    )


def test_a_secret_without_a_value_is_told_by_its_name() -> None:
    with pytest.raises(InputError, match="no secret called KEY; add it"):
        Secrets([BrowserStep("fill", "#key", "{secret:KEY}")], {"OTHER": "x"})


@given(some.text(min_size=4, max_size=12), some.text(max_size=20))
def test_what_is_put_in_is_taken_out_again(secret: str, around: str) -> None:
    secrets = Secrets([BrowserStep("fill", "#key", "{secret:KEY}")], {"KEY": secret})
    body = f"{around}{secret}".encode("utf-8", "surrogatepass")

    assert secrets.into("{secret:KEY}") == secret
    assert secret not in secrets.out_of(f"{around}{secret}").replace("{secret:KEY}", "")
    assert secret.encode() not in secrets.out_of_page(body).replace(b"{secret:KEY}", b"")


def _numbers(secret: str) -> str:
    return "".join(f"&#{ord(sign)};" if at % 2 else f"&#X00{ord(sign):x};" for at, sign in enumerate(secret))


WAYS: dict[str, Callable[[str], str]] = {
    "percent": lambda secret: "".join(f"%{byte:02x}" for byte in secret.encode()),
    "percent twice": lambda secret: quote(quote(secret, safe=""), safe=""),
    "a form": quote_plus,
    "numbers of HTML": _numbers,
    "names of HTML": lambda secret: secret.replace("&", "&amp;").replace("@", "&commat;").replace("!", "&excl;"),
    "JSON": lambda secret: json.dumps(secret)[1:-1].replace("/", "\\/"),
    "a script": lambda secret: "".join(f"\\x{byte:02X}" for byte in secret.encode("latin-1", "replace")),
    "letters of a script": lambda secret: "".join(f"\\u{ord(sign):04x}" for sign in secret),
    "JSON in a string": lambda secret: json.dumps(json.dumps(secret))[3:-3],
    "half of it": lambda secret: secret[:4] + quote(secret[4:6], safe="") + _numbers(secret[6:]),
    "base64": lambda secret: b64encode(secret.encode()).decode(),
    "base64 behind a name": lambda secret: b64encode(f"anna:{secret}".encode()).decode(),
    "base64 behind another name": lambda secret: b64encode(f"bob:{secret} and more".encode()).decode(),
    "base64 of an address": lambda secret: urlsafe_b64encode(f"ab{secret}~~".encode()).decode().rstrip("="),
    "base64 in an address": lambda secret: quote(b64encode(f">>>{secret}???".encode()).decode(), safe=""),
}


@pytest.mark.parametrize("secret", ["t0p s3cret/&!", "p@ss>>>w0rd???", "0123456789", "Grüße!!!"])
@pytest.mark.parametrize("way", WAYS)
def test_a_secret_is_found_however_it_is_written(way: str, secret: str) -> None:
    written = WAYS[way](secret)
    secrets = Secrets([BrowserStep("fill", "#key", "{secret:KEY}")], {"KEY": secret})

    page = secrets.out_of_page(f"<p>before {written} after</p>".encode()).decode()

    assert "{secret:KEY}" in page
    assert written[4:-4] not in page
    assert page.startswith("<p>before ")
    assert page.endswith(" after</p>")
    assert "{secret:KEY}" in secrets.out_of(f"https://city.example/?key={written}")


@given(some.text(min_size=4, max_size=12), some.data())
def test_a_secret_is_found_whichever_of_its_letters_are_escaped(secret: str, data: some.DataObject) -> None:
    ways = [
        lambda sign: quote(sign, safe=""),
        lambda sign: f"&#{ord(sign)};",
        lambda sign: f"&#x{ord(sign):X};",
        str,
    ]
    written = "".join(data.draw(some.sampled_from(ways))(sign) for sign in secret)
    secrets = Secrets([BrowserStep("fill", "#key", "{secret:KEY}")], {"KEY": secret})

    assert secrets.out_of_page(f"<{written}>".encode()) == b"<{secret:KEY}>"


def test_looking_for_secrets_in_a_large_page_takes_little_time() -> None:
    secrets = Secrets([BrowserStep("fill", "#key", "{secret:KEY}")], {"KEY": "t0p s3cret/&!"})
    body = b"<p>t0p s3cre&#116; and %74\\u0074 t0 &amp; more</p>" * 40_000
    started = time.process_time()

    assert secrets.out_of_page(body) == body
    assert time.process_time() - started < 30
