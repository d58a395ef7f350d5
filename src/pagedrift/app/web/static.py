"""Static files of the package, read once at start; no path from a request is ever opened."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

from fastapi import APIRouter, Request, Response

from pagedrift.errors import NotFoundError

TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".webmanifest": "application/manifest+json",
    ".txt": "text/plain; charset=utf-8",
}
router = APIRouter()


@dataclass(frozen=True, slots=True)
class Asset:
    """One file that pages load."""

    body: bytes
    media_type: str
    tag: str


@cache
def assets() -> dict[str, Asset]:
    """Read what there is: names to bytes, and nothing that a request could add to."""
    found: dict[str, Asset] = {}
    for each in files(__package__).joinpath("static").iterdir():
        media_type = TYPES.get("." + each.name.rpartition(".")[2])
        if media_type and each.is_file():
            body = each.read_bytes()
            found[each.name] = Asset(body, media_type, sha256(body).hexdigest()[:16])
    return found


def address(name: str) -> str:
    """Give the address of a file; it changes with its content, so that browsers may keep it forever."""
    return f"/static/{name}?v={assets()[name].tag}"


@router.get("/static/{name}")
def asset(request: Request, name: str) -> Response:
    """Give one file."""
    found = assets().get(name)
    if found is None:
        raise NotFoundError("file not found; go back to your watches")
    fresh = request.query_params.get("v") == found.tag
    headers = {
        "ETag": f'"{found.tag}"',
        "Cache-Control": "public, max-age=31536000, immutable" if fresh else "no-cache",
    }
    if request.headers.get("if-none-match") == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    return Response(found.body, 200, headers, found.media_type)
