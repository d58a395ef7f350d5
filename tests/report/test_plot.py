from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from matplotlib.image import imread

from pagedrift import InputError
from pagedrift.how_much.series import SeriesStep
from pagedrift.report.plot import MAX_PANELS, check, draw

START = datetime(2026, 11, 1, 12, tzinfo=UTC)


def steps(*values: float, url: str = "https://city.example/", dated: bool = True) -> list[SeriesStep]:
    days = [START + timedelta(days=day) if dated else None for day in range(len(values) + 1)]
    return [
        SeriesStep(url=url, since=days[day], captured_at=days[day + 1], value=value, counts={})
        for day, value in enumerate(values)
    ]


def red(path: Path) -> int:
    """Count the pixels in the colour of alarms."""
    picture = imread(path)
    return int(((picture[..., 0] > 0.7) & (picture[..., 1] < 0.4) & (picture[..., 2] < 0.4)).sum())


@pytest.mark.parametrize("dated", [True, False])
def test_a_plot_is_a_real_picture_with_alarms_in_red(tmp_path: Path, dated: bool) -> None:
    quiet, loud = tmp_path / "quiet.png", tmp_path / "loud.png"
    draw([steps(0.1, 0.4, 0.0, dated=dated)], quiet, metric="edit", above=0.5)
    draw([steps(0.1, 0.4, 0.0, dated=dated)], loud, metric="edit", above=0.2)

    assert quiet.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert red(quiet) == 0
    assert red(loud) > 20


def test_svg_holds_the_address_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "series.svg"
    draw([steps(0.1, url="https://city.example/?a=$x$&b=<i>")], path, metric="extended+")

    assert "<svg" in path.read_text()


@pytest.mark.parametrize("values", [(0.0,), (0.3,), (0.0, 0.0), (1.0,) * 500])
def test_any_series_can_be_drawn(tmp_path: Path, values: tuple[float, ...]) -> None:
    draw([steps(*values)], tmp_path / "series.png", metric="edit", above=0.0)

    assert imread(tmp_path / "series.png").shape[1] == 1080


def test_addresses_in_any_script_can_be_drawn(tmp_path: Path) -> None:
    draw([steps(0.5, url="https://例え.example/日本\x1b")], tmp_path / "series.png", metric="edit")

    assert (tmp_path / "series.png").stat().st_size > 1000


def test_versions_of_one_moment_can_be_drawn(tmp_path: Path) -> None:
    draw(
        [[SeriesStep(url="u", since=START, captured_at=START, value=0.5, counts={})] * 2],
        tmp_path / "series.png",
        metric="edit",
    )

    assert (tmp_path / "series.png").exists()


def test_of_many_pages_those_with_most_versions_are_drawn(tmp_path: Path) -> None:
    pages = [steps(*[0.1] * count) for count in range(1, MAX_PANELS + 4)]

    assert draw(pages, tmp_path / "series.png", metric="edit") == 3


@pytest.mark.parametrize(
    ("name", "reason"), [("a.jpg", r"\.png or \.svg"), ("a", "png"), ("no/a.png", "does not exist")]
)
def test_what_cannot_be_written_is_told_at_once(tmp_path: Path, name: str, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        check(tmp_path / name)
