"""The model of a response, and the metadata of a tool."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel
from toolgen.runtime import ToolError, ToolResponse

from tests.runtime.tool_factory import code_of, make_tool, run


class Search(BaseModel):
    """Metadata of a search."""

    rows_seen: int
    complete: bool = True


def test_the_model_of_a_failed_call_is_its_error() -> None:
    failed = ToolResponse("search", False, error=ToolError("Nothing\nat all."))
    with pytest.raises(ToolError, match="Nothing") as raised:
        failed.as_model(Search)
    assert raised.value is failed.error


async def tells(self: Any, request: Any, context: Any) -> Any:
    context.metadata.update(request.model_dump())
    return 1


def test_metadata_is_validated_with_metadata_model() -> None:
    tool = make_tool(tells)
    type(tool).metadata_model = Search
    response = run(tool, {"rows_seen": 3})
    assert {"rows_seen": 3, "complete": True}.items() <= response.metadata.items()
    broken = run(tool, {"rows_seen": "many"})
    assert code_of(broken) == "invalid_response"
    assert code_of(run(tool, {})) == "invalid_response"


def test_a_tool_cannot_set_metadata_of_the_runtime() -> None:
    assert run(make_tool(tells), {"call_id": "mine"}).metadata["call_id"] != "mine"
