"""A tool's deprecation and version reach its callers: in listings, in results, in the log and in spans."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from toolgen.runtime import ToolResponse
from toolgen.serving.listed_tool import served_tools
from toolgen.serving.result import result_of

from tests.runtime.tool_factory import make_tool, run

DEPRECATED = {"since": "2.0.0", "replaced_by": "place_order", "sunset": "2026-12-31"}


async def execute(self: Any, request: Any, context: Any) -> Any:
    if request.how == "crash":
        raise ValueError
    return 1


def call(how: str = "well", **definition: Any) -> ToolResponse:
    return run(make_tool(execute, **definition), {"how": how})


def test_a_listing_has_deprecation_and_version_beside_the_authors_meta() -> None:
    definition: Any = {
        "name": "x",
        "description": "X.",
        "input_schema": {"type": "object"},
        "version": "1.2.0",
        "deprecated": DEPRECATED,
        "meta": {"team": "shop", "toolgen/version": "forged"},
    }

    (listed,) = served_tools({"x": definition})

    assert listed["_meta"] == {
        "team": "shop",
        "toolgen/version": "1.2.0",
        "toolgen/deprecated": DEPRECATED,
    }


@pytest.mark.parametrize("how", ["well", "crash"])
def test_every_result_of_a_deprecated_tool_says_so(how: str) -> None:
    response = call(how, deprecated=DEPRECATED)

    result = result_of(response, "none").model_dump(by_alias=True)

    assert response.metadata["deprecated"] == DEPRECATED
    assert result["_meta"]["toolgen/deprecated"] == DEPRECATED
    assert "toolgen/metadata" not in result["_meta"]


@pytest.mark.parametrize(("how", "event"), [("well", "finished"), ("crash", "failed")])
def test_the_record_of_a_call_has_version_and_deprecation(
    how: str, event: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "toolgen.runtime")

    call(how, version="1.2.0", deprecated=DEPRECATED)

    (record,) = caplog.records
    fields = vars(record)
    assert (fields["event"], fields["tool_version"]) == (event, "1.2.0")
    assert fields["deprecated"] == DEPRECATED
    assert ", deprecated until 2026-12-31" in record.getMessage()
