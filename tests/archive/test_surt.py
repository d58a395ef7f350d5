import surt
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pagedrift.archive.surt import key
from pagedrift.reading import read

HOSTS = st.sampled_from(
    ["example.com", "www.Example.com", "www2.city.example", "127.0.0.1", "bücher.example", "a.b.c.example.", "x"]
)
PIECES = st.sampled_from(
    [*"aZ09.-_~/;=:@+!*(),'&|", "%20", "%2F", "%2f", "%7E", "%C3%A4", "%25", "ä", "中", "//", "..", "./", "/."]
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)
SESSION = "0123456789abcdef0123456789abcdef"


@st.composite
def addresses(draw: st.DrawFn) -> str:
    port = draw(st.sampled_from(["", ":80", ":443", ":8080"]))
    query = draw(st.one_of(st.just(""), TEXTS.map("?{}".format)))
    fragment = draw(st.sampled_from(["", "#top", "#a?b/c"]))
    return (
        f"{draw(st.sampled_from(['http', 'https', 'HTTPS']))}://{draw(HOSTS)}{port}/{draw(TEXTS)}{query}{fragment}"
    )


@settings(max_examples=500)
@given(addresses())
@example(f"http://city.example/a;jsessionid={SESSION}")
@example(f"http://city.example/?PHPSESSID={SESSION}&a=1")
@example(f"http://city.example/?a=1&sid={SESSION}")
@example("http://city.example/(S(4hqa0555fwsecu455xqckv45))/fees.aspx?a")
@example("http://user:secret@city.example:8080/fees/")
@example("https://city.example")
@example("https://city.example?a=1")
@example("urn:fullPage:https://www.city.example/A?b")
def test_keys_are_those_of_the_library_that_pywb_uses(url: str) -> None:
    assert key(url) == surt.surt(url)


@given(st.text())
def test_every_text_has_a_key_on_one_line_without_spaces(text: str) -> None:
    assert len(key(text).split()) == 1
    assert len(key(f"https://city.example/{text}").split()) == 1


def test_addresses_of_real_pages_have_the_keys_of_the_library(data) -> None:
    urls = {page.url for path in sorted(data.glob("**/*.warc.gz"))[:3] for page in read(path, order="file")}

    differing = [url for url in urls if key(url) != surt.surt(url)]

    assert len(urls) > 10
    assert not differing
