"""get_content over the shop's website."""

from __future__ import annotations

import sqlite3

from toolgen.runtime import ToolContext

from examples.store import content
from generated.tools.get_content import (
    ContentNotFoundError,
    GetContentRequest,
    GetContentResponse,
    GetContentTool,
)


class GetContent(GetContentTool):
    def execute(
        self, request: GetContentRequest, context: ToolContext, *, db: sqlite3.Connection
    ) -> GetContentResponse:
        try:
            item = content.get_item(db, request.type, request.slug)
        except content.UnknownContentError as fault:
            raise ContentNotFoundError(str(fault), details={"similar": fault.near}) from fault
        return GetContentResponse.model_validate(item, from_attributes=True)
