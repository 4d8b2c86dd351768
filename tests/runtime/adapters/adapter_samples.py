"""Small tools for tests of adapters, written by hand; their descriptions say what each is for."""

from __future__ import annotations

import asyncio
from pkgutil import resolve_name
from typing import Any

from pydantic import BaseModel, ConfigDict, RootModel
from toolgen.runtime import BaseTool, ToolContext, ToolDefinition, ToolError, Toolkit

WHEN = {"when": {"asap": True}}
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("book", WHEN),
    ("book", {**WHEN, "guests": 0}),
    ("rows", {"n": 2}),
]


def sdk(name: str) -> Any:
    """Return a class or type of a provider's SDK, imported now: most workers that import all tests need none of them."""
    return resolve_name(name)


def bedrock_faults(shape: str, value: Any) -> str:
    """Return botocore's errors for `value` as one of the service's shapes."""
    model = sdk("botocore.session:Session")().get_service_model("bedrock-runtime")
    validator = sdk("botocore.validate:ParamValidator")()
    report: str = validator.validate(value, model.shape_for(shape)).generate_report()
    return report


class Request(BaseModel):
    """Any object, with its properties unchanged."""

    model_config = ConfigDict(extra="allow")

    def given(self) -> dict[str, Any]:
        return self.model_dump(mode="json")


class Response(BaseModel):
    model_config = ConfigDict(extra="allow")


class Numbers(RootModel[list[int]]):
    pass


def closed(properties: dict[str, Any], required: list[str] | None = None) -> dict[str, Any]:
    names = list(properties) if required is None else required
    return {"type": "object", "additionalProperties": False, "required": names, "properties": properties}


def define(name: str, description: str, input_schema: dict[str, Any], **more: Any) -> ToolDefinition:
    definition: Any = {
        "name": name,
        "py_name": name,
        "class_name": f"{name.title()}Tool",
        "description": description,
        "input_schema": input_schema,
        **more,
    }
    return definition  # type: ignore[no-any-return]


class FullyBookedError(ToolError):
    code = "fully_booked"
    description = "No room is left."
    hint = "Try another day."


class Book(BaseTool[Request, Response]):
    """Loses nothing in strict mode; optional values at three depths."""

    definition = define(
        "book",
        "Book a table: größer als 3 “Gäste”.",
        closed(
            {
                "guests": {"type": "integer", "minimum": 1, "default": 2},
                "note": {"type": "string"},
                "when": {
                    "anyOf": [
                        closed(
                            {"day": {"type": "string", "format": "date"}, "hour": {"type": "integer"}},
                            ["day"],
                        ),
                        closed({"asap": {"const": True}}),
                    ]
                },
                "dishes": {
                    "type": "array",
                    "items": closed({"dish": {"type": "string"}, "count": {"type": "integer"}}, ["dish"]),
                },
            },
            ["when"],
        ),
        title="Book a table",
        output_schema={"type": "object", "required": ["given"], "properties": {"given": {"type": "object"}}},
        errors=[{"code": "fully_booked", "description": "No room is left.", "hint": "Try another day."}],
        aliases=["reserve", "Tisch buchen"],
        annotations={"readOnlyHint": False, "destructiveHint": True, "x-audit": "full"},
        icons=[
            {"src": "https://example.com/i.png", "mimeType": "image/png", "sizes": ["48x48"], "x-dark": True}
        ],
        meta={"com.example/team": "front", "none": None},
    )
    request_model = Request
    response_model = Response
    errors = (FullyBookedError,)

    async def execute(self, request: Request, context: ToolContext) -> Response:
        given = request.given()
        if given.get("guests", 0) > 10:
            raise FullyBookedError(f"No room for {given['guests']}.", details={"most": 10})
        await context.report_progress(1, 2, "half")
        return Response.model_validate({"given": given, "nothing": None})


class Rows(BaseTool[Request, Numbers]):
    """Returns a list, which older MCP clients do not accept; a plain `def`."""

    definition = define(
        "rows",
        "Count up.",
        {"type": "object", "properties": {"n": {"type": "integer", "maximum": 5}}},
        output_schema={"type": "array", "items": {"type": "integer"}},
    )
    request_model = Request
    response_model = Numbers

    def execute(self, request: Request, context: ToolContext) -> Numbers:
        return Numbers(list(range(request.given().get("n", 0))))


class Slow(BaseTool[Request, Any]):
    """Waits until it is cancelled, and records that."""

    definition = define("slow", "Wait.", {"type": "object"})
    request_model = Request

    def __init__(self) -> None:
        self.seen: list[str] = []

    async def execute(self, request: Request, context: ToolContext) -> Any:
        self.seen.append("started")
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            self.seen.append("cancelled")
            raise


class Wipe(BaseTool[Request, Any]):
    """Needs confirmation; counts how often it ran."""

    definition = define(
        "wipe",
        "Wipe a disk.",
        closed({"disk": {"type": "string"}}),
        confirm={"message": "Wipe {disk}?", "preview": True},
    )
    request_model = Request

    def __init__(self) -> None:
        self.runs = 0

    async def execute(self, request: Request, context: ToolContext) -> Any:
        self.runs += 1
        return {"wiped": request.given()["disk"]}

    async def preview(self, request: Request, context: ToolContext) -> str:
        return "3 files would be lost."


class Renamed(BaseTool[Request, Any]):
    """Has another name for each provider, does not publish its title, and is not strict."""

    definition = define(
        "renamed",
        "Go by many names.",
        {
            "type": "object",
            "properties": {"q": {"type": ["string", "null"]}},
            "x-order": 1,
            "$comment": "kept",
        },
        title="Renamed",
        targets={
            "mcp": {"name": "mcp.renamed", "annotations_title": False},
            "openai": {"name": "oa-renamed", "strict": False},
        },
    )
    request_model = Request

    async def execute(self, request: Request, context: ToolContext) -> Any:
        print("printed while called")
        return request.given()


def toolkit() -> Toolkit:
    return Toolkit([Book(), Rows(), Slow(), Wipe(), Renamed()])
