"""A chart over MCP: the image, a link and the numbers of one result at the real client."""

from __future__ import annotations

import asyncio
import hashlib
from base64 import b64decode
from typing import Any

import mcp_types as types

from tests.end_to_end.project import ERAS, Project
from tests.runtime.content_samples import PDF, PNG

SPEC = """
    name: sales_chart
    description: Draw the sales of a year.
    input_schema: {type: object, required: [year], properties: {year: {type: integer}}}
    output_schema: {type: object, required: [total], properties: {total: {type: integer}}}
    content:
      - {type: image, media_types: [image/png], description: The chart., min: 1, audience: [user], priority: 0.5}
      - {type: file, media_types: [application/pdf]}
      - {type: link}
"""
TOOL = f"""
    from generated.tools.sales_chart import SalesChartResponse, SalesChartTool
    from toolgen.runtime import File, Image, Link, ToolResult

    class SalesChart(SalesChartTool):
        async def execute(self, request, context):
            image = Image({PNG!r}, media_type="image/gif" if request.year < 2000 else None)
            report = Link("https://example.com/reports/2026", title="Report")
            return ToolResult(SalesChartResponse(total=7), image, File({PDF!r}, name="sales.pdf"), report)
"""


@ERAS
def test_blocks_and_structured_content_arrive_as_they_were_returned(project: Project, era: str) -> None:
    project.add_tool("sales_chart", SPEC, TOOL)
    project.generate()
    result, refused = asyncio.run(_call(project, era))
    text, image, file, link = result.content
    assert result.structured_content == {"total": 7}
    assert text == types.TextContent(text='{"total":7}')
    assert (image.mime_type, digest(image.data)) == ("image/png", hashlib.sha256(PNG).hexdigest())
    assert image.annotations == types.Annotations(audience=["user"], priority=0.5)
    assert (file.resource.mime_type, b64decode(file.resource.blob)) == ("application/pdf", PDF)
    assert (link.uri, link.name, link.title) == ("https://example.com/reports/2026", "2026", "Report")
    assert refused.is_error
    assert refused.meta["toolgen/error"]["code"] == "invalid_response"
    assert [block.type for block in refused.content] == ["text"]


async def _call(project: Project, era: str) -> tuple[Any, Any]:
    async with project.stdio_client(era) as client:
        return (
            await client.call_tool("sales_chart", {"year": 2026}),
            await client.call_tool("sales_chart", {"year": 1999}),
        )


def digest(data: str) -> str:
    return hashlib.sha256(b64decode(data)).hexdigest()
