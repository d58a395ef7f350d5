"""OpenAPI description of the API, and its documentation page."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from fastapi import APIRouter, FastAPI, Request, Response

from pagedrift.app.web.api.schemas import Error
from pagedrift.app.web.api.shared import PREFIX
from pagedrift.app.web.templating import page

router = APIRouter(prefix=PREFIX)
TOKEN: Final = "token"


@router.get("/openapi.json", include_in_schema=False)
def openapi(request: Request) -> dict[str, Any]:
    """Describe the API for programs (OpenAPI)."""
    return schema(request.app, open_=request.app.state.doorkeeper.open)


@router.get("/docs", include_in_schema=False)
def docs(request: Request) -> Response:
    """Describe the API for people."""
    described = openapi(request)
    calls = [
        {"method": method.upper(), "path": path, **call}
        for path, methods in described["paths"].items()
        for method, call in methods.items()
    ]
    return page(request, "api.html", calls=calls, schemas=described["components"]["schemas"])


def schema(app: FastAPI, *, open_: bool = False) -> dict[str, Any]:
    """Describe the routes of the API; `open_` where this machine may read without a token."""
    return _described(app, open_)


@cache
def _described(app: FastAPI, open_: bool) -> dict[str, Any]:
    from fastapi.openapi.utils import get_openapi

    made = get_openapi(title="Pagedrift", version="1", openapi_version="3.1.0", routes=app.routes)
    made["components"]["securitySchemes"] = {TOKEN: {"type": "http", "scheme": "bearer"}}
    made["components"]["schemas"]["Error"] = Error.model_json_schema()
    for path, methods in made["paths"].items():
        for method, call in methods.items():
            call["security"] = [{TOKEN: []}, {}] if open_ and method == "get" else [{TOKEN: []}]
            call["responses"].pop("422", None)  # whose form is ours
            call["responses"] |= {str(status): _refused(said) for status, said in _refusals(path, call).items()}
            call["responses"]["default"] = _refused("another error")
    for name in ("HTTPValidationError", "ValidationError"):
        made["components"]["schemas"].pop(name, None)
    return made


def _refusals(path: str, call: dict[str, Any]) -> dict[int, str]:
    """Name the statuses by which a call is refused, each with what it means."""
    refusals = {401: "missing or revoked token"}
    if "requestBody" in call:
        refusals |= {400: "invalid request body", 413: "the body is too large"}
    if "requestBody" in call or "parameters" in call:
        refusals |= {422: "the request does not match this description"}
    if "{" in path or path.endswith("/rules"):
        refusals |= {404: "not found"}
    if path.endswith(("/watches", "/watches/{id}")) and "requestBody" in call:
        refusals |= {409: "this address is already watched"}
    return dict(sorted(refusals.items()))


def _refused(said: str) -> dict[str, Any]:
    form = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    return {"description": said, "content": form}
