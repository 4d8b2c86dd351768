from __future__ import annotations

from typing import TYPE_CHECKING

from shop.tools.echo import EchoRequest, EchoTool
from toolgen.runtime import ToolContext

if TYPE_CHECKING:
    from pydantic import JsonValue


class Echo(EchoTool):
    async def execute(self, request: EchoRequest, context: ToolContext) -> JsonValue:
        content: JsonValue = request.model_dump(mode="json", by_alias=True, exclude_unset=True)
        return content
