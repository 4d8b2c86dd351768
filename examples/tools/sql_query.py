"""sql_query over the shop's database, which it cannot change."""

from __future__ import annotations

from toolgen.runtime import ToolContext

from examples.store import reader as store
from examples.store.reader import Reader
from examples.store.wording import count
from generated.tools.sql_query import (
    InvalidSqlError,
    NotReadOnlyError,
    QueryTooSlowError,
    SqlQueryRequest,
    SqlQueryResponse,
    SqlQueryTool,
)


class SqlQuery(SqlQueryTool):
    def execute(self, request: SqlQueryRequest, context: ToolContext, *, reader: Reader) -> SqlQueryResponse:
        try:
            answer = reader.ask(request.query, request.parameters or (), request.limit)
        except store.NotReadOnlyError as fault:
            raise NotReadOnlyError(str(fault)) from fault
        except store.InvalidSqlError as fault:
            raise InvalidSqlError(str(fault)) from fault
        except store.TooSlowError as fault:
            raise QueryTooSlowError(str(fault)) from fault
        rows = count(len(answer.rows), "row")
        return SqlQueryResponse(
            columns=answer.columns,
            rows=answer.rows,
            row_count=len(answer.rows),
            truncated=answer.truncated,
            message=f"{rows}, and there are more." if answer.truncated else f"{rows}.",
            warnings=["There are more rows than were returned."] if answer.truncated else [],
        )
