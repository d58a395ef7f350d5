"""The application takes its addresses from the command line or from the environment."""

import pytest

from pagedrift.cli.serve import serve

VARIABLES = {
    "PAGEDRIFT_HOST": ("host", "0.0.0.0", "0.0.0.0"),
    "PAGEDRIFT_PORT": ("port", "9000", 9000),
    "PAGEDRIFT_CONTENT_PORT": ("content_port", "9001", 9001),
    "PAGEDRIFT_PUBLIC_URL": ("public_url", "https://pages.example", "https://pages.example"),
    "PAGEDRIFT_CONTENT_URL": ("content_url", "https://captures.example", "https://captures.example"),
    "PAGEDRIFT_DATABASE": ("database", "postgresql:///pages", "postgresql:///pages"),
    "PAGEDRIFT_WARCS": ("warcs", "s3://pages", "s3://pages"),
}


@pytest.mark.parametrize("name", VARIABLES)
def test_a_variable_stands_for_an_option_that_is_not_given(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    option, text, value = VARIABLES[name]
    monkeypatch.setenv(name, text)

    assert serve.make_context("serve", []).params[option] == value


def test_an_option_wins_over_its_variable_and_an_empty_variable_says_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PAGEDRIFT_PORT", "9000")
    monkeypatch.setenv("PAGEDRIFT_HOST", "")

    params = serve.make_context("serve", ["--port", "9005"]).params

    assert (params["port"], params["host"]) == (9005, "127.0.0.1")
