import pytest

from pagedrift import PagedriftError, PageVersion
from pagedrift.capture.browser import Window
from pagedrift.cli.page_renderer import PageRenderer
from tests.cli.test_commands import EXAMPLE
from tests.conftest import CHROMIUM

needs_chromium = pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium on this machine")


@needs_chromium
@pytest.mark.slow
def test_a_page_that_never_loads_costs_one_picture_and_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    endless = PageVersion("https://city.example/", b"<script>for (;;);</script>")
    calm = PageVersion("https://city.example/", b"<p>Fees")
    with PageRenderer(wanted=True, window=Window(seconds=8)) as looker:
        assert looker.look(str(EXAMPLE), endless).view is None
        assert looker.look(str(EXAMPLE), calm).view is not None

    assert (
        "judged without pictures, since the browser did not show https://city.example/" in capsys.readouterr().err
    )


@needs_chromium
@pytest.mark.slow
def test_one_who_insists_on_pictures_is_told_at_once() -> None:
    endless = PageVersion("https://city.example/", b"<script>for (;;);</script>")
    with (
        PageRenderer(wanted=True, strict=True, window=Window(seconds=8)) as looker,
        pytest.raises(PagedriftError, match="within 8 seconds"),
    ):
        looker.look(str(EXAMPLE), endless)


@needs_chromium
@pytest.mark.slow
def test_the_same_version_is_looked_at_once() -> None:
    page = PageVersion("https://city.example/", b"<p>Fees")
    with PageRenderer(wanted=True) as looker:
        assert looker.look(str(EXAMPLE), page).view is looker.look(str(EXAMPLE), page).view
