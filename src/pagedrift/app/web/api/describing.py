"""What can be asked for? The same routes, described for programs and for people."""

from __future__ import annotations

from functools import cache
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response

from pagedrift.app.web.api.schemas import Error
from pagedrift.app.web.api.shared import PREFIX
from pagedrift.app.web.templating import page

router = APIRouter(prefix=PREFIX)


@router.get("/openapi.json", include_in_schema=False)
def openapi(request: Request) -> dict[str, Any]:
    """Describe all of this for programs (OpenAPI)."""
    return schema(request.app)


@router.get("/docs", include_in_schema=False)
def docs(request: Request) -> Response:
    """Describe all of this for people."""
    described = schema(request.app)
    calls = [
        {"method": method.upper(), "path": path, **call}
        for path, methods in described["paths"].items()
        for method, call in methods.items()
    ]
    return page(request, "api.html", calls=calls, schemas=described["components"]["schemas"])


@cache
def schema(app: FastAPI) -> dict[str, Any]:
    """Describe the routes of the API."""
    from fastapi.openapi.utils import get_openapi

    made = get_openapi(title="Pagedrift", version="1", openapi_version="3.1.0", routes=app.routes)
    made["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    made["security"] = [{"token": []}]
    made["components"]["schemas"]["Error"] = Error.model_json_schema()
    refused = {
        "description": "refused",
        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
    }
    for methods in made["paths"].values():
        for call in methods.values():
            call["responses"].pop("422", None)
            call["responses"]["default"] = refused
    for name in ("HTTPValidationError", "ValidationError"):
        made["components"]["schemas"].pop(name, None)
    return made
