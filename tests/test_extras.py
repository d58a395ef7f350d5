"""The command that installs what is missing is one for this installation."""

import sys
from pathlib import Path

import pytest

from pagedrift.extras import install_command


@pytest.mark.parametrize(
    ("made_by", "text", "command"),
    [
        ("pipx_metadata.json", "{}", "pipx inject pagedrift 'pagedrift[plot]'"),
        ("uv-receipt.toml", "[tool]", "uv tool install 'pagedrift[plot]'"),
        (
            "pyvenv.cfg",
            "home = /usr/bin\nuv = 0.9.5\n",
            f"uv pip install --python {sys.executable} 'pagedrift[plot]'",
        ),
        ("pyvenv.cfg", "home = /usr/bin\nversion = 3.11.7\n", "pip install 'pagedrift[plot]'"),
        ("nothing", "", "pip install 'pagedrift[plot]'"),
    ],
)
def test_the_tool_that_installed_us_installs_extras(tmp_path: Path, made_by: str, text: str, command: str) -> None:
    (tmp_path / made_by).write_text(text)

    assert install_command("plot", tmp_path) == command
