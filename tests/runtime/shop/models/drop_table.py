from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class DropTableRequest(BaseModel):
    model_config = ConfigDict(extra="allow")
    table: str
    also: list[str] | None = None
